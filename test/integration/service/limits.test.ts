import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type Service } from '../../service';
import { RESPONSE_TIMEOUT_MS } from '../../service/deliveries';
import { client, control, HOUR, newPost, Receiver, row, TIMESTAMP, until } from './harness';

let service: Service;
const call = client(() => service);

beforeAll(async () => {
	service = await startService({ inlineDelaysMs: [0, 5, 10] });
});
afterAll(async () => await service.close());
afterEach(() => service.faults.clear());

describe('Rate limits', () => {
	/** Exactly so many reads and writes a minute, each of its own kind, and 429 after them. */
	function tier(plan: 'lowest' | 'middle' | 'highest', reads: number, writes: number) {
		return async () => {
			const key = service.addKey({ plan });
			const send = async (count: number, method: string, path: string, body?: unknown) => {
				const answers = await Promise.all(
					Array.from({ length: count }, async () => await call(method, path, { key, body })),
				);
				return answers.map(({ status }) => status).filter((status) => status !== 429).length;
			};
			expect(await send(reads + 5, 'GET', '/analytics/summary')).toBe(reads);
			const remaining = await call('GET', '/posts', { key });
			expect(remaining).toMatchObject({ status: 429, code: 'PUBLIC_API_RATE_LIMITED' });
			expect(remaining.headers).toMatchObject({
				'x-ratelimit-limit': String(reads),
				'x-ratelimit-remaining': '0',
				'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
				'retry-after': expect.stringMatching(/^\d+$/),
			});
			// POST and DELETE together; reads that were used up do not count against them.
			expect(await send(Math.floor(writes / 2), 'DELETE', '/posts/post_none')).toBe(Math.floor(writes / 2));
			const rest = writes - Math.floor(writes / 2);
			expect(await send(rest + 5, 'POST', '/posts', newPost(service))).toBe(rest);
			// Another key has a limit of its own.
			expect((await call('GET', '/posts', { key: service.addKey({ plan }) })).status).toBe(200);
		};
	}
	row('Rate limits · lowest', tier('lowest', 60, 20));
	row('Rate limits · middle', tier('middle', 120, 40));
	row('Rate limits · highest', tier('highest', 240, 90));

	test('the seeded keys have the three tiers, and every answer has the X-RateLimit headers', async () => {
		for (const [plan, read, write] of [
			['lowest', 60, 20],
			['middle', 120, 40],
			['highest', 240, 90],
		] as const) {
			const key = service.keys[plan];
			expect((await call('GET', '/posts', { key })).headers['x-ratelimit-limit']).toBe(String(read));
			const body = newPost(service);
			expect((await call('POST', '/posts', { key, body })).headers['x-ratelimit-limit']).toBe(String(write));
		}
	});
	test('after Retry-After the key may ask again', async () => {
		const own = await startService({ rateWindowMs: 1200 });
		try {
			const ask = client(() => own);
			const key = own.addKey({ plan: 'lowest' });
			for (;;) {
				const { status, headers } = await ask('GET', '/workspaces', { key });
				if (status === 200) continue;
				await sleep(Number(headers['retry-after']) * 1000 + 50);
				break;
			}
			expect((await ask('GET', '/workspaces', { key })).status).toBe(200);
		} finally {
			await own.close();
		}
	});
});

describe('Other limits', () => {
	row('Other limits · GET /posts limit', async () => {
		const key = service.addKey({ workspaces: ['ws_second'] });
		await control(service, 'seed/posts', { count: 120, workspace_id: 'ws_second' });
		const count = async (query = {}) => (await call('GET', '/posts', { key, query })).data.count;
		expect(await count()).toBe(25);
		expect(await count({ limit: 100 })).toBe(100);
		expect((await call('GET', '/posts', { key, query: { limit: 101 } })).code).toBe(
			'PUBLIC_API_QUERY_INVALID',
		);
	});
	row('Other limits · GET /approvals limit', async () => {
		for (let n = 0; n < 51; n++) {
			const { data } = await call('POST', '/posts', { body: newPost(service) });
			await control(service, `posts/${data.id}/hold`);
		}
		const list = async (query = {}) => (await call('GET', '/approvals', { query })).data;
		expect(await list()).toMatchObject({ pagination: { page: 1, limit: 10, total: 51 } });
		expect((await list()).batches).toHaveLength(10);
		expect((await list({ limit: 50 })).batches).toHaveLength(50);
		for (const query of ['limit=51', 'limit=0', 'page=0']) {
			expect((await call('GET', `/approvals?${query}`)).code).toBe('PUBLIC_API_QUERY_INVALID');
		}
	});
	row('Other limits · GET /analytics/insights limit', async () => {
		const [sample] = service.store.insights;
		for (let n = 0; n < 21; n++) service.store.insights.push({ ...sample!, id: `insight_more_${n}` });
		const list = async (query = {}) => (await call('GET', '/analytics/insights', { query })).data;
		expect(await list()).toHaveLength(5);
		expect(await list({ limit: 20 })).toHaveLength(20);
		for (const limit of [0, 21]) {
			expect((await call('GET', '/analytics/insights', { query: { limit } })).code).toBe(
				'PUBLIC_API_QUERY_INVALID',
			);
		}
	});
	row('Other limits · Idempotency-Key', async () => {
		const post = async (idempotencyKey: string) =>
			await call('POST', '/posts', { body: newPost(service), idempotencyKey });
		for (const good of ['a', 'a:b:c', 'x'.repeat(255), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~']) {
			expect([good, (await post(good)).status]).toEqual([good, 201]);
		}
		for (const bad of ['x'.repeat(256), 'a b', 'ä']) {
			expect([bad, (await post(bad)).code]).toEqual([bad, 'PUBLIC_API_IDEMPOTENCY_KEY_INVALID']);
		}
	});
	row('Other limits · Webhook receiver response time', async () => {
		expect(RESPONSE_TIMEOUT_MS).toBe(15_000);
		const own = await startService({ responseTimeoutMs: 300, inlineDelaysMs: [0, 5, 10] });
		const receiver = await new Receiver().start();
		try {
			const ask = client(() => own);
			const body = { url: receiver.url, events: ['post.created'] };
			await ask('POST', '/webhooks', { body });
			receiver.queue.push('hang');
			await ask('POST', '/posts', { body: newPost(own) });
			await own.deliveries.idle();
			const [first, second] = own.deliveries.history()[0]!.log;
			expect(first).toMatchObject({ status: null, error: 'No response within 0.3 seconds' });
			expect(first!.ms).toBeGreaterThanOrEqual(290);
			expect(second).toMatchObject({ status: 200, error: null });
		} finally {
			await own.close();
			await receiver.stop();
		}
	});
	/** A receiver that refuses everything. */
	async function refused(check: (attempts: () => number, delivery: () => any) => Promise<void>) {
		const receiver = await new Receiver().start();
		receiver.answer = 500;
		const body = { url: receiver.url, events: ['post.created'] };
		const { webhook } = (await call('POST', '/webhooks', { body })).data;
		try {
			await call('POST', '/posts', { body: newPost(service) });
			await service.deliveries.idle();
			await check(
				() => receiver.received.length,
				() => service.deliveries.list(webhook.id)[0],
			);
		} finally {
			await call('DELETE', `/webhooks/${webhook.id}`);
			await receiver.stop();
		}
	}
	row('Other limits · Inline delivery attempts', async () => {
		await refused(async (attempts, delivery) => {
			expect(attempts()).toBe(3);
			await service.clock.advance(21 * 60_000);
			expect(attempts()).toBe(6);
			expect(delivery()).toMatchObject({ status: 'failed', attempts: 6 });
		});
	});
	row('Other limits · Scheduled redeliveries', async () => {
		await refused(async (attempts, delivery) => {
			await service.clock.advance(22 * HOUR);
			expect(delivery().status).toBe('failed');
			await service.clock.advance(HOUR);
			expect(delivery().status).toBe('dead_letter');
			expect(attempts()).toBe(3 * (1 + 5));
		});
	});
});

describe('Versioning', () => {
	row('Versioning · 1. The current version is v1, carried in the path prefix /api/public/v1', async () => {
		expect(service.apiUrl).toBe(`${service.url}/api/public/v1`);
		expect((await call('GET', '/workspaces')).status).toBe(200);
		// The quick start's form of the address; nothing else.
		expect((await call('GET', '/workspaces', { base: `${service.url}/v1` })).status).toBe(200);
		for (const prefix of ['', '/api/public', '/api/v1']) {
			expect((await fetch(`${service.url}${prefix}/workspaces`)).status).toBe(404);
		}
	});
	row(
		'Versioning · 2. Breaking changes (removing a field, removing an enum value, adding a required field) ship only under a new major version (v2 and so on) after a 6-month deprecation notice',
		async () => {
			for (const prefix of ['/api/public/v2', '/v2']) {
				expect((await fetch(`${service.url}${prefix}/workspaces`)).status).toBe(404);
			}
			// What v1 requires of a post is what the spec shows, and no more.
			const body = { platform: 'linkedin', content: { text: 'Bare' } };
			expect((await call('POST', '/posts', { body })).status).toBe(201);
		},
	);
	row(
		'Versioning · 3. Non-breaking additions (new optional fields, new endpoints, new enum values) are added to v1 without notice',
		async () => {
			service.faults.add({ kind: 'unknownFields', times: 1 });
			const { data: made } = await call('POST', '/posts', { body: newPost(service) });
			const known = (await call('GET', `/posts/${made.id}`)).data;
			expect(made).toMatchObject({ id: known.id, content: { text: known.content.text } });
			expect(Object.keys(made).length).toBeGreaterThan(Object.keys(known).length);
			expect(made.status).not.toBe(known.status);
			// And what the service does not know of a body, it keeps.
			const more = { ...newPost(service), first_comment: 'A field of tomorrow' };
			expect((await call('POST', '/posts', { body: more })).data).toMatchObject({
				first_comment: 'A field of tomorrow',
			});
		},
	);
	row(
		'Versioning · 4. A deprecated field keeps working during the notice period and may be accompanied by response headers Deprecation',
		async () => {
			const headers = {
				Deprecation: 'true',
				Sunset: service.clock.iso(service.clock.now() + 180 * 24 * HOUR),
				Link: '<https://docs.example/changes>; rel=deprecation',
			};
			service.faults.add({ kind: 'headers', headers, times: 1 });
			const answer = await call('GET', '/posts');
			expect(answer.status).toBe(200);
			expect(answer.headers).toMatchObject({
				deprecation: 'true',
				sunset: expect.stringMatching(TIMESTAMP),
				link: expect.stringContaining('rel=deprecation'),
			});
			expect((await call('GET', '/posts')).headers).not.toHaveProperty('deprecation');
		},
	);
	row('Versioning · 5. error.code values are stable across versions', async () => {
		// The same code under both address forms, whatever the message.
		service.faults.add({
			kind: 'error',
			code: 'PUBLIC_API_USAGE_FETCH_FAILED',
			message: 'Said otherwise',
			times: 2,
		});
		for (const base of [service.apiUrl, `${service.url}/v1`]) {
			const { code, body } = await call('GET', '/usage', { base });
			expect([code, body.error.message]).toEqual(['PUBLIC_API_USAGE_FETCH_FAILED', 'Said otherwise']);
		}
	});
});

describe('Clock', () => {
	test('a fast clock runs the scheduled retries by itself', async () => {
		const own = await startService({ speed: 100_000, inlineDelaysMs: [0, 5, 10] });
		const receiver = await new Receiver().start();
		receiver.answer = 500;
		try {
			const ask = client(() => own);
			await ask('POST', '/webhooks', { body: { url: receiver.url, events: ['post.created'] } });
			const body = newPost(own, { scheduled_at: new Date(own.clock.now() + 1000 * HOUR).toISOString() });
			await ask('POST', '/posts', { body });
			await until(() => own.deliveries.history()[0]?.status === 'dead_letter', 'all retries', 30_000);
			expect(receiver.received).toHaveLength(18);
			const times = receiver.received.map(({ headers }) =>
				Date.parse(String(headers['x-service-timestamp'])),
			);
			for (const time of times) expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
		} finally {
			await own.close();
			await receiver.stop();
		}
	});
});
