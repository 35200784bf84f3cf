import type { IDataObject } from 'n8n-workflow';

import type { ProbeResult } from '../../../../../nodes/shared/probe';
import { unreachable } from '../../../../../nodes/shared/address';
import { diagnose, type Findings } from '../../../../../nodes/SocialPublishing/resources/webhook/diagnosis';

const url = 'https://n8n.example.com/webhook/a';
const sent = { body_sha256: 'b', signature: 's', timestamp: 't' };
const report = { status: 'probe', ...sent, address: url };
const verdictOf = (found: Partial<Findings>) =>
	diagnose({ url, webhook: { id: 'wh_1', url }, count: 1, deliveries: {}, ...found });
const answered = (status: number, body: unknown, more: Partial<ProbeResult> = {}) => ({
	probe: { url, sent, status, body, headers: {}, ...more } as ProbeResult,
});
const failed = (error: string) => ({ probe: { url, sent, error } });

test.each<[string, Partial<Findings>, RegExp]>([
	['clock_off', { clockAheadMs: 300_600 }, /is 301 seconds ahead of the service's/],
	['clock_off', { clockAheadMs: -400_000 }, /is 400 seconds behind the service's/],
	['not_subscribed', { webhook: undefined, count: 0 }, /no subscription for this address/],
	...[
		{ status: 'disabled' },
		{ status: 'inactive' },
		{ active: false },
		{ enabled: false },
		{ disabled: true },
	].map((webhook): [string, Partial<Findings>, RegExp] => [
		'disabled',
		{ webhook },
		/has disabled the subscription/,
	]),
	['doubled', { count: 3 }, /3 subscriptions for this address: each event is sent 3 times/],
	['dns', failed('ENOTFOUND'), /^The name n8n\.example\.com is not known/],
	['dns', failed('EAI_AGAIN'), /DNS/],
	['refused', failed('ECONNREFUSED'), /^Nothing listens at n8n\.example\.com/],
	['certificate', failed('DEPTH_ZERO_SELF_SIGNED_CERT'), /\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/],
	['certificate', failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /not trusted/],
	['certificate', failed('EPROTO'), /speaks no https/],
	['timeout', failed('ETIMEDOUT'), /within 15 seconds/],
	['timeout', failed('ECONNABORTED'), /^n8n\.example\.com did not answer/],
	['connection', failed('ECONNRESET'), /n8n\.example\.com broke \(ECONNRESET\)/],
	['body_changed', answered(200, { ...report, body_sha256: 'c' }), /changes the body/],
	['headers_changed', answered(200, { ...report, signature: null }), /drops or changes the headers/],
	['headers_changed', answered(200, { ...report, timestamp: 'u' }), /drops or changes the headers/],
	[
		'address_moved',
		answered(200, { ...report, address: 'https://new.example' }),
		/delivers to https:\/\/n8n\.example\.com\/webhook\/a, but this n8n is at https:\/\/new\.example now/,
	],
	['starting', answered(200, 'n8n is starting up. Please wait'), /^n8n is starting up/],
	[
		'not_published',
		answered(404, { code: 404, message: 'The requested webhook "POST a" is not registered.' }),
		/^n8n at n8n\.example\.com knows no workflow/,
	],
	['other_server', answered(404, 'not found'), /answers at n8n\.example\.com \(404\)/],
	['other_server', answered(404, undefined), /\(404\)$/],
	[
		'redirect',
		answered(308, '', { headers: { location: 'https://b.example/' } }),
		/on to https:\/\/b\.example\/ \(308\)/,
	],
	['redirect', answered(302, ''), /on to another address \(302\)/],
	[
		'wrong_key',
		answered(401, { error: 'The signature or the timestamp is not valid' }),
		/does not know the API key/,
	],
	['server_error', answered(502, '<html>Bad gateway</html>'), /answers with an error \(502\)/],
	['server_error', answered(500, null), /\(500\)/],
	['other_server', answered(200, '<html>Please log in</html>'), /^Another server/],
	['other_server', answered(200, { status: 'ok' }), /^Another server/],
	[
		'dead_letters',
		{ deliveries: { dead_letter: 2, failed: 1 }, lastError: 'no' },
		/given up 2 earlier ones \(no\)$/,
	],
	['dead_letters', { deliveries: { dead_letter: 1 } }, /given up 1 earlier ones$/],
	['failing', { deliveries: { failed: 3 }, lastError: 'no' }, /still tries 3 that failed \(no\)$/],
	['failing', { deliveries: { failed: 3 } }, /still tries 3 that failed$/],
	['ok', { deliveries: { delivered: 3 } }, /reaches the trigger$/],
	['ok', { clockAheadMs: -300_000, ...answered(200, report) }, /reaches the trigger$/],
])('%s: %j', (verdict, found, message) => {
	const one = verdictOf(found);
	expect(one).toEqual({
		verdict,
		message: expect.stringMatching(message),
		hint: expect.stringMatching(/^\w.{20,}\.$/),
	});
});

test.each([
	['http://n8n.example.com/webhook/a', 'https addresses only'],
	['https://localhost/webhook/a', 'this machine'],
	['https://10.0.0.3/webhook/a', 'its own network'],
])('address_not_public: the service can not reach %s', (address, message) => {
	const found = verdictOf({ url: address, unreachable: unreachable(address, 'https://api.example.com') });
	expect(found).toMatchObject({ verdict: 'address_not_public', message: expect.stringContaining(message) });
	expect(found.hint).toContain('WEBHOOK_URL');
});

test('of several troubles the first on the way is told: later ones may be its consequence', () => {
	const troubles: IDataObject[] = [
		{ clockAheadMs: 400_000 },
		{ webhook: { status: 'disabled' } },
		{ count: 2 },
		{ unreachable: unreachable('https://localhost', 'https://api.example.com') as never },
		failed('ECONNREFUSED') as never,
		{ deliveries: { dead_letter: 1 } },
		{ deliveries: { failed: 1 } },
	];
	const verdicts = troubles.map(
		(_, i) => verdictOf(Object.assign({}, ...troubles.slice(i).reverse()) as Partial<Findings>).verdict,
	);
	expect(verdicts).toEqual([
		...['clock_off', 'disabled', 'doubled', 'address_not_public', 'refused', 'dead_letters', 'failing'],
	]);
});
