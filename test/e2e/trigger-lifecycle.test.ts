import { poll } from '../n8n/client';
import type { Service } from '../service';
import { deliver, newEvent } from '../support/e2e/sender';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';

/**
 * What becomes of subscriptions when n8n stops, starts, is killed or gets an old database back, and when the service
 * is away: an n8n of its own, real starts and stops. After each case the service holds exactly what it should.
 */

/** In s: 0.7 of it for five tries with 15 s of pauses. */
const LEASE = 36;

let own: OwnN8n;
let service: Service;
let key: string;

beforeAll(async () => {
	own = await OwnN8n.start(LEASE);
	service = own.service;
	await useKey(service.addKey());
}, 300_000);

afterAll(async () => await own?.close(), 120_000);

/** Puts a key into the credential of (nearly) all workflows, as a person does. */
async function useKey(value: string): Promise<void> {
	key = value;
	await own.setKey(own.field.credential, key);
}

async function published(name: string, type: string): Promise<Ours> {
	const one = await own.save(name, type);
	await publish(one);
	return one;
}

const status = async ({ id }: Ours) => await own.field.n8n.rest('GET', `/workflows/${id}/publication-status`);

async function until(one: Ours, wanted: 'published' | 'failed' | 'not_published'): Promise<any> {
	return await poll(`"${one.name}" to be ${wanted}`, 90_000, async () => {
		const found = await status(one);
		return found.status === wanted ? found : undefined;
	});
}

async function publish(one: Ours): Promise<void> {
	await own.field.n8n.activate(one.id);
	await until(one, 'published');
}

async function unpublish(one: Ours): Promise<void> {
	await own.field.n8n.deactivate(one.id);
	await until(one, 'not_published');
}

const works = async (one: Ours) => await own.works(one);
const subscriptions = (one: Ours) => own.subscriptions(one);
const remove = async (one: Ours) => await own.remove(one);

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
	const event = own.emit('post.created');
	await poll('the event in both', 30_000, async () => own.arrivals(event) === 2 || undefined);
	// Nothing signed for one is taken by the other.
	expect((await deliver({ url: c!.url, secret: b!.secret }, newEvent())).status).toBe(401);

	await unpublish(duplicate);
	expect(subscriptions(duplicate)).toEqual([]);
	await works(one);
	await works(other);
	for (const each of [one, other, duplicate]) await remove(each);
	expect(service.store.webhooks.size).toBe(0);
});

test('a copy that kept the address (imported as a file): n8n refuses it, the first one stays subscribed', async () => {
	const workflow = own.workflow('First', 'inbox.item.created');
	const first = await own.save('First', 'inbox.item.created', own.field.credential, workflow);
	await publish(first);
	const before = subscriptions(first);
	const second = await own.save('Second', first.type, own.field.credential, workflow);
	await expect(own.field.n8n.activate(second.id)).rejects.toThrow(/conflict/i);
	await remove(second);
	expect(subscriptions(first)).toEqual(before);
	await works(first);
	await remove(first);
});

test('published while the service is down, or with a key that it does not know: publishing once more subscribes', async () => {
	const down = await own.save('Down', 'inbox.message_received');
	const keyless = await own.save(
		'Wrong key',
		'inbox.message_responded',
		await own.createCredential(service.url, 'unknown'),
	);
	await own.gate.shut();
	await Promise.all([down, keyless].map(async ({ id }) => await own.field.n8n.activate(id)));
	await until(down, 'failed');
	const { triggers } = await until(keyless, 'failed');
	expect(triggers[0].errorMessage).toContain('does not know this API key');
	await own.gate.open();
	await own.setKey(keyless.credential, key, service.url);
	// What n8n's editor now says: "This workflow isn't running. Publish again to retry."
	for (const one of [down, keyless]) {
		await publish(one);
		await works(one);
		await remove(one);
	}
});

describe('published before', () => {
	let one: Ours;
	let subscription: ReturnType<typeof subscriptions>[number];

	beforeAll(async () => {
		one = await published('Stays', 'post.published');
		subscription = await works(one);
	}, 120_000);

	afterAll(async () => await remove(one));

	test('n8n restarted: the same subscription, the service is not even asked', async () => {
		const asked = service.requests.length;
		await own.n8n.restart();
		expect((await works(one)).id).toBe(subscription.id);
		expect(service.requests.length).toBe(asked);
	}, 120_000);

	test('service down when n8n starts: the same subscription; what came meanwhile arrives with the retries', async () => {
		await own.n8n.stop();
		const missed = own.emit(one.type);
		await service.deliveries.idle();
		expect(waiting(one)).toHaveLength(1);
		own.gate.turnAway();
		await own.start();
		expect(own.gate.turnedAway).toBe(0);
		await own.gate.open();
		await service.clock.advance(20 * 60_000);
		await own.arrived(missed);
		expect((await works(one)).id).toBe(subscription.id);
		expect(own.arrivals(missed)).toBe(1);
	}, 180_000);
});

test('key revoked: deliveries go on, unpublishing is not held up and says so; a new key makes a new secret', async () => {
	const one = await published('Revoked', 'post.failed');
	const before = await works(one);
	service.store.keys.get(key)!.revoked = true;
	expect((await works(one)).id).toBe(before.id);
	await own.n8n.restart();
	expect((await works(one)).id).toBe(before.id);

	await unpublish(one);
	expect(own.n8n.log()).toContain('The service does not know this API key');
	// Nobody could take it away; nobody listens at its address.
	expect(subscriptions(one)).toEqual([before]);
	expect((await deliver(before, newEvent())).status).toBe(404);

	await useKey(service.addKey());
	await publish(one);
	const after = await works(one);
	expect(after.id).not.toBe(before.id);
	expect(after.secret).not.toBe(before.secret);
	expect((await deliver({ url: after.url, secret: before.secret }, newEvent())).status).toBe(401);
	await remove(one);
	expect(subscriptions(one)).toEqual([]);
}, 240_000);

test('an old backup: events arrive where the secret is ours; else none is taken until published anew', async () => {
	const one = await published('Restored', 'post.canceled');
	service.store.acceptCallerSecret = false;
	const other = await published("Restored, the service's secret", 'approval.batch_created');
	const gone = await published('Restored, unpublished since', 'automation.triggered');
	await own.n8n.stop();
	const backup = await own.backUp();
	await own.start();
	for (const each of [one, other]) {
		const before = subscriptions(each)[0]!.id;
		await unpublish(each);
		service.store.acceptCallerSecret = each === one;
		await publish(each);
		expect((await works(each)).id).not.toBe(before);
	}
	await unpublish(gone);

	await own.n8n.stop();
	await own.restore(backup);
	await own.start();
	await works(one);
	const event = own.emit(other.type);
	await service.deliveries.idle();
	expect(waiting(other)).toMatchObject([{ last_status: 401 }]);
	expect(own.arrivals(event)).toBe(0);
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
	for (const each of [one, other, gone]) await remove(each);
}, 300_000);

test('n8n killed between subscribing and storing: one subscription, and never a wrong secret', async () => {
	const one = await own.save('Killed', 'post.published');
	const other = await own.save("Killed, the service's secret", 'post.failed');
	const early = await own.save('Killed before the service heard of it', 'post.created');
	const hang = { kind: 'hang', method: 'POST', path: '^/webhooks$' } as const;
	service.faults.add({ ...hang, act: true });
	await own.field.n8n.activate(one.id);
	await poll('a subscription', 30_000, async () => subscriptions(one)[0]);
	service.store.acceptCallerSecret = false;
	// Ours is refused first.
	service.faults.add({ ...hang, act: true, skip: 1 });
	await own.field.n8n.activate(other.id);
	await poll('a subscription', 30_000, async () => subscriptions(other)[0]);
	service.store.acceptCallerSecret = true;
	const asked = service.requests.length;
	service.faults.add(hang);
	await own.field.n8n.activate(early.id);
	await poll('a request', 30_000, async () => service.requests.length > asked || undefined);
	await own.n8n.kill();
	service.faults.clear();
	await own.n8n.restart();

	// At once, although n8n has stored nothing.
	await works(one);
	for (const each of [one, other, early]) await until(each, 'published');
	await works(one);
	expect(subscriptions(other)).toHaveLength(1);
	const event = own.emit(other.type);
	await service.deliveries.idle();
	expect(waiting(other).at(0)).toMatchObject({ last_status: 503 });
	expect(own.n8n.log()).toContain(`Unpublish the workflow '${other.name}' and publish it again`);
	expect(own.arrivals(event)).toBe(0);
	// n8n takes it for published without ever having asked again.
	expect(subscriptions(early)).toEqual([]);

	for (const each of [one, other, early]) {
		await unpublish(each);
		expect(subscriptions(each)).toEqual([]);
		await publish(each);
		await works(each);
		await remove(each);
	}
	expect(service.store.webhooks.size).toBe(0);
}, 300_000);

// The last one: it leaves n8n with another setting.
test('an n8n that asks at every start, as up to 2.39, with the service down: the subscription is not given up', async () => {
	const one = await published('Asks', 'post.published');
	const before = await works(one);
	await own.n8n.stop();
	const missed = own.emit(one.type);
	await service.deliveries.idle();
	own.gate.turnAway();
	await own.start({ N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' });
	// As often as it is tried.
	await poll('n8n to have asked', 60_000, async () => own.gate.turnedAway >= 5 || undefined);
	await own.gate.open();
	await service.clock.advance(20 * 60_000);
	await own.arrived(missed);
	expect((await works(one)).id).toBe(before.id);
	await own.field.n8n.deactivate(one.id);
	expect(subscriptions(one)).toEqual([]);
}, 240_000);
