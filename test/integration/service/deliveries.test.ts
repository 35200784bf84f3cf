import { startService, type Service } from '../../service';
import { INLINE_DELAYS_MS, RESPONSE_TIMEOUT_MS } from '../../service/deliveries';
import { signatureOf } from '../../support/signing';
import { clientOf, DAY, embedded, HOUR, MINUTE, Receiver, type Received } from './harness';

// What a delivery is, as a receiver sees it: test/integration/SocialPublishingTrigger.
const { service, data, create } = embedded({ inlineDelaysMs: [0, 5, 10] });
const receiver = new Receiver();
const { received, queue } = receiver;

afterEach(async () => {
	receiver.answer = 200;
	await idle();
	service().store.webhooks.clear();
	receiver.reset();
});

async function subscribe(
	events = ['post.created'],
	client = { data },
): Promise<{ id: string; secret: string }> {
	return (await client.data('POST', '/webhooks', { body: { url: receiver.url, events } })).webhook;
}
/** The only delivery of a webhook, of a deleted one too. */
const deliveryOf = (id: string) =>
	service()
		.deliveries.history()
		.find((one) => one.webhook_id === id)!;
const idle = async () => await service().deliveries.idle();
const advance = async (ms: number) => await service().clock.advance(ms);
/** A post of which `post.created` went out, as far as it goes at first. */
async function send(): Promise<void> {
	await create();
	await idle();
}
/** A delivery that has failed its first round. */
async function failed() {
	const webhook = await subscribe();
	receiver.answer = 500;
	await send();
	return webhook;
}
const timeOf = ({ headers }: Received) => String(headers['x-service-timestamp']);
const sentSignature = ({ headers }: Received) => headers['x-service-signature'];
const genuine = (secret: string, one: Received) => signatureOf(secret, timeOf(one), Buffer.from(one.raw));

test('an event goes to each subscription of its workspace that asks for its name', async () => {
	await subscribe(['post.created', 'inbox.item.created']);
	await subscribe();
	const more = { brandId: 'brand_main', resource: 'one', data: { note: 1 } };
	for (const type of ['post.created', 'inbox.item.created', 'post.failed'])
		service().deliveries.emit({ type, workspaceId: 'ws_main', ...more });
	service().deliveries.emit({ type: 'post.created', workspaceId: 'ws_second', ...more });
	await idle();
	const types = received.map(({ event }) => event.type).sort();
	expect(types).toEqual(['inbox.item.created', 'post.created', 'post.created']);
	expect(received[0]!.event).toMatchObject({ brand_id: 'brand_main', data: { note: 1 } });
});

test('each attempt has a new time and signature, and the same bytes', async () => {
	const { secret, id } = await failed();
	await advance(21 * MINUTE);
	expect(received.map(sentSignature)).toEqual(received.map((one) => genuine(secret, one)));
	const different = [received.map(sentSignature), received.map(timeOf), received.map(({ raw }) => raw)];
	expect(different.map((values) => new Set(values).size)).toEqual([6, 6, 1]);
	// For tests of receivers.
	expect(await service().deliveries.repeat(deliveryOf(id).id, true)).toBe(500);
	expect(sentSignature(received[6]!)).not.toBe(genuine(secret, received[6]!));
});

/** A service of its own with a subscription; posts one, and what became of it. */
async function alone(options: Parameters<typeof startService>[0], look: (own: Service) => Promise<void>) {
	const own = await startService(options);
	const client = clientOf(() => own);
	await subscribe(undefined, client);
	await client.data('POST', '/posts', { body: client.draft() });
	await look(own);
	await own.close();
}

describe('attempts', () => {
	test.each<[number | 'drop', RegExp]>([
		[301, /answered 301$/],
		[410, /answered 410$/],
		[503, /answered 503$/],
		['drop', /^UND_ERR_SOCKET/],
	])('%s is a failed one, 202 is not', async (answer, error) => {
		const { id } = await subscribe();
		queue.push(answer, answer, 202);
		await send();
		const failure = { status: answer === 'drop' ? null : answer, error: expect.stringMatching(error) };
		const log = [failure, failure, { status: 202, error: null }];
		expect(deliveryOf(id)).toMatchObject({ status: 'delivered', attempts: 3, last_status: 202, log });
		await advance(DAY);
		expect(received).toHaveLength(3);
	});

	test('no answer within 15 seconds is a failed one', async () => {
		expect(RESPONSE_TIMEOUT_MS).toBe(15_000);
		queue.push('hang');
		await alone({ responseTimeoutMs: 300 }, async ({ deliveries }) => {
			await deliveries.idle();
			const [first] = deliveries.history()[0]!.log;
			expect(first).toMatchObject({ status: null, error: 'No response within 0.3 seconds' });
		});
	});

	test('are three at once, 150 and 300 ms apart', async () => {
		expect(INLINE_DELAYS_MS).toEqual([0, 150, 300]);
		receiver.answer = 500;
		await alone({}, async ({ deliveries }) => await deliveries.idle());
		const [first, second, third] = received.map(({ at }) => at) as [number, number, number];
		expect(received).toHaveLength(3);
		// Never sooner; how much later depends on the machine.
		expect(second - first).toBeGreaterThanOrEqual(145);
		expect(third - second).toBeGreaterThanOrEqual(295);
	});

	test('go on 15 minutes, 1, 3, 6 and 12 hours after the last failure, then never again', async () => {
		const { id } = await failed();
		let attempts = 3;
		for (const delay of [15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR]) {
			const delivery = deliveryOf(id);
			expect(delivery).toMatchObject({ status: 'failed', attempts, last_status: 500 });
			const due = Date.parse(delivery.next_attempt_at!);
			// From the failure, which was at the last check: some minutes ago at most.
			expect(due - delay).toBeLessThanOrEqual(service().clock.now());
			expect(due - delay).toBeGreaterThan(service().clock.now() - 7 * MINUTE);
			await advance(due - service().clock.now() - MINUTE);
			expect(received).toHaveLength(attempts);
			// Checked every five minutes: not before it is due, at most five minutes after.
			await advance(6 * MINUTE);
			expect(received).toHaveLength((attempts += 3));
		}
		expect(deliveryOf(id)).toMatchObject({ status: 'dead_letter', attempts: 18, next_attempt_at: null });
		receiver.answer = 200;
		await advance(2 * DAY);
		expect(received).toHaveLength(18);
	});

	test.each([
		['the first success of a later round', 'delivered', 4],
		['the subscription', 'dead_letter', 3],
	])('end with %s', async (what, status, attempts) => {
		const { id } = await failed();
		if (what === 'the subscription') await data('DELETE', `/webhooks/${id}`);
		receiver.answer = 200;
		await advance(DAY);
		expect(deliveryOf(id)).toMatchObject({ status, attempts, next_attempt_at: null });
		expect(received).toHaveLength(attempts);
	});

	test('of which the answer is lost are made again: at least once', async () => {
		const { id } = await subscribe();
		service().deliveries.cutNext();
		queue.push('hang');
		await send();
		const delivery = deliveryOf(id);
		expect(delivery).toMatchObject({ status: 'delivered', attempts: 2 });
		expect(await service().deliveries.repeat(delivery.id)).toBe(200);
		expect(received.map(({ event }) => event.id)).toEqual(Array(3).fill(delivery.event_id));
	});

	test('of one post are in order, those of another pass them', async () => {
		await subscribe(['post.created', 'post.canceled']);
		const of = (post: string) =>
			received.filter(({ event }) => event.data.post_id === post).map(({ event }) => event.type);
		let release!: (status: number) => void;
		queue.push(async () => await new Promise<number>((resolve) => (release = resolve)));
		const { id: first } = await create();
		await data('POST', `/posts/${first}/cancel`);
		const { id: second } = await create();
		while (of(second).length === 0) await create();
		expect(of(first)).toEqual(['post.created']);
		release(500);
		await idle();
		expect(of(first)).toEqual(['post.created', 'post.created', 'post.canceled']);
	});
});
