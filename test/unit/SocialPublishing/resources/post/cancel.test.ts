import { cancel } from '../../../../../nodes/SocialPublishing/resources/post/cancel';
import { Failure } from '../../../../../nodes/api/failure';
import { fakeItem, requestOf, shapeOf } from '../operations';

test('cancels by ID; something else may schedule it again', () => {
	const path = '/posts/p%2F1/cancel';
	expect(requestOf(cancel, { postId: 'p/1' })).toEqual({ path, expects: 'acknowledgement' });
	expect(() => requestOf(cancel, { postId: '..' })).toThrow(/^'Post'/);
	const answer = { status: 'canceled' };
	expect(shapeOf(cancel, { postId: 'p_1' }, answer)).toEqual({ id: 'p_1', ...answer });
});

test('a refusal says which state the post is in, where that can be read', async () => {
	const code = 'PUBLIC_API_POST_CANCEL_INVALID_STATE';
	const failure = new Failure({ code, message: 'no', hint: 'try' });
	const after = async (post: unknown, outcome: unknown = failure) => {
		const { context } = fakeItem({ answers: { '/posts/p_1': post } });
		const [one] = await cancel.after!(context, [outcome] as never, { postId: 'p_1' } as never);
		return one;
	};
	for (const [status, word] of [
		['completed', 'published'],
		['failed', 'failed'],
	])
		expect(await after({ id: 'p_1', status })).toMatchObject({
			details: { code, message: `This post can't be canceled: it is already ${word}` },
		});
	expect(await after(new Error('gone'))).toBe(failure);
	expect(await after({}, { id: 'p_1' })).toEqual({ id: 'p_1' });
});
