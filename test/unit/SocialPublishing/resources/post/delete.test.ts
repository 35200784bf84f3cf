import { remove } from '../../../../../nodes/SocialPublishing/resources/post/delete';
import { requestOf, shapeOf } from '../operations';

test('deletes by ID', () => {
	expect(requestOf(remove, { postId: 'p/1' })).toEqual({ path: '/posts/p%2F1' });
	expect(() => requestOf(remove, { postId: '..' })).toThrow(/^'Post'/);
});

test('says what was deleted, and what the service says of it', () => {
	expect(shapeOf(remove, { postId: 'p_1' }, {})).toEqual({ deleted: true, id: 'p_1' });
	expect(shapeOf(remove, { postId: 'p_1' }, { at: 1 })).toEqual({ deleted: true, id: 'p_1', at: 1 });
});
