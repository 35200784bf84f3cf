import {
	canonicalAddress,
	doubtOfAddress,
	isElsewhere,
	isSameAddress,
	reachOf,
} from '../../../nodes/shared/addresses';
import { failureOf } from '../../support/failure';

const PUBLIC = 'https://api.service.com/api/public/v1';
const LOCAL = 'http://127.0.0.1:4000/api/public/v1';
const NETWORK = 'http://10.0.0.7:4000/api/public/v1';

it.each([
	['machine', 'localhost:5678 n8n.localhost 127.0.0.1 0.0.0.0:5678 [::1]:5678 [::] [::ffff:127.0.0.1]'],
	['machine', 'host.docker.internal:3000'],
	['network', '10.1.2.3 172.16.0.1 172.20.0.1 172.31.255.255 192.168.1.1 169.254.1.1 224.0.0.1 250.0.0.1'],
	['network', '100.64.0.1 100.79.0.1 100.110.0.1 100.127.0.1 [fe80::1] [fe9f::1] [fd00::1] [fc00::1]'],
	['network', 'n8n:5678 n8n.local n8n.internal. n8n.home.arpa'],
	['everywhere', 'n8n.example.com n8n.home.example.com localhost.example.com 10.0.0.1.example.com'],
	['everywhere', '8.8.8.8 11.16.0.1 172.15.0.1 172.32.0.1 192.169.0.1 193.168.0.1 169.253.0.1 170.254.0.1'],
	['everywhere', '100.63.0.1 100.128.0.1 101.64.0.1 223.255.255.255 a10.0.0.1.example.com'],
	['everywhere', '[2001:db8::1] [2001:db8::fe80] [2001:db8::fd00] [2001:db8::ffff:7f00:1] [::2]'],
])('can be reached from %s: %s', (reach, hosts) => {
	for (const host of hosts.split(' '))
		expect([host, reachOf(new URL(`http://${host}`))]).toEqual([host, reach]);
});

describe('an address that the service cannot reach', () => {
	it.each([
		['https://n8n.example.com/webhook/1/webhook', PUBLIC],
		['http://127.0.0.1:5678/webhook/1/webhook', LOCAL],
		['http://localhost:5678/webhook/1/webhook', 'http://localhost:4000/v1'],
		['http://localhost:5678/webhook/1/webhook', 'http://host.docker.internal:4000/v1'],
		['http://10.0.0.5:5678/webhook/1/webhook', LOCAL],
		['http://10.0.0.5:5678/webhook/1/webhook', NETWORK],
		['http://n8n.example.com/webhook/1/webhook', NETWORK],
	])('%s is fine for %s', (webhook, service) => expect(doubtOfAddress(webhook, service)).toBeUndefined());

	it.each([
		['no WEBHOOK_URL', 'http://localhost:5678/webhook/1/webhook', PUBLIC, 'https'],
		['https on this machine', 'https://localhost/webhook/1/webhook', PUBLIC, 'this machine'],
		['http', 'http://n8n.example.com/webhook/1/webhook', PUBLIC, 'https'],
		['loopback, service in the network', 'http://127.0.0.1:5678/webhook/1/webhook', NETWORK, 'this machine'],
		['no address', '', PUBLIC, "isn't a web address"],
		['another protocol', 'ftp://n8n.example.com/webhook', PUBLIC, "isn't a web address"],
		['a protocol that begins like one', 'httpsx://n8n.example.com/webhook', PUBLIC, "isn't a web address"],
		['a protocol that ends like one', 'xhttps://n8n.example.com/webhook', PUBLIC, "isn't a web address"],
	])('%s: refused, naming the setting', (_name, webhook, service, words) => {
		const { message, hint, code } = failureOf(() => doubtOfAddress(webhook, service)).details;
		expect(message).toContain(words);
		expect(hint).toContain('WEBHOOK_URL');
		expect(code).toBe('NODE_WEBHOOK_ADDRESS');
	});

	it.each(['n8n.acme.lan', 'n8n.corp', '10.0.0.5', '192.168.1.4', 'n8n'])(
		'https://%s may be known to the service, on the same network or by VPN: a doubt, and no refusal',
		(host) =>
			expect(doubtOfAddress(`https://${host}/webhook/1/webhook`, PUBLIC)).toMatch(
				new RegExp(`^the service may not reach https://${host}, .*WEBHOOK_URL`),
			),
	);

	it('a path of a node without an ID, which n8n looks up in another form: a doubt that says what to do', () => {
		const path = 'webhook/7/social%20publishing%20trigger/webhook';
		expect(doubtOfAddress(`https://n8n.example.com/${path}`, PUBLIC)).toMatch(
			/^n8n may not find .*replace the trigger node with a new one/,
		);
		// As well as that of a private network, whichever it is.
		expect(doubtOfAddress(`https://n8n.corp/${path}`, PUBLIC)).toMatch(
			/^the service may not reach .*; n8n may not find/,
		);
		expect(doubtOfAddress('https://n8n.example.com/our%20n8n/webhook/1/webhook', PUBLIC)).toBeUndefined();
	});
});

describe('one form of an address', () => {
	const url = 'https://n8n.example.com/webhook/%C3%BC-1/webhook?x=1';

	it.each([
		'HTTPS://N8N.EXAMPLE.COM/webhook/ü-1/webhook?x=1',
		'https://n8n.example.com:443/webhook/%c3%bc-1/webhook?x=1',
		'https://n8n.example.com./webhook/%c3%bc%2D%31/webhook?x=1#top',
		'https://n8n.example.com/webhook/ü-1/webhook/?x=1',
	])('%s is the same', (other) => expect(isSameAddress(other, url)).toBe(true));

	it.each([
		'http://n8n.example.com/webhook/%C3%BC-1/webhook?x=1',
		'https://n8n.example.com:8443/webhook/%C3%BC-1/webhook?x=1',
		'https://n8n.example.com/webhook/%C3%BC-1/webhook',
		'https://n8n.example.com/webhook/%C3%BC-1%2Fwebhook?x=1',
		'https://n8n.example.com/Webhook/%C3%BC-1/webhook?x=1',
		'https://n8n.example.com/webhook/%C3%BC-1/webhook/a?x=1',
		'no address',
	])('%s is another one', (other) => expect(isSameAddress(other, url)).toBe(false));

	it('what is no address, or badly written, is compared as it is', () => {
		expect(canonicalAddress('no address')).toBe('no address');
		expect(isSameAddress('https://a.example/%zz', 'https://A.example/%zz')).toBe(true);
	});

	it('the same path elsewhere', () => {
		expect(isElsewhere('https://a.example/webhook/%61', 'http://b.example:1/webhook/a')).toBe(true);
		expect(isElsewhere('https://a.example/webhook/%61', 'https://a.example/webhook/a')).toBe(false);
		expect(isElsewhere('https://a.example/webhook/a', 'https://a.example/webhook/b')).toBe(false);
		expect(isElsewhere('a', 'b')).toBe(false);
		expect(isElsewhere('https://A.example/b', 'https://a.example/c', ['https://a.example/b'])).toBe(true);
		expect(isElsewhere('https://a.example/b', 'https://a.example/b', ['https://a.example/b'])).toBe(false);
	});
});
