import omit from 'lodash/omit';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Failure } from '../../../nodes/api/errors';
import { diagnose } from '../../../nodes/SocialPublishing/resources/webhook/diagnosis';
import { isProbeToken, PROBE_QUERY, probeToken } from '../../../nodes/shared/probe';
import { credentialFor } from '../../n8n/examples';
import { startService, type Service } from '../../service';
import { runNode } from '../../support/engine';
import { Instance, send } from '../../support/triggerContexts';

/** Check Delivery: each kind of trouble has its verdict; probes from here to the trigger over real HTTP. */

let service: Service;
let n8n: Instance;
const servers: Server[] = [];

beforeEach(async () => {
	service = await startService({ inlineDelaysMs: [0], speed: 0 });
	n8n = await Instance.start({ credential: credentialFor(service, service.keys.full) as never });
	await n8n.publish();
});
afterEach(async () => {
	for (const server of servers.splice(0)) server.close();
	await n8n.stop();
	await service.close();
});

async function listen(server: Server): Promise<string> {
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = async (
	status: number,
	body: string,
	headers: Record<string, string> = {},
): Promise<string> =>
	`http://${await listen(
		createServer((incoming, response) => {
			incoming.resume();
			response.writeHead(status, headers).end(body);
		}),
	)}`;

/** A proxy in front of the trigger that changes requests. */
async function proxy(change: (body: string, incoming: IncomingMessage) => string): Promise<string> {
	const { origin } = new URL(n8n.url);
	const server = createServer((incoming, response) => {
		const chunks: Buffer[] = [];
		incoming.on('data', (chunk) => chunks.push(chunk));
		incoming.on('end', () => {
			const body = change(Buffer.concat(chunks).toString(), incoming);
			const headers = omit(incoming.headers, 'host', 'content-length', 'transfer-encoding');
			const target = new URL(incoming.url!, origin);
			const forwarded = request(target, { method: 'POST', headers }, (answer) => {
				response.writeHead(answer.statusCode!, answer.headers);
				answer.pipe(response);
			});
			forwarded.end(body);
		});
	});
	return `http://${await listen(server)}`;
}

const webhook = () => [...service.store.webhooks.values()][0]!;

/** The service has the subscription at another address, at which n8n believes to be. */
function moveTo(origin: string): void {
	const { pathname } = new URL(webhook().url);
	webhook().url = `${origin}${pathname}`;
	n8n.webhookBaseUrl = `${origin}/webhook`;
}

async function check(webhookId = webhook().id, credential = credentialFor(service, service.keys.full)) {
	const executions = n8n.executions.length;
	const { json, error } = await runNode({
		parameters: {
			resource: 'webhook',
			operation: 'check',
			webhookId: { __rl: true, mode: 'id', value: /^http/.test(webhookId) ? '' : webhookId },
			address: /^http/.test(webhookId) ? webhookId : '',
			options: {},
		},
		credential: credential as never,
	});
	expect(error).toBeUndefined();
	expect(json).toHaveLength(1);
	// A probe starts nothing.
	expect(n8n.executions).toHaveLength(executions);
	const text = JSON.stringify(json);
	expect(text).not.toContain(service.keys.full);
	if (service.store.webhooks.size > 0) expect(text).not.toContain(webhook().secret);
	return json[0] as Record<string, any>;
}

const verdictOf = async (...wanted: Parameters<typeof check>) => (await check(...wanted)).verdict;

describe('Check Delivery', () => {
	it('all is well: by ID, by description, by address', async () => {
		const found = await check();
		expect(found).toMatchObject({
			verdict: 'ok',
			subscriptions: 1,
			probe: { status: 200 },
			last_error: null,
		});
		expect(await verdictOf(webhook().url)).toBe('ok');
		expect(await verdictOf(webhook().description!)).toBe('ok');
	});

	it('the secret was made by the service: it can not be tried, and nothing speaks against it', async () => {
		service.store.acceptCallerSecret = false;
		await n8n.unpublish();
		await n8n.publish();
		expect(await verdictOf()).toBe('ok');
	});

	it('1: the subscription is gone', async () => {
		const { url } = webhook();
		service.store.webhooks.clear();
		expect(await verdictOf(url)).toBe('not_subscribed');
	});

	it('2: the subscription is disabled', async () => {
		webhook().status = 'disabled';
		expect(await verdictOf()).toBe('disabled');
	});

	it('3: doubled', async () => {
		service.store.webhooks.set('wh_2', { ...webhook(), id: 'wh_2' });
		expect(await verdictOf()).toBe('doubled');
	});

	it('4: a name that is not known', async () => {
		moveTo('http://no-such-host.invalid:5678');
		expect(await check()).toMatchObject({ verdict: 'dns', probe: { status: null } });
	});

	it('5: nothing listens', async () => {
		const address = await listen(createServer());
		servers.at(-1)!.close();
		moveTo(`http://${address}`);
		expect(await verdictOf()).toBe('refused');
	});

	it('6: no secure connection, such as a certificate that is not trusted', async () => {
		moveTo(`https://${await listen(createServer())}`);
		expect(await verdictOf()).toBe('certificate');
	});

	it('7: a proxy changes the body', async () => {
		moveTo(await proxy((body) => JSON.stringify(JSON.parse(body))));
		expect(await verdictOf()).toBe('body_changed');
	});

	it.each(['x-service-signature', 'x-service-timestamp'])('8: a proxy drops the header %s', async (name) => {
		moveTo(
			await proxy((body, { headers }) => {
				delete headers[name];
				return body;
			}),
		);
		expect(await verdictOf()).toBe('headers_changed');
	});

	it('8: a proxy changes a header', async () => {
		moveTo(
			await proxy((body, { headers }) => {
				headers['x-service-timestamp'] = '2026-01-01T00:00:00Z';
				return body;
			}),
		);
		expect(await verdictOf()).toBe('headers_changed');
	});

	it('a proxy that changes nothing is no trouble', async () => {
		moveTo(await proxy((body) => body));
		expect(await verdictOf()).toBe('ok');
	});

	it('9: the clock is off, by so many seconds', async () => {
		const now = Date.now;
		try {
			Date.now = () => now() + 400_000;
			const found = await check();
			expect(found.verdict).toBe('clock_off');
			expect(found.message).toMatch(/\b(399|400|401) seconds ahead/);
		} finally {
			Date.now = now;
		}
	});

	it('10: another server answers', async () => {
		moveTo(await answering(200, '<html>Please log in</html>', { 'content-type': 'text/html' }));
		expect(await verdictOf()).toBe('other_server');
		moveTo(await answering(404, 'not found'));
		expect(await verdictOf()).toBe('other_server');
	});

	it('11: n8n is starting up', async () => {
		moveTo(await answering(200, 'n8n is starting up. Please wait'));
		expect(await verdictOf()).toBe('starting');
	});

	it('12: not published', async () => {
		const message = 'The requested webhook "POST abc/webhook" is not registered.';
		moveTo(
			await answering(404, JSON.stringify({ code: 404, message }), { 'content-type': 'application/json' }),
		);
		expect(await verdictOf()).toBe('not_published');
	});

	it('13: the node has another key than the trigger', async () => {
		const credential = credentialFor(service, service.addKey({ plan: 'enterprise' }));
		expect(await verdictOf(webhook().id, credential)).toBe('wrong_key');
	});

	it('14: a redirect', async () => {
		moveTo(await answering(308, '', { location: 'https://n8n.example.com/' }));
		expect(await verdictOf()).toBe('redirect');
	});

	it('15: n8n is down behind its proxy', async () => {
		moveTo(await answering(502, '<html>Bad gateway</html>'));
		expect(await verdictOf()).toBe('server_error');
	});

	it('16: n8n has another address now', async () => {
		n8n.webhookBaseUrl = n8n.webhookBaseUrl.replace('127.0.0.1', 'localhost');
		expect(await verdictOf()).toBe('address_moved');
	});

	it('17: dead letters and failed deliveries', async () => {
		n8n.afterAccept = async (respond) => respond(500);
		service.deliveries.emit({
			type: 'post.published',
			workspaceId: 'ws_main',
			brandId: 'b',
			resource: 'r',
			data: {},
		});
		await service.deliveries.idle();
		expect((await check()).verdict).toBe('failing');
		for (let hour = 0; hour < 24; hour++) {
			await service.clock.advance(3_600_000);
			await service.deliveries.idle();
		}
		expect(await check()).toMatchObject({
			verdict: 'dead_letters',
			deliveries: { dead_letter: 1 },
			last_error: 'The receiver answered 500',
		});
	});

	it.each([
		['http://n8n.example.com/webhook/a', 'https addresses only'],
		['https://localhost/webhook/a', 'this machine'],
		['https://10.0.0.3/webhook/a', 'its own network'],
	])('19: the service can not reach %s', (url, said) => {
		const { unreachable } = jest.requireActual('../../../nodes/shared/address');
		const found = diagnose({
			url,
			webhook: { id: 'w', url },
			count: 1,
			deliveries: {},
			unreachable: unreachable(url, 'https://api.example.com') as Failure,
		});
		expect(found.verdict).toBe('address_not_public');
		expect(found.message).toContain(said);
	});

	it('19: the address does not answer in time', () => {
		const url = 'https://n8n.example.com/webhook/a';
		const sent = { body_sha256: '', signature: '', timestamp: '' };
		const found = { url, webhook: { id: 'w', url }, count: 1, deliveries: {} };
		expect(diagnose({ ...found, probe: { url, sent, error: 'ECONNABORTED' } }).verdict).toBe('timeout');
		expect(diagnose({ ...found, probe: { url, sent, error: 'ECONNRESET' } }).verdict).toBe('connection');
		const error = 'DEPTH_ZERO_SELF_SIGNED_CERT';
		expect(diagnose({ ...found, probe: { url, sent, error } }).verdict).toBe('certificate');
	});

	it('a webhook that is not there is an error that says what to give instead', async () => {
		const { error } = await runNode({
			parameters: {
				resource: 'webhook',
				operation: 'check',
				webhookId: { __rl: true, mode: 'id', value: 'wh_gone' },
				address: '',
				options: {},
			},
			credential: credentialFor(service, service.keys.full) as never,
		});
		expect((error as Error).message).toContain('wh_gone');
	});
});

describe('a probe', () => {
	it('tells nothing to strangers: no token, a forged one, one of another key, an old one', async () => {
		const key = service.keys.full;
		const good = probeToken(key, Date.now());
		const tokens = [
			'',
			'1.2.3',
			`${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`,
			probeToken('another key', Date.now()),
			probeToken(key, Date.now() - 25 * 3_600_000),
			probeToken(key, Date.now() + 25 * 3_600_000),
		];
		for (const token of tokens) {
			const { status, body } = await send(`${n8n.url}?${PROBE_QUERY}=${token}`, '{}', {});
			expect([status, body]).toEqual([401, { error: 'The signature or the timestamp is not valid' }]);
		}
		const { status, body } = await send(`${n8n.url}?${PROBE_QUERY}=${good}`, '{}', {});
		expect([status, body.status]).toEqual([200, 'probe']);
		expect(JSON.stringify(body)).not.toContain(webhook().secret);
		expect(isProbeToken([good], key, Date.now())).toBe(false);
		expect(n8n.executions).toEqual([]);
	});
});
