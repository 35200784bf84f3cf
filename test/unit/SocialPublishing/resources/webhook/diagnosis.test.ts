import { refusal, type Failure } from '../../../../../nodes/api/failure';
import { readDelivery, readSubscription, type Delivery } from '../../../../../nodes/api/records';
import { diagnose } from '../../../../../nodes/SocialPublishing/resources/webhook/diagnosis';
import { NOW } from '../operations';

const url = 'https://n8n.example.com/webhook/a';
const webhookAt = (address: string, more: object = {}) => {
	const record = { id: 'wh_1', url: address, ...more };
	return { ...readSubscription(record), url: address, record };
};
const webhook = webhookAt(url);
const disabled = webhookAt(url, { id: 'wh_2', status: 'disabled' });

interface Given {
	url?: string;
	webhook?: ReturnType<typeof webhookAt> | undefined;
	list?: Array<ReturnType<typeof webhookAt>>;
	deliveries?: Delivery[] | Failure;
	clockAheadMs?: number;
	isComplete?: boolean;
}
function found(given: Given = {}) {
	const { webhook: chosen, deliveries = [], clockAheadMs = NaN, isComplete = true } = { webhook, ...given };
	const { list = chosen ? [chosen] : [] } = given;
	const address = given.url ?? chosen?.url ?? url;
	return diagnose(address, chosen, list, deliveries, clockAheadMs, NOW, isComplete);
}

const DAY_MS = 86_400_000;
const one = (status: string, lastError?: string, daysAgo = 0): Delivery => ({
	...readDelivery({ status }),
	...{ at: NOW - daysAgo * DAY_MS, lastError },
});
const failed = (error?: string, status = 'failed') => ({ deliveries: [one(status, error)] });
const delivered = one('delivered');
const none = { webhook: undefined, list: [] };

test.each<[string, Given, RegExp]>([
	['clock_off', { clockAheadMs: 300_600 }, /is 301 seconds ahead of the service's/],
	['clock_off', { clockAheadMs: -400_000 }, /is 400 seconds behind the service's/],
	['not_subscribed', none, /no subscription for this address/],
	['not_found', { ...none, list: [webhookAt('')] }, /isn't among the webhooks that this node can read/],
	['not_found', { ...none, isComplete: false }, /may have more than it lists$/],
	['not_subscribed', { ...none, url: '' }, /^The workspace has no webhooks/],
	[
		'other_address',
		{ ...none, list: [webhookAt('https://b.example/webhook/a?token=abc')] },
		/delivers to https:\/\/b\.example\/webhook\/a\?\[hidden\], not/,
	],
	['disabled', { webhook: disabled }, /disabled this subscription, so it sends nothing/],
	['disabled', { webhook: disabled, list: [disabled, webhook] }, /another one of the address is active/],
	['duplicate', { list: [webhook, webhook, webhook] }, /3 subscriptions .* may come 3 times/],
	['unknown', { deliveries: refusal('A', 'Not today', 'Wait.') }, /could not be read: Not today$/],
	[
		'not_published',
		failed('The receiver answered 404'),
		/No published workflow .* says: The receiver answered 404$/,
	],
	['not_published', failed('HTTP/1.1 404 Not Found', 'dead_letter'), /404/],
	['wrong_secret', failed('HTTP 401 Unauthorized', 'dead_letter'), /refused the signature/],
	['wrong_secret', failed('HTTP 401 over TLS 1.3'), /refused the signature/],
	['wrong_secret', failed('403'), /login/],
	['server_error', failed('503 Service Unavailable'), /is down or answers with an error/],
	['server_error', failed('The receiver responded with 500 after 404 ms'), /is down or answers/],
	// Neither a status of the receiver nor one that n8n answers with.
	...['gave up after 401 seconds', 'connect ECONNREFUSED 10.0.0.1:404', 'HTTP 308'].map(
		(error): [string, Given, RegExp] => ['failing', failed(error), RegExp(`says: ${error}$`)],
	),
	['failing', failed('x'.repeat(1000)), /says: x{500}$/],
	['failing', failed(), /^The last delivery failed$/],
	['failing', { deliveries: [one('dead_letter', 'no', 30)] }, /^The last delivery failed/],
	['recovering', { deliveries: [one('dead_letter'), one('failed'), delivered] }, /2 earlier/],
	// Recovered or lost long ago.
	['ok', { deliveries: [one('dead_letter', 'HTTP 404', 30), delivered] }, /the last delivery arrived$/],
	['ok', { clockAheadMs: 300_000 }, /has not sent anything yet$/],
	['ok', { deliveries: [one('pending')] }, /has not sent anything yet$/],
	['ok', { webhook: webhookAt(''), list: [webhookAt(''), webhookAt('')] }, /has not sent anything yet$/],
])('%s: %j', (verdict, given, message) => {
	expect(found(given)).toMatchObject({
		...{ verdict, message: expect.stringMatching(message), hint: expect.stringMatching(/\w/) },
	});
});

test('the first problem that explains the others', () => {
	const all = { ...failed('404'), ...none, clockAheadMs: 400_000 };
	expect(found(all).verdict).toBe('clock_off');
	expect(found({ ...all, clockAheadMs: 0 }).verdict).toBe('not_subscribed');
	expect(found({ ...failed('404'), clockAheadMs: 0 }).verdict).toBe('not_published');
});

test.each<[string, Given]>([
	['wrong_secret', failed('HTTP 401')],
	['server_error', failed('HTTP 500')],
	['duplicate', { list: [webhook, webhook] }],
	['disabled', { webhook: disabled }],
	['recovering', { deliveries: [one('failed'), delivered] }],
])(
	'%s: nobody is sent to publish anew before the next check, which recovers what failed',
	(verdict, given) => {
		const { hint, ...rest } = found(given);
		expect(rest.verdict).toBe(verdict);
		expect(hint).toMatch(/next check/);
		expect(hint).not.toMatch(/(^|\. )Unpublish /);
	},
);

test('the facts', () => {
	const secrets = { secret: 'whsec', signing: { secret: {} }, last_error: 'at https://s.example/?sig=abc' };
	const deliveries = [
		one('failed', 'at https://s.example/?X-Amz-Signature=abc', 2),
		one('delivered', 'once', 1),
		one('pending'),
	];
	const listed = webhookAt(`${url}?token=abc`, secrets);
	const item = found({
		webhook: listed,
		list: [listed, webhookAt('https://b.example/webhook/a')],
		deliveries,
	});
	expect(item).toMatchObject({
		url: `${url}?[hidden]`,
		webhook: { id: 'wh_1', secret: '[hidden]', signing: { secret: '[hidden]' } },
		...{ subscriptions: 1, other_addresses: ['https://b.example/webhook/a'] },
		deliveries: {
			...{ total: 3, by_status: { failed: 1, delivered: 1, pending: 1 } },
			last_delivered_at: '2026-05-31T12:00:00Z',
		},
		...{ last_error: 'at https://s.example/?[hidden]', clock_ahead_seconds: null },
	});
	expect(JSON.stringify(item)).not.toContain('abc');
	expect(found({ clockAheadMs: 1600 })).toMatchObject({ clock_ahead_seconds: 2, deliveries: { total: 0 } });
	expect(Object.keys(found().deliveries as object)).toEqual(['total']);
	const unread = { deliveries: null, last_error: null };
	expect(found({ deliveries: refusal('A', 'no', 'try') })).toMatchObject(unread);
	const nothing = { url: null, webhook: null, deliveries: null, subscriptions: 0 };
	expect(found({ ...none, url: '' })).toMatchObject(nothing);
	expect(found()).not.toHaveProperty('other_addresses');
	expect(found({ deliveries: [delivered, one('failed', 'x'.repeat(501))] }).last_error).toBe('x'.repeat(500));
	expect(found({ webhook: disabled, list: [disabled, webhook] }).hint).toMatch(/^Nothing to do/);
});
