import { poll } from '../n8n/client';
import type { Service } from '../service';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { step } from '../support/e2e/step';

/**
 * The trigger in an n8n that is stopped, killed, set back to an old backup and moved.
 */

let own: OwnN8n;
let service: Service;
let one: Ours;
/** n8n's database when this one was published, which it is not any more. */
let backup: string;
let unpublishedSince: Ours;

beforeAll(async () => {
	own = await OwnN8n.start(24, { options: { checkEvery: 1 } });
	service = own.service;
	one = await own.published('Looked after', 'post.published');
});

afterAll(async () => await own?.close());

const subscriptions = (which = one) => own.subscriptions(which);

test('a trigger that outlives stops, kills, an old backup and a move', async () => {
	await step('n8n is away while events are lost: all of them are handed on at the start, once', async () => {
		unpublishedSince = await own.published('Unpublished since', 'approval.batch_created');
		await own.n8n.main.stop();
		backup = await own.backUp();
		const lost = Array.from({ length: 5 }, () => own.emit(one.type));
		await service.deliveries.idle();
		// Two days of the service: it has given them up.
		for (let hour = 0; hour < 48; hour++) {
			await service.clock.advance(3_600_000);
			await service.deliveries.idle();
		}
		const late = own.emit(one.type);
		await service.deliveries.idle();
		await own.n8n.restart();
		for (const event of [...lost, late]) await own.arrived(event);
		expect([...lost, late].map((event) => own.arrivals(event))).toEqual(Array(6).fill(1));
		await own.works(one);
		await own.unpublish(unpublishedSince);
	});

	await step(
		'killed between subscribing and storing, or before the service heard of it, and another one deleted: one each',
		async () => {
			const killed = await own.save('Killed', 'post.created');
			service.faults.add({ kind: 'hang', method: 'POST', path: '^/webhooks$', act: true });
			await own.field.n8n.activate(killed.id);
			await poll('a subscription', () => subscriptions(killed)[0]);
			const early = await own.save('Killed before the service heard of it', 'post.scheduled');
			const asked = service.requests.length;
			service.faults.add({ kind: 'hang', method: 'POST', path: '^/webhooks$' });
			await own.field.n8n.activate(early.id);
			await poll(
				'a request',
				() => service.requests.length,
				(count) => count > asked,
			);
			await own.n8n.kill();
			service.faults.clear();
			service.store.webhooks.delete(subscriptions()[0]!.id);
			await own.n8n.restart();
			for (const each of [one, killed, early]) {
				await own.backAgain(each);
				await own.works(each);
			}
			for (const each of [killed, early]) await own.remove(each);
			expect([...subscriptions(killed), ...subscriptions(early)]).toEqual([]);
		},
	);

	await step(
		'an old backup: subscribed again with the key that it has, also what was unpublished since',
		async () => {
			await own.n8n.kill();
			await own.restore(backup);
			const { id } = subscriptions()[0]!;
			await own.n8n.restart();
			await poll('another subscription', subscriptions, (all) => all.every((each) => each.id !== id));
			await own.backAgain(one);
			await own.works(one);
			await own.backAgain(unpublishedSince);
			await own.works(unpublishedSince);
			await own.unpublish(unpublishedSince);
		},
	);

	await step(
		'another address, and the service is down while n8n starts: moved when it is there again',
		async () => {
			await own.n8n.stop();
			const { port } = new URL(own.n8n.url);
			own.gate.turnAway();
			await own.start({ WEBHOOK_URL: `http://localhost:${port}` });
			await poll(
				'n8n to have asked',
				() => own.gate.turnedAway,
				(times) => times > 0,
			);
			// As before, at the address that it still has.
			expect(subscriptions()[0]!.url).toContain('127.0.0.1');
			await own.works(one);
			await own.gate.open();
			const moved = ({ url }: { url: string }) => url.startsWith('http://localhost:');
			await poll('the new address', subscriptions, (all) => all.every(moved));
			await own.backAgain(one);
			await own.works(one);
		},
	);
});
