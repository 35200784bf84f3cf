import { poll } from '../n8n/client';
import { killAndRetry, sender } from '../support/e2e/writes';
import { today } from '../service/dialect';
import { ownN8n, useField } from './shared';

/** Triggers that are being published, and posts that are being sent, when n8n is killed. */

const own = useField(ownN8n);

test('killed between subscribing and storing, before the service heard of it, and while posts are sent; another one deleted: one each', async () => {
	const { field } = own;
	const { n8n, service, credential } = field;
	const one = await field.publish(field.workflow('Looked after', 'post.published'));
	const save = async (name: string, type: string) => await field.save(field.workflow(name, type));
	const killed = await save('Killed', 'post.created');
	const theirs = await save("Killed, the service's secret", 'post.failed');
	const early = await save('Killed before the service heard of it', 'post.scheduled');
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
