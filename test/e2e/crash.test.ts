import { poll } from '../n8n/client';
import { kills } from '../support/e2e/kills';
import { emit } from '../support/e2e/sender';
import { ownN8n, useField } from './shared';

/**
 * n8n killed under load (20 times in `npm run soak -- trigger`), and started while the service is down. A post that is sent
 * when n8n is killed: trigger-kills.test.ts.
 */

const own = useField(ownN8n);
afterEach(async () => await own.field.clear());

test('killed under load: nothing is lost, nothing is handed on twice, and there is one subscription', async () => {
	const { field } = own;
	expect(await kills(field, 1)).toMatchObject({ lost: 0, doubled: 0 });
	expect(field.service.store.webhooks.size).toBe(1);
	await field.clear();
	expect(field.service.store.webhooks.size).toBe(0);
});

test('the service is down while n8n starts at another address: subscribed there too, what came meanwhile arrives, once', async () => {
	const { field } = own;
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
