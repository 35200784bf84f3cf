import { diagnose, type Findings } from '../../../../../nodes/SocialPublishing/resources/webhook/diagnosis';
import { unreachable } from '../../../../../nodes/shared/addresses';

const url = 'https://n8n.example.com/webhook/a';
const own = { id: 'wh_1', url, isDisabled: false };
const verdictOf = (found: Partial<Findings>) =>
	diagnose({ url, subscriptions: [own], elsewhere: [], deliveries: {}, ...found });
const failed = (error?: string, status = 'failed'): Partial<Findings> => ({
	latest: { status, ...(error ? { error } : {}) },
});

test.each<[string, Partial<Findings>, RegExp]>([
	['clock_off', { clockAheadMs: 300_600 }, /is 301 seconds ahead of the service's/],
	['clock_off', { clockAheadMs: -400_000 }, /is 400 seconds behind the service's/],
	['not_subscribed', { subscriptions: [] }, /no subscription for this address/],
	[
		'other_address',
		{ subscriptions: [], elsewhere: ['https://b.example/a'] },
		/delivers to https:\/\/b\.example\/a,/,
	],
	['disabled', { subscriptions: [{ ...own, isDisabled: true }] }, /has disabled the subscription/],
	['duplicate', { subscriptions: [own, own, own] }, /3 subscriptions .* each event 3 times/],
	['no_events', { subscriptions: [{ ...own, events: [] }] }, /names no event/],
	[
		'address_not_public',
		{ unreachable: unreachable('http://localhost/a', 'https://api.example.com') },
		/https/,
	],
	[
		'not_published',
		failed('The receiver answered 404'),
		/No published workflow .* says: The receiver answered 404$/,
	],
	['wrong_secret', failed('HTTP 401 Unauthorized', 'dead_letter'), /refused the signature/],
	['wrong_secret', failed('403'), /login/],
	['redirect', failed('got status 308'), /redirects/],
	['unavailable', failed('503 Service Unavailable'), /lost its secret/],
	['server_error', failed('The receiver answered 500'), /answers with an error/],
	['certificate', failed('DEPTH_ZERO_SELF_SIGNED_CERT'), /doesn't trust the certificate/],
	['certificate', failed('unable to verify the first certificate'), /certificate/],
	['dns', failed('getaddrinfo ENOTFOUND n8n.example.com'), /host name/],
	['timeout', failed('No response within 15 seconds'), /did not answer within 15 seconds/],
	['timeout', failed('timed out'), /15 seconds/],
	['connection', failed('connect ECONNREFUSED'), /can't connect/],
	['failing', failed('the moon was in the way'), /says: the moon was in the way$/],
	['failing', failed(), /^The last delivery failed$/],
	[
		'recovering',
		{ latest: { status: 'delivered' }, deliveries: { total: 3, failed: 1, dead_letter: 1 } },
		/2 earlier/,
	],
	['ok', { latest: { status: 'delivered' }, deliveries: { total: 1 } }, /the last delivery arrived$/],
	['ok', { clockAheadMs: 300_000 }, /has not sent anything yet$/],
])('%s: %j', (verdict, found, message) => {
	const told = verdictOf(found);
	expect(told).toEqual({
		verdict,
		message: expect.stringMatching(message),
		hint: expect.stringMatching(/\w/),
	});
});

test('the first problem that explains the others', () => {
	const all: Partial<Findings> = { ...failed('404'), subscriptions: [], clockAheadMs: 400_000 };
	expect(verdictOf(all).verdict).toBe('clock_off');
	expect(verdictOf({ ...all, clockAheadMs: 0 }).verdict).toBe('not_subscribed');
	expect(verdictOf({ ...all, clockAheadMs: 0, subscriptions: [own] }).verdict).toBe('not_published');
});
