import { poll } from '../n8n/client';
import type { Service } from '../service';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { step } from '../support/e2e/step';

/** The trigger in an n8n that is stopped, and then set back to an old backup. */

let own: OwnN8n;
let service: Service;
let one: Ours;
/** n8n's database when this one was published, which it is not any more. */
let backup: string;
let unpublishedSince: Ours;
/** Published anew since, with the secret that the service made. */
let publishedAnew: Ours;

beforeAll(async () => {
	own = await OwnN8n.start(45, { options: { checkEvery: 1 } });
	service = own.service;
	one = await own.published('Looked after', 'post.published');
});

afterAll(async () => await own?.close());

const subscriptions = (which = one) => own.subscriptions(which);

test('a trigger that outlives a stop and an old backup', async () => {
	await step('n8n is away while events are lost: all of them are handed on at the start, once', async () => {
		unpublishedSince = await own.published(
			'Unpublished since',
			'approval.batch_created',
			await own.ownAccount(),
		);
		service.store.acceptCallerSecret = false;
		publishedAnew = await own.published(
			"Published anew, the service's secret",
			'post.canceled',
			await own.ownAccount(),
		);
		const { secret } = await own.works(publishedAnew);
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
		const { id } = subscriptions()[0]!;
		const asked = service.requests.length;
		await own.n8n.restart();
		for (const event of [...lost, late]) await own.arrived(event);
		expect([...lost, late].map((event) => own.arrivals(event))).toEqual(Array(6).fill(1));
		expect((await own.works(one)).id).toBe(id);
		// It only looked.
		expect(service.requests.slice(asked).filter(({ method }) => method !== 'GET')).toEqual([]);
		await own.unpublish(unpublishedSince);
		for (const each of [one, publishedAnew]) {
			await own.unpublish(each);
			await own.publish(each);
		}
		expect((await own.works(publishedAnew)).secret).not.toBe(secret);
		service.store.acceptCallerSecret = true;
	});

	await step(
		'an old backup: subscribed again with the key that it has, also what was unpublished since',
		async () => {
			await own.n8n.kill();
			await own.restore(backup);
			const { id } = subscriptions()[0]!;
			await own.n8n.restart();
			await poll('another subscription', subscriptions, (all) => all.every((each) => each.id !== id));
			for (const each of [one, unpublishedSince, publishedAnew]) {
				await own.backAgain(each);
				await own.works(each);
			}
			for (const each of [unpublishedSince, publishedAnew]) await own.remove(each);
		},
	);
});
