import { poll } from '../n8n/client';
import { kills } from '../support/e2e/kills';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';

/** n8n killed under load; 20 times in `npm run soak -- trigger`. A post that is sent meanwhile: trigger-restarts.test.ts. */

let own: OwnN8n;
let unpublished: Ours;

beforeAll(async () => {
	own = await OwnN8n.start(24, { options: { checkEvery: 1 } });
	unpublished = await own.published('Unpublished', 'post.failed');
	await own.works(unpublished);
	await own.unpublish(unpublished);
});

afterAll(async () => await own?.close());

test('killed under load: nothing is lost, nothing is handed on twice, and there is one subscription', async () => {
	expect(await kills(own.field, own.n8n, 2)).toMatchObject({ lost: 0, doubled: 0 });
	expect(own.service.store.webhooks.size).toBe(1);
	// No check and no start of n8n has subscribed again what was unpublished before.
	expect(own.subscriptions(unpublished)).toEqual([]);
	await own.field.clear();
	expect(own.service.store.webhooks.size).toBe(0);
});

// n8n has another setting after that. With today's: trigger-restarts.test.ts.
test('an n8n that asks at every start, as up to 2.39, with the service down: the subscription is not given up; what came meanwhile arrives, once', async () => {
	const { gate, service } = own;
	const one = await own.published('Stays', 'post.published');
	const { id } = await own.works(one);
	await own.n8n.stop();
	const missed = own.emit(one.type);
	await service.deliveries.idle();
	await gate.turnAway();
	await own.start({ N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' });
	// As often as it is tried.
	await poll(
		'n8n to have asked',
		() => gate.turnedAway,
		(times) => times >= 5,
	);
	await gate.open();
	await service.clock.advance(20 * 60_000);
	await own.arrived(missed);
	expect((await own.works(one)).id).toBe(id);
	expect(own.arrivals(missed)).toBe(1);
	await own.field.n8n.deactivate(one.id);
	expect(own.subscriptions(one)).toEqual([]);
});
