import type { IDataObject } from 'n8n-workflow';

import { runTool, type RunOptions, type RunResult } from '../../../support/engine';
import {
	asked,
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	type Service,
	startService,
} from '../../../support/service';

/** What a write takes from the node, the credential and n8n, and cases that explain what `write.model.test.ts` draws. */

let service: Service;
beforeAll(async () => {
	service = await startService();
});
beforeEach(() => void service.reset());
afterAll(async () => await service.close());

const retryOf = (result: RunResult): Partial<RunOptions> => ({
	contextData: contextOf(result),
	executionId: '2',
	mode: 'retry',
});

test('what n8n stores of a write holds no API key, and no secret or signed address', async () => {
	const post = await run(service, createPost());
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
	const stored = [post, webhook, upload].map((result) => JSON.stringify(contextOf(result)));
	for (const one of stored) expect(one).toContain('succeeded');
	const { secret } = (webhook.json[0] as any).webhook;
	for (const hidden of [service.keys.full, secret, 'token=abc', 'signature='])
		expect(stored.join()).not.toContain(hidden);
});

test('in mode Same Text and Time the key has the workspace of the credential, where the node names none', async () => {
	const parameters = createPost({ platforms: ['linkedin'], options: { idempotencyKeyMode: 'content' } });
	for (const workspaceId of ['ws_main', 'ws_second'])
		await run(service, parameters, {
			credential: { baseUrl: service.url, apiKey: service.keys.full, workspaceId },
		});
	const keys = asked(service, 'POST').map(({ headers }) => headers['idempotency-key']);
	expect([posts(service).length, new Set(keys).size]).toEqual([2, 2]);
});

describe('a time that has passed since', () => {
	const update = (scheduledAt: string): IDataObject => ({
		resource: 'post',
		operation: 'update',
		postId: '={{ $json.id }}',
		updateFields: { scheduledAt },
		options: { maxRetryWait: 0 },
	});

	test('stops neither the retry of an Update that was answered nor the items behind it', async () => {
		const made = await run(service, createPost({ scheduledAt: '2126-01-01T10:00' }), {
			items: [item({}), item({})],
		});
		const items = made.json.map(({ id }) => item({ id }));
		service.faults.add({ kind: 'dropAfter', method: 'PATCH', skip: 1 });
		const first = await run(service, update('2126-02-01T10:00'), { items });
		const retry = await run(service, update('2020-02-01T10:00'), { items, ...retryOf(first) });
		expect(retry.error).toBeUndefined();
		expect(retry.json.map(({ scheduled_at }) => scheduled_at)).toEqual(Array(2).fill('2126-02-01T09:00:00Z'));
		const fresh = await run(service, update('2020-02-01T10:00'), { items });
		expect(fresh.error.message).toMatch(/^2 of 2 rows can't be sent: 'Scheduled At' is in the past/);
	});

	test('an answer from memory that has no time: the one that was sent', async () => {
		const first = await run(service, createPost({ scheduledAt: '2126-01-01T10:00' }));
		const contextData = JSON.parse(JSON.stringify(contextOf(first)), (name, value) =>
			name === 'response' ? { ...value, scheduled_at: undefined } : value,
		);
		const retry = await run(service, createPost({ scheduledAt: '2126-05-05T10:00' }), {
			...retryOf(first),
			contextData,
		});
		expect(retry.json[0]!.scheduled_at).toBe('2126-01-01T09:00:00Z');
	});
});

describe('an account that is given by name', () => {
	const byName = (more: IDataObject = {}) =>
		createPost({
			postTo: 'accounts',
			accounts: ['@the_bakery'],
			text: '={{ $json.text }}',
			options: { concurrency: 1 },
			...more,
		});
	const items = ['A', 'B', 'C'].map((text) => item({ text }));
	const failThird = () =>
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
	const bakery = (): any => [...service.store.accounts.values()].find((one: any) => one.platform === 'x');
	beforeEach(() => void (bakery().username = 'the_bakery'));

	test('and has a new ID in the retry: what was sent is not sent again, what was not goes to the new one', async () => {
		failThird();
		const first = await run(service, byName(), { items });
		const old = bakery();
		service.store.accounts.delete(old.id);
		service.store.accounts.set('acc_new', { ...old, id: 'acc_new' });
		const retry = await run(service, byName(), { items, ...retryOf(first) });
		expect(retry.error).toBeUndefined();
		const sent = asked(service, 'POST').map(({ body }) => [body.content.text, body.account_id]);
		expect(sent).toEqual([
			['A', old.id],
			['B', old.id],
			['C', old.id],
			['C', 'acc_new'],
		]);
	});

	test('or is not clear any more: what was sent needs no check, and the error lists it', async () => {
		failThird();
		const first = await run(service, byName(), { items });
		const other = { ...bakery(), id: 'acc_other' };
		service.store.accounts.set(other.id, other);
		const unclear = await run(service, byName(), { items, ...retryOf(first) });
		expect(unclear.error.message).toMatch(
			/^Row 3 of 3: 'Account Names or IDs' is ambiguous: .*an earlier try sent 2/,
		);
		// Following the hint sends only what is missing.
		const byId = await run(service, byName({ accounts: [bakery().id] }), { items, ...retryOf(unclear) });
		expect(byId.error).toBeUndefined();
		expect(posts(service).map(({ text }) => text)).toEqual(['A', 'B', 'C']);
	});

	test('listed twice, and with a numeric ID: once, in the order that was given', async () => {
		const { id, ...rest } = bakery();
		for (const number of [20, 3])
			service.store.accounts.set(String(number), { ...rest, id: String(number), username: `n${number}` });
		const accounts = [id, '20', '@the_bakery', '3', '@n20'];
		const { json } = await run(service, byName({ accounts, text: 'Hello' }));
		expect(json.map(({ account_id }) => account_id)).toEqual([id, '20', '3']);
	});
});

describe('Quick Start', () => {
	const quick = async (platforms: string[], options: IDataObject, more: Partial<RunOptions> = {}) =>
		await run(service, createPost({ platforms, options }), {
			credential: { ...credentialOf(service), postFormat: 'quickStart' },
			...more,
		});
	const ownText = { texts: [{ platform: 'x', text: 'Hello X' }] };

	test.each<[string, IDataObject]>([
		['content', { idempotencyKeyMode: 'content' }],
		['custom', { idempotencyKeyMode: 'custom', idempotencyKey: 'row-7' }],
	])('in mode %s each platform is a post of its own, whichever others there are', async (mode, options) => {
		for (const [run_, platforms] of [['x'], ['linkedin', 'x'], ['x', 'bluesky', 'linkedin']].entries())
			await quick(platforms, options, { executionId: String(run_) });
		expect(posts(service)).toHaveLength(3);
		const { error } = await quick(['x'], { ...options, platformText: ownText }, { executionId: '9' });
		// Another text with the same ID is refused by the service; for the other mode it is other content.
		expect([posts(service).length, error?.httpCode]).toEqual(mode === 'custom' ? [3, '409'] : [4, undefined]);
	});

	test.each<[string, string[], IDataObject]>([
		['with one more', ['x', 'linkedin', 'bluesky'], {}],
		['with one less', ['x'], {}],
		['with others', ['bluesky', 'facebook'], {}],
		['with a text of its own for one', ['x', 'linkedin'], { platformText: ownText }],
	])('platforms that shared a request: a retry %s is refused', async (_what, platforms, options) => {
		service.faults.add({ kind: 'dropAfter', method: 'POST', times: 0 });
		const first = await quick(['x', 'linkedin'], { maxRetryWait: 0 });
		service.faults.clear();
		const retry = await quick(platforms, options, retryOf(first));
		expect(retry.error.message).toMatch(
			/^An earlier try of this execution sent this post to X and LinkedIn in one request/,
		);
		const again = await quick(['linkedin', 'x'], {}, retryOf(first));
		expect(again.error).toBeUndefined();
		expect(posts(service)).toHaveLength(1);
	});
});

test('a workspace that may be the same as before: refused, not sent again', async () => {
	const credential = { ...credentialOf(service), workspaceId: '' };
	const first = await run(service, createPost(), { credential });
	const named = createPost({ options: { workspaceId: 'ws_main' } });
	const retry = await run(service, named, { credential, ...retryOf(first) });
	expect(retry.error.message).toMatch(
		/^An earlier try of this execution used the API key's own workspace, this one 'ws_main'/,
	);
	expect(posts(service)).toHaveLength(1);
});

describe('calls of a tool', () => {
	const call = (parameters: IDataObject, runIndex: number) => ({ parameters, runIndex });
	const tool = async (...calls: IDataObject[]) =>
		await runTool({ credential: credentialOf(service), calls: calls.map((one, index) => call(one, index)) });

	test('with a time that counts from now: the same text is one post', async () => {
		const later = createPost({
			when: 'delay',
			delayAmount: 1,
			delayUnit: 'hours',
			options: { mostPosts: 1 },
		});
		const results = await tool(...Array<IDataObject>(5).fill(later));
		expect(results.every(Array.isArray)).toBe(true);
		expect(posts(service)).toHaveLength(1);
	});

	test('cancel, set back, cancel: the post is canceled', async () => {
		const { json } = await run(service, createPost({ scheduledAt: '2126-01-01T10:00' }));
		const { id } = json[0]!;
		const cancel = { resource: 'post', operation: 'cancel', postId: id };
		const shared = { credential: credentialOf(service), contextData: {} };
		for (const runIndex of [0, 1]) {
			service.store.posts.get(String(id))!.status = 'scheduled';
			const [[post]] = (await runTool({ ...shared, calls: [call(cancel, runIndex)] })) as [[IDataObject]];
			expect(post.status).toBe('canceled');
		}
		expect(service.store.posts.get(String(id))!.status).toBe('canceled');
	});
});

test('a caller that is retried: a sub-workflow with a delay posts nothing twice', async () => {
	const call = async (executionId: string) =>
		await run(service, createPost({ when: 'delay', delayAmount: 1 }), {
			items: [item({ n: 1 }), item({ n: 2 })],
			executionId,
			callersToken: 'caller',
		});
	await call('1');
	const { error } = await call('2');
	expect([posts(service).length, error?.httpCode]).toEqual([2, '409']);
});

test('a time that passes while the run waits: the posts go out at once, and a hint says how many', async () => {
	const scheduledAt = new Date(Date.now() + 1_500).toISOString();
	service.faults.add({ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '2', method: 'POST' });
	const parameters = createPost({ scheduledAt, options: { concurrency: 1 } });
	const { json, hints } = await run(service, parameters, { items: [item({ n: 1 }), item({ n: 2 })] });
	const sent = asked(service, 'POST').map(({ body }) => body.scheduled_at);
	expect(sent).toEqual([scheduledAt, undefined, undefined]);
	expect(json).toHaveLength(2);
	expect(hints.map(({ message }) => message)).toContain(
		'2 posts: came due during the run, so it was published immediately',
	);
});

test('lists in the additional fields stand instead of those of the node; objects are merged', async () => {
	await run(
		service,
		createPost({
			mediaFrom: 'readUrls',
			mediaUrls: 'https://a/1, https://a/2',
			options: { additionalFields: { content: { media: ['https://b/1'] }, note: { deep: [1] } } },
		}),
	);
	const [{ body }] = asked(service, 'POST');
	expect(body).toMatchObject({
		content: { text: 'Hello', media: ['https://b/1'] },
		note: { deep: [1] },
	});
});
