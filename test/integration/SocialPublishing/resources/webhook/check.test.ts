import { credentialFor } from '../../../../n8n/examples';
import { startService, type Service } from '../../../../service';
import { runNode } from '../../../../support/engine';
import { Instance } from '../../../../support/triggerContexts';

/** Check Delivery of a real trigger, over real HTTP. All verdicts: `test/unit/…/webhook/diagnosis.test.ts`. */

let service: Service;
let n8n: Instance;

beforeEach(async () => {
	service = await startService({ inlineDelaysMs: [0], speed: 0 });
	n8n = await Instance.start({ credential: credentialFor(service, service.keys.full) as never });
	await n8n.publish();
});
afterEach(async () => {
	await n8n.stop();
	await service.close();
});

const webhook = () => [...service.store.webhooks.values()][0]!;

/** @param wanted ID, description or address */
async function check(wanted = webhook().id): Promise<Record<string, any>> {
	const isAddress = wanted.startsWith('http');
	const { json, error } = await runNode({
		parameters: {
			resource: 'webhook',
			operation: 'check',
			webhookId: { __rl: true, mode: 'id', value: isAddress ? '' : wanted },
			address: isAddress ? wanted : '',
			options: {},
		},
		credential: credentialFor(service, service.keys.full) as never,
	});
	expect(error).toBeUndefined();
	expect(json).toHaveLength(1);
	// Nothing but the service is asked.
	expect(n8n.executions).toEqual([]);
	return json[0] as Record<string, any>;
}

async function deliveryWith(status: number): Promise<void> {
	n8n.afterAccept = async (respond) => respond(status);
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'b', resource: 'r', data: {} };
	service.deliveries.emit(event);
	await service.deliveries.idle();
	n8n.executions.length = 0;
}

test('all is well: by ID and by address', async () => {
	expect(await check()).toMatchObject({ verdict: 'ok', subscriptions: 1, last_error: null });
	expect((await check(webhook().url)).verdict).toBe('ok');
});

test('unpublished; or subscribed at another address', async () => {
	const { url } = n8n;
	webhook().url = url.replace('127.0.0.1', 'localhost');
	expect(await check(url)).toMatchObject({ verdict: 'other_address', other_addresses: [webhook().url] });
	service.store.webhooks.clear();
	expect((await check(url)).verdict).toBe('not_subscribed');
});

test.each([
	[500, 'server_error'],
	[404, 'not_published'],
	[200, 'ok'],
])('a delivery that was answered with %d, in the words of the service', async (status, verdict) => {
	await deliveryWith(status);
	const found = await check();
	expect(found).toMatchObject({ verdict, deliveries: { total: 1 } });
	expect(found.last_error).toBe(status === 200 ? null : `The receiver answered ${status}`);
});
