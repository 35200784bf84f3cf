import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/failure';
import { check } from '../../../../../nodes/SocialPublishing/resources/webhook/check';
import { NOW, runOf } from '../operations';

const url = 'https://n8n.example.com/webhook/a';
/** By its address. */
const at = (address: string) => ({ options: { address } });
const webhook = { id: 'wh_1', url, events: ['post.failed'] };
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

/** What is found where the service answers so, of each webhook that is checked. */
async function foundAll(
	given: IDataObject,
	deliveries: unknown = [],
	webhooks = [webhook] as object[],
	date?: string,
) {
	const answers = { '/webhooks': { webhooks }, '/webhooks/wh_1/deliveries': deliveries };
	const { outcomes } = await runOf(check, given, { answers, headers: { date } });
	return outcomes as Array<IDataObject & Failure>;
}

async function found(...given: Parameters<typeof foundAll>) {
	const all = await foundAll(...given);
	expect(all).toHaveLength(1);
	return all[0]!;
}

test.each([
	{ webhookId: 'wh_1' },
	at(` ${url} `),
	{ webhookId: 'wh_9', ...at('https://N8N.example.com:443/webhook/a') },
])('%j: one item with verdict and facts', async (given) => {
	expect(await found(given, [], [{ ...webhook, secret: 'whsec', signing: { secret: {} } }])).toEqual({
		verdict: 'ok',
		message: expect.any(String),
		hint: expect.any(String),
		url: expect.stringMatching(/^https:/),
		webhook: { ...webhook, secret: '[hidden]', signing: { secret: '[hidden]' } },
		subscriptions: 1,
		deliveries: { total: 0 },
		last_error: null,
		clock_ahead_seconds: null,
	});
});

test('an address that the service does not list; the same trigger at another one is named', async () => {
	const other = { id: 'wh_2', url: 'https://b.example/webhook/a' };
	expect(await found(at(url), [], [{ ...other, url: 'https://b.example' }])).toMatchObject({
		...{ verdict: 'not_subscribed', webhook: null, subscriptions: 0, deliveries: null },
	});
	expect(await found(at(url), [], [other])).toMatchObject({
		...{ verdict: 'other_address', other_addresses: [other.url] },
	});
});

const delivery = (status: string, at?: string, last_error?: string) => ({
	...{ status, last_error },
	...(at ? { [status === 'delivered' ? 'delivered_at' : 'created_at']: `2026-05-${at}` } : {}),
});
test.each<[string, object[], object]>([
	[
		'by time, whatever their order',
		[
			delivery('delivered', '02T10:00:00Z', 'once'),
			delivery('failed', '02T12:00:00+05:00', 'The receiver answered 500'),
			delivery('delivered', '03T10:00:00Z'),
			delivery('pending', '04T10:00:00Z'),
		],
		{
			verdict: 'recovering',
			deliveries: {
				...{ total: 4, by_status: { delivered: 2, failed: 1, pending: 1 } },
				last_delivered_at: '2026-05-03T10:00:00Z',
			},
			last_error: 'The receiver answered 500',
		},
	],
	[
		'of the same time: those that failed count',
		[delivery('dead_letter', '02T10:00:00Z'), delivery('delivered', '02T10:00:00Z')],
		{ verdict: 'failing', deliveries: { last_delivered_at: '2026-05-02T10:00:00Z' } },
	],
	[
		'with the last one failed',
		[delivery('dead_letter', '03T10:00:00Z', 'HTTP 404'), delivery('delivered', '02T10:00:00Z')],
		{ verdict: 'not_published', last_error: 'HTTP 404' },
	],
	[
		'where records have no time: those that failed count',
		[delivery('failed', undefined, 'x'.repeat(1000)), delivery('delivered')],
		{ verdict: 'failing', last_error: 'x'.repeat(500) },
	],
])('deliveries %s', async (_name, deliveries, facts) => {
	expect(await found(at(url), deliveries)).toMatchObject(facts);
});

test.each<[string, unknown]>([
	...[403, 404, 500].map((status): [string, unknown] => [
		`HTTP ${status}`,
		new Failure({ code: 'A', message: 'no', hint: 'try', status }),
	]),
	['a status that nobody knows', [{ status: 'total' }, { status: '__proto__' }]],
	['another name of the status', [{ state: 'failed' }]],
])('deliveries that can not be read are never ok: %s', async (_what, deliveries) => {
	const item = await found(at(url), deliveries);
	expect(item).toMatchObject({ verdict: 'unknown', message: expect.stringMatching(/could not be read/) });
	if (Array.isArray(deliveries)) expect(item.deliveries).toMatchObject({ total: deliveries.length });
	else expect(item.deliveries).toBeNull();
});

test('an ID under another name asks for no deliveries', async () => {
	const answers = { '/webhooks': [{ webhook_id: 'wh_1', url }] };
	const { outcomes, asked } = await runOf(check, {}, { answers });
	expect(outcomes).toEqual([
		expect.objectContaining({ verdict: 'unknown', message: expect.stringMatching(/without an ID$/) }),
	]);
	expect(asked.map(({ path }) => path)).toEqual(['/webhooks']);
});

test('without a choice every webhook is checked; without one, the service sends nothing', async () => {
	const webhooks = [
		webhook,
		{ id: 'wh_2', url: 'https://b.example/hook', status: 'disabled' },
		{ id: 'wh_3' },
	];
	const all = await foundAll({}, [], webhooks);
	expect(all.map((one) => [one.verdict, one.url, (one.webhook as IDataObject).id])).toEqual([
		['ok', url, 'wh_1'],
		['disabled', 'https://b.example/hook', 'wh_2'],
		['ok', null, 'wh_3'],
	]);
	const none = await found({}, [], []);
	expect(none).toMatchObject({ verdict: 'not_subscribed', url: null, subscriptions: 0 });
});

test('one that the service keeps in its list as deleted is none', async () => {
	const deleted = { ...webhook, deleted_at: '2026-11-20T12:00:00Z' };
	expect(await found({ address: url }, [], [deleted])).toMatchObject({
		verdict: 'not_subscribed',
		subscriptions: 0,
	});
});

const second = { ...webhook, id: 'wh_2' };
const disabled = { ...second, status: 'disabled' };
test.each([
	['the chosen one is shown', { webhookId: 'wh_1' }, second, { verdict: 'duplicate', webhook }],
	['by address the active one is shown', at(url), disabled, { verdict: 'ok', webhook }],
	[
		'a disabled one was chosen',
		{ webhookId: 'wh_2' },
		disabled,
		{ verdict: 'disabled', message: expect.stringMatching(/another one/) },
	],
])('two subscriptions of one address: %s', async (_name, given, other, expected) => {
	expect(await found(given, [], [other, webhook])).toMatchObject({ subscriptions: 2, ...expected });
});

test('a signed address in an error of the service is nowhere in the output', async () => {
	const last_error = 'PUT https://s.example/a?X-Amz-Signature=abc failed';
	const failed = [{ status: 'failed', last_error }];
	const item = await found(at(url), failed, [{ ...webhook, last_error }]);
	expect(JSON.stringify(item)).not.toContain('abc');
	expect(item.last_error).toBe('PUT https://s.example/a?[hidden] failed');
});

test('a token in an address is nowhere in the output', async () => {
	const signed = [{ ...webhook, url: 'https://b.example/webhook/a?token=abc' }];
	const all = [await found({}, [], signed), await found(at(url), [], signed)];
	expect(JSON.stringify(all)).not.toContain('abc');
	expect(all).toMatchObject([
		{ url: 'https://b.example/webhook/a?[hidden]' },
		{ message: 'The service delivers to https://b.example/webhook/a?[hidden], not to this address' },
	]);
});

test("the clock is compared with the service's", async () => {
	const date = new Date(NOW - 400_000).toUTCString();
	const expected = { verdict: 'clock_off', clock_ahead_seconds: 400 };
	expect(await found(at(url), [], [webhook], date)).toMatchObject(expected);
});

test.each<[IDataObject, RegExp]>([
	[{ webhookId: 'wh_gone' }, /^There is no webhook 'wh_gone' in this workspace$/],
	[at('n8n.example.com'), /^There is no webhook 'n8n.example.com'/],
	[at(`https://${'x y'.repeat(100)}`), /^There is no webhook 'https:\/\/.{92}' in/],
])('%j is an error that says what to give', async (given, message) => {
	expect((await found(given)).details).toMatchObject({
		code: 'NODE_WEBHOOK_UNKNOWN',
		message: expect.stringMatching(message),
		hint: expect.stringMatching(/^Choose one in 'Webhook'/),
	});
});
