import { waitForStatus } from '../../../../../nodes/SocialPublishing/resources/post/waitForStatus';
import { fakeItem, paramsOf } from '../operations';

test.each([
	[{}, { waitFor: 'completed', timeoutMs: 300_000 }],
	[
		{ waitFor: 'terminal', waitTimeout: 7 },
		{ waitFor: 'terminal', timeoutMs: 7000 },
	],
])('%j waits for the post', async (given, expected) => {
	const waitFor = jest.fn(async () => await Promise.resolve({ status: 'completed' }));
	const { context } = fakeItem({ item: { waitFor: waitFor as never } });
	const outcomes = await waitForStatus.after!(
		context,
		[],
		paramsOf(waitForStatus, { postId: 'p', ...given }),
	);
	expect(outcomes).toEqual([{ status: 'completed' }]);
	expect(waitFor.mock.calls).toEqual([['p', expected]]);
});
