import { poll } from '../n8n/client';
import type { Service } from '../service';
import { deliver, newEvent } from '../support/e2e/sender';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';

/**
 * What becomes of subscriptions when n8n stops, starts, is killed or gets an old database back, and when the service
 * is away: an n8n of its own, real starts and stops. After each case the service holds exactly what it should.
 */

/** In s; n8n gives up after 0.7 of it: five tries with 15 s of pauses, on a busy machine. */
const LEASE = 60;

let own: OwnN8n;
let service: Service;

beforeAll(async () => {
	own = await OwnN8n.start(LEASE);
	service = own.service;
});

beforeEach(async () => await own.tidy());

afterAll(async () => await own?.close());

const published = async (name: string, type: string) => await own.published(name, type);
const publish = async (one: Ours) => await own.publish(one);
const unpublish = async (one: Ours) => await own.unpublish(one);
const works = async (one: Ours) => await own.works(one);
const subscriptions = (one: Ours) => own.subscriptions(one);
const remove = async (one: Ours) => await own.remove(one);

/** Puts a new key into the credential of (nearly) all workflows, as a person does. */
async function useNewKey(): Promise<string> {
	const key = service.addKey();
	await own.setKey(own.field.credential, key);
	return key;
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
	const event = own.emit('post.created');
	await poll(
		'the event in both',
		() => own.arrivals(event),
		(times) => times === 2,
	);
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
	await own.until(down, 'failed');
	const { triggers } = await own.until(keyless, 'failed');
	expect(triggers[0].errorMessage).toContain("doesn't recognize this API key");
	await own.gate.open();
	await own.setKey(keyless.credential, service.addKey(), service.url);
	// What n8n's editor now says: "This workflow isn't running. Publish again to retry."
	for (const one of [down, keyless]) {
		await publish(one);
		await works(one);
		await remove(one);
	}
});

test('n8n restarted: the same subscriptions, at which n8n only looks; key revoked: deliveries go on, unpublishing says so, a new key makes a new secret', async () => {
	const credential = await own.createCredential(own.gate.url, service.addKey());
	const stays = await own.published('Stays', 'post.published', credential);
	const { id } = await works(stays);
	const key = await useNewKey();
	const one = await published('Revoked', 'post.failed');
	const before = await works(one);
	service.store.keys.get(key)!.revoked = true;
	expect((await works(one)).id).toBe(before.id);
	const asked = service.requests.length;
	await own.n8n.restart();
	await poll('a look', () => service.requests[asked]);
	expect((await works(one)).id).toBe(before.id);
	expect((await works(stays)).id).toBe(id);
	expect(service.requests.slice(asked).filter(({ method }) => method !== 'GET')).toEqual([]);
	await remove(stays);

	const said = own.n8n.log();
	await unpublish(one);
	expect(own.n8n.log().slice(said.length)).toContain("The service doesn't recognize this API key");
	// Nobody could take it away; nobody listens at its address.
	expect(subscriptions(one)).toEqual([before]);
	expect((await deliver(before, newEvent())).status).toBe(404);

	await useNewKey();
	await publish(one);
	const after = await works(one);
	expect(after.id).not.toBe(before.id);
	expect(after.secret).not.toBe(before.secret);
	expect((await deliver({ url: after.url, secret: before.secret }, newEvent())).status).toBe(401);
	await remove(one);
	expect(subscriptions(one)).toEqual([]);
});

// n8n has another setting after that. With today's: trigger-restarts.test.ts.
test('an n8n that asks at every start, as up to 2.39, with the service down: the subscription is not given up; what came meanwhile arrives, once', async () => {
	const one = await published('Stays', 'post.published');
	const { id } = await works(one);
	await own.n8n.stop();
	const missed = own.emit(one.type);
	await service.deliveries.idle();
	expect(waiting(one)).toHaveLength(1);
	own.gate.turnAway();
	await own.start({ N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' });
	// As often as it is tried.
	await poll(
		'n8n to have asked',
		() => own.gate.turnedAway,
		(times) => times >= 5,
	);
	await own.gate.open();
	await service.clock.advance(20 * 60_000);
	await own.arrived(missed);
	expect((await works(one)).id).toBe(id);
	expect(own.arrivals(missed)).toBe(1);
	await own.field.n8n.deactivate(one.id);
	expect(subscriptions(one)).toEqual([]);
});
