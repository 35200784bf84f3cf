import {
	contextOf,
	createPost,
	item,
	posts,
	run,
	type Service,
	startService,
	asked,
} from '../../../support/writes';

/** What docs/idempotency.md promises, in n8n's engine; what only a whole n8n shows is in test/e2e/idempotency.test.ts. */
describe('a write is sent once, however often n8n runs the node', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => await service.close());

	const keys = (): string[] =>
		asked(service, 'POST', /\/posts$/).map(({ headers }) => String(headers['idempotency-key']));
	const texts = (): string[] => posts(service).map(({ text }) => text);
	let clock = 0;
	/** A text that is another one each time the node runs, as `$now` makes it. */
	const moving = (): Record<string, string> => ({ text: `Now ${++clock}` });

	test('Retry execution gives back what was answered, without asking the service', async () => {
		const items = [item({ n: 1 }), item({ n: 2 })];
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', skip: 1, method: 'POST' });
		const parameters = createPost({ text: '={{ "Text " + $json.n }}', options: { concurrency: 1 } });
		const first = await run(service, parameters, { items });
		expect(first.error.message).toMatch(/refuses the content/);
		const retry = await run(service, parameters, {
			items,
			contextData: contextOf(first),
			executionId: '2',
			mode: 'retry',
		});
		expect(retry.error).toBeUndefined();
		expect(texts()).toEqual(['Text 1', 'Text 2']);
		expect(retry.json.map(({ idempotency_key }) => idempotency_key)).toEqual([keys()[0], keys()[1]]);
		expect(asked(service, 'POST')).toHaveLength(3);
	});

	test('a text that moved on is sent as it was first, with the same key', async () => {
		service.faults.add({ kind: 'dropAfter', method: 'POST', times: 1 });
		const first = await run(service, createPost({ ...moving(), options: { maxRetryWait: 0 } }));
		expect(first.error).toBeDefined();
		const retry = await run(service, createPost(moving()), {
			contextData: contextOf(first),
			executionId: '2',
		});
		expect(retry.error).toBeUndefined();
		expect(texts()).toHaveLength(1);
		expect(retry.json[0]!.id).toBe(posts(service)[0].id);
		expect(new Set(keys()).size).toBe(1);
	});

	test('Retry On Fail: five tries with a moving text and lost answers make one post', async () => {
		service.faults.add({ kind: 'dropAfter', method: 'POST', times: 3 });
		const result = await run(
			service,
			createPost({ text: '={{ $now.toMillis() + Math.random() }}', options: { maxRetryWait: 0 } }),
			{ node: { retryOnFail: true, maxTries: 5, waitBetweenTries: 10 } },
		);
		expect(result.error).toBeUndefined();
		expect(posts(service)).toHaveLength(1);
		expect(asked(service, 'POST')).toHaveLength(4);
	});

	test('what was refused for good may be corrected: the corrected text goes out, with the same key', async () => {
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', times: 2, method: 'POST' });
		const first = await run(service, createPost({ text: 'Worng' }));
		const second = await run(service, createPost({ text: 'Worng' }), { contextData: contextOf(first) });
		const third = await run(service, createPost({ text: 'Right' }), { contextData: contextOf(second) });
		expect(third.error).toBeUndefined();
		expect(texts()).toEqual(['Right']);
		expect(new Set(keys()).size).toBe(1);
	});

	test('a refusal after a lost answer does not unfreeze: the first try may have been carried out', async () => {
		service.faults.add({ kind: 'dropAfter', method: 'POST' });
		const first = await run(service, createPost({ text: 'One', options: { maxRetryWait: 0 } }));
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_KEY_INVALID', method: 'POST' });
		const second = await run(service, createPost({ text: 'Two' }), { contextData: contextOf(first) });
		expect(second.error).toBeDefined();
		const third = await run(service, createPost({ text: 'Three' }), { contextData: contextOf(second) });
		expect(third.error).toBeUndefined();
		expect(texts()).toEqual(['One']);
	});

	test('a post that the service kept with 422 is final: it is shown again, nothing is sent', async () => {
		const first = await run(service, createPost({ text: 'No [[422]]' }));
		const retry = await run(service, createPost({ text: 'No [[422]] again' }), {
			contextData: contextOf(first),
		});
		expect(asked(service, 'POST')).toHaveLength(1);
		expect(retry.error.context.data).toEqual(first.error.context.data);
		expect(retry.error.context.data.post.id).toBe(posts(service)[0].id);
	});

	test('a time that has passed since does not stop a retry of what was sent', async () => {
		const first = await run(service, createPost({ scheduledAt: '2126-01-01T10:00', options: {} }));
		const retry = await run(service, createPost({ scheduledAt: '2020-01-01T10:00' }), {
			contextData: contextOf(first),
		});
		expect(retry.json).toEqual(first.json);
	});

	test('items that come in another order in the retry keep their posts and keys', async () => {
		const items = ['a', 'b', 'c', 'a'].map((text) => item({ text }));
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', skip: 2, method: 'POST' });
		const parameters = createPost({ text: '={{ $json.text }}', options: { concurrency: 1 } });
		const first = await run(service, parameters, { items });
		const order = [3, 2, 1, 0].map((n) => items[n]!);
		const retry = await run(service, parameters, { items: order, contextData: contextOf(first) });
		expect(retry.error).toBeUndefined();
		expect(texts().sort()).toEqual(['a', 'a', 'b', 'c']);
		expect(new Set(retry.json.map(({ id }) => id)).size).toBe(4);
		expect(retry.json.map(({ content }: any) => content?.text ?? content)).toEqual(['a', 'c', 'b', 'a']);
	});

	test('a crash loses the context, but not the execution’s token: the key is the same', async () => {
		const first = await run(service, createPost(), { resumeToken: 'token-1', executionId: '7' });
		const after = await run(service, createPost(), {
			resumeToken: 'token-1',
			executionId: '8',
			mode: 'retry',
		});
		expect(after.json[0]!.id).toBe(first.json[0]!.id);
		expect(posts(service)).toHaveLength(1);
		const moved = await run(service, createPost({ text: 'Another' }), {
			resumeToken: 'token-1',
			mode: 'retry',
		});
		expect(moved.error.context.data.code).toBe('PUBLIC_API_IDEMPOTENCY_CONFLICT');
		expect(posts(service)).toHaveLength(1);
	});

	test('a new execution is a new wish, and so is each item', async () => {
		await run(service, createPost(), { executionId: '1', resumeToken: 'a', items: [item({}), item({})] });
		await run(service, createPost(), { executionId: '2', resumeToken: 'b' });
		expect(posts(service)).toHaveLength(3);
		expect(new Set(keys()).size).toBe(3);
	});

	test('mode content: the same content is sent once by whoever runs it', async () => {
		const parameters = createPost({ options: { idempotencyKeyMode: 'content' } });
		const results = [];
		for (const executionId of ['1', '2', '3']) results.push(await run(service, parameters, { executionId }));
		expect(new Set(results.map(({ json }) => json[0]!.id)).size).toBe(1);
		expect(posts(service)).toHaveLength(1);
		await run(service, { ...parameters, text: 'Other' });
		expect(posts(service)).toHaveLength(2);
	});

	test('mode custom: the user’s key goes out with the platform; another key is another wish', async () => {
		const custom = (idempotencyKey: string) =>
			createPost({ platforms: ['x', 'linkedin'], options: { idempotencyKeyMode: 'custom', idempotencyKey } });
		const first = await run(service, custom('order-1'));
		expect(keys().sort()).toEqual(['order-1:linkedin', 'order-1:x']);
		await run(service, custom('order-2'), { contextData: contextOf(first) });
		expect(posts(service)).toHaveLength(4);
		const conflict = await run(service, { ...custom('order-1'), text: 'Other' });
		expect(conflict.error.context.data.code).toBe('PUBLIC_API_IDEMPOTENCY_CONFLICT');
		expect(posts(service)).toHaveLength(4);
	});

	test('the context holds no API key, and freezes a large request like any other', async () => {
		service.faults.add({ kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED', method: 'POST' });
		const large = 'x'.repeat(40_000);
		const first = await run(service, createPost({ text: large, options: { maxRetryWait: 0 } }));
		expect(JSON.stringify(contextOf(first))).not.toContain(service.keys.full);
		const retry = await run(service, createPost({ text: `${large} moved` }), {
			contextData: contextOf(first),
		});
		expect(retry.error).toBeUndefined();
		expect(texts()).toEqual([large]);
	});

	test('what may hold a secret or a signed address is in no context', async () => {
		const webhook = await run(service, {
			resource: 'webhook',
			operation: 'create',
			url: 'https://example.com/in?token=abc',
			events: ['post.failed'],
		});
		const upload = await run(service, {
			resource: 'media',
			operation: 'createUploadUrl',
			fileName: 'a.png',
			contentType: 'image/png',
			size: 9,
		});
		const stored = JSON.stringify([contextOf(webhook), contextOf(upload)]);
		expect(stored).toContain('answered');
		for (const secret of [(webhook.json[0] as any).webhook.secret, 'token=abc', 'signature='])
			expect(stored).not.toContain(secret);
	});
});
