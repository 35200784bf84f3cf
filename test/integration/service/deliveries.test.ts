import { startService } from '../../service';
import { INLINE_DELAYS_MS, RESPONSE_TIMEOUT_MS } from '../../service/deliveries';
import { signatureOf } from '../../support/signing';
import { events } from '../../support/specification';
import { clientOf, DAY, embedded, HOUR, MINUTE, Receiver, TIMESTAMP, until, type Received } from './harness';

const { service, data, get, create, control } = embedded({ inlineDelaysMs: [0, 5, 10] });
const receiver = new Receiver();
const { received, queue } = receiver;

afterEach(async () => {
	receiver.answer = 200;
	await service().deliveries.idle();
	for (const id of service().store.webhooks.keys()) await data('DELETE', `/webhooks/${id}`);
	receiver.reset();
});

async function subscribe(names: string[], more = {}): Promise<{ id: string; secret: string }> {
	return (await data('POST', '/webhooks', { body: { url: receiver.url, events: names, ...more } })).webhook;
}
/** Deliveries of a webhook, those of a deleted one too. */
const history = (id: string) => service().deliveries.list(id);
const idle = async () => await service().deliveries.idle();
const advance = async (ms: number) => await service().clock.advance(ms);
/** A post of which `post.created` went out, as far as it goes at first. */
async function send(more = {}): Promise<string> {
	const { id } = await create(more);
	await idle();
	return id;
}
/** A delivery that has failed its first round. */
async function failed() {
	const webhook = await subscribe(['post.created']);
	receiver.answer = 500;
	await send();
	return webhook;
}
/** An answer of the receiver that is held back until `release` gives it. */
function heldBack() {
	let release!: (status: number) => void;
	const answer = new Promise<number>((resolve) => (release = resolve));
	queue.push(async () => await answer);
	return release;
}
const signed = (secret: string, one: Received) => signatureOf(secret, timeOf(one), Buffer.from(one.raw));
const timeOf = ({ headers }: Pick<Received, 'headers'>) => String(headers['x-service-timestamp']);
const sentSignature = ({ headers }: Received) => headers['x-service-signature'];

test('an event goes to each subscription of its workspace that asks for its name', async () => {
	await subscribe(events);
	await subscribe(['post.created']);
	for (const type of events) await control('events', { type, data: { note: 'made' } });
	await control('events', { type: 'post.created', workspace_id: 'ws_other' });
	await idle();
	expect(receiver.types.sort()).toEqual([...events, 'post.created'].sort());
	const [one, other] = received.filter(({ event }) => event.type === 'post.created');
	expect(one!.event).toEqual(other!.event);
	expect(one!.event).toMatchObject({ brand_id: 'brand_main', data: { note: 'made' } });
});

describe('a delivery', () => {
	// Its signature and time as a receiver checks them: test/integration/SocialPublishingTrigger.
	test('is the event, its name and ID in the headers', async () => {
		await subscribe(['post.created']);
		const id = await send({ content: { text: 'Ünïcode ✓ "quoted"\n', media: [] } });
		const [{ event, headers, method, path }] = received as [Received];
		const { brand_id } = await get(`/posts/${id}`);
		expect(event).toEqual({
			...{ id: expect.stringMatching(/\w/), type: 'post.created', workspace_id: 'ws_main', brand_id },
			occurred_at: expect.stringMatching(TIMESTAMP),
			data: expect.objectContaining({ post_id: id, status: 'scheduled' }),
		});
		expect(Math.abs(Date.parse(event.occurred_at) - service().clock.now())).toBeLessThan(MINUTE);
		const named = { 'x-service-event': 'post.created', 'x-service-event-id': event.id };
		expect({ method, path, headers }).toMatchObject({
			...{ method: 'POST', path: '/hook' },
			headers: { ...named, 'content-type': 'application/json' },
		});
	});

	test('has a new time and signature with every attempt, and the same bytes', async () => {
		const { secret } = await failed();
		await advance(21 * MINUTE);
		expect(received.map(sentSignature)).toEqual(received.map((one) => signed(secret, one)));
		const different = [received.map(sentSignature), received.map(timeOf), received.map(({ raw }) => raw)];
		expect(different.map((values) => new Set(values).size)).toEqual([6, 6, 1]);
	});

	test('may be made that is not genuine, for tests of receivers', async () => {
		const { id: webhookId, secret } = await subscribe(['post.created']);
		receiver.answer = 401;
		for (const forgery of [
			{ ageSeconds: 301 },
			{ wrongSecret: true },
			{ alterBody: true },
			{ omit: ['X-Service-Signature'] },
			{ headers: { 'x-service-event': 'other' }, event: { id: 'evt_1' } },
		])
			expect(await service().deliveries.forge({ webhookId, ...forgery })).toBe(401);
		const age = (one: Received) => Date.now() - Date.parse(timeOf(one));
		const genuine = received.filter((one) => sentSignature(one) === signed(secret, one));
		expect(genuine.map((one) => received.indexOf(one))).toEqual([0, 4]);
		expect(received.findIndex((one) => age(one) > 300_000)).toBe(0);
		expect(received.findLastIndex((one) => age(one) > 300_000)).toBe(0);
		expect(received[3]!.headers).not.toHaveProperty('x-service-signature');
		expect(received[4]).toMatchObject({ headers: { 'x-service-event': 'other' }, event: { id: 'evt_1' } });
	});
});

describe('attempts', () => {
	test.each<[number | 'drop', RegExp]>([
		...[301, 400, 404, 410, 500, 503].map((status): [number, RegExp] => [
			status,
			RegExp(`answered ${status}$`),
		]),
		['drop', /^UND_ERR_SOCKET/],
	])('%s is a failed one, 202 is not', async (answer, error) => {
		const { id } = await subscribe(['post.created']);
		queue.push(answer, answer, 202);
		await send();
		const failure = { status: answer === 'drop' ? null : answer, error: expect.stringMatching(error) };
		const log = service().deliveries.history()[0]!.log;
		expect(log).toMatchObject([failure, failure, { status: 202, error: null }]);
		expect(history(id)).toMatchObject([{ status: 'delivered', attempts: 3, last_status: 202 }]);
		await advance(DAY);
		expect(received).toHaveLength(3);
	});

	test('no answer within 15 seconds is a failed one', async () => {
		expect(RESPONSE_TIMEOUT_MS).toBe(15_000);
		const own = await startService({ responseTimeoutMs: 300 });
		const client = clientOf(() => own);
		await client.data('POST', '/webhooks', { body: { url: receiver.url, events: ['post.created'] } });
		queue.push('hang');
		await client.data('POST', '/posts', { body: client.draft() });
		await own.deliveries.idle();
		const [first] = own.deliveries.history()[0]!.log;
		expect(first).toMatchObject({ status: null, error: 'No response within 0.3 seconds' });
		await own.close();
	});

	test('are three at once, 150 and 300 ms apart', async () => {
		expect(INLINE_DELAYS_MS).toEqual([0, 150, 300]);
		const own = await startService();
		const client = clientOf(() => own);
		await client.data('POST', '/webhooks', { body: { url: receiver.url, events: ['post.created'] } });
		receiver.answer = 500;
		await client.data('POST', '/posts', { body: client.draft() });
		await own.deliveries.idle();
		const [first, second, third] = received.map(({ at }) => at) as [number, number, number];
		expect(received).toHaveLength(3);
		// Never sooner; how much later depends on the machine.
		expect(second - first).toBeGreaterThanOrEqual(145);
		expect(third - second).toBeGreaterThanOrEqual(295);
		// Closing ends at once what is on its way.
		receiver.answer = 'hang';
		await client.data('POST', '/posts', { body: client.draft() });
		await until(() => received.length === 4);
		await own.close();
		expect(own.deliveries.history()[0]!.last_error).toBe('The service was stopped');
	});

	test('go on 15 minutes, 1, 3, 6 and 12 hours after the last failure, then never again', async () => {
		const { id } = await failed();
		let attempts = 3;
		for (const delay of [15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR]) {
			const [delivery] = history(id);
			expect(delivery).toMatchObject({ status: 'failed', attempts, last_status: 500 });
			const due = Date.parse(delivery!.next_attempt_at!);
			// From the failure, which was at the last check: some minutes ago at most.
			expect(due - delay).toBeLessThanOrEqual(service().clock.now());
			expect(due - delay).toBeGreaterThan(service().clock.now() - 7 * MINUTE);
			await advance(due - service().clock.now() - MINUTE);
			expect(received).toHaveLength(attempts);
			// Checked every five minutes: not before it is due, at most five minutes after.
			await advance(6 * MINUTE);
			expect(received).toHaveLength((attempts += 3));
		}
		expect(history(id)).toMatchObject([{ status: 'dead_letter', attempts: 18, next_attempt_at: null }]);
		receiver.answer = 200;
		await advance(2 * DAY);
		expect(received).toHaveLength(18);
	});

	test('end with the first success of a later round', async () => {
		const { id } = await failed();
		receiver.answer = 200;
		await advance(21 * MINUTE);
		expect(history(id)).toMatchObject([{ status: 'delivered', attempts: 4, next_attempt_at: null }]);
		await advance(DAY);
		expect(received).toHaveLength(4);
	});

	test.each(['deleted', 'disabled'])('end when the webhook is %s', async (how) => {
		const { id } = await failed();
		if (how === 'deleted') await data('DELETE', `/webhooks/${id}`);
		else await control(`webhooks/${id}/disable`);
		expect(history(id)).toMatchObject([{ status: 'dead_letter', attempts: 3, next_attempt_at: null }]);
		receiver.answer = 200;
		await send();
		await advance(DAY);
		expect(received).toHaveLength(3);
	});

	test('of which the answer is lost are made again: at least once', async () => {
		const { id } = await subscribe(['post.created']);
		service().deliveries.cutNext({ type: 'post.failed' });
		service().deliveries.cutNext();
		await send();
		const [delivery] = history(id);
		expect(delivery).toMatchObject({ status: 'delivered', attempts: 2 });
		expect(await service().deliveries.repeat(delivery!.id)).toBe(200);
		expect(received).toHaveLength(3);
		expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);
	});

	test('of one post are in order, those of another pass them', async () => {
		await subscribe(['post.created', 'post.scheduled', 'post.canceled']);
		const of = (post: string) =>
			received.filter(({ event }) => event.data.post_id === post).map(({ event }) => event.type);
		const release = heldBack();
		const { id: first } = await create();
		await until(() => received.length === 1);
		await data('POST', `/posts/${first}/cancel`);
		const { id: second } = await create();
		await until(() => of(second).length === 2);
		expect(of(first)).toEqual(['post.created']);
		release(500);
		await idle();
		expect(of(first)).toEqual(['post.created', 'post.created', 'post.scheduled', 'post.canceled']);
		expect(of(second)).toEqual(['post.created', 'post.scheduled']);
	});
});
