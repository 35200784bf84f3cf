import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient, poll } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { type N8n, startN8n } from '../n8n/instance';
import { disown, own } from '../n8n/owned';
import { startService, type Service } from '../service';
import { Field } from '../tools/soak/support/field';
import { deliver, newEvent } from '../tools/soak/support/sender';
import { Sink } from '../tools/soak/support/sink';
import { ours, tell } from '../tools/soak/support/workflows';
import { Gate } from '../support/e2e/gate';

/**
 * What becomes of subscriptions when n8n stops, starts, is killed or gets an old database back, and when the service
 * is away: an n8n of its own, real starts and stops. After each case the service holds exactly what it should.
 */

/** How long n8n may be at a publication, in s (by default 120): 0.7 of it for five tries with 15 s of pauses. */
const LEASE = 36;

let service: Service;
/** The way to the service, which can be shut. */
let gate: Gate;
let sink: Sink;
let folder: string;
let n8n: N8n;
let field: Field;
let key: string;

const environment = {
	N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: String(LEASE),
	N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
};

/** Starts n8n, at the same address and with the same data every time. */
async function start(env: Record<string, string> = {}): Promise<void> {
	const port = n8n ? Number(new URL(n8n.url).port) : undefined;
	n8n = await startN8n({ userFolder: folder, port, env: { ...environment, ...env } });
}

beforeAll(async () => {
	service = await startService();
	gate = await Gate.to(service.url);
	sink = await Sink.start();
	folder = await mkdtemp(join(tmpdir(), 'n8n-social-'));
	own('folder', folder);
	await start();
	field = await Field.set(await N8nClient.connect(n8n), service);
	await useKey(service.addKey());
}, 300_000);

afterAll(async () => {
	await n8n?.stop();
	await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	disown('folder', folder);
	await sink.stop();
	await gate.shut();
	await service.close();
}, 120_000);

/** Puts a key into the credential of (nearly) all workflows, as a person does. */
async function useKey(value: string): Promise<void> {
	key = value;
	await setKey(field.credential, gate.url, key);
}

const credentialType = 'socialPublishingApi';

const credential = async (url: string, value: string) =>
	await field.n8n.createCredential('Another account', credentialType, credentialFor({ url }, value));

async function setKey(id: string, url: string, value: string): Promise<void> {
	const data = credentialFor({ url }, value);
	await field.n8n.rest('PATCH', `/credentials/${id}`, { name: 'An account', type: credentialType, data });
}

/** A workflow whose trigger tells the sink; each has an event type of its own. */
interface Ours {
	name: string;
	id: string;
	/** Part of its address. */
	hook: string;
	type: string;
	credential: string;
}

async function save(
	name: string,
	type: string,
	credential = field.credential,
	workflow = ours([tell(sink.url)], { name, events: [type] }),
): Promise<Ours> {
	const id = await field.n8n.createWorkflow(workflow, { [credentialType]: credential });
	return { name, id, hook: workflow.nodes[0].webhookId, type, credential };
}

async function published(name: string, type: string): Promise<Ours> {
	const one = await save(name, type);
	await publish(one);
	return one;
}

const subscriptions = ({ hook }: Ours) => field.subscriptions(hook);
const status = async ({ id }: Ours) => await field.n8n.rest('GET', `/workflows/${id}/publication-status`);

async function until(one: Ours, wanted: 'published' | 'failed' | 'not_published'): Promise<any> {
	return await poll(`"${one.name}" to be ${wanted}`, 90_000, async () => {
		const found = await status(one);
		return found.status === wanted ? found : undefined;
	});
}

async function publish(one: Ours): Promise<void> {
	await field.n8n.activate(one.id);
	await until(one, 'published');
}

async function unpublish(one: Ours): Promise<void> {
	await field.n8n.deactivate(one.id);
	await until(one, 'not_published');
}

const emit = (type: string): string =>
	service.deliveries.emit({
		type,
		workspaceId: 'ws_main',
		brandId: 'brand_1',
		resource: randomUUID(),
		data: { post_id: 'p', status: 'completed' },
	}).id;

const arrivals = (event: string): number => sink.byEvent().get(event)?.length ?? 0;

const arrived = async (event: string) =>
	await poll(`event ${event} behind the trigger`, 30_000, async () => arrivals(event) > 0 || undefined);

/** What has to be so after every case: exactly one subscription, and an event arrives once. */
async function works(one: Ours) {
	expect(subscriptions(one)).toHaveLength(1);
	const event = emit(one.type);
	await arrived(event);
	await service.deliveries.idle();
	expect(arrivals(event)).toBe(1);
	return subscriptions(one)[0]!;
}

/** The service's deliveries of this workflow's events that it has not delivered yet. */
const waiting = ({ type }: Ours) =>
	service.deliveries.history().filter((each) => each.event_type === type && each.status === 'failed');

test('two workflows, and a copy of one: a subscription and a secret each, an event comes to each once', async () => {
	const one = await published('One', 'post.created');
	const other = await published('Other', 'post.scheduled');
	// The editor gives a duplicate an address of its own.
	const duplicate = await published('One copy', 'post.created');
	const [a, b, c] = [await works(other), ...[one, duplicate].map((each) => subscriptions(each)[0]!)];
	expect(new Set([a!.secret, b!.secret, c!.secret]).size).toBe(3);
	const event = emit('post.created');
	await poll('the event in both', 30_000, async () => arrivals(event) === 2 || undefined);
	// Nothing signed for one is taken by the other.
	expect((await deliver({ url: c!.url, secret: b!.secret }, newEvent())).status).toBe(401);

	await unpublish(duplicate);
	expect(subscriptions(duplicate)).toEqual([]);
	await works(one);
	await works(other);
	for (const each of [one, other, duplicate]) await field.remove(each.id);
	expect(service.store.webhooks.size).toBe(0);
});

test('a copy that kept the address (imported as a file): n8n refuses it, the first one stays subscribed', async () => {
	const workflow = ours([tell(sink.url)], { name: 'First', events: ['inbox.item.created'] });
	const first = await save('First', 'inbox.item.created', field.credential, workflow);
	await publish(first);
	const before = subscriptions(first);
	const second = await save('Second', first.type, field.credential, workflow);
	await expect(field.n8n.activate(second.id)).rejects.toThrow(/conflict/i);
	await field.remove(second.id);
	expect(subscriptions(first)).toEqual(before);
	await works(first);
	await field.remove(first.id);
});

test('published while the service is down, or with a key that it does not know: publishing once more subscribes', async () => {
	const down = await save('Down', 'inbox.message_received');
	const keyless = await save(
		'Wrong key',
		'inbox.message_responded',
		await credential(service.url, 'unknown'),
	);
	await gate.shut();
	await Promise.all([down, keyless].map(async ({ id }) => await field.n8n.activate(id)));
	await until(down, 'failed');
	const { triggers } = await until(keyless, 'failed');
	expect(triggers[0].errorMessage).toContain('does not know this API key');
	await gate.open();
	await setKey(keyless.credential, service.url, key);
	// What n8n's editor now says: "This workflow isn't running. Publish again to retry."
	for (const one of [down, keyless]) {
		await publish(one);
		await works(one);
		await field.remove(one.id);
	}
});

describe('published before', () => {
	let one: Ours;
	let subscription: ReturnType<typeof subscriptions>[number];

	beforeAll(async () => {
		one = await published('Stays', 'post.published');
		subscription = await works(one);
	}, 120_000);

	afterAll(async () => await field.remove(one.id));

	test('n8n restarted: the same subscription, the service is not even asked', async () => {
		const asked = service.requests.length;
		await n8n.restart();
		expect((await works(one)).id).toBe(subscription.id);
		expect(service.requests.length).toBe(asked);
	}, 120_000);

	test('service down when n8n starts: the same subscription; what came meanwhile arrives with the retries', async () => {
		await n8n.stop();
		const missed = emit(one.type);
		await service.deliveries.idle();
		expect(waiting(one)).toHaveLength(1);
		gate.turnAway();
		await start();
		expect(gate.turnedAway).toBe(0);
		await gate.open();
		await service.clock.advance(20 * 60_000);
		await arrived(missed);
		expect((await works(one)).id).toBe(subscription.id);
		expect(arrivals(missed)).toBe(1);
	}, 180_000);
});

test('key revoked: deliveries go on, unpublishing is not held up and says so; a new key makes a new secret', async () => {
	const one = await published('Revoked', 'post.failed');
	const before = await works(one);
	service.store.keys.get(key)!.revoked = true;
	expect((await works(one)).id).toBe(before.id);
	await n8n.restart();
	expect((await works(one)).id).toBe(before.id);

	await unpublish(one);
	expect(n8n.log()).toContain('The service does not know this API key');
	// Nobody could take it away; nobody listens at its address.
	expect(subscriptions(one)).toEqual([before]);
	expect((await deliver(before, newEvent())).status).toBe(404);

	await useKey(service.addKey());
	await publish(one);
	const after = await works(one);
	expect(after.id).not.toBe(before.id);
	expect(after.secret).not.toBe(before.secret);
	expect((await deliver({ url: after.url, secret: before.secret }, newEvent())).status).toBe(401);
	await field.remove(one.id);
	expect(subscriptions(one)).toEqual([]);
}, 240_000);

test('an old backup: events arrive where the secret is ours; else none is taken until published anew', async () => {
	const one = await published('Restored', 'post.canceled');
	service.store.acceptCallerSecret = false;
	const other = await published("Restored, the service's secret", 'approval.batch_created');
	const gone = await published('Restored, unpublished since', 'automation.triggered');
	await n8n.stop();
	const backup = await mkdtemp(join(tmpdir(), 'n8n-social-'));
	own('folder', backup);
	await copyDatabase(folder, backup);
	await start();
	for (const each of [one, other]) {
		const before = subscriptions(each)[0]!.id;
		await unpublish(each);
		service.store.acceptCallerSecret = each === one;
		await publish(each);
		expect((await works(each)).id).not.toBe(before);
	}
	await unpublish(gone);

	await n8n.stop();
	await copyDatabase(backup, folder);
	await start();
	await works(one);
	const event = emit(other.type);
	await service.deliveries.idle();
	expect(waiting(other)).toMatchObject([{ last_status: 401 }]);
	expect(arrivals(event)).toBe(0);
	// n8n takes both for published.
	expect(await status(gone)).toMatchObject({ status: 'published' });
	expect(subscriptions(gone)).toEqual([]);

	for (const each of [one, other, gone]) {
		await unpublish(each);
		expect(subscriptions(each)).toEqual([]);
		await publish(each);
		await works(each);
	}
	service.store.acceptCallerSecret = true;
	for (const each of [one, other, gone]) await field.remove(each.id);
	await rm(backup, { recursive: true, force: true });
	disown('folder', backup);
}, 300_000);

test('n8n killed between subscribing and storing: one subscription, and never a wrong secret', async () => {
	const one = await save('Killed', 'post.published');
	const other = await save("Killed, the service's secret", 'post.failed');
	const early = await save('Killed before the service heard of it', 'post.created');
	const hang = { kind: 'hang', method: 'POST', path: '^/webhooks$' } as const;
	service.faults.add({ ...hang, act: true });
	await field.n8n.activate(one.id);
	await poll('a subscription', 30_000, async () => subscriptions(one)[0]);
	service.store.acceptCallerSecret = false;
	// Ours is refused first.
	service.faults.add({ ...hang, act: true, skip: 1 });
	await field.n8n.activate(other.id);
	await poll('a subscription', 30_000, async () => subscriptions(other)[0]);
	service.store.acceptCallerSecret = true;
	const asked = service.requests.length;
	service.faults.add(hang);
	await field.n8n.activate(early.id);
	await poll('a request', 30_000, async () => service.requests.length > asked || undefined);
	await n8n.kill();
	service.faults.clear();
	await n8n.restart();

	// At once, although n8n has stored nothing.
	await works(one);
	for (const each of [one, other, early]) await until(each, 'published');
	await works(one);
	expect(subscriptions(other)).toHaveLength(1);
	const event = emit(other.type);
	await service.deliveries.idle();
	expect(waiting(other).at(0)).toMatchObject({ last_status: 503 });
	expect(n8n.log()).toContain(`Unpublish the workflow '${other.name}' and publish it again`);
	expect(arrivals(event)).toBe(0);
	// n8n takes it for published without ever having asked again.
	expect(subscriptions(early)).toEqual([]);

	for (const each of [one, other, early]) {
		await unpublish(each);
		expect(subscriptions(each)).toEqual([]);
		await publish(each);
		await works(each);
		await field.remove(each.id);
	}
	expect(service.store.webhooks.size).toBe(0);
}, 300_000);

// The last one: it leaves n8n with another setting.
test('an n8n that asks at every start, as up to 2.39, with the service down: the subscription is not given up', async () => {
	const one = await published('Asks', 'post.published');
	const before = await works(one);
	await n8n.stop();
	const missed = emit(one.type);
	await service.deliveries.idle();
	gate.turnAway();
	await start({ N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' });
	// As often as it is tried.
	await poll('n8n to have asked', 60_000, async () => gate.turnedAway >= 5 || undefined);
	await gate.open();
	await service.clock.advance(20 * 60_000);
	await arrived(missed);
	expect((await works(one)).id).toBe(before.id);
	await field.n8n.deactivate(one.id);
	expect(subscriptions(one)).toEqual([]);
}, 240_000);

/** n8n's SQLite database with what belongs to it; n8n has to be stopped. */
async function copyDatabase(from: string, to: string): Promise<void> {
	const names = async (root: string) =>
		(await readdir(join(root, '.n8n'))).filter((name) => name.startsWith('database.sqlite'));
	if (to === folder) for (const name of await names(to)) await rm(join(to, '.n8n', name));
	for (const name of await names(from)) await cp(join(from, '.n8n', name), join(to, '.n8n', name));
}
