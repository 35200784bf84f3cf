import { cancel } from '../../../../../nodes/SocialPublishing/resources/post/cancel';
import { requestOf, shapeOf } from '../operations';

test('cancels by ID; something else may schedule it again', () => {
	expect(requestOf(cancel, { postId: 'p/1' })).toEqual({
		path: '/posts/p%2F1/cancel',
		expects: 'acknowledgement',
		setsState: true,
	});
	expect(() => requestOf(cancel, { postId: '..' })).toThrow(/^'Post'/);
	expect(shapeOf(cancel, { postId: 'p_1' }, { status: 'canceled' })).toEqual({
		id: 'p_1',
		status: 'canceled',
	});
});
