import { asked, contextOf, createPost, item, posts, run, useService } from '../../../support/service';

const five = ['youtube', 'x', 'linkedin', 'facebook', 'bluesky'];

const service = useService();

describe('post.create to five platforms of which two fail', () => {
	const parameters = createPost({ platforms: five, text: 'Hello' });

	/** Two of the five POSTs are refused once. */
	const refuseTwo = () =>
		service().faults.add({
			kind: 'error',
			code: 'PUBLIC_API_SCOPE_FORBIDDEN',
			method: 'POST',
			path: '^/posts$',
			skip: 1,
			times: 2,
		});

	test('continue on fail: three posts and two errors, each naming its platform, in one output or two', async () => {
		refuseTwo();
		const { json, items } = await run(service(), parameters, { node: { onError: 'continueRegularOutput' } });
		const errors = json.filter(({ error }) => error);
		expect(errors.map((one) => Object.keys(one))).toEqual([['error'], ['error']]);
		expect(json.map((one: any) => one.platform ?? one.error.platform)).toEqual(five);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(five.map(() => ({ item: 0 })));
		expect(posts(service())).toHaveLength(3);
		refuseTwo();
		const { outputs } = await run(service(), parameters, { node: { onError: 'continueErrorOutput' } });
		expect(outputs.map((all) => all.length)).toEqual([3, 2]);
		expect(outputs[1]!.every(({ json: one }: any) => one.error.code === 'PUBLIC_API_SCOPE_FORBIDDEN')).toBe(
			true,
		);
	});

	test('without it: the error names all five, and a retry sends only the two', async () => {
		refuseTwo();
		const first = await run(service(), parameters);
		for (const platform of ['YouTube', 'X', 'LinkedIn', 'Facebook', 'Bluesky'])
			expect(first.error.message).toContain(platform);
		expect(first.error.description).toMatch(/A retry of this execution sends only what is missing/);
		expect(first.error.message).toMatch(/^2 of 5 platforms failed/);
		expect(first.error.context.data.posts).toMatchObject({ count: 3, first: [{}, {}, {}] });
		expect(first.error.context.data.failures).toHaveLength(2);
		const before = asked(service(), 'POST').length;
		const retry = await run(service(), parameters, { contextData: contextOf(first), executionId: '2' });
		expect(retry.json.map(({ platform }) => platform)).toEqual(five);
		expect(asked(service(), 'POST').length - before).toBe(2);
		expect(posts(service())).toHaveLength(5);
	});
});

test.each<[string, object, string]>([
	['execution', {}, " 'Execute step' would send it again."],
	['content', { idempotencyKeyMode: 'content' }, ''],
])('the third row of three, in mode %s: what was sent, and how to go on', async (_mode, options, way) => {
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
	const parameters = createPost({ text: '={{ $json.text }}', options: { concurrency: 1, ...options } });
	const { error } = await run(service(), parameters, {
		items: ['a', 'b', 'c'].map((text) => item({ text })),
	});
	expect(error.message).toMatch(
		/^Row 3 of 3 failed: .+ 2 posts were already sent \(X, scheduled for .*; X, scheduled for .*\)$/,
	);
	expect(error.description.endsWith(`Executions list. What was already sent is not sent again.${way}`)).toBe(
		true,
	);
	expect(error.context.data.posts.count).toBe(2);
});
