import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { inMemory, itemWith } from '../../../support/binaries';
import { runNode, runTool, type RunOptions, type RunResult } from '../../../support/engine';
import {
	asked,
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	type Service,
	startService,
} from '../../../support/writes';

/** Sequences that went wrong in version 0.1.0; the model (model.test.ts) finds their like. */
describe('sequences that sent twice, or never', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => await service.close());

	const run = async (parameters: IDataObject, more: Partial<RunOptions> = {}, format = 'integrationGuide') =>
		await runNode({ credential: { ...credentialOf(service), postFormat: format }, parameters, ...more });
	let executions = 1;
	const retryOf = (result: RunResult): Partial<RunOptions> => ({
		contextData: contextOf(result),
		executionId: String(++executions),
		mode: 'retry',
	});
	const fault = (kind: 'dropAfter' | 'dropBefore', more: object = {}): unknown =>
		service.faults.add({ kind, method: 'POST|PATCH|DELETE', ...more });
	const refuse = (code: string, more: object = {}): unknown =>
		service.faults.add({ kind: 'error', code, method: 'POST|PATCH|DELETE', ...more });
	const texts = (): string[] => posts(service).map(({ text }) => text);
	const byText = createPost({ text: '={{ $json.text }}', options: { maxRetryWait: 0, concurrency: 1 } });
	const keys = (method = 'POST'): string[] =>
		asked(service, method).map(({ headers }) => String(headers['idempotency-key']));

	describe('1: an answer that is not kept', () => {
		test.each(['PUBLIC_API_KEY_INVALID', 'PUBLIC_API_RATE_LIMITED'])(
			'a webhook that was answered stays one, also where the retry meets %s and then another address',
			async (code) => {
				const webhook = (url: string) => ({
					resource: 'webhook',
					operation: 'create',
					url,
					events: ['post.failed'],
					options: { maxRetryWait: 0 },
				});
				const first = await run(webhook('https://example.com/1'));
				refuse(code);
				const second = await run(webhook('https://example.com/2'), retryOf(first));
				expect(second.error).toBeDefined();
				const third = await run(webhook('https://example.com/3'), retryOf(second));
				expect(third.error.context.data.code).toBe('PUBLIC_API_IDEMPOTENCY_CONFLICT');
				expect((service.store as any).webhooks.size).toBe(1);
			},
		);

		test('a post of 40 kB and ten of 900 kB are sent once, whatever comes between', async () => {
			const items = [40_000, ...Array(10).fill(900_000)].map((size, n) =>
				item({ text: `${n}${'x'.repeat(size)}` }),
			);
			const first = await run(byText, { items });
			expect(first.error).toBeUndefined();
			refuse('PUBLIC_API_KEY_INVALID');
			const changed = createPost({ ...byText, text: '={{ $json.text + " moved" }}' });
			const retry = await run(changed, { items, ...retryOf(first) });
			expect(retry.error).toBeUndefined();
			expect(posts(service)).toHaveLength(11);
			expect(asked(service, 'POST')).toHaveLength(11);
		});
	});

	test('2: Quick Start sends each platform once, whichever texts are equal in a try', async () => {
		let n = 0;
		// Equal in the first try, different in the second, equal again.
		const texts3 = ['A', 'A', 'A', 'A', 'B', 'C', 'A', 'A', 'A'];
		const variables = {
			get text() {
				return texts3[n++ % texts3.length];
			},
		};
		const own = (platform: string) => ({ platform, text: '={{ $vars.text }}' });
		fault('dropAfter', { times: 2 });
		const result = await run(
			createPost({
				platforms: ['x', 'linkedin', 'facebook'],
				text: '={{ $vars.text }}',
				options: { maxRetryWait: 0, platformText: { texts: [own('linkedin'), own('facebook')] } },
			}),
			{ variables, node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } },
			'quickStart',
		);
		expect(result.error).toBeUndefined();
		const platforms = posts(service).flatMap((post) => post.platforms.map(({ platform }: any) => platform));
		expect(platforms.sort()).toEqual(['facebook', 'linkedin', 'x']);
	});

	describe('3: a correction takes effect', () => {
		test('of the additional fields, after a 400', async () => {
			const post = (draft: string) => createPost({ options: { additionalFields: `{"draft": ${draft}}` } });
			const first = await run(post('"yes"'));
			expect(first.error.context.data.code).toBe('PUBLIC_API_BODY_INVALID');
			const retry = await run(post('true'), retryOf(first));
			expect(retry.error).toBeUndefined();
			expect(posts(service).map(({ status }) => status)).toEqual(['draft']);
		});

		test('of the workspace, after a 403; also with a key of the user’s own', async () => {
			for (const more of [{}, { idempotencyKeyMode: 'custom', idempotencyKey: 'order-1' }]) {
				service.reset();
				const post = (workspaceId: string) => createPost({ options: { ...more, workspaceId } });
				const first = await run(post('ws_nobody'));
				expect(first.error.context.data.code).toBe('PUBLIC_API_WORKSPACE_FORBIDDEN');
				const retry = await run(post('ws_second'), { ...retryOf(first) });
				expect(retry.error?.message ?? '').not.toMatch(/no access/);
				expect(asked(service, 'POST').at(-1).headers['x-service-workspace-id']).toBe('ws_second');
			}
		});
	});

	test('4: a model’s calls with the same text to another workspace, or with other fields, are wishes of their own', async () => {
		const call = (options: IDataObject) => ({
			parameters: createPost({ platforms: ['linkedin'], options }),
			runIndex: 0,
		});
		const results = await runTool({
			credential: credentialOf(service),
			calls: [
				call({}),
				call({ workspaceId: 'ws_second' }),
				call({ additionalFields: '{"note": 1}' }),
				call({ additionalFields: '{"note": 2}' }),
				call({ additionalFields: '{"note": 2}' }),
			],
		});
		expect(posts(service).map(({ workspaceId, extra }) => [workspaceId, extra.note])).toEqual([
			['ws_main', undefined],
			['ws_second', undefined],
			['ws_main', 1],
			['ws_main', 2],
		]);
		expect(new Set(results.map(([{ id }]) => id)).size).toBe(4);
	});

	describe('7: items', () => {
		test('a: one that never got as far as a request stood in front, and is gone', async () => {
			fault('dropAfter');
			const first = await run(byText, {
				items: [item({ text: '' }), item({ text: 'a' })],
				node: { onError: 'continueRegularOutput' },
			});
			expect(first.error).toBeUndefined();
			const retry = await run(byText, { items: [item({ text: 'a' })], ...retryOf(first) });
			expect(retry.error).toBeUndefined();
			expect(texts()).toEqual(['a']);
		});

		test('b: of two equal ones each is sent once, also where another comes in front', async () => {
			fault('dropBefore', { skip: 1 });
			const two = [item({ text: 'a' }), item({ text: 'a' })];
			const first = await run(byText, { items: two });
			expect(first.error).toBeDefined();
			const retry = await run(byText, { items: [item({ text: 'new' }), ...two], ...retryOf(first) });
			expect(retry.error).toBeUndefined();
			expect(texts().sort()).toEqual(['a', 'a', 'new']);
			expect(new Set(retry.json.map(({ id }) => id)).size).toBe(3);
		});

		test('b: where one of two equal ones comes to the place of another item', async () => {
			fault('dropAfter', { times: 2 });
			const failing = { node: { onError: 'continueRegularOutput' as const } };
			const first = await run(byText, { items: [item({ text: 'b' }), item({ text: 'a' })], ...failing });
			const retry = await run(byText, {
				items: [item({ text: 'a' }), item({ text: 'a' })],
				...retryOf(first),
			});
			expect(new Set(retry.json.map(({ id }) => id)).size).toBe(2);
			expect(texts()).toEqual(['b', 'a', 'a']);
		});

		test('c: the same JSON with another file is another item', async () => {
			const file = (name: string): INodeExecutionData =>
				itemWith({ data: inMemory(name, 'image/jpeg', Buffer.from(name)) });
			const upload = {
				resource: 'media',
				operation: 'uploadDirect',
				binaryFields: 'data',
				options: { maxRetryWait: 0 },
			};
			fault('dropBefore', { skip: 1 });
			const first = await run(upload, { items: [file('one.jpg'), file('two.jpg')] });
			expect(first.error).toBeDefined();
			const retry = await run(upload, { items: [file('two.jpg'), file('one.jpg')], ...retryOf(first) });
			expect(retry.error).toBeUndefined();
			const names = [...(service.store as any).media.values()].map(({ filename }) => filename);
			expect(names.sort()).toEqual(['one.jpg', 'two.jpg']);
			expect(retry.json.map(({ filename }) => filename)).toEqual(['two.jpg', 'one.jpg']);
		});
	});

	describe('uploads', () => {
		const upload = (operation: string, options: IDataObject = {}) => ({
			resource: 'media',
			operation,
			mediaFrom: 'binary',
			binaryFields: 'data',
			options: { maxRetryWait: 0, concurrency: 1, ...options },
		});
		const file = (label: string, content: string): INodeExecutionData => ({
			...itemWith({ data: inMemory('film.mp4', 'video/mp4', Buffer.from(content)) }),
			json: { label },
		});
		const keysTold = ({ json }: RunResult): unknown[] => json.map(({ idempotency_key }) => idempotency_key);

		test.each(['upload', 'uploadDirect'])('%s: another mode sends no file again', async (operation) => {
			const own = upload(operation, { idempotencyKeyMode: 'custom', idempotencyKey: 'own' });
			const items = [file('a', 'one')];
			fault('dropAfter');
			const first = await run(own, { items });
			const retry = await run(upload(operation, { idempotencyKeyMode: 'content' }), {
				items,
				...retryOf(first),
			});
			expect(retry.error).toBeUndefined();
			expect(new Set(keys())).toEqual(new Set(['own']));
		});

		test('an item that is put in front has an upload of its own, though its bytes are those of the next', async () => {
			const [a, b, c] = [file('a', 'one'), file('b', 'one'), file('c', 'two')] as const;
			const first = await run(upload('upload'), { items: [a, b, c] });
			const retry = await run(upload('upload'), { items: [a, a, b, c], ...retryOf(first) });
			const told = keysTold(retry);
			expect(new Set(told).size).toBe(4);
			expect([told[0], ...told.slice(2)]).toEqual(keysTold(first));
		});

		test('another workspace has an upload of its own', async () => {
			const items = [file('a', 'one')];
			const first = await run(upload('upload'), { items });
			await run(upload('upload', { workspaceId: 'ws_second' }), { items, ...retryOf(first) });
			expect(asked(service, 'POST').map(({ workspace }) => workspace)).toEqual(['ws_main', 'ws_second']);
		});
	});

	describe('11: what the node is set to changed', () => {
		const scheduled = { scheduledAt: '2126-01-01T10:00:00Z' };
		const on = (operation: string, postId: string, more: object = {}) => ({
			resource: 'post',
			operation,
			postId,
			...more,
			options: { maxRetryWait: 0 },
		});

		test('Cancel, then Delete: DELETE is sent', async () => {
			const [{ id }] = (await run(createPost(scheduled))).json as [{ id: string }];
			const first = await run(on('cancel', id));
			await run(on('delete', id), retryOf(first));
			expect(asked(service, 'DELETE')).toHaveLength(1);
		});

		test('a Delete whose answer was lost, then Update: PATCH is sent with its body', async () => {
			const [{ id }] = (await run(createPost(scheduled))).json as [{ id: string }];
			fault('dropBefore');
			const first = await run(on('delete', id));
			const retry = await run(on('update', id, { updateFields: { text: 'New' } }), retryOf(first));
			expect(retry.error).toBeUndefined();
			expect(texts()).toEqual(['New']);
		});

		test('another post to work on', async () => {
			const two = await run(createPost(scheduled), { items: [item({}), item({})] });
			const [a, b] = two.json.map(({ id }) => String(id)) as [string, string];
			const first = await run(on('cancel', a));
			const retry = await run(on('cancel', b), retryOf(first));
			expect(retry.json[0]!.id).toBe(b);
			expect(posts(service).map(({ status }) => status)).toEqual(['canceled', 'canceled']);
		});

		test('platforms that are added in Quick Start are sent, and only they; also as accounts', async () => {
			for (const kind of ['platforms', 'accounts']) {
				service.reset();
				const to = (...values: string[]) =>
					createPost({
						postTo: kind,
						[kind]: kind === 'platforms' ? values : values.map((one) => `acc_main_${one}`),
						options: { maxRetryWait: 0 },
					});
				fault('dropAfter', { path: '^/posts' });
				const first = await run(to('x'), {}, 'quickStart');
				expect(first.error).toBeDefined();
				const retry = await run(to('x', 'linkedin', 'facebook'), retryOf(first), 'quickStart');
				expect(retry.error).toBeUndefined();
				const sent = posts(service).flatMap((post) => post.platforms.map(({ platform }: any) => platform));
				expect(sent.sort()).toEqual(['facebook', 'linkedin', 'x']);
			}
		});
	});

	describe('12: time', () => {
		const update = (scheduledAt: string) => ({
			resource: 'post',
			operation: 'update',
			postId: '={{ $json.id }}',
			updateFields: { scheduledAt },
			options: { maxRetryWait: 0 },
		});

		test('that has passed stops neither the retry of an Update that was answered nor the items behind it', async () => {
			const made = await run(createPost({ scheduledAt: '2126-01-01T10:00' }), {
				items: [item({}), item({})],
			});
			const items = made.json.map(({ id }) => item({ id }));
			fault('dropAfter', { skip: 1 });
			const first = await run(update('2126-02-01T10:00'), { items });
			const retry = await run(update('2020-02-01T10:00'), { items, ...retryOf(first) });
			expect(retry.error).toBeUndefined();
			expect(retry.json.map(({ scheduled_at }) => scheduled_at)).toEqual(
				Array(2).fill('2126-02-01T09:00:00Z'),
			);
			const fresh = await run(update('2020-02-01T10:00'), { items });
			expect(fresh.error.message).toMatch(/'Scheduled At' is in the past/);
		});

		test('an answer from memory tells the time that was sent', async () => {
			service.faults.add({ kind: 'empty', method: 'GET' });
			const answerWithoutTime = createPost({ scheduledAt: '2126-01-01T10:00' });
			const first = await run(answerWithoutTime);
			const contextData = JSON.parse(JSON.stringify(contextOf(first)), (name, value) =>
				name === 'answer' ? { ...value, scheduled_at: undefined } : value,
			);
			const retry = await run(createPost({ scheduledAt: '2126-05-05T10:00' }), {
				...retryOf(first),
				contextData,
			});
			expect(retry.json[0]!.scheduled_at).toBe('2126-01-01T09:00:00Z');
		});
	});

	describe('13: odd values are refused before anything is sent', () => {
		test.each(['.', '..'])('the ID %s', async (postId) => {
			const result = await run({ resource: 'post', operation: 'delete', postId });
			expect(result.error.message).toMatch(/'Post' is not an ID/);
			expect(service.requests).toHaveLength(0);
		});

		test('an account of which the service does not say the platform', async () => {
			const [account] = [...(service.store as any).accounts.values()];
			account.platform = undefined;
			const result = await run(createPost({ postTo: 'accounts', accounts: [account.id] }));
			expect(result.error.message).toMatch(/does not say on which platform/);
			expect(asked(service, 'POST')).toHaveLength(0);
		});
	});

	describe('keys', () => {
		const content = (options: IDataObject = {}) =>
			createPost({
				when: 'now',
				platforms: ['linkedin'],
				options: { idempotencyKeyMode: 'content', ...options },
			});

		test('of mode Same Content hold the additional fields and the credential’s workspace', async () => {
			for (const additionalFields of ['{"note": 1}', '{"note": 2}']) await run(content({ additionalFields }));
			expect(posts(service)).toHaveLength(2);
			for (const workspaceId of ['ws_main', 'ws_second'])
				await runNode({
					credential: { ...credentialOf(service), workspaceId },
					parameters: content(),
				});
			expect(new Set(keys()).size).toBe(4);
		});

		test('a correction keeps the key, also where an older execution is retried once more', async () => {
			refuse('PUBLIC_API_BODY_INVALID', { times: 2 });
			const first = await run(createPost({ text: 'Worng' }));
			const second = await run(createPost({ text: 'Wrong' }), retryOf(first));
			const third = await run(createPost({ text: 'Right' }), retryOf(second));
			const once = await run(createPost({ text: 'Right' }), retryOf(first));
			expect(once.json[0]!.id).toBe(third.json[0]!.id);
			expect(new Set(keys()).size).toBe(1);
			expect(texts()).toEqual(['Right']);
		});

		test('a retry without memory says so where n8n gives executions no token', async () => {
			const hints = async (more: Partial<RunOptions>): Promise<string> =>
				(await run(createPost(), { mode: 'retry', ...more })).hints.map(({ message }) => message).join();
			expect(await hints({})).toMatch(/'Same Text and Time' or 'My Own ID'/);
			expect(await hints({ resumeToken: 'token' })).toBe('');
			expect(await hints({ mode: 'trigger' })).toBe('');
		});
	});
});
