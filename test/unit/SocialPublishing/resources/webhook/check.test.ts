import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/failure';
import { answerFailure } from '../../../../../nodes/api/failureTexts';
import { check } from '../../../../../nodes/SocialPublishing/resources/webhook/check';
import { NOW, runOf } from '../operations';

const url = 'https://n8n.example.com/webhook/a';
/** By its address. */
const at = (address: string) => ({ options: { address } });
const webhook = { id: 'wh_1', url, events: ['post.failed'] };
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

/** What is found where the service answers so, of each webhook that is checked. */
async function found(
	given: IDataObject,
	deliveries: unknown = [],
	webhooks = [webhook] as object[],
	date?: string,
) {
	const gone = answerFailure(404);
	const answers = {
		'/webhooks': { webhooks },
		'/webhooks/wh_1/deliveries': deliveries,
		'/webhooks/wh_gone/deliveries': gone,
	};
	const { outcomes, asked } = await runOf(check, given, { answers, headers: { date } });
	return { items: outcomes as Array<IDataObject & Failure>, asked: asked.map(({ path }) => path) };
}

const second = { ...webhook, id: 'wh_2' };
const disabled = { ...second, status: 'disabled' };
const deleted = { ...webhook, deleted_at: '2026-11-20T12:00:00Z' };
const nameless = { webhook_id: 'wh_1', url };
test.each<[string, IDataObject, object[], object[]]>([
	['by ID', { webhookId: 'wh_1' }, [webhook], [{ verdict: 'ok', webhook, url }]],
	[
		'by address, in another spelling, before an ID',
		{ webhookId: 'wh_9', ...at('https://N8N.example.com:443/webhook/a') },
		[webhook],
		[{ verdict: 'ok', webhook }],
	],
	['an address that is not listed', at(` ${url} `), [], [{ verdict: 'not_subscribed', webhook: null, url }]],
	['none that is kept as deleted', {}, [deleted, webhook], [{ webhook, subscriptions: 1 }]],
	['of two, the chosen one', { webhookId: 'wh_1' }, [second, webhook], [{ verdict: 'duplicate', webhook }]],
	[
		'of two at an address, the active one',
		at(url),
		[disabled, webhook],
		[{ verdict: 'ok', webhook, subscriptions: 2 }],
	],
	['of two, a disabled one', { webhookId: 'wh_2' }, [disabled, webhook], [{ verdict: 'disabled' }]],
	[
		'without a choice, all',
		{},
		[webhook, disabled, { id: 'wh_3' }],
		[{ webhook }, { webhook: disabled }, { webhook: { id: 'wh_3' }, url: null, subscriptions: 1 }],
	],
	['without a choice or a webhook', {}, [], [{ verdict: 'not_subscribed', url: null, webhook: null }]],
	['an ID under another name', {}, [nameless], [{ verdict: 'unknown', message: /without an ID$/ }]],
])('%s', async (_name, given, webhooks, expected) => {
	const { items, asked } = await found(given, [], webhooks);
	expect(items).toHaveLength(expected.length);
	for (const [i, { message = /./, ...facts }] of (expected as IDataObject[]).entries())
		expect(items[i]).toMatchObject({ ...facts, message: expect.stringMatching(message as never) });
	expect(asked.filter((path) => path.includes('undefined'))).toEqual([]);
});

const delivery = (status: string, day: string | undefined, last_error?: string) => ({
	...{ status, last_error },
	...(day ? { [status === 'delivered' ? 'delivered_at' : 'created_at']: `2026-05-${day}` } : {}),
});
test.each<[string, object[], object]>([
	[
		'by time, whatever their order',
		[
			delivery('failed', '02T12:00:00+05:00', 'once'),
			delivery('delivered', '03T10:00:00Z'),
			delivery('delivered', '02T10:00:00Z'),
		],
		{ verdict: 'recovering', deliveries: { last_delivered_at: '2026-05-03T10:00:00Z' }, last_error: 'once' },
	],
	[
		'where records have no time: those that failed count',
		[delivery('failed', undefined), delivery('delivered', undefined)],
		{ verdict: 'failing' },
	],
])('deliveries %s', async (_name, deliveries, facts) => {
	expect((await found(at(url), deliveries)).items).toMatchObject([facts]);
});

test.each<[string, unknown]>([
	['HTTP 403', new Failure({ code: 'A', message: 'no', hint: 'try', status: 403 })],
	['a status that nobody knows', [{ status: 'total' }, { status: '__proto__' }]],
	['another name of the status', [{ state: 'failed' }]],
])('deliveries that can not be read are never ok: %s', async (_what, deliveries) => {
	const { items } = await found(at(url), deliveries);
	const message = expect.stringMatching(/could not be read/);
	expect(items).toMatchObject([{ verdict: 'unknown', message, deliveries: null }]);
});

test("the clock is compared with the service's", async () => {
	const { items } = await found(at(url), [], [webhook], new Date(NOW - 400_000).toUTCString());
	expect(items).toMatchObject([{ verdict: 'clock_off', clock_ahead_seconds: 400 }]);
});

test('a webhook that the list does not have is checked by its deliveries', async () => {
	const { items } = await found(
		{ webhookId: 'wh_1' },
		[{ status: 'delivered' }],
		[{ ...webhook, id: 'other' }],
	);
	expect(items).toMatchObject([{ verdict: 'ok', url: null, deliveries: { total: 1 } }]);
});

test.each<[IDataObject, RegExp]>([
	[{ webhookId: 'wh_gone' }, /^No webhook 'wh_gone' was found in this workspace$/],
	[at('at https://a.example'), /^No webhook 'at https/],
	[at(`https://${'x y'.repeat(100)}`), /^No webhook 'https:\/\/.{92}…' was found in/],
])('%j is an error that says what to give', async (given, message) => {
	expect((await found(given)).items[0]!.details).toMatchObject({
		...{ code: 'NODE_WEBHOOK_UNKNOWN', message: expect.stringMatching(message) },
		hint: expect.stringMatching(/^Choose one in 'Webhook'/),
	});
});
