import { startService, type Service } from '../../service';
import { client, control, HOUR, inOneHour, newPost, Receiver, row, until } from './harness';

let service: Service;
const receiver = new Receiver();
const call = client(() => service);

beforeAll(async () => {
	service = await startService({ inlineDelaysMs: [0, 5, 10] });
	await receiver.start();
});
afterEach(async () => {
	receiver.answer = 200;
	await service.deliveries.idle();
	for (const { id } of [...service.store.webhooks.values()]) await call('DELETE', `/webhooks/${id}`);
	receiver.reset();
});
afterAll(async () => {
	await service.close();
	await receiver.stop();
});

const POST_EVENTS = ['post.created', 'post.scheduled', 'post.published', 'post.failed', 'post.canceled'];
const create = async (more = {}) => (await call('POST', '/posts', { body: newPost(service, more) })).data;
const read = async (id: string) => (await call('GET', `/posts/${id}`)).data;

async function subscribe(events = POST_EVENTS): Promise<string> {
	const { data } = await call('POST', '/webhooks', { body: { url: receiver.url, events } });
	return data.webhook.id;
}
/** Names of a post's events in the order of arrival, once nothing is on its way. */
async function events(id: string): Promise<string[]> {
	await service.deliveries.idle();
	return receiver.received.filter(({ event }) => event.data.post_id === id).map(({ event }) => event.type);
}

describe('States: post', () => {
	row('Post status · (none) → scheduled: POST /posts', async () => {
		await subscribe();
		const { status, data } = await call('POST', '/posts', { body: newPost(service) });
		expect(status).toBe(201);
		expect(data.status).toBe('scheduled');
		expect((await read(data.id)).status).toBe('scheduled');
		expect(await events(data.id)).toEqual(['post.created', 'post.scheduled']);
	});
	row('Post status · scheduled → completed: publication to the platform', async () => {
		await subscribe();
		const { id } = await create({ scheduled_at: inOneHour(service) });
		expect(await read(id)).not.toHaveProperty('provider_post_id');
		await service.clock.advance(HOUR - 60_000);
		expect((await read(id)).status).toBe('scheduled');
		await service.clock.advance(2 * 60_000);
		const post = await read(id);
		expect(post).toMatchObject({ status: 'completed', provider_post_id: expect.stringMatching(/\w/) });
		expect(post.platforms).toEqual([expect.objectContaining({ platform: 'linkedin', status: 'completed' })]);
		expect(await events(id)).toEqual(['post.created', 'post.scheduled', 'post.published']);
	});
	row('Post status · scheduled → failed: publication to the platform', async () => {
		await subscribe();
		const { id } = await create();
		await control(service, `posts/${id}/fail`);
		expect(await read(id)).toMatchObject({ status: 'failed' });
		expect(await read(id)).not.toHaveProperty('provider_post_id');
		expect(await events(id)).toEqual(['post.created', 'post.scheduled', 'post.failed']);
		await service.clock.advance(2 * HOUR);
		expect(await read(id)).toMatchObject({ status: 'failed' });
	});
	row('Post status · any non-terminal state → canceled: POST /posts/{id}/cancel', async () => {
		await subscribe(['post.canceled']);
		const scheduled = (await create()).id;
		const draft = (await create({ draft: true })).id;
		const held = (await create()).id;
		await control(service, `posts/${held}/hold`);
		expect((await read(draft)).status).toBe('draft');
		for (const id of [scheduled, draft, held]) {
			expect(await call('POST', `/posts/${id}/cancel`)).toMatchObject({ status: 200 });
			expect((await read(id)).status).toBe('canceled');
		}
		for (const id of [scheduled, draft, held]) expect(await events(id)).toEqual(['post.canceled']);
		await service.clock.advance(2 * HOUR);
		expect((await read(scheduled)).status).toBe('canceled');
	});
	row('Post status · completed, failed or canceled → unchanged: POST /posts/{id}/cancel', async () => {
		const ids = {
			completed: (await create()).id,
			failed: (await create()).id,
			canceled: (await create()).id,
		};
		await control(service, `posts/${ids.completed}/publish`);
		await control(service, `posts/${ids.failed}/fail`);
		await call('POST', `/posts/${ids.canceled}/cancel`);
		await subscribe();
		for (const [status, id] of Object.entries(ids)) {
			const answer = await call('POST', `/posts/${id}/cancel`);
			expect(answer).toMatchObject({ status: 409, code: 'PUBLIC_API_POST_CANCEL_INVALID_STATE' });
			expect((await read(id)).status).toBe(status);
			expect(await events(id)).toEqual([]);
		}
	});
	row('Post status · scheduled → canceled (removal): DELETE /posts/{id}', async () => {
		await subscribe(['post.canceled', 'post.published']);
		const { id } = await create();
		const answer = await call('DELETE', `/posts/${id}`);
		expect(answer).toMatchObject({ status: 204, text: '' });
		expect(await call('GET', `/posts/${id}`)).toMatchObject({ status: 404 });
		await service.clock.advance(2 * HOUR);
		expect(await events(id)).toEqual(['post.canceled']);
		// "before publication"
		const published = (await create()).id;
		await control(service, `posts/${published}/publish`);
		expect((await call('DELETE', `/posts/${published}`)).status).toBe(409);
		expect((await read(published)).status).toBe('completed');
	});
});

describe('States: webhook delivery', () => {
	const history = async (id: string) => (await call('GET', `/webhooks/${id}/deliveries`)).data.deliveries;
	/** One delivery that has failed its first round. */
	async function failed() {
		const id = await subscribe(['post.created']);
		receiver.answer = 500;
		await create();
		await service.deliveries.idle();
		const [delivery] = await history(id);
		return { id, delivery };
	}

	row(
		'Webhook delivery status · any → delivered: attempt to the receiver, receiver answers 2xx',
		async () => {
			const id = await subscribe(['post.created']);
			receiver.answer = 204;
			await create();
			await service.deliveries.idle();
			expect(await history(id)).toEqual([expect.objectContaining({ status: 'delivered', attempts: 1 })]);
			await service.clock.advance(24 * HOUR);
			expect(receiver.received).toHaveLength(1);
		},
	);
	row('Webhook delivery status · any → failed: three inline attempts in a row, all fail', async () => {
		const { delivery } = await failed();
		expect(receiver.received).toHaveLength(3);
		expect(delivery).toMatchObject({ status: 'failed', attempts: 3, last_status: 500 });
		expect(delivery.last_error).toMatch(/500/);
		const wait = Date.parse(delivery.next_attempt_at) - service.clock.now();
		expect(wait).toBeGreaterThan(14 * 60_000);
		expect(wait).toBeLessThanOrEqual(15 * 60_000);
	});
	row(
		'Webhook delivery status · failed → delivered: scheduled redelivery, receiver answers 2xx',
		async () => {
			const { id } = await failed();
			receiver.answer = 200;
			await service.clock.advance(21 * 60_000);
			expect(await history(id)).toEqual([
				expect.objectContaining({ status: 'delivered', attempts: 4, next_attempt_at: null }),
			]);
			expect(receiver.received).toHaveLength(4);
			await service.clock.advance(24 * HOUR);
			expect(receiver.received).toHaveLength(4);
		},
	);
	row(
		'Webhook delivery status · failed → dead_letter: scheduled redelivery, all five scheduled retries are used up',
		async () => {
			const { id } = await failed();
			await service.clock.advance(24 * HOUR);
			expect(await history(id)).toEqual([
				expect.objectContaining({ status: 'dead_letter', attempts: 18, next_attempt_at: null }),
			]);
			receiver.answer = 200;
			await service.clock.advance(24 * HOUR);
			expect(receiver.received).toHaveLength(18);
		},
	);
	row(
		'Webhook delivery status · failed → dead_letter: webhook disabled or deleted while retries are pending',
		async () => {
			const { id } = await failed();
			expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(204);
			expect(service.deliveries.list(id)).toEqual([
				expect.objectContaining({ status: 'dead_letter', attempts: 3, next_attempt_at: null }),
			]);
			receiver.answer = 200;
			await service.clock.advance(24 * HOUR);
			expect(receiver.received).toHaveLength(3);
		},
	);
	test('a delivery is pending until its first round has ended', async () => {
		const id = await subscribe(['post.created']);
		let release = () => {};
		receiver.queue.push(async () => await new Promise<number>((resolve) => (release = () => resolve(200))));
		await create();
		await until(() => receiver.received.length === 1, 'the delivery');
		expect(await history(id)).toEqual([expect.objectContaining({ status: 'pending' })]);
		expect((await call('GET', `/webhooks/${id}/deliveries`, { query: { status: 'pending' } })).data).toEqual({
			deliveries: [expect.objectContaining({ status: 'pending', delivered_at: null })],
		});
		release();
		await service.deliveries.idle();
		expect(await history(id)).toEqual([expect.objectContaining({ status: 'delivered' })]);
	});
	test('a webhook deleted in the middle of a round: the attempt that is out decides, no other is made', async () => {
		const id = await subscribe(['post.created']);
		let release = () => {};
		receiver.queue.push(async () => await new Promise<number>((resolve) => (release = () => resolve(500))));
		await create();
		await until(() => receiver.received.length === 1, 'the delivery');
		await call('DELETE', `/webhooks/${id}`);
		release();
		await service.deliveries.idle();
		expect(service.deliveries.list(id)).toEqual([expect.objectContaining({ status: 'dead_letter' })]);
		expect(receiver.received).toHaveLength(1);
	});
});
