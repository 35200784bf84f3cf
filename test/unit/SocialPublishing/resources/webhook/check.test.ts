import type { IDataObject } from 'n8n-workflow';

import { refusal, type Failure } from '../../../../../nodes/api/failure';
import { answerFailure } from '../../../../../nodes/api/failureTexts';
import { check } from '../../../../../nodes/SocialPublishing/resources/webhook/check';
import { NOW, runOf } from '../operations';

const url = 'https://n8n.example.com/webhook/a';
const webhook = { id: 'wh_1', url, events: ['post.failed'] };
const second = { ...webhook, id: 'wh_2' };
const disabled = { ...second, status: 'disabled' };
const deleted = { ...webhook, deleted_at: '2026-11-20T12:00:00Z' };
/** By its address. */
const at = (address: string) => ({ options: { address } });
const iso = (ms: number) => new Date(ms).toISOString();
const delivery = (status: string, last_error?: string, daysAgo = 0) => ({
	...{ status, last_error, created_at: iso(NOW - daysAgo * 86_400_000) },
});
const delivered = { status: 'delivered', delivered_at: iso(NOW) };

const gone = answerFailure(404, { code: 'PUBLIC_API_NOT_FOUND' });

interface Given {
	/** Parameters; left out: the address of `webhook`. */
	given?: IDataObject;
	/** What the service lists. */
	webhooks?: object[];
	/** Its list goes on where it can't be read. */
	hasNext?: true;
	deliveries?: unknown;
	/** Its time, and how long ago a cache kept the answer, in s. */
	date?: number;
	age?: number;
}
/** What is found, of each webhook that is checked. */
async function found({ given = at(url), webhooks = [webhook], deliveries = [], hasNext, date, age }: Given) {
	const answers = {
		...{ '/webhooks': { webhooks, hasNext }, '/webhooks/wh_gone/deliveries': gone },
		...{ '/webhooks/wh_1/deliveries': deliveries, '/webhooks/wh_2/deliveries': deliveries },
	};
	const headers = date === undefined ? {} : { date: iso(date), ...(age ? { age: String(age) } : {}) };
	const { outcomes } = await runOf(check, given, { answers, headers });
	return outcomes as Array<IDataObject & Failure>;
}
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

test.each<[string, Given, object[]]>([
	['by ID', { given: { webhookId: 'wh_1' } }, [{ verdict: 'ok', webhook, url }]],
	[
		'by address, in another spelling, before an ID',
		{ given: { webhookId: 'wh_9', ...at('https://N8N.example.com:443/webhook/a') } },
		[{ verdict: 'ok', webhook }],
	],
	[
		'an address that is not listed',
		{ given: at(` ${url} `), webhooks: [] },
		[{ verdict: 'not_subscribed', webhook: null, url }],
	],
	['an http address', { given: at('http://n8n.local/a'), webhooks: [] }, [{ url: 'http://n8n.local/a' }]],
	[
		'none that is kept as deleted',
		{ given: {}, webhooks: [deleted, webhook] },
		[{ webhook, subscriptions: 1 }],
	],
	[
		'of two, the chosen one',
		{ given: { webhookId: 'wh_1' }, webhooks: [second, webhook] },
		[{ verdict: 'duplicate', webhook }],
	],
	[
		'of two at an address, the active one',
		{ webhooks: [disabled, webhook] },
		[{ verdict: 'ok', webhook, subscriptions: 2 }],
	],
	[
		'without a choice, all',
		{ given: {}, webhooks: [webhook, disabled, { id: 'wh_3' }, { id: 'wh_4' }] },
		[
			{ webhook },
			{ webhook: disabled },
			...[1, 2].map(() => ({ verdict: 'ok', url: null, subscriptions: 1 })),
		],
	],
	[
		'by its deliveries, where the list does not have it',
		{ given: { webhookId: 'wh_2', ...at(' ') }, deliveries: [delivered] },
		[{ verdict: 'ok', url: null, webhook: { id: 'wh_2' }, deliveries: { total: 1 } }],
	],
	[
		'by deliveries that can not be judged, where the list does not have it',
		{ given: { webhookId: 'wh_2' }, deliveries: [{ status: 'total' }] },
		[{ verdict: 'unknown', url: null, webhook: { id: 'wh_2' } }],
	],
])('a webhook is found %s', async (_how, given, expected) => {
	const items = await found(given);
	expect(items).toHaveLength(expected.length);
	expect(items).toMatchObject(expected);
});

test.each<[IDataObject, RegExp]>([
	[{ webhookId: 'wh_gone' }, /^No webhook 'wh_gone' was found in this workspace$/],
	[at('at https://a.example'), /^No webhook 'at https/],
	[at('xhttps://a.example'), /^No webhook 'xhttps/],
	[at(`https://${'x y'.repeat(100)}`), /^No webhook 'https:\/\/.{92}…' was found in/],
])('%j is an error that says what to give', async (given, message) => {
	expect((await found({ given }))[0]!.details).toMatchObject({
		...{ code: 'NODE_WEBHOOK_UNKNOWN', message: expect.stringMatching(message) },
		hint: expect.stringMatching(/^Choose one in 'Webhook'/),
	});
});

test.each([
	["a proxy's page says 404", answerFailure(404), 'HTTP_404'],
	['the key may not read them', answerFailure(403, { code: 'PUBLIC_API_SCOPE_FORBIDDEN' }), undefined],
	['nothing answers', refusal('UNREACHABLE', 'no', 'try'), 'NODE_UNREACHABLE'],
])(
	"an ID that isn't listed is neither unknown nor a webhook where its deliveries can't be read: %s",
	async (_why, deliveries, code = 'PUBLIC_API_SCOPE_FORBIDDEN') => {
		const [item] = await found({ given: { webhookId: 'wh_1' }, webhooks: [], deliveries });
		expect(item!.details).toMatchObject({ code });
	},
);

const failed = (error?: string, status = 'failed') => ({ deliveries: [delivery(status, error)] });
const recovering = { deliveries: [delivered, delivery('dead_letter', 'a', 0.5), delivery('failed', 'a', 3)] };
const none = { webhooks: [] };

test.each<[verdict: string, Given, message: RegExp]>([
	['clock_off', { date: NOW - 300_600 }, /is 301 seconds ahead of the service's/],
	['clock_off', { date: NOW + 400_000 }, /is 400 seconds behind the service's/],
	// The trigger takes what its Max Clock Difference allows.
	['ok', { date: NOW - 400_000, deliveries: [delivered] }, /the last delivery that it lists arrived$/],
	['ok', { date: NOW - 400_000, deliveries: [delivery('delivered', '', 1)] }, /that it lists arrived$/],
	['clock_off', { date: NOW - 400_000, deliveries: [delivery('delivered', '', 2)] }, /400 seconds/],
	// A list that a cache kept.
	['ok', { date: NOW - 1_200_000, age: 1_200 }, /lists no delivery that arrived/],
	['not_subscribed', none, /no subscription for this address/],
	['not_subscribed', { given: {}, ...none }, /^The workspace has no webhooks/],
	['not_found', { webhooks: [{ id: 'wh_2' }] }, /isn't among the webhooks that this node can read/],
	['not_subscribed', { webhooks: [{ id: 'wh_2', url: 'https://b.example/b' }] }, /no subscription/],
	['not_found', { ...none, hasNext: true }, /may have more than it lists$/],
	[
		'other_address',
		{
			webhooks: ['b.example/webhook/a?token=abc', 'c.example/webhook/a'].map((one) => ({
				url: `https://${one}`,
			})),
		},
		/delivers to https:\/\/b\.example\/webhook\/a\?\[hidden\], https:\/\/c\.example\/webhook\/a, not/,
	],
	['disabled', { webhooks: [disabled] }, /disabled this subscription, so it sends nothing/],
	[
		'disabled',
		{ given: { webhookId: 'wh_2' }, webhooks: [disabled, webhook] },
		/another one of the address is active/,
	],
	[
		'duplicate',
		{ webhooks: [webhook, second, { ...second, id: 'wh_3' }] },
		/3 subscriptions .* may come 3 times/,
	],
	['unknown', { deliveries: refusal('A', 'Not today', 'Wait.') }, /could not be read: Not today$/],
	['unknown', { deliveries: [{ status: 'total' }, { status: '__proto__' }] }, /could not be read/],
	['unknown', { deliveries: [{ state: 'failed' }] }, /read: .* a status that this node doesn't know/],
	['unknown', { webhooks: [{ webhook_id: 'wh_1', url }] }, /without an ID$/],
	[
		'not_published',
		failed('The receiver answered 404'),
		/nothing there \(404\)\. .* says: The receiver answered 404$/,
	],
	['not_published', failed('HTTP/1.1 404 Not Found', 'dead_letter'), /404/],
	['wrong_secret', failed('HTTP 401 Unauthorized', 'dead_letter'), /was refused \(401 or 403\)/],
	['wrong_secret', failed('HTTP 401 over TLS 1.3'), /was refused \(401 or 403\)/],
	['wrong_secret', failed('403'), /was refused/],
	['server_error', failed('503 Service Unavailable'), /is down or refuses deliveries/],
	['server_error', failed('The receiver responded with 500 after 404 ms'), /is down or refuses/],
	// Neither a status of the receiver nor one that n8n answers with.
	...['gave up after 401 seconds', 'connect ECONNREFUSED 10.0.0.1:404', 'HTTP 308'].map(
		(error): [string, Given, RegExp] => ['failing', failed(error), RegExp(`says: ${error}$`)],
	),
	['failing', failed('x'.repeat(1000)), /says: x{500}$/],
	['failing', failed(), /^The last delivery failed$/],
	['failing', { deliveries: [delivery('dead_letter', 'no', 30)] }, /^The last delivery failed/],
	// Where records have no time, those that failed count.
	['failing', { deliveries: [{ status: 'failed' }, { status: 'delivered' }] }, /^The last delivery failed$/],
	['recovering', recovering, /2 earlier/],
	['recovering', { deliveries: [delivered, delivery('dead_letter', 'a', 1)] }, /1 earlier/],
	['recovering', { deliveries: [delivered, delivery('failed', 'a', 3)] }, /1 earlier/],
	// Recovered or lost long ago.
	[
		'ok',
		{ deliveries: [delivered, delivery('dead_letter', 'HTTP 404', 2)] },
		/last delivery that it lists arrived$/,
	],
	['ok', { date: NOW - 300_000 }, /lists no delivery that arrived$/],
	['ok', { deliveries: [delivery('pending')] }, /lists no delivery that arrived$/],
	// The first one that explains the others.
	['clock_off', { ...failed('404'), ...none, date: NOW - 400_000 }, /seconds/],
	['not_published', { ...failed('404'), date: NOW }, /404/],
])('%s: %j', async (verdict, given, message) => {
	const [item] = await found(given);
	const hint = expect.stringMatching(/\w/);
	expect(item).toMatchObject({ verdict, message: expect.stringMatching(message), hint });
});

test('25 old failures, the first first, may be a page: nobody is told that n8n is down', async () => {
	const deliveries = Array.from({ length: 25 }, (_, i) => delivery('failed', 'HTTP 503', 30 - i / 25));
	const read = async (list: object[]) => (await found({ deliveries: list }))[0];
	expect(await read(deliveries)).toMatchObject({
		verdict: 'unknown',
		message: expect.stringMatching(/could not be read: The service may have more deliveries/),
		hint: "Check its deliveries in the service's dashboard.",
	});
	expect(await read(deliveries.slice(1))).toMatchObject({ verdict: 'server_error' });
	expect(await read([delivery('delivered'), ...deliveries.slice(1).reverse()])).not.toMatchObject({
		verdict: 'unknown',
	});
});

test('nobody is sent to publish anew before the next check, which recovers what failed', async () => {
	const twice = { webhooks: [webhook, second] };
	for (const given of [failed('401'), failed('500'), twice, { webhooks: [disabled] }, recovering]) {
		const [item] = await found(given);
		expect(item!.hint).toMatch(/next check/);
		expect(item!.hint).not.toMatch(/(^|\. )Unpublish /);
	}
});

test('nothing is to do about a disabled webhook while another one of its address is active', async () => {
	const [item] = await found({ given: { webhookId: 'wh_2' }, webhooks: [disabled, webhook] });
	expect(item!.hint).toMatch(/^Nothing to do\. /);
});

test("of a webhook that may be no trigger's, nothing is said of a trigger without an if", async () => {
	const twice = { webhooks: [webhook, second] };
	for (const given of [failed('404'), twice, { webhooks: [disabled] }, recovering])
		expect((await found(given))[0]!.hint).toMatch(/^If the webhook is /);
});

test('the facts', async () => {
	const secrets = {
		secret: 'whsec',
		old_secret: 12345,
		has_secret: true,
		signing: { secret: {} },
		last_error: 'at https://s.example/?sig=abc',
	};
	const listed = { ...webhook, url: `${url}?token=abc`, ...secrets };
	const [item] = await found({
		given: { webhookId: 'wh_1' },
		webhooks: [listed, { ...second, url: 'https://b.example/webhook/a' }],
		// In any order.
		deliveries: [
			delivery('pending'),
			delivery('failed', 'at https://s.example/?X-Amz-Signature=abc', 2),
			{ status: 'delivered', last_error: 'once', delivered_at: '2026-05-31T12:00:00Z' },
			{ status: 'delivered', delivered_at: '2026-05-30T12:00:00Z' },
		],
	});
	expect(item).toMatchObject({
		url: `${url}?[hidden]`,
		webhook: {
			...{ id: 'wh_1', secret: '[hidden]', old_secret: '[hidden]', has_secret: true },
			signing: { secret: '[hidden]' },
		},
		...{ subscriptions: 1, other_addresses: ['https://b.example/webhook/a'] },
		deliveries: {
			...{ total: 4, by_status: { failed: 1, delivered: 2, pending: 1 } },
			last_delivered_at: '2026-05-31T12:00:00Z',
		},
		...{ last_error: 'at https://s.example/?[hidden]', clock_ahead_seconds: null },
	});
	expect(JSON.stringify(item)).not.toContain('abc');
	const [bare] = await found({ date: NOW - 1600 });
	expect(bare).toMatchObject({ clock_ahead_seconds: 2, deliveries: { total: 0 }, last_error: null });
	expect(Object.keys(bare!.deliveries as object)).toEqual(['total']);
	expect(bare).not.toHaveProperty('other_addresses');
	expect(await found({ deliveries: refusal('A', 'no', 'try') })).toMatchObject([{ deliveries: null }]);
	const nothing = { url: null, webhook: null, deliveries: null, subscriptions: 0 };
	expect(await found({ given: {}, ...none })).toMatchObject([nothing]);
	const [long] = await found({ deliveries: [delivered, delivery('failed', 'x'.repeat(501))] });
	expect(long!.last_error).toBe('x'.repeat(500));
});
