import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../service';
import {
	addPost,
	asked,
	contextOf,
	continuesOnFail,
	item,
	posts,
	retryOf,
	runOperation,
	usePosting,
} from '../../../support/service';

const { service, create, refuse } = usePosting();
const row = { text: '={{ $json.text }}', options: { concurrency: 1, maxRetryWait: 0 } };
const rowsOf = (...texts: string[]) => texts.map((text) => ({ text }));

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
		expect(first.error.context.data.posts).toMatchObject({ count: 3, first: {}, last: {} });
		expect(first.error.context.data.failures).toHaveLength(2);
		const before = asked(service(), 'POST').length;
		const retry = await create(parameters, [{}], { contextData: contextOf(first), executionId: '2' });
		expect(retry.json.map(({ platform }) => platform)).toEqual(five);
		expect(asked(service(), 'POST').length - before).toBe(2);
		expect(posts(service())).toHaveLength(5);
	});
});

describe('what the service has, or may have, is never said not to be sent', () => {
	const lost: Fault = { kind: 'dropAfter', method: 'POST', path: '^/posts$', times: 0 };
	test.each([
		['in doubt', 'Hello', {}],
		['kept as failed', '[[422]]', {}],
		['in doubt', 'Hello', continuesOnFail],
		['kept as failed', '[[422]]', continuesOnFail],
	])('two platforms, both %s: %s %j', async (_state, text, more) => {
		if (text === 'Hello') service().faults.add(lost);
		const { error, json } = await create({ ...row, text, platforms: ['x', 'linkedin'] }, [{}], more);
		const errors = error
			? [{ ...error.context.data, message: error.message }]
			: json.map((one: any) => one.error);
		expect(posts(service())).toHaveLength(2);
		for (const { message, posts: sent } of errors) {
			expect(message).not.toMatch(/none was sent|nothing was sent|was not sent/i);
			expect(sent.count).toBe(2);
		}
	});

	test('a retry with a wrong row, after a first try that left row 1 in doubt', async () => {
		service().faults.add({ ...lost, times: 1 });
		const first = await create(row, rowsOf('a', 'b'));
		const { error } = await create(row, rowsOf('a', 'b', ''), retryOf(first));
		expect(error.message).toBe(
			"Row 3 of 3: 'Text' is empty. Nothing more was sent; 1 post may have been sent (X).",
		);
		expect(error.context.data.posts.count).toBe(1);
	});

	test('a retry of Update whose first row went out', async () => {
		for (const id of ['a', 'b', 'c']) addPost(service(), { id });
		refuse({ method: 'PATCH', skip: 1 });
		const parameters = { postId: '={{ $json.id }}', updateFields: { text: '={{ $vars[$json.id] }}' } };
		const items = ['a', 'b', 'c'].map((id) => item({ id }));
		const update = async (variables: IDataObject, more: object = {}) =>
			await runOperation(service(), 'post:update', parameters, { items, variables, ...more });
		const first = await update({ a: 'A', b: 'B', c: 'C' });
		expect(first.error.message).toMatch(/^Row 2 of 3 failed: .* 1 request was already sent/);
		const { error } = await update({ a: 'A', b: 'B' }, retryOf(first));
		expect(error.message).toMatch(
			/^Row 3 of 3: 'Update Fields' is empty\. Nothing more was sent; 1 request was already sent \(.*\)\.$/,
		);
	});
});
