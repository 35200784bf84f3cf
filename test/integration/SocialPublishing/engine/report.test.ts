import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../service';
import {
	addPost,
	asked,
	contextOf,
	createPost,
	item,
	posts,
	retryOf,
	run,
	useService,
} from '../../../support/service';

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
		/^Row 3 of 3 failed: .+ 2 posts were already sent \(X, scheduled for .*; X, scheduled for .*\)\.$/,
	);
	expect(error.description.endsWith(`Executions list. What was already sent is not sent again.${way}`)).toBe(
		true,
	);
	expect(error.context.data.posts.count).toBe(2);
});

const row = { text: '={{ $json.text }}', options: { concurrency: 1, maxRetryWait: 0 } };
const rowsOf = (...texts: string[]) => ({ items: texts.map((text) => item({ text })) });

describe('what the service has, or may have, is never said not to be sent', () => {
	const lost: Fault = { kind: 'dropAfter', method: 'POST', path: '^/posts$', times: 0 };
	test.each<[string, string, object]>([
		['in doubt', 'Hello', {}],
		['kept as failed', '[[422]]', {}],
		['in doubt', 'Hello', { onError: 'continueRegularOutput' }],
		['kept as failed', '[[422]]', { onError: 'continueRegularOutput' }],
	])('two platforms, both %s', async (_state, text, node) => {
		if (text === 'Hello') service().faults.add(lost);
		const parameters = createPost({ text, platforms: ['x', 'linkedin'], options: { maxRetryWait: 0 } });
		const { error, json } = await run(service(), parameters, { node });
		const said = error ? [error.message] : json.map((one: any) => one.error.message);
		expect(posts(service())).toHaveLength(2);
		for (const message of said) expect(message).not.toMatch(/none was sent|nothing was sent|was not sent/i);
		const facts = error ? error.context.data : (json[0] as any).error;
		expect(facts.posts.count).toBe(2);
	});

	test('a retry with a wrong row, after a first try that left row 1 in doubt', async () => {
		service().faults.add({ ...lost, times: 1 });
		const first = await run(service(), createPost(row), rowsOf('a', 'b'));
		const { error } = await run(service(), createPost(row), { ...rowsOf('a', 'b', ''), ...retryOf(first) });
		expect(error.message).toBe(
			"Row 3 of 3: 'Text' is empty. Nothing more was sent; 1 post may have been sent (X).",
		);
		expect(error.context.data.posts.count).toBe(1);
	});

	test('a retry of Update whose first row went out', async () => {
		for (const id of ['a', 'b', 'c']) addPost(service(), { id });
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'PATCH', skip: 1 });
		const update = async (texts: Record<string, string>, more: object = {}) =>
			await run(
				service(),
				{
					...{ resource: 'post', operation: 'update', postId: '={{ $json.id }}' },
					updateFields: { text: '={{ $vars[$json.id] }}' },
				},
				{ items: ['a', 'b', 'c'].map((id) => item({ id })), variables: texts, ...more },
			);
		const first = await update({ a: 'A', b: 'B', c: 'C' });
		expect(first.error.message).toMatch(/^Row 2 of 3 failed: .* 1 request was already sent/);
		const { error } = await update({ a: 'A', b: 'B' }, retryOf(first));
		expect(error.message).toMatch(
			/^Row 3 of 3: 'Update Fields' is empty\. Nothing more was sent; 1 request was already sent \(.*\)\.$/,
		);
		// Without anything sent that is what is said.
		const fresh = await update({ a: 'A', b: 'B' });
		expect(fresh.error.message).toBe("Row 3 of 3: 'Update Fields' is empty. Nothing was sent.");
	});
});

test('a run that a row stopped says nothing of how long its requests took', async () => {
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 1 });
	const texts = Array.from({ length: 60 }, (_, index) => String(index));
	const { error, hints } = await run(service(), createPost(row), rowsOf(...texts));
	expect(error.message).toMatch(/^Row 2 of 60 failed/);
	expect(hints.map(({ message }: IDataObject) => message)).toEqual([]);
});
