import { poll } from '../n8n/client';
import { type Ours } from '../support/e2e/field';
import { kills } from '../support/e2e/kills';
import { emit } from '../support/e2e/sender';
import { step } from '../support/e2e/step';
import { ownN8n, useField } from './shared';

/**
 * n8n killed under load (20 times in `npm run soak -- trigger`), and started while the service is down. A post that is sent
 * when n8n is killed: trigger-kills.test.ts.
 */

const own = useField(ownN8n);
let unpublished: Ours;

beforeAll(async () => {
	const { field } = own;
	unpublished = await field.publish(field.workflow('Unpublished', 'post.failed'));
	await field.works(unpublished);
	await field.unpublish(unpublished);
});

test('killed under load: nothing is lost, nothing is handed on twice, and there is one subscription', async () => {
	const { field } = own;
	expect(await kills(field, 2)).toMatchObject({ lost: 0, doubled: 0 });
	expect(field.service.store.webhooks.size).toBe(1);
	// No check and no start of n8n has subscribed again what was unpublished before.
	expect(field.subscriptions(unpublished)).toEqual([]);
	await field.clear();
	expect(field.service.store.webhooks.size).toBe(0);
});

test('the service is down while n8n starts: the subscription stays, and what came meanwhile arrives, once', async () => {
	const { field } = own;
	const { gate, n8n, service, sink } = field;
	const one = await field.publish(field.workflow('Stays', 'post.published'));
	await field.works(one);
	const address = `http://localhost:${new URL(n8n.url).port}`;

	/** Starts n8n until it has asked the service in vain so often; the event that it has missed. */
	async function startInVain(asked: number, env: Record<string, string>): Promise<string> {
		await n8n.main.stop();
		const missed = emit(service);
		await service.deliveries.idle();
		await gate.turnAway();
		Object.assign(n8n.main.options.env, env);
		await n8n.bringUp();
		await poll(
			'n8n to have asked',
			() => gate.turnedAway,
			(times) => times >= asked,
		);
		return missed;
	}

	await step('at another address: subscribed there too, the old one stays', async () => {
		const missed = await startInVain(1, { WEBHOOK_URL: address });
		// As before, at the address that it still has.
		expect(field.subscriptions(one)[0]!.url).toContain('127.0.0.1');
		await service.clock.advance(20 * 60_000);
		await field.arrived(missed);
		await field.works(one);
		expect(sink.times(missed)).toBe(1);
		await gate.open();
		const moved = ({ url }: { url: string }) => url.startsWith(address);
		await poll(
			'the new address',
			() => field.subscriptions(one),
			(all) => all.some(moved),
		);
		// Another n8n may live there: only a person can tell.
		const [old, ...others] = field.subscriptions(one).filter((each) => !moved(each));
		expect(others).toEqual([]);
		service.store.webhooks.delete(old!.id);
		await field.one(one);
		await field.works(one);
	});

	await step('an n8n that asks at every start, as up to 2.39', async () => {
		const { id } = field.subscriptions(one)[0]!;
		// As often as it is tried.
		const missed = await startInVain(5, { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' });
		await gate.open();
		await service.clock.advance(20 * 60_000);
		await field.arrived(missed);
		expect((await field.works(one)).id).toBe(id);
		expect(sink.times(missed)).toBe(1);
		await n8n.deactivate(one.id);
		expect(field.subscriptions(one)).toEqual([]);
	});
});
