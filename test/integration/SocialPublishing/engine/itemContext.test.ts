import type { IDataObject } from 'n8n-workflow';

import type { RunOptions, RunResult } from '../../../support/engine';
import {
	asked,
	contextOf,
	createPost,
	item,
	posts,
	run,
	type Service,
	startService,
} from '../../../support/writes';

/** What a write takes from the node, the credential and n8n. That it is sent once: `idempotency/record.model.test.ts`. */

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
	for (const one of stored) expect(one).toContain('answered');
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
		expect(fresh.error.message).toMatch(/'Scheduled At' is in the past/);
	});

	test('an answer from memory that has no time: the one that was sent', async () => {
		const first = await run(service, createPost({ scheduledAt: '2126-01-01T10:00' }));
		const contextData = JSON.parse(JSON.stringify(contextOf(first)), (name, value) =>
			name === 'answer' ? { ...value, scheduled_at: undefined } : value,
		);
		const retry = await run(service, createPost({ scheduledAt: '2126-05-05T10:00' }), {
			...retryOf(first),
			contextData,
		});
		expect(retry.json[0]!.scheduled_at).toBe('2126-01-01T09:00:00Z');
	});
});
