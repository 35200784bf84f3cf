import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { INLINE_DELAYS_MS, RESPONSE_TIMEOUT_MS } from '../../service/deliveries';
import { signatureOf } from '../../support/signing';
import { DAY, embedded, HOUR, MINUTE } from './harness';

// What a delivery is, as a receiver sees it: test/integration/SocialPublishingTrigger.
const { service, data, create } = embedded({ inlineDelaysMs: [0, 5, 10] });

interface Received {
	headers: IncomingHttpHeaders;
	raw: string;
	event: any;
}
const received: Received[] = [];
let answer = 200;

const receiver = createServer(async (incoming, reply) => {
	const raw = await text(incoming);
	received.push({ headers: incoming.headers, raw, event: JSON.parse(raw) });
	reply.writeHead(answer).end();
});
beforeAll(async () => await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done)));
afterAll(() => void receiver.close());
const idle = async () => await service().deliveries.idle();
afterEach(async () => {
	answer = 200;
	await idle();
	service().store.webhooks.clear();
	received.length = 0;
});

async function subscribe(): Promise<{ id: string; secret: string }> {
	const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
	return (await data('POST', '/webhooks', { url, events: ['post.created'] })).webhook;
}
/** The only delivery of a webhook, of a deleted one too. */
const deliveryOf = (id: string) =>
	service()
		.deliveries.history()
		.find((one) => one.webhook_id === id)!;
const advance = async (ms: number) => await service().clock.advance(ms);
/** A delivery that has failed its first round. */
async function failed() {
	const webhook = await subscribe();
	answer = 500;
	await create();
	await idle();
	return webhook;
}

test('the times of the specification', () =>
	expect([INLINE_DELAYS_MS, RESPONSE_TIMEOUT_MS]).toEqual([[0, 150, 300], 15_000]));

test('each attempt has a new time and signature, and the same bytes', async () => {
	const { secret } = await failed();
	await advance(21 * MINUTE);
	const timeOf = ({ headers }: Received) => String(headers['x-service-timestamp']);
	const signatures = received.map(({ headers }) => headers['x-service-signature']);
	expect(signatures).toEqual(received.map((one) => signatureOf(secret, timeOf(one), Buffer.from(one.raw))));
	const different = [signatures, received.map(timeOf), received.map(({ raw }) => raw)];
	expect(different.map((values) => new Set(values).size)).toEqual([6, 6, 1]);
});

test('attempts go on 15 minutes, 1, 3, 6 and 12 hours after the last failure, then never again', async () => {
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
	answer = 200;
	await advance(2 * DAY);
	expect(received).toHaveLength(18);
});

test.each([
	['the first success of a later round', 'delivered', 4],
	['the subscription', 'dead_letter', 3],
])('attempts end with %s', async (what, status, attempts) => {
	const { id } = await failed();
	if (what === 'the subscription') await data('DELETE', `/webhooks/${id}`);
	answer = 200;
	await advance(DAY);
	expect(deliveryOf(id)).toMatchObject({ status, attempts, next_attempt_at: null });
	expect(received).toHaveLength(attempts);
});
