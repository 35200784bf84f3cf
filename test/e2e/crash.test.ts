import { poll } from '../n8n/client';
import { kills } from '../support/e2e/kills';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { step } from '../support/e2e/step';

/**
 * n8n killed under load (20 times in `npm run soak -- trigger`), and started while the service is down. A post that is sent
 * when n8n is killed: trigger-restarts.test.ts.
 */

let own: OwnN8n;
let unpublished: Ours;

beforeAll(async () => {
	own = await OwnN8n.start(45, { options: { checkEvery: 1 } });
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

test('the service is down while n8n starts: the subscription stays, and what came meanwhile arrives, once', async () => {
	const { gate, service } = own;
	const one = await own.published('Stays', 'post.published');
	await own.works(one);
	const subscriptions = () => own.subscriptions(one);
	const address = `http://localhost:${new URL(own.n8n.url).port}`;

	/** Starts n8n until it has asked the service in vain so often; the event that it has missed. */
	async function startInVain(asked: number, env: Record<string, string>): Promise<string> {
		await own.n8n.stop();
		const missed = own.emit(one.type);
		await service.deliveries.idle();
		await gate.turnAway();
		await own.start({ WEBHOOK_URL: address, ...env });
		await poll(
			'n8n to have asked',
			() => gate.turnedAway,
			(times) => times >= asked,
		);
		return missed;
	}

	await step('at another address: subscribed there too, the old one stays', async () => {
		const missed = await startInVain(1, {});
		// As before, at the address that it still has.
		expect(subscriptions()[0]!.url).toContain('127.0.0.1');
		await service.clock.advance(20 * 60_000);
		await own.arrived(missed);
		await own.works(one);
		expect(own.arrivals(missed)).toBe(1);
		await gate.open();
		const moved = ({ url }: { url: string }) => url.startsWith(address);
		await poll('the new address', subscriptions, (all) => all.some(moved));
		// Another n8n may live there: only a person can tell.
		const [old, ...others] = subscriptions().filter((each) => !moved(each));
		expect(others).toEqual([]);
		service.store.webhooks.delete(old!.id);
		await own.backAgain(one);
		await own.works(one);
	});

	await step('an n8n that asks at every start, as up to 2.39', async () => {
		const { id } = subscriptions()[0]!;
		// As often as it is tried.
		const missed = await startInVain(5, { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' });
		await gate.open();
		await service.clock.advance(20 * 60_000);
		await own.arrived(missed);
		expect((await own.works(one)).id).toBe(id);
		expect(own.arrivals(missed)).toBe(1);
		await own.field.n8n.deactivate(one.id);
		expect(subscriptions()).toEqual([]);
	});
});
