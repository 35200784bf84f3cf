import { get } from '../../../../../nodes/SocialPublishing/resources/post/get';
import { requestOf } from '../operations';

test('asks for the post, by an ID only', () => {
	expect(requestOf(get, { postId: 'p/1' })).toEqual({ path: '/posts/p%2F1' });
	expect(() => requestOf(get, { postId: '..' })).toThrow(/^'Post'/);
});
