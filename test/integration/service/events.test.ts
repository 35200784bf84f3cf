import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type Service } from '../../service';
import {
	client,
	control,
	HOUR,
	MINUTE,
	newPost,
	Receiver,
	row,
	TIMESTAMP,
	until,
	type Received,
} from './harness';

let service: Service;
const receiver = new Receiver();
const call = client(() => service);

beforeAll(async () => {
	service = await startService({ inlineDelaysMs: [0, 5, 10], responseTimeoutMs: 1500 });
	await receiver.start();
});
afterEach(async () => {
	await removeWebhooks();
	receiver.reset();
});
afterAll(async () => {
	await service.close();
	await receiver.stop();
});

async function removeWebhooks(): Promise<void> {
	receiver.answer = 200;
	await service.deliveries.idle();
	for (const { id } of [...service.store.webhooks.values()]) await call('DELETE', `/webhooks/${id}`);
}
async function subscribe(events: string[], more = {}): Promise<{ id: string; secret: string }> {
	const { status, data } = await call('POST', '/webhooks', { body: { url: receiver.url, events, ...more } });
	expect(status).toBe(201);
	return data.webhook;
}
const history = async (id: string, query = {}) =>
	(await call('GET', `/webhooks/${id}/deliveries`, { query })).data.deliveries;
const create = async (more = {}): Promise<string> =>
	(await call('POST', '/posts', { body: newPost(service, more) })).data.id;
const hmac = (secret: string, { headers, raw }: Received) =>
	`sha256=${createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.${raw}`).digest('hex')}`;

/** Subscribes to one event name, makes it happen, gives what arrived. */
async function received(type: string, happen: () => Promise<unknown>): Promise<Received> {
	await subscribe([type]);
	await happen();
	await service.deliveries.idle();
	expect(receiver.received.map(({ event }) => event.type)).toEqual([type]);
	return receiver.received[0]!;
}
/** A delivery of `post.created`. */
const one = async () => await received('post.created', create);

const heldPost = async () => {
	const id = await create();
	await control(service, `posts/${id}/hold`);
	return id;
};

describe('Events: names', () => {
	row('Event names · post.created', async () => {
		expect((await received('post.created', create)).event.data).toHaveProperty('post_id');
		receiver.reset();
		const draft = await create({ draft: true });
		await service.deliveries.idle();
		expect(receiver.received[0]!.event.data).toMatchObject({ post_id: draft, status: 'draft' });
	});
	row('Event names · post.scheduled', async () => {
		const { event } = await received('post.scheduled', create);
		expect(event.data).toMatchObject({ post_id: expect.any(String), status: 'scheduled' });
		receiver.reset();
		await create({ draft: true });
		await service.deliveries.idle();
		expect(receiver.received).toEqual([]);
	});
	row('Event names · post.published', async () => {
		let id = '';
		const { event } = await received('post.published', async () => {
			id = await create();
			await control(service, `posts/${id}/publish`);
		});
		expect(event.data).toMatchObject({ post_id: id, status: 'completed' });
	});
	row('Event names · post.failed', async () => {
		const { event } = await received('post.failed', async () => {
			await control(service, `posts/${await create()}/fail`);
		});
		expect(event.data).toMatchObject({ status: 'failed' });
	});
	row('Event names · post.canceled', async () => {
		const { event } = await received('post.canceled', async () => {
			await call('POST', `/posts/${await create()}/cancel`);
		});
		expect(event.data).toMatchObject({ status: 'canceled' });
	});
	row('Event names · inbox.item.created', async () => {
		await received('inbox.item.created', async () => await control(service, 'inbox'));
	});
	row('Event names · inbox.lead.captured', async () => {
		await received('inbox.lead.captured', async () => await emit('inbox.lead.captured'));
	});
	row('Event names · approval.batch_created', async () => {
		await received('approval.batch_created', heldPost);
	});
	row('Event names · approval.batch_approved', async () => {
		await received('approval.batch_approved', async () => {
			await control(service, `posts/${await heldPost()}/approve`);
		});
	});
	row('Event names · approval.item_approved', async () => {
		let id = '';
		const { event } = await received('approval.item_approved', async () => {
			id = await heldPost();
			await control(service, `posts/${id}/approve`);
		});
		expect(event.data).toMatchObject({ post_id: id });
		expect((await call('GET', `/posts/${id}`)).data.status).toBe('scheduled');
	});
	row('Event names · approval.item_rejected', async () => {
		await received('approval.item_rejected', async () => {
			await call('POST', `/posts/${await heldPost()}/cancel`);
		});
	});
	row('Event names · automation.triggered', async () => {
		await received('automation.triggered', async () => await emit('automation.triggered'));
	});
	row('Event names · inbox.message_received', async () => {
		await received('inbox.message_received', async () => await control(service, 'inbox'));
	});
	row('Event names · inbox.message_responded', async () => {
		await received('inbox.message_responded', async () => {
			await control(service, 'inbox');
			const { items } = (await call('GET', '/inbox')).data;
			const reply = await call('POST', `/inbox/${items[0].id}/reply`, { body: { text: 'Thank you' } });
			expect(reply.status).toBe(201);
		});
	});
	test('only the subscribed names arrive, and only of the own workspace', async () => {
		await subscribe(['post.canceled']);
		await create();
		const key = service.keys.otherWorkspace;
		const foreign = await call('POST', '/posts', { body: newPost(service), key });
		await call('POST', `/posts/${foreign.data.id}/cancel`, { key });
		await service.deliveries.idle();
		expect(receiver.received).toEqual([]);
	});
});

/** What nothing in this service brings about by itself. */
const emit = async (type: string) => await control(service, 'events', { type, data: { note: 'made' } });

describe('Events: body', () => {
	row('the service · id', async () => {
		const first = await one();
		expect(first.event.id).toEqual(expect.stringMatching(/\w/));
		expect(first.headers['x-service-event-id']).toBe(first.event.id);
	});
	row('the service · type', async () => {
		const { event, headers } = await one();
		expect(event.type).toBe('post.created');
		expect(headers['x-service-event']).toBe(event.type);
	});
	row('the service · occurred_at', async () => {
		const { event } = await one();
		expect(event.occurred_at).toMatch(TIMESTAMP);
		expect(Math.abs(Date.parse(event.occurred_at) - service.clock.now())).toBeLessThan(MINUTE);
	});
	row('the service · workspace_id', async () => {
		const workspaces = (await call('GET', '/workspaces')).data;
		expect(JSON.stringify(workspaces)).toContain((await one()).event.workspace_id);
	});
	row('the service · brand_id', async () => {
		const { event } = await one();
		const { data } = await call('GET', `/posts/${event.data.post_id}`);
		expect(event.brand_id).toBe(data.brand_id);
	});
	row('the service · data', async () => {
		let id = '';
		const { event } = await received('post.published', async () => {
			id = await create();
			await control(service, `posts/${id}/publish`);
		});
		expect(event.data).toMatchObject({ post_id: id, status: 'completed' });
	});
});

describe('Events: delivery request and signature', () => {
	row('Delivery request · x-service-event', async () => {
		const { headers, method } = await one();
		expect(method).toBe('POST');
		expect(headers['content-type']).toBe('application/json');
		expect(headers['x-service-event']).toBe('post.created');
	});
	row('Delivery request · x-service-event-id', async () => {
		const { headers, event } = await one();
		expect(headers['x-service-event-id']).toBe(event.id);
	});
	row('Delivery request · x-service-timestamp', async () => {
		// The receiver compares it with its own clock: real time, also where the service's clock was moved.
		await service.clock.advance(30 * 24 * HOUR);
		const { headers } = await one();
		expect(headers['x-service-timestamp']).toMatch(TIMESTAMP);
		expect(Math.abs(Date.parse(String(headers['x-service-timestamp'])) - Date.now())).toBeLessThan(MINUTE);
	});
	row('Delivery request · x-service-signature', async () => {
		expect((await one()).headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
	});
	row('Signature · 1. Signed string', async () => {
		const { secret } = await subscribe(['post.created']);
		await create({ content: { text: 'Ünïcode ✓ "quoted"\n', media: [] } });
		await service.deliveries.idle();
		const [delivery] = receiver.received;
		expect(delivery!.headers['x-service-signature']).toBe(hmac(secret, delivery!));
		expect(delivery!.headers['x-service-signature']).not.toBe(hmac('another', delivery!));
	});
	row('Signature · 2. Signature', async () => {
		// With a secret of the caller's own, so that the key is known to be the whole secret.
		const secret = `own-${randomUUID()}`;
		expect((await subscribe(['post.created'], { secret })).secret).toBe(secret);
		await create();
		await service.deliveries.idle();
		expect(receiver.received[0]!.headers['x-service-signature']).toBe(hmac(secret, receiver.received[0]!));
	});
	row('Signature · 3. Every attempt, retries included, has a new timestamp and signature', async () => {
		const { id, secret } = await subscribe(['post.created']);
		receiver.answer = 500;
		await create();
		await service.deliveries.idle();
		await service.clock.advance(21 * MINUTE);
		const { received: all } = receiver;
		expect(all).toHaveLength(6);
		expect(await history(id)).toMatchObject([{ attempts: 6 }]);
		for (const each of all) expect(each.headers['x-service-signature']).toBe(hmac(secret, each));
		const times = all.map(({ headers }) => headers['x-service-timestamp']);
		expect(new Set(times).size).toBe(6);
		expect(new Set(all.map(({ headers }) => headers['x-service-signature'])).size).toBe(6);
		// The same event, byte for byte.
		expect(new Set(all.map(({ raw }) => raw)).size).toBe(1);
	});
	row('Signature · 4. The service enforces no time window', async () => {
		// The window is the receiver's to enforce; it can be shown a delivery that is too old, or not genuine.
		const webhook = await subscribe(['post.created']);
		const forge = async (forgery: object) =>
			await service.deliveries.forge({ webhookId: webhook.id, ...forgery });
		receiver.answer = 401;
		expect(await forge({ ageSeconds: 301 })).toBe(401);
		expect(await forge({ wrongSecret: true })).toBe(401);
		expect(await forge({ alterBody: true })).toBe(401);
		expect(await forge({ omit: ['x-service-signature'] })).toBe(401);
		const [old, wrong, altered, missing] = receiver.received as [Received, Received, Received, Received];
		expect(Date.now() - Date.parse(String(old.headers['x-service-timestamp']))).toBeGreaterThan(300_000);
		expect(old.headers['x-service-signature']).toBe(hmac(webhook.secret, old));
		expect(wrong.headers['x-service-signature']).not.toBe(hmac(webhook.secret, wrong));
		expect(altered.headers['x-service-signature']).not.toBe(hmac(webhook.secret, altered));
		expect(missing.headers).not.toHaveProperty('x-service-signature');
	});
	row('Signature · 5. The secret is returned once at creation as webhook.secret', async () => {
		const { id, secret } = await subscribe(['post.created']);
		expect(secret.length).toBeGreaterThanOrEqual(16);
		const list = await call('GET', '/webhooks');
		expect(list.text).toContain(id);
		expect(list.text).not.toContain(secret);
		expect((await call('GET', `/webhooks/${id}/deliveries`)).text).not.toContain(secret);
	});
});

describe('Events: delivery and retry rules', () => {
	row('Delivery and retry rules · 1. Only a 2xx response counts as delivered', async () => {
		const { id } = await subscribe(['post.created']);
		for (const status of [301, 400, 404, 410, 500, 503]) {
			receiver.queue.push(status, status, 202);
			await create();
			await service.deliveries.idle();
			expect((await history(id))[0]).toMatchObject({ status: 'delivered', attempts: 3, last_status: 202 });
		}
		// A connection error, and no response within the time (1.5 s here, 15 s by default: limits.test.ts).
		receiver.queue.push('drop', 'hang', 200);
		await create();
		await service.deliveries.idle();
		const log = service.deliveries.history()[0]!.log;
		expect(log.map(({ status }) => status)).toEqual([null, null, 200]);
		expect(log[1]!.error).toMatch(/No response within 1.5 seconds/);
		expect(receiver.received).toHaveLength(21);
	});
	row('Delivery and retry rules · 2. Inline attempts', async () => {
		const own = await startService();
		try {
			const ask = client(() => own);
			await ask('POST', '/webhooks', { body: { url: receiver.url, events: ['post.created'] } });
			receiver.answer = 500;
			await ask('POST', '/posts', { body: newPost(own) });
			await own.deliveries.idle();
			const [first, second, third] = receiver.received.map(({ at }) => at) as [number, number, number];
			expect(receiver.received).toHaveLength(3);
			// Never sooner; how much later depends on the machine.
			expect(second - first).toBeGreaterThanOrEqual(145);
			expect(third - second).toBeGreaterThanOrEqual(295);
		} finally {
			await own.close();
		}
	});
	row('Delivery and retry rules · 3. After three failed inline attempts the delivery is failed', async () => {
		const { id } = await subscribe(['post.created']);
		receiver.answer = 500;
		await create();
		await service.deliveries.idle();
		let attempts = 3;
		for (const delay of [15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR]) {
			const [delivery] = await history(id);
			expect(delivery).toMatchObject({ status: 'failed', attempts });
			const due = Date.parse(delivery.next_attempt_at);
			// From the failure, which was at the last check: some minutes ago at most.
			const failedAt = due - delay;
			expect(failedAt).toBeLessThanOrEqual(service.clock.now());
			expect(failedAt).toBeGreaterThan(service.clock.now() - 7 * MINUTE);
			await service.clock.advance(due - service.clock.now() - MINUTE);
			expect(receiver.received).toHaveLength(attempts);
			// Checked every five minutes: not before it is due, at most five minutes after.
			await service.clock.advance(6 * MINUTE);
			attempts += 3;
			expect(receiver.received).toHaveLength(attempts);
		}
		expect(await history(id)).toMatchObject([{ status: 'dead_letter', attempts: 18 }]);
		expect(service.deliveries.history()[0]!.log).toHaveLength(18);
	});
	row(
		'Delivery and retry rules · 4. When the schedule is exhausted, or the webhook is disabled or deleted while retries are pending, the delivery becomes dead_letter',
		async () => {
			const [kept, deleted] = [await subscribe(['post.created']), await subscribe(['post.created'])];
			receiver.answer = 500;
			await create();
			await service.deliveries.idle();
			await call('DELETE', `/webhooks/${deleted.id}`);
			expect(service.deliveries.list(deleted.id)).toMatchObject([{ status: 'dead_letter', attempts: 3 }]);
			await service.clock.advance(23 * HOUR);
			expect(await history(kept.id)).toMatchObject([{ status: 'dead_letter', attempts: 18 }]);
			receiver.reset();
			await service.clock.advance(48 * HOUR);
			expect(receiver.received).toEqual([]);
			// "the receiver reconciles by re-fetching the resource"
			expect((await call('GET', '/posts', { query: { limit: 1 } })).data.count).toBe(1);
		},
	);
	row('Delivery and retry rules · 5. Delivery is at-least-once', async () => {
		const { id } = await subscribe(['post.created']);
		// The answer is lost: the receiver has taken it, the service sends it again.
		service.deliveries.cutNext();
		await create();
		await service.deliveries.idle();
		expect(receiver.received.map(({ event }) => event.id)).toHaveLength(2);
		const [delivery] = await history(id);
		expect(delivery).toMatchObject({ status: 'delivered', attempts: 2 });
		// And once more, on request.
		expect(await service.deliveries.repeat(delivery.id)).toBe(200);
		expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1);
		expect(receiver.received).toHaveLength(3);
	});
	row(
		'Delivery and retry rules · 6. Events of the same resource (for example the same post) arrive in order',
		async () => {
			await subscribe(['post.created', 'post.scheduled', 'post.canceled']);
			let slow = '';
			let release = () => {};
			const held = new Promise<number>((resolve) => (release = () => resolve(500)));
			receiver.queue.push(async ({ event }) => {
				slow = event.data.post_id;
				return await held;
			});
			const first = await create();
			await call('POST', `/posts/${first}/cancel`);
			await until(() => slow, 'the first delivery');
			// Another post's events pass it.
			const second = await create();
			await until(() => of(second).length === 2, 'the other post’s events');
			expect(of(first)).toEqual(['post.created']);
			release();
			await service.deliveries.idle();
			expect(slow).toBe(first);
			expect(of(first)).toEqual(['post.created', 'post.created', 'post.scheduled', 'post.canceled']);
			expect(of(second)).toEqual(['post.created', 'post.scheduled']);
		},
	);
	const of = (id: string) =>
		receiver.received.filter(({ event }) => event.data.post_id === id).map(({ event }) => event.type);
	row(
		'Delivery and retry rules · 7. The service does not track which events a receiver has seen',
		async () => {
			// Two subscriptions of one address: both get it, with the same event id.
			await subscribe(['post.created']);
			await subscribe(['post.created']);
			await create();
			await service.deliveries.idle();
			expect(receiver.received).toHaveLength(2);
			expect(receiver.received[0]!.event.id).toBe(receiver.received[1]!.event.id);
		},
	);
	row('Delivery and retry rules · 8. Delivery history', async () => {
		const { id } = await subscribe(['post.created']);
		await create();
		await service.deliveries.idle();
		receiver.answer = 503;
		await create();
		await service.deliveries.idle();
		const all = await history(id);
		expect(all).toMatchObject([
			{ status: 'failed', attempts: 3, last_error: expect.stringMatching(/503/) },
			{ status: 'delivered', attempts: 1, last_error: null, next_attempt_at: null },
		]);
		expect(all[0].next_attempt_at).toMatch(TIMESTAMP);
		expect(await history(id, { status: 'delivered' })).toEqual([all[1]]);
		expect(await history(id, { status: 'failed' })).toEqual([all[0]]);
		expect(await history(id, { status: 'dead_letter' })).toEqual([]);
		const wrong = await call('GET', `/webhooks/${id}/deliveries`, { query: { status: 'lost' } });
		expect(wrong).toMatchObject({ status: 400, code: 'PUBLIC_API_QUERY_INVALID' });
	});
	test('the attempts of one delivery can be spread over several addresses in turn', async () => {
		const other = await new Receiver().start();
		try {
			await subscribe(['post.created']);
			service.deliveries.rotateOrigins = [new URL(receiver.url).origin, new URL(other.url).origin];
			receiver.answer = other.answer = 500;
			await create();
			await service.deliveries.idle();
			const counts = [receiver.received.length, other.received.length].sort();
			expect(counts).toEqual([1, 2]);
			expect(other.received[0]!.path).toBe('/hook');
		} finally {
			service.deliveries.rotateOrigins = [];
			await other.stop();
		}
	});
	test('closing the service ends deliveries at once', async () => {
		const own = await startService();
		await client(() => own)('POST', '/webhooks', { body: { url: receiver.url, events: ['post.created'] } });
		receiver.answer = 'hang';
		await client(() => own)('POST', '/posts', { body: newPost(own) });
		await until(() => receiver.received.length > 0, 'the delivery');
		await Promise.race([own.close(), sleep(10_000).then(() => Promise.reject(new Error('close hangs')))]);
	});
});
