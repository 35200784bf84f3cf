import { poll } from '../n8n/client';
import { kills } from '../support/e2e/kills';
import { emit } from '../support/e2e/sender';
import { killAndRetry, sender } from '../support/e2e/writes';
import { today } from '../service/dialect';
import { ownN8n, scaled, useField } from './shared';

/** n8n killed under load, while it publishes and sends, and started while the service is down. */

const field = useField(ownN8n);
afterEach(async () => await field.clear());

test('killed between subscribing and storing, before the service heard of it, and while posts are sent; another one deleted: one each', async () => {
	const { n8n, service, credential } = field;
	const one = await field.publish(field.workflow('Looked after', 'post.published'));
	const keep = async (name: string, type: string) => await field.keep(field.workflow(name, type));
	const killed = await keep('Killed', 'post.created');
	const theirs = await keep("Killed, the service's secret", 'post.failed');
	const early = await keep('Killed before the service heard of it', 'post.scheduled');
	const hang = { kind: 'hang', method: 'POST', path: '^/webhooks$' } as const;

	service.faults.add({ ...hang, act: true });
	await n8n.activate(killed.id);
	await poll('a subscription', () => field.subscriptions(killed)[0]);
	service.speak({ ...today, 'own secret': 'refused' });
	// Ours is refused first.
	service.faults.add({ ...hang, act: true, skip: 1 });
	await n8n.activate(theirs.id);
	await poll('a subscription', () => field.subscriptions(theirs)[0]);
	service.speak(today);
	const asked = service.requests.length;
	service.faults.add(hang);
	await n8n.activate(early.id);
	await poll('a request', () => service.requests[asked]);

	const sending = await n8n.createWorkflow(sender(), { socialPublishingApi: credential });
	await killAndRetry(n8n, service, sending, async () => {
		await n8n.kill();
		service.faults.clear();
		service.store.webhooks.delete(field.subscriptions(one)[0]!.id);
		await n8n.restart();
	});
	await field.remove({ id: sending });
	for (const each of [one, killed, theirs, early]) {
		// Its secret died with n8n: nothing can be verified before n8n has gone on with publishing it.
		if (each === theirs) await field.settled(each.id, 'published');
		await field.one(each);
		await field.works(each);
	}
	for (const each of [killed, theirs, early]) {
		await field.remove(each);
		expect(field.subscriptions(each)).toEqual([]);
	}
});

test('killed under load: nothing is lost, nothing is handed on twice, and there is one subscription', async () => {
	expect(await kills(field, scaled(1))).toMatchObject({ lost: 0, doubled: 0 });
	expect(field.service.store.webhooks.size).toBe(1);
	await field.clear();
	expect(field.service.store.webhooks.size).toBe(0);
});

test('the service is down while n8n starts at another address: subscribed there too, what came meanwhile arrives, once', async () => {
	const { gate, n8n, service, sink } = field;
	const one = await field.publish(field.workflow('Stays', 'post.published'));
	await field.works(one);
	const address = `http://localhost:${new URL(n8n.url).port}`;
	const moved = ({ url }: { url: string }) => url.startsWith(address);

	await n8n.main.stop();
	const missed = emit(service);
	await service.deliveries.idle();
	await gate.turnAway();
	Object.assign(n8n.main.options.env, { WEBHOOK_URL: address });
	await n8n.bringUp();
	await poll(
		'n8n to have asked in vain',
		() => gate.turnedAway,
		(times) => times > 0,
	);
	// As before, at the address that it still has.
	expect(field.subscriptions(one).map(moved)).toEqual([false]);
	await service.clock.advance(20 * 60_000);
	await field.arrived(missed);
	await field.works(one);
	expect(sink.times(missed)).toBe(1);
	await gate.open();
	await poll(
		'the new address',
		() => field.subscriptions(one),
		(all) => all.some(moved),
	);
	// Another n8n may live at the old one: only a person can tell.
	const [old, ...others] = field.subscriptions(one).filter((each) => !moved(each));
	expect(others).toEqual([]);
	service.store.webhooks.delete(old!.id);
	await field.one(one);
	await field.works(one);
});
