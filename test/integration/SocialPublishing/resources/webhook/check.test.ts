import omit from 'lodash/omit';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { credentialFor } from '../../../../n8n/examples';
import { startService, type Service } from '../../../../service';
import { runNode } from '../../../../support/engine';
import { Instance } from '../../../../support/triggerContexts';

/** Check Delivery with a real trigger, over real HTTP. All verdicts: `test/unit/…/webhook/diagnosis.test.ts`. */

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

test('all is well: by ID, by description, by address', async () => {
	expect(await check()).toMatchObject({
		verdict: 'ok',
		subscriptions: 1,
		probe: { status: 200 },
		last_error: null,
	});
	expect(await verdictOf(webhook().url)).toBe('ok');
	expect(await verdictOf(webhook().description!)).toBe('ok');
});

test('a secret that the service made can not be tried, and nothing speaks against it', async () => {
	service.store.acceptCallerSecret = false;
	await n8n.unpublish();
	await n8n.publish();
	expect(await verdictOf()).toBe('ok');
});

test.each<[string, () => Promise<string>]>([
	['dns', async () => 'http://no-such-host.invalid:5678'],
	[
		'refused',
		async () => {
			const address = await listen(createServer());
			servers.at(-1)!.close();
			return `http://${address}`;
		},
	],
	['certificate', async () => `https://${await listen(createServer())}`],
	['redirect', async () => await answering(308, '', { location: 'https://n8n.example.com/' })],
	['other_server', async () => await answering(200, '<html>Please log in</html>')],
	[
		'not_published',
		async () =>
			await answering(404, '{"code":404,"message":"The requested webhook \\"POST a\\" is not registered."}'),
	],
	['body_changed', async () => await proxy((body) => JSON.stringify(JSON.parse(body)))],
	...['x-service-signature', 'x-service-timestamp'].map((name): [string, () => Promise<string>] => [
		'headers_changed',
		async () =>
			await proxy((body, { headers }) => {
				delete headers[name];
				return body;
			}),
	]),
	['ok', async () => await proxy((body) => body)],
])('%s, where something else answers or stands between (%#)', async (verdict, origin) => {
	moveTo(await origin());
	expect(await verdictOf()).toBe(verdict);
});

test('the node has another key than the trigger', async () => {
	const credential = credentialFor(service, service.addKey({ plan: 'enterprise' }));
	expect(await verdictOf(webhook().id, credential)).toBe('wrong_key');
});

test('n8n has another address now', async () => {
	n8n.webhookBaseUrl = n8n.webhookBaseUrl.replace('127.0.0.1', 'localhost');
	expect(await verdictOf()).toBe('address_moved');
});

test('failed deliveries, then dead letters', async () => {
	n8n.afterAccept = async (respond) => respond(500);
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'b', resource: 'r', data: {} };
	service.deliveries.emit(event);
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
