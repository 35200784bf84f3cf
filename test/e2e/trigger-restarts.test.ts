import { poll } from '../n8n/client';
import type { Service } from '../service';
import { call } from '../support/e2e/flow';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { allWords, answerOnly, sender, textsAt, untilSent, words } from '../support/e2e/sending';
import { step } from '../support/e2e/step';

/**
 * The trigger in an n8n that is stopped, killed, and set back to an old backup, and a post that is being sent when it
 * is killed. Each start of n8n costs seconds, so one serves several cases.
 */

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

test('a trigger that outlives stops, kills and an old backup', async () => {
	await step('n8n is away while events are lost: all of them are handed on at the start, once', async () => {
		unpublishedSince = await own.published('Unpublished since', 'approval.batch_created');
		service.store.acceptCallerSecret = false;
		publishedAnew = await own.published("Published anew, the service's secret", 'post.canceled');
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
		await own.unpublish(publishedAnew);
		await own.publish(publishedAnew);
		expect((await own.works(publishedAnew)).secret).not.toBe(secret);
		service.store.acceptCallerSecret = true;
	});

	await step(
		'killed between subscribing and storing, before the service heard of it, and while posts are sent; another one deleted: one each',
		async () => {
			const hang = { kind: 'hang', method: 'POST', path: '^/webhooks$' } as const;
			const killed = await own.save('Killed', 'post.created');
			const theirs = await own.save("Killed, the service's secret", 'post.failed');
			const early = await own.save('Killed before the service heard of it', 'post.scheduled');
			service.faults.add({ ...hang, act: true });
			await own.field.n8n.activate(killed.id);
			await poll('a subscription', () => subscriptions(killed)[0]);
			service.store.acceptCallerSecret = false;
			// Ours is refused first.
			service.faults.add({ ...hang, act: true, skip: 1 });
			await own.field.n8n.activate(theirs.id);
			await poll('a subscription', () => subscriptions(theirs)[0]);
			service.store.acceptCallerSecret = true;
			const asked = service.requests.length;
			service.faults.add(hang);
			await own.field.n8n.activate(early.id);
			await poll('a request', () => service.requests[asked]);
			answerOnly(service, 6);
			const { n8n, credential } = own.field;
			const sending = await n8n.createWorkflow(sender(), { socialPublishingApi: credential });
			await n8n.activate(sending);
			await call(n8n, sending, { items: words(20) });
			await untilSent(service, 6);
			await own.n8n.kill();
			service.faults.clear();
			expect(service.store.posts.size).toBeLessThan(20);
			service.store.webhooks.delete(subscriptions()[0]!.id);
			await own.n8n.restart();
			const crashed = await n8n.waitForExecution(sending);
			expect(crashed.status).toBe('crashed');
			expect((await n8n.retryExecution(crashed.id)).status).toBe('success');
			expect(textsAt(service)).toEqual(allWords(20));
			await own.field.remove(sending);
			for (const each of [one, killed, theirs, early]) {
				// Its secret died with n8n: nothing can be verified before n8n has gone on with publishing it.
				if (each === theirs) await own.until(each, 'published');
				await own.backAgain(each);
				await own.works(each);
			}
			for (const each of [killed, theirs, early]) {
				await own.remove(each);
				expect(subscriptions(each)).toEqual([]);
			}
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
			for (const each of [one, unpublishedSince, publishedAnew]) {
				await own.backAgain(each);
				await own.works(each);
			}
			for (const each of [unpublishedSince, publishedAnew]) await own.remove(each);
		},
	);
});
