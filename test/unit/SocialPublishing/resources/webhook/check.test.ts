import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/errors';
import { check } from '../../../../../nodes/SocialPublishing/resources/webhook/check';
import { NOW, runOf } from '../operations';

const url = 'https://n8n.example.com/webhook/a';
const webhook = { id: 'wh_1', url, events: [] };
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

/** What is found where the service answers so, and the addresses that were probed. */
async function found(
	given: IDataObject,
	deliveries: unknown = [],
	webhooks: object[] = [webhook],
	date?: string,
) {
	const probed: string[] = [];
	const { outcomes } = await runOf(check, given, {
		answers: { '/webhooks/wh_1/deliveries': deliveries },
		item: {
			answer: async () => ({ data: { webhooks }, headers: { date } }) as never,
			probe: async (address: string) => {
				probed.push(address);
				return { url: address, sent: {}, error: 'ECONNREFUSED' } as never;
			},
		},
	});
	return { probed, outcome: outcomes[0] as IDataObject & Failure };
}

test.each([{ webhookId: 'wh_1' }, { address: ` ${url} ` }, { webhookId: 'wh_9', address: url }])(
	'%j: one item with verdict and facts',
	async (given) => {
		const { outcome, probed } = await found(given);
		expect(outcome).toEqual({
			verdict: 'refused',
			message: expect.any(String),
			hint: expect.any(String),
			url,
			webhook,
			subscriptions: 1,
			deliveries: { total: 0 },
			last_error: null,
			probe: { status: null, error: 'ECONNREFUSED' },
			clock_ahead_seconds: null,
		});
		expect(probed).toEqual([url]);
	},
);

test('an address that the service does not list is probed, too', async () => {
	const { outcome, probed } = await found({ address: url }, [], [{ id: 'wh_2', url: 'https://b.example' }]);
	expect(outcome).toMatchObject({
		verdict: 'not_subscribed',
		webhook: null,
		subscriptions: 0,
		deliveries: {},
	});
	expect(probed).toEqual([url]);
});

test('several subscriptions of the address are counted', async () => {
	const { outcome } = await found({ address: url }, [], [webhook, { ...webhook, id: 'wh_2' }]);
	expect(outcome).toMatchObject({ verdict: 'doubled', subscriptions: 2 });
});

test('deliveries by state, the last that arrived, and why one failed', async () => {
	const { outcome } = await found({ address: url }, [
		{ status: 'delivered', delivered_at: '2026-05-02', last_error: 'once' },
		{ status: 'failed', last_error: 'The receiver answered 500' },
		{ status: 'delivered', delivered_at: '2026-05-03' },
		{ status: 'failed' },
	]);
	expect(outcome).toMatchObject({
		deliveries: { total: 4, delivered: 2, failed: 2, last_delivered_at: '2026-05-03' },
		last_error: 'The receiver answered 500',
	});
});

test("a subscription that is gone since it was listed has no deliveries; other trouble is the operation's", async () => {
	const failure = (status: number) => new Failure({ code: 'A', message: 'no', hint: 'try', status });
	expect((await found({ address: url }, failure(404))).outcome.deliveries).toEqual({ total: 0 });
	expect((await found({ address: url }, failure(403))).outcome.details).toMatchObject({ status: 403 });
});

test("the clock is compared with the service's", async () => {
	const { outcome } = await found({ address: url }, [], [webhook], new Date(NOW - 400_000).toUTCString());
	expect(outcome).toMatchObject({ verdict: 'clock_off', clock_ahead_seconds: 400 });
});

test.each<[IDataObject, RegExp]>([
	[{ webhookId: 'wh_gone' }, /^There is no webhook 'wh_gone' in this workspace$/],
	[{ address: 'n8n.example.com' }, /^There is no webhook 'n8n.example.com'/],
	[{ address: `https://${'x y'.repeat(100)}` }, /^There is no webhook 'https:\/\/.{92}' in/],
	[{}, /^Neither 'Webhook' nor 'Address' is given$/],
])('%j is an error that says what to give', async (given, message) => {
	const { outcome, probed } = await found(given);
	expect(outcome.details).toMatchObject({
		code: 'NODE_WEBHOOK_UNKNOWN',
		message: expect.stringMatching(message),
		hint: expect.stringMatching(/^Choose one in 'Webhook'/),
	});
	expect(probed).toEqual([]);
});
