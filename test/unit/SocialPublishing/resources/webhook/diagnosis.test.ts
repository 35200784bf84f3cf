import { readDelivery, type Delivery } from '../../../../../nodes/api/records';
import { refusal } from '../../../../../nodes/api/failure';
import {
	diagnose,
	type DeliveryFindings,
} from '../../../../../nodes/SocialPublishing/resources/webhook/diagnosis';
import { unreachable } from '../../../../../nodes/shared/addresses';
import { NOW } from '../operations';

const webhook = { id: 'wh_1', url: 'https://n8n.example.com/webhook/a', isDisabled: false };
const disabled = { ...webhook, isDisabled: true };
const verdictOf = (found: Partial<DeliveryFindings>) =>
	diagnose({
		...{ url: webhook.url, webhook, active: 1, elsewhere: [], deliveries: [], now: NOW, clockAheadMs: NaN },
		...found,
	});
const DAY_MS = 86_400_000;
const one = (status: string, lastError?: string, daysAgo = 0): Delivery => ({
	...readDelivery({ status }),
	...{ at: NOW - daysAgo * DAY_MS, lastError },
});
const failed = (error?: string, status = 'failed') => ({ deliveries: [one(status, error)] });
const delivered = one('delivered');

test.each<[string, Partial<DeliveryFindings>, RegExp]>([
	['clock_off', { clockAheadMs: 300_600 }, /is 301 seconds ahead of the service's/],
	['clock_off', { clockAheadMs: -400_000 }, /is 400 seconds behind the service's/],
	['not_subscribed', { webhook: undefined }, /no subscription for this address/],
	['not_subscribed', { webhook: undefined, url: '' }, /^The workspace has no webhooks/],
	[
		'other_address',
		{ webhook: undefined, elsewhere: ['https://b.example/a'] },
		/delivers to https:\/\/b\.example\/a,/,
	],
	['disabled', { webhook: disabled, active: 0 }, /disabled this subscription, so it sends nothing/],
	['disabled', { webhook: disabled }, /another one of the address is active/],
	['duplicate', { active: 3 }, /3 active subscriptions .* each event 3 times/],
	['no_events', { webhook: { ...webhook, events: [] } }, /names no event/],
	[
		'address_not_public',
		{ unreachable: unreachable('http://localhost/a', 'https://api.example.com') },
		/https/,
	],
	['unknown', { unread: refusal('A', 'Not today', 'Wait.') }, /could not be read: Not today$/],
	['unknown', { deliveries: [delivered, one('unknown')] }, /could not be read: they have a status/],
	[
		'not_published',
		failed('The receiver answered 404'),
		/No published workflow .* says: The receiver answered 404$/,
	],
	['not_published', failed('HTTP/1.1 404 Not Found', 'dead_letter'), /404/],
	['wrong_secret', failed('HTTP 401 Unauthorized', 'dead_letter'), /refused the signature/],
	['wrong_secret', failed('HTTP 401 over TLS 1.3'), /refused the signature/],
	['wrong_secret', failed('403'), /login/],
	['redirect', failed('got status 308'), /redirects/],
	['redirect', failed('status_code=302, body: certificate of attendance'), /redirects/],
	['server_error', failed('503 Service Unavailable'), /is down or answers with an error/],
	['server_error', failed('The receiver responded with 500 after 404 ms'), /is down or answers/],
	['certificate', failed('DEPTH_ZERO_SELF_SIGNED_CERT'), /doesn't trust the certificate/],
	['certificate', failed('unable to verify the first certificate'), /certificate/],
	['unreachable', failed('getaddrinfo ENOTFOUND n8n.example.com'), /can't connect/],
	['unreachable', failed('No response within 15 seconds'), /didn't answer within 15 seconds/],
	['unreachable', failed('timed out after 500 ms'), /15 seconds/],
	['unreachable', failed('connect ECONNREFUSED 10.0.0.1:404'), /can't connect/],
	// Neither a redirect nor a server error, but durations.
	['failing', failed('gave up after 301 ms'), /says: gave up after 301 ms$/],
	['failing', failed('500 ms were not enough'), /says: 500 ms/],
	['failing', failed('HTTP 422'), /says: HTTP 422$/],
	['failing', failed(), /^The last delivery failed$/],
	[
		'failing',
		{ deliveries: [one('dead_letter', 'the moon', 30)] },
		/^The last .*\. That was 30 days ago; nothing was sent since\. The/,
	],
	['recovering', { deliveries: [one('dead_letter'), one('failed'), delivered] }, /2 earlier/],
	// Recovered or lost long ago.
	['ok', { deliveries: [one('dead_letter', 'HTTP 404', 30), delivered] }, /the last delivery arrived$/],
	['ok', { clockAheadMs: 300_000 }, /has not sent anything yet$/],
	['ok', { deliveries: [one('pending')] }, /has not sent anything yet$/],
])('%s: %j', (verdict, found, message) => {
	expect(verdictOf(found)).toEqual({
		verdict,
		message: expect.stringMatching(message),
		hint: expect.stringMatching(/\w/),
	});
});

test('the first problem that explains the others', () => {
	const all = { ...failed('404'), webhook: undefined, clockAheadMs: 400_000 };
	expect(verdictOf(all).verdict).toBe('clock_off');
	expect(verdictOf({ ...all, clockAheadMs: 0 }).verdict).toBe('not_subscribed');
	expect(verdictOf({ ...all, clockAheadMs: 0, webhook }).verdict).toBe('not_published');
});

test.each<[string, Partial<DeliveryFindings>]>([
	['wrong_secret', failed('HTTP 401')],
	['server_error', failed('HTTP 500')],
	['duplicate', { active: 2, ...failed('x') }],
	['disabled', { webhook: disabled, active: 0, deliveries: [one('dead_letter'), delivered] }],
	['recovering', { deliveries: [one('failed'), delivered] }],
])('%s: where deliveries failed, nobody is sent to publish anew before the next check', (verdict, found) => {
	const { hint, ...rest } = verdictOf(found);
	expect(rest.verdict).toBe(verdict);
	expect(hint).toMatch(/next check/);
	expect(hint).not.toMatch(/(^|\. )(Unpublish|To repair it now)/);
	const quiet = verdictOf({ ...found, deliveries: [one('dead_letter', 'HTTP 401', 3)] }).hint;
	if (verdict !== 'recovering') expect(quiet).toMatch(/unpublish/i);
});
