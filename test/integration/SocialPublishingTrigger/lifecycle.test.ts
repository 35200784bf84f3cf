import { startService, type Fault, type Service } from '../../service';
import { credentialFor } from '../../n8n/examples';
import { Instance, type InstanceOptions } from '../../support/triggerContexts';

/** Issue "The trigger that can be trusted", point 3: after each case the service holds exactly what it should. */

let service: Service;
const instances: Instance[] = [];

beforeEach(async () => {
	service = await startService({ inlineDelaysMs: [0, 20, 20] });
});
afterEach(async () => {
	for (const instance of instances.splice(0)) await instance.stop();
	await service.close();
});

const credential = (key = service.keys.full) => credentialFor(service, key) as InstanceOptions['credential'];

async function start(options: Partial<InstanceOptions> = {}): Promise<Instance> {
	const instance = await Instance.start({ credential: credential(), ...options });
	instances.push(instance);
	return instance;
}

const webhooks = () => [...service.store.webhooks.values()];
const stored = (instance: Instance) => instance.staticData['node:Trigger'] as Record<string, string>;
const requests = (method: string, path: RegExp) =>
	service.requests.filter((one) => one.method === method && path.test(one.path));

/** The service has an event; the statuses that its deliveries ended with. */
async function emit(type = 'post.published', workspaceId = 'ws_main') {
	const event = service.deliveries.emit({
		type,
		workspaceId,
		brandId: 'brand_1',
		resource: 'p',
		data: { post_id: 'p_1', status: 'completed' },
	});
	await service.deliveries.idle();
	return event;
}

describe('publish and unpublish', () => {
	it('subscribes with events, address, description and our secret; unsubscribes and clears what was stored', async () => {
		const n8n = await start({
			parameters: {
				events: ['post.failed'],
				options: { additionalEvents: 'post.archived', description: 'Mine' },
			},
		});
		service.store.eventNames.add('post.archived');
		expect(await n8n.hook('checkExists')).toBe(false);
		await n8n.publish();
		const [webhook] = webhooks();
		expect(webhook).toMatchObject({
			url: n8n.url,
			events: ['post.failed', 'post.archived'],
			description: 'Mine',
		});
		expect(stored(n8n)).toMatchObject({ webhookId: webhook!.id, secret: webhook!.secret, url: n8n.url });
		expect(await n8n.hook('checkExists')).toBe(true);
		await n8n.unpublish();
		expect(webhooks()).toEqual([]);
		expect(stored(n8n)).toEqual({});
	});

	it('names the workflow where no description is given, and says when it is a test', async () => {
		const n8n = await start();
		await n8n.publish();
		await n8n.hook('create', { test: true });
		expect(webhooks().map(({ description }) => description)).toEqual([
			'n8n: A workflow',
			'n8n: A workflow (test)',
		]);
	});

	it('hands an event on', async () => {
		const n8n = await start();
		await n8n.publish();
		const event = await emit();
		expect(n8n.behind).toEqual([event]);
	});

	it('uses the secret that the service makes where it takes none from us', async () => {
		service.store.acceptCallerSecret = false;
		const n8n = await start();
		await n8n.publish();
		expect(webhooks()).toHaveLength(1);
		expect(stored(n8n).secret).toBe(webhooks()[0]!.secret);
		const event = await emit();
		expect(n8n.behind).toEqual([event]);
	});

	it('subscribes anew where one of the same address is there, and removes that one', async () => {
		const n8n = await start();
		await n8n.publish();
		const [before] = webhooks();
		n8n.staticData = {};
		await n8n.publish();
		expect(webhooks()).toHaveLength(1);
		expect(webhooks()[0]!.id).not.toBe(before!.id);
		await emit();
		expect(n8n.behind).toHaveLength(1);
	});

	it('leaves subscriptions of other addresses alone', async () => {
		const [one, other] = [await start(), await start()];
		await one.publish();
		await other.publish();
		one.staticData = {};
		await one.publish();
		await one.unpublish();
		expect(webhooks().map(({ url }) => url)).toEqual([other.url]);
	});

	it('sends a fresh key each time: publishing again never gets an old answer', async () => {
		const n8n = await start();
		for (let i = 0; i < 3; i++) {
			await n8n.publish();
			await n8n.unpublish();
		}
		const keys = requests('POST', /\/webhooks$/).map(({ headers }) => headers['idempotency-key']);
		expect(new Set(keys).size).toBe(3);
		expect(webhooks()).toEqual([]);
	});

	it('uses the workspace of the node for everything', async () => {
		const n8n = await start({
			parameters: { options: { workspaceId: { __rl: true, mode: 'id', value: 'ws_second' } } },
		});
		const workspace = [...service.store.workspaces.values()][1]!;
		n8n.parameters.options = { workspaceId: { __rl: true, mode: 'id', value: workspace.id } };
		await n8n.publish();
		expect(webhooks()[0]!.workspaceId).toBe(workspace.id);
		expect(await n8n.hook('checkExists')).toBe(true);
		await n8n.unpublish();
		expect(webhooks()).toEqual([]);
		for (const { headers } of service.requests) expect(headers['x-service-workspace-id']).toBe(workspace.id);
	});
});

describe('changes', () => {
	it.each([
		['events', { events: ['post.failed'], options: {} }],
		['workspace', { options: { workspaceId: 'ws_other' } }],
	])('of %s: what is stored no longer counts', async (_name, parameters) => {
		const n8n = await start();
		await n8n.publish();
		Object.assign(n8n.parameters, parameters);
		expect(await n8n.hook('checkExists')).toBe(false);
	});

	it('of the address: what is stored no longer counts', async () => {
		const n8n = await start();
		await n8n.publish();
		n8n.webhookBaseUrl = n8n.webhookBaseUrl.replace('127.0.0.1', 'localhost');
		expect(await n8n.hook('checkExists')).toBe(false);
	});

	it('order and repetition of events are no change', async () => {
		const n8n = await start();
		await n8n.publish();
		n8n.parameters.events = ['post.failed', 'post.published', 'post.failed'];
		expect(await n8n.hook('checkExists')).toBe(true);
	});

	it('of the key: unpublished with the old one, published with the new one', async () => {
		const n8n = await start();
		await n8n.publish();
		await n8n.unpublish();
		const other = service.addKey({ workspaces: ['ws_main'] });
		n8n.credential = credential(other);
		await n8n.publish();
		expect(webhooks()).toHaveLength(1);
		await emit();
		expect(n8n.behind).toHaveLength(1);
	});
});

describe('restart, crash, backup', () => {
	it('restart: the subscription is found', async () => {
		const n8n = await start();
		await n8n.publish();
		expect(await n8n.hook('checkExists', { activation: 'init' })).toBe(true);
		expect(webhooks()).toHaveLength(1);
	});

	it.each(['init', 'leadershipChange'])(
		'service down at start (%s): a stored subscription is not given up',
		async (activation) => {
			const n8n = await start();
			await n8n.publish();
			service.faults.add({ kind: 'status', status: 500, times: 0 });
			expect(await n8n.hook('checkExists', { activation })).toBe(true);
		},
		60_000,
	);

	it('service down at publish: says so, and does not take "unknown" for "not there"', async () => {
		const n8n = await start();
		await n8n.publish();
		service.faults.add({ kind: 'status', status: 500, path: '^/webhooks', times: 0 });
		await expect(n8n.hook('checkExists')).rejects.toThrow('has trouble');
		expect(webhooks()).toHaveLength(1);
	}, 60_000);

	it('crash between subscribing and storing: the next publish leaves exactly one', async () => {
		const n8n = await start();
		const before = n8n.staticData;
		await n8n.hook('create');
		n8n.staticData = before;
		await n8n.publish();
		expect(webhooks()).toHaveLength(1);
		expect(stored(n8n).webhookId).toBe(webhooks()[0]!.id);
	});

	it('restored backup: an older subscription is stored than the one at the service', async () => {
		const n8n = await start();
		await n8n.publish();
		const backup = JSON.parse(JSON.stringify(n8n.staticData));
		await n8n.unpublish();
		await n8n.publish();
		n8n.staticData = backup;
		// Deliveries of the present one are verified: key and address, and so the derived secret, are the same.
		await emit();
		expect(n8n.behind).toHaveLength(1);
		await n8n.publish();
		expect(webhooks()).toHaveLength(1);
		expect(stored(n8n).webhookId).toBe(webhooks()[0]!.id);
	});

	it('deleted at the service by hand: publishing makes a new one, unpublishing is content', async () => {
		const n8n = await start();
		await n8n.publish();
		service.store.webhooks.clear();
		expect(await n8n.hook('checkExists')).toBe(false);
		await n8n.publish();
		expect(webhooks()).toHaveLength(1);
		service.store.webhooks.clear();
		await n8n.unpublish();
		expect(stored(n8n)).toEqual({});
	});

	it('disabled at the service: publishing makes a new one', async () => {
		const n8n = await start();
		await n8n.publish();
		webhooks()[0]!.status = 'disabled';
		expect(await n8n.hook('checkExists')).toBe(false);
		await n8n.publish();
		expect(webhooks().map(({ status }) => status)).toEqual(['active']);
	});

	it('static data wiped: deliveries are still verified, unpublishing still works', async () => {
		const n8n = await start();
		await n8n.publish();
		n8n.staticData = { global: { x: 1 } };
		await emit();
		expect(n8n.behind).toHaveLength(1);
		await n8n.unpublish();
		expect(webhooks()).toEqual([]);
	});

	it('key replaced after unpublishing failed: a subscription with a new secret, and the old one is gone', async () => {
		const n8n = await start({ credential: credential(service.addKey()) });
		await n8n.publish();
		const [before] = webhooks();
		n8n.credential = credential(service.keys.revoked);
		await expect(n8n.unpublish()).rejects.toThrow();
		n8n.credential = credential(service.addKey());
		await n8n.publish();
		expect(webhooks()).toHaveLength(1);
		expect(webhooks()[0]!.secret).not.toBe(before!.secret);
		expect((await emit()).id).toBe(n8n.behind[0]!.id);
	});

	it('key replaced where the service makes the secrets: the subscription stays', async () => {
		service.store.acceptCallerSecret = false;
		const n8n = await start({ credential: credential(service.addKey()) });
		await n8n.publish();
		n8n.credential = credential(service.addKey());
		expect(await n8n.hook('checkExists')).toBe(true);
	});

	it('key revoked: publishing and unpublishing say so', async () => {
		const n8n = await start();
		await n8n.publish();
		n8n.credential = credential(service.keys.expired);
		await expect(n8n.unpublish()).rejects.toThrow('The API key has expired');
		expect(stored(n8n).webhookId).toBe(webhooks()[0]!.id);
		await expect(n8n.hook('create')).rejects.toThrow('The API key has expired');
		n8n.credential = credential();
		await n8n.unpublish();
		expect(webhooks()).toEqual([]);
	});
});

describe('several triggers', () => {
	it('two workflows: each its own subscription and secret; deliveries of one are refused by the other', async () => {
		const [one, other] = [await start(), await start()];
		await one.publish();
		await other.publish();
		expect(new Set(webhooks().map(({ secret }) => secret)).size).toBe(2);
		const [first] = webhooks();
		expect(await service.deliveries.forge({ webhookId: first!.id, url: other.url })).toBe(401);
		expect(other.executions).toEqual([]);
		await one.unpublish();
		expect(webhooks().map(({ url }) => url)).toEqual([other.url]);
	});

	it('one event reaches both, once each', async () => {
		const [one, other] = [await start(), await start()];
		await one.publish();
		await other.publish();
		const event = await emit();
		expect([one.behind, other.behind]).toEqual([[event], [event]]);
	});

	it('"Listen for test event" beside the live subscription: another address, another secret, its own duplicates', async () => {
		const n8n = await start();
		await n8n.publish();
		const live = webhooks()[0]!;
		expect(await n8n.hook('checkExists', { test: true })).toBe(false);
		await n8n.hook('create', { test: true });
		expect(webhooks()).toHaveLength(2);
		const test = webhooks()[1]!;
		expect(test.url).toContain('/webhook-test/');
		expect(test.secret).not.toBe(live.secret);
		await emit();
		expect(n8n.behind).toHaveLength(2);
		// A delivery of the test address replayed to the live one is forged.
		expect(await service.deliveries.forge({ webhookId: test.id, url: n8n.url })).toBe(401);
		await n8n.hook('delete', { test: true });
		expect(webhooks()).toEqual([live]);
		expect(await n8n.hook('checkExists')).toBe(true);
	});
});

describe('what is refused before anything is sent', () => {
	it('an address that the service cannot reach, naming the setting', async () => {
		const n8n = await start({ webhookBaseUrl: 'http://localhost:5678/webhook' });
		n8n.credential = { ...credential(), baseUrl: 'https://api.service.example.com' };
		await expect(n8n.hook('create')).rejects.toMatchObject({
			message: expect.stringContaining('https'),
			description: expect.stringContaining('WEBHOOK_URL'),
		});
		expect(service.requests).toEqual([]);
	});

	it('no events chosen: refused, naming the field', async () => {
		const n8n = await start({ parameters: { events: [] } });
		await expect(n8n.hook('create')).rejects.toThrow("'Trigger On' names no event");
	});
});

/** Each request of the life-cycle failing once, before and after acting; n8n then calls again what it calls again. */
describe('faults of the service', () => {
	const faults: Array<[name: string, fault: Fault]> = [
		['500', { kind: 'error', code: 'PUBLIC_API_CONTEXT_ERROR' }],
		['500 after acting', { kind: 'errorAfter', code: 'PUBLIC_API_WEBHOOK_CREATE_FAILED' }],
		['429', { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '1' }],
		['a dropped connection', { kind: 'dropBefore' }],
		['a dropped connection after acting', { kind: 'dropAfter' }],
		['502 without an envelope', { kind: 'status', status: 502 }],
		['malformed JSON', { kind: 'malformed' }],
		['an empty answer', { kind: 'empty' }],
	];
	const requestsOfPublish: Array<[string, string]> = [
		['POST', '^/webhooks$'],
		['GET', '^/webhooks$'],
		['DELETE', '^/webhooks/'],
	];

	describe.each(faults)('%s', (_name, fault) => {
		it.each(requestsOfPublish)(
			'of %s %s',
			async (method, path) => {
				const n8n = await start();
				// A left-over, so that publishing has something to delete.
				await n8n.hook('create');
				n8n.staticData = {};
				service.faults.add({ ...fault, method, path });
				await n8n.publication();
				expect(webhooks()).toHaveLength(1);
				const event = await emit();
				expect(n8n.behind).toEqual([event]);

				service.faults.add({ ...fault, method, path });
				await asN8nUnpublishes(n8n);
				expect(webhooks()).toEqual([]);
			},
			60_000,
		);
	});

	// n8n keeps the address where `delete` fails after a try, and then takes the workflow for published.
	it.each([
		['down', () => service.faults.add({ kind: 'dropBefore', times: 0 })],
		['down after acting', () => service.faults.add({ kind: 'dropAfter', method: 'POST', times: 0 })],
		[
			'refusing the key',
			() => service.faults.add({ kind: 'error', code: 'PUBLIC_API_KEY_INVALID', times: 0 }),
		],
	])(
		'the service %s while publishing: n8n is told, and nothing keeps it from publishing again',
		async (_name, happens) => {
			const n8n = await start();
			happens();
			await expect(n8n.publication(2)).rejects.toMatchObject({ stuck: 0 });
			expect(stored(n8n)).toEqual({});
			service.faults.clear();
			expect(await n8n.publication()).toBe(0);
			expect(webhooks()).toHaveLength(1);
			const event = await emit();
			expect(n8n.behind).toEqual([event]);
		},
		120_000,
	);

	it('the service down where n8n only asks: the subscription that is there is not given up', async () => {
		const n8n = await start();
		await n8n.publish();
		const before = webhooks();
		const id = service.faults.add({ kind: 'dropBefore', method: 'GET', times: 0 });
		await expect(n8n.publication(1)).rejects.toMatchObject({ stuck: 0 });
		service.faults.clear(id);
		expect(await n8n.publication()).toBe(0);
		expect(webhooks()).toEqual(before);
	}, 60_000);

	it('every request failing for a while: nothing is left behind, and then one subscription', async () => {
		const n8n = await start();
		const id = service.faults.add({ kind: 'errorAfter', code: 'PUBLIC_API_INTERNAL_ERROR', times: 0 });
		await expect(n8n.hook('create')).rejects.toThrow();
		service.faults.clear(id);
		await n8n.hook('delete');
		await n8n.publication();
		expect(webhooks()).toHaveLength(1);
	}, 60_000);
});

async function asN8nUnpublishes(n8n: Instance): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await n8n.unpublish();
		} catch (error) {
			if (attempt === 3) throw error;
		}
	}
}
