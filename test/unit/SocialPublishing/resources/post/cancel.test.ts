import { cancel } from '../../../../../nodes/SocialPublishing/resources/post/cancel';
import { requestOf, shapeOf } from '../operations';

test('cancels by ID; something else may schedule it again', () => {
	const path = '/posts/p%2F1/cancel';
	expect(requestOf(cancel, { postId: 'p/1' })).toEqual({ path, expects: 'acknowledgement' });
	expect(() => requestOf(cancel, { postId: '..' })).toThrow(/^'Post'/);
	const answer = { status: 'canceled' };
	expect(shapeOf(cancel, { postId: 'p_1' }, answer)).toEqual({ id: 'p_1', ...answer });
});
