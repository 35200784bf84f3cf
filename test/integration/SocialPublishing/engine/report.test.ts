import { asked, contextOf, continuesOnFail, posts, usePosting } from '../../../support/service';

const { service, create, refuse } = usePosting();

describe('Create to five platforms of which two fail', () => {
	const five = ['youtube', 'x', 'linkedin', 'facebook', 'bluesky'];
	const parameters = { platforms: five, text: 'Hello' };
	const refuseTwo = () => refuse({ skip: 1, times: 2 });

	test('continue on fail: three posts and two errors, each naming its platform, in one output or two', async () => {
		refuseTwo();
		const { json, items } = await create(parameters, [{}], continuesOnFail);
		const errors = json.filter(({ error }) => error);
		expect(errors.map((one) => Object.keys(one))).toEqual([['error'], ['error']]);
		expect(json.map((one: any) => one.platform ?? one.error.platform)).toEqual(five);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(five.map(() => ({ item: 0 })));
		expect(posts(service())).toHaveLength(3);
		refuseTwo();
		const { outputs } = await create(parameters, [{}], { node: { onError: 'continueErrorOutput' } });
		expect(outputs.map((all) => all.length)).toEqual([3, 2]);
		for (const { json: one } of outputs[1]!)
			expect(one).toMatchObject({ error: { code: 'PUBLIC_API_SCOPE_FORBIDDEN' } });
	});

	test('without it: the error names all five, and a retry sends only the two', async () => {
		refuseTwo();
		const first = await create(parameters);
		for (const platform of ['YouTube', 'X', 'LinkedIn', 'Facebook', 'Bluesky'])
			expect(first.error.message).toContain(platform);
		expect(first.error.description).toMatch(/A retry of this execution sends only what is missing/);
		expect(first.error.message).toMatch(/^2 of 5 platforms failed/);
		expect(first.error.context.data.posts).toMatchObject({ count: 3, first: [{}, {}, {}] });
		expect(first.error.context.data.failures).toHaveLength(2);
		const before = asked(service(), 'POST').length;
		const retry = await create(parameters, [{}], { contextData: contextOf(first), executionId: '2' });
		expect(retry.json.map(({ platform }) => platform)).toEqual(five);
		expect(asked(service(), 'POST').length - before).toBe(2);
		expect(posts(service())).toHaveLength(5);
	});
});
