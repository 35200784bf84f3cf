import { gzipSync } from 'node:zlib';

import { credentialFor } from '../../n8n/examples';
import { startService, type Service } from '../../service';
import { signatureOf, timestampAt } from '../../support/signing';
import { Instance, processedData, send } from '../../support/triggerContexts';
import { stopTime, throughTime } from '../../support/virtualTime';

/** The table of answers of the trigger, over HTTP, with n8n's real webhook and execute contexts. */

let service: Service;
let n8n: Instance;

beforeEach(async () => {
	service = await startService({ inlineDelaysMs: [0, 150, 300] });
	n8n = await Instance.start({ credential: credentialFor(service, service.keys.full) as never });
	await n8n.publish();
});
afterEach(async () => {
	await n8n.stop();
	await service.close();
});

let counter = 0;
const anEvent = (more: Record<string, unknown> = {}) => ({
	id: `evt_${++counter}_${process.pid}`,
	type: 'post.published',
	occurred_at: '2026-11-20T09:00:00Z',
	workspace_id: 'ws_main',
	brand_id: 'brand_1',
	data: { post_id: 'post_1', status: 'completed' },
	...more,
});

const secret = () => [...service.store.webhooks.values()][0]!.secret;

function headersFor(body: string | Buffer, { at = Date.now(), key = secret() } = {}) {
	const timestamp = timestampAt(at);
	return {
		'content-type': 'application/json',
		'x-service-timestamp': timestamp,
		'x-service-signature': signatureOf(key, timestamp, Buffer.from(body as string)),
	};
}

const deliver = async (event: unknown, more: Record<string, string> = {}) => {
	const body = JSON.stringify(event);
	return await send(n8n.url, body, { ...headersFor(body), ...more });
};

describe('the answers', () => {
	it('genuine and new: 200, one execution, the event as it was delivered', async () => {
		const event = anEvent({ x_new: { deep: [1, null] }, data: { post_id: 'p', extra: true } });
		expect((await deliver(event)).status).toBe(200);
		expect(n8n.behind).toEqual([event]);
	});

	it('processed before: 200 duplicate, no execution, whatever the time and signature of the attempt', async () => {
		const event = anEvent();
		await deliver(event);
		const again = await deliver(event);
		expect([again.status, again.body]).toEqual([200, { status: 'duplicate' }]);
		const body = JSON.stringify(event);
		const later = await send(n8n.url, body, headersFor(body, { at: Date.now() + 60_000 }));
		expect([later.status, later.body]).toEqual([200, { status: 'duplicate' }]);
		expect(n8n.executions).toHaveLength(1);
	});

	it('twenty copies at the same moment: one execution', async () => {
		const event = anEvent();
		const answers = await Promise.all(Array.from({ length: 20 }, async () => await deliver(event)));
		expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
		expect(n8n.executions).toHaveLength(1);
		expect(n8n.behind).toEqual([event]);
	});

	it('a copy of one that is being accepted takes its place when it fails', async () => {
		let failFirst!: () => void;
		n8n.afterAccept = async (respond) =>
			await new Promise((resolve) => {
				failFirst = () => {
					respond(500);
					resolve();
				};
			});
		const event = anEvent();
		const first = deliver(event);
		while (n8n.executions.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		const copy = deliver(event);
		n8n.afterAccept = async (respond) => respond(200);
		failFirst();
		expect((await first).status).toBe(500);
		expect((await copy).status).toBe(200);
		expect(n8n.behind).toEqual([event]);
	});

	it('a copy of one that takes too long: 503 in progress, try again in a second', async () => {
		let finish!: () => void;
		n8n.afterAccept = async (respond) =>
			await new Promise((resolve) => {
				finish = () => {
					respond(200);
					resolve();
				};
			});
		const event = anEvent();
		const first = deliver(event);
		while (n8n.executions.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		const copy = await deliver(event);
		expect([copy.status, copy.body, copy.headers.get('retry-after')]).toEqual([
			503,
			{ status: 'in_progress' },
			'1',
		]);
		finish();
		await first;
		expect(n8n.executions).toHaveLength(1);
		expect((await deliver(event)).body).toEqual({ status: 'duplicate' });
	}, 30_000);

	it("cut before the answer: forgotten here, and the copy stopped by n8n's database", async () => {
		n8n.afterAccept = async (respond) => {
			await new Promise((resolve) => setTimeout(resolve, 80));
			respond(200);
		};
		service.deliveries.cutNext({ times: 1, afterMs: 30 });
		const event = service.deliveries.emit({
			type: 'post.published',
			workspaceId: 'ws_main',
			brandId: 'b',
			resource: 'r',
			data: { post_id: 'p' },
		});
		await service.deliveries.idle();
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect(n8n.executions).toHaveLength(2);
		expect(n8n.behind).toEqual([event]);
	});

	it.each([
		['an event that was not asked for', { type: 'post.created' }],
		['an event that nobody knows', { type: 'post.archived' }],
	])('%s: 200 ignored', async (_name, more) => {
		const { status, body } = await deliver(anEvent(more));
		expect([status, body]).toEqual([200, { status: 'ignored' }]);
		expect(n8n.executions).toEqual([]);
	});

	it('an additional event name is asked for', async () => {
		n8n.parameters.options = { additionalEvents: 'post.archived' };
		const event = anEvent({ type: 'post.archived' });
		await deliver(event);
		expect(n8n.behind).toEqual([event]);
	});

	it('brands: another one or none is ignored', async () => {
		n8n.parameters.options = { brandIds: 'brand_1, brand_2' };
		for (const brand_id of ['brand_3', undefined, null]) {
			expect((await deliver(anEvent({ brand_id }))).body).toEqual({ status: 'ignored' });
		}
		const event = anEvent({ brand_id: 'brand_2' });
		await deliver(event);
		expect(n8n.behind).toEqual([event]);
	});

	it('only the signed body counts, not the headers', async () => {
		const event = anEvent();
		await deliver(event, { 'x-service-event': 'post.failed', 'x-service-event-id': 'another' });
		expect(n8n.behind).toEqual([event]);
		const copy = await deliver(event, { 'x-service-event-id': 'yet another' });
		expect(copy.body).toEqual({ status: 'duplicate' });
	});

	it('signed but no event: 400', async () => {
		for (const body of ['[]', '{}', '{"id":1,"type":"post.published"}', '{"id":"a"}', '', 'null', '{"id":']) {
			const { status } = await send(n8n.url, body, { ...headersFor(body), 'content-type': 'text/plain' });
			expect([body, status]).toEqual([body, 400]);
		}
		expect(n8n.executions).toEqual([]);
	});

	it('no secret known: 503, a line in the log once a minute, nothing that names a secret', async () => {
		service.store.acceptCallerSecret = false;
		// From 1.2 on, the process that subscribed knows the secret all the same.
		n8n.typeVersion = 1.1;
		await n8n.unpublish();
		await n8n.publish();
		const lost = secret();
		n8n.staticData = {};
		for (let i = 0; i < 5; i++) {
			const { status, body } = await deliver(anEvent());
			expect([status, Object.keys(body)]).toEqual([503, ['error']]);
		}
		const lines = n8n.logged.filter(({ level }) => level === 'warn');
		expect(lines).toHaveLength(1);
		expect(lines[0]!.message).toContain("Unpublish the workflow 'A workflow' and publish it again");
		expect(JSON.stringify(n8n.logged)).not.toContain(lost);
		expect(n8n.executions).toEqual([]);
	});

	it('forged: 401 with one text for all, no execution, no trace', async () => {
		const body = JSON.stringify(anEvent());
		const good = headersFor(body);
		const forged: Array<Record<string, string>> = [
			{ 'content-type': 'application/json' },
			{ ...good, 'x-service-signature': 'sha256=' },
			{ ...good, 'x-service-signature': good['x-service-signature'].toUpperCase() },
			headersFor(body, { key: 'guess' }),
			headersFor(body, { at: Date.now() - 301_000 }),
			headersFor(body, { at: Date.now() + 301_000 }),
			{ ...good, 'x-service-timestamp': timestampAt(Date.now() + 1) },
		];
		for (const headers of forged) {
			const { status, body: answer } = await send(n8n.url, body, headers);
			expect([status, answer]).toEqual([401, { error: 'The signature or the timestamp is not valid' }]);
		}
		expect((await send(n8n.url, `${body} `, good)).status).toBe(401);
		expect(n8n.executions).toEqual([]);
		expect(n8n.logged).toEqual([]);
	});

	it('27: bodies that n8n does not read by itself', async () => {
		const event = anEvent();
		const body = JSON.stringify(event);
		expect(
			(await send(n8n.url, body, { ...headersFor(body), 'content-type': 'application/octet-stream' })).status,
		).toBe(200);
		expect(n8n.behind).toEqual([event]);
	});

	it('28: a form, whose bytes n8n has used up', async () => {
		const body = JSON.stringify(anEvent());
		expect(
			(await send(n8n.url, body, { ...headersFor(body), 'content-type': 'multipart/form-data; boundary=x' }))
				.status,
		).toBe(401);
	});

	it('compressed bytes that n8n did not unpack are not what was signed', async () => {
		const body = JSON.stringify(anEvent());
		expect((await send(n8n.url, gzipSync(body), headersFor(body))).status).toBe(401);
	});

	it('never throws: a credential that n8n can not read is a 503 and a line in the log', async () => {
		n8n.staticData = {};
		n8n.typeVersion = 1.1;
		Object.defineProperty(n8n, 'credential', {
			get: () => {
				throw new Error('the encryption key is another one');
			},
		});
		const { status, body } = await deliver(anEvent());
		expect([status, body]).toEqual([503, { error: 'The receiver has trouble' }]);
		expect(n8n.logged).toMatchObject([
			{
				level: 'error',
				message: 'Trigger: a delivery was not accepted',
				meta: { reason: expect.any(String) },
			},
		]);
		expect(n8n.executions).toEqual([]);
	});
});

describe('execute', () => {
	it("after a restart n8n's database knows what was handed on", async () => {
		const event = anEvent();
		expect(await n8n.execute([event], { executionId: '11' })).toHaveLength(1);
		expect(await n8n.execute([event], { executionId: '12' })).toEqual([]);
		expect(await n8n.execute([event], { executionId: '11' })).toHaveLength(1);
	});

	it.each(['manual', 'retry'])('mode %s passes without asking', async (mode) => {
		const event = anEvent();
		await n8n.execute([event], { executionId: '21' });
		expect(await n8n.execute([event], { executionId: '22', mode })).toHaveLength(1);
	});

	it('hands on rather twice than never when the database does not answer', async () => {
		const event = anEvent();
		processedData.failures = 10;
		const passed = await n8n.execute([event], { executionId: '31' });
		processedData.failures = 0;
		expect(passed).toHaveLength(1);
		expect(n8n.logged.map(({ level }) => level)).toEqual(['warn']);
	});

	it('remembers as many events as it is told to', async () => {
		n8n.parameters.options = { rememberEvents: 3 };
		for (let i = 0; i < 10; i++) await n8n.execute([anEvent()], { executionId: `4${i}` });
		expect([...processedData.rows.values()].at(-1)).toHaveLength(12);
	});

	it('items of something else pass', async () => {
		expect(await n8n.execute([{ any: 'thing' }])).toEqual([
			{ json: { any: 'thing' }, pairedItem: { item: 0 } },
		]);
	});
});

describe('includePost', () => {
	beforeEach(() => {
		n8n.parameters.includePost = true;
	});

	it('puts the full post beside the event', async () => {
		const answer = await fetch(`${service.apiUrl}/posts`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${service.keys.full}`,
				'content-type': 'application/json',
				'idempotency-key': 'k1',
				'x-service-workspace-id': 'ws_main',
			},
			body: JSON.stringify({
				platform: 'x',
				content: { text: 'Hello' },
				scheduled_at: timestampAt(Date.now() + 3_600_000),
			}),
		});
		const { data } = (await answer.json()) as { data: { id: string } };
		const [item] = await n8n.execute([anEvent({ data: { post_id: data.id } })]);
		expect(item.json.post).toMatchObject({ id: data.id, status: 'scheduled' });
		expect(item.json.post_error).toBeUndefined();
	});

	it('the event is not lost where the post can not be fetched', async () => {
		const [item] = await n8n.execute([anEvent({ data: { post_id: 'post_gone' } })]);
		expect(item.json).toMatchObject({
			type: 'post.published',
			post: null,
			post_error: { code: 'PUBLIC_API_POST_NOT_FOUND', status: 404 },
		});
		n8n.credential = { baseUrl: 'nonsense' };
		const [other] = await n8n.execute([anEvent()]);
		expect(other.json).toMatchObject({ post: null, post_error: { code: 'NODE_BASE_URL' } });
	});

	it('an event without a post has none', async () => {
		const [item] = await n8n.execute([anEvent({ type: 'inbox.item.created', data: { item_id: 'i' } })]);
		expect(item.json.post).toBeNull();
		expect(item.json.post_error).toBeUndefined();
	});
});

describe('the workspaces dropdown', () => {
	it('lists those of the key and filters', async () => {
		const { results } = await n8n.search('searchWorkspaces');
		expect(results.map(({ value }: any) => value)).toContain('ws_main');
		expect((await n8n.search('searchWorkspaces', 'no such')).results).toEqual([]);
	});

	it("shows the service's message where it can not", async () => {
		n8n.credential = credentialFor(service, service.keys.expired) as never;
		await expect(n8n.search('searchWorkspaces')).rejects.toThrow('The API key has expired');
	});

	it('keeps nobody waiting for ever where the service does not answer', async () => {
		service.faults.add({ kind: 'hang', times: 0 });
		stopTime();
		try {
			const began = Date.now();
			const failure = await throughTime(n8n.search('searchWorkspaces').catch((error: unknown) => error));
			expect(failure).toMatchObject({ name: 'NodeApiError' });
			// Of the node's clock, which stands still but for this.
			expect(Date.now() - began).toBeLessThan(15_000);
		} finally {
			jest.useRealTimers();
		}
	});
});
