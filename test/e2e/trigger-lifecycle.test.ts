import { poll } from '../n8n/client';
import type { Service } from '../service';
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

/** The service's deliveries of this workflow's events that it has not delivered yet. */
const waiting = ({ type }: Ours) =>
	service.deliveries.history().filter((each) => each.event_type === type && each.status === 'failed');

test('a copy that kept the address (imported as a file): n8n refuses it, the first one stays subscribed', async () => {
	const workflow = own.workflow('First', 'inbox.item.created');
	const first = await own.save('First', 'inbox.item.created', own.field.credential, workflow);
	await own.publish(first);
	const before = own.subscriptions(first);
	const second = await own.save('Second', first.type, own.field.credential, workflow);
	await expect(own.field.n8n.activate(second.id)).rejects.toThrow(/conflict/i);
	await own.remove(second);
	expect(own.subscriptions(first)).toEqual(before);
	await own.works(first);
	await own.remove(first);
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
		await own.publish(one);
		await own.works(one);
		await own.remove(one);
	}
});

test('n8n restarted: the same subscription, at which n8n only looks', async () => {
	const stays = await own.published('Stays', 'post.published');
	const { id } = await own.works(stays);
	const asked = service.requests.length;
	await own.n8n.restart();
	await poll('a look', () => service.requests[asked]);
	expect((await own.works(stays)).id).toBe(id);
	expect(service.requests.slice(asked).filter(({ method }) => method !== 'GET')).toEqual([]);
	await own.remove(stays);
});

// n8n has another setting after that. With today's: trigger-restarts.test.ts.
test('an n8n that asks at every start, as up to 2.39, with the service down: the subscription is not given up; what came meanwhile arrives, once', async () => {
	const one = await own.published('Stays', 'post.published');
	const { id } = await own.works(one);
	await own.n8n.stop();
	const missed = own.emit(one.type);
	await service.deliveries.idle();
	expect(waiting(one)).toHaveLength(1);
	await own.gate.turnAway();
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
	expect((await own.works(one)).id).toBe(id);
	expect(own.arrivals(missed)).toBe(1);
	await own.field.n8n.deactivate(one.id);
	expect(own.subscriptions(one)).toEqual([]);
});
