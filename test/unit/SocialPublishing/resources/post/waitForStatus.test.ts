import { waitForStatus } from '../../../../../nodes/SocialPublishing/resources/post/waitForStatus';
import { fakeItem, paramsOf, waiting } from '../operations';

test.each([
	[{}, 'completed', 300_000],
	[{ waitFor: 'terminal', waitTimeout: 7 }, 'terminal', 7000],
])('%j waits for the post', async (given, waitFor, timeoutMs) => {
	const wait = jest.fn(async () => await Promise.resolve({ status: 'completed' }));
	const { context } = fakeItem({ item: waiting(wait as never) });
	const params = paramsOf(waitForStatus, { postId: 'p', ...given });
	expect(await waitForStatus.wait!([], params, context, { item: context, writes: [] } as never)).toEqual([
		{ status: 'completed' },
	]);
	expect(wait.mock.calls).toEqual([['p', { waitFor, timeoutMs }]]);
});
