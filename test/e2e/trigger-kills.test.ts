import { poll } from '../n8n/client';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { breakOffAndRetry, sender } from '../support/e2e/writes';

/** Triggers that are being published, and posts that are being sent, when n8n is killed. */

let own: OwnN8n;

beforeAll(async () => {
	own = await OwnN8n.start(45, { options: { checkEvery: 1 } });
});

afterAll(async () => await own?.close());

test('killed between subscribing and storing, before the service heard of it, and while posts are sent; another one deleted: one each', async () => {
	const { service } = own;
	const one = await own.published('Looked after', 'post.published');
	const subscriptions = (which: Ours) => own.subscriptions(which);
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
	const { n8n, credential } = own.field;
	const sending = await n8n.createWorkflow(sender(), { socialPublishingApi: credential });
	await breakOffAndRetry(n8n, service, sending, async () => {
		await own.n8n.kill();
		service.faults.clear();
		service.store.webhooks.delete(subscriptions(one)[0]!.id);
		await own.n8n.restart();
	});
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
});
