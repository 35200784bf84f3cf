import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { times } from 'lodash';
import { poll } from '../n8n/client';
import { emit } from '../support/e2e/sender';
import { today } from '../service/dialect';
import { ownN8n, useField } from './shared';

/** The trigger in an n8n that is stopped, and then set back to an old backup. */

const field = useField(ownN8n);

test('a trigger that outlives a stop and an old backup', async () => {
	const { n8n, service, sink } = field;
	const data = join(n8n.userFolder, '.n8n');
	const backup = join(n8n.userFolder, 'backup');
	const publish = async (name: string, type: string) =>
		await field.publish(field.workflow(name, type), await field.account());
	const one = await publish('Looked after', 'post.published');

	// n8n is away while events are lost: all of them are handed on at the start, once.
	/** Published when the backup is made, and not any more when it is restored. */
	const unpublishedSince = await publish('Unpublished since', 'approval.batch_created');
	service.speak({ ...today, 'own secret': 'refused' });
	/** Published anew since, with the secret that the service made. */
	const publishedAnew = await publish("Published anew, the service's secret", 'post.canceled');
	const { secret } = await field.works(publishedAnew);
	await n8n.main.stop();
	await cp(data, backup, { recursive: true });
	const missed = times(5, () => emit(service));
	await service.deliveries.idle();
	// Two days of the service: it has given them up.
	for (let hour = 0; hour < 48; hour++) {
		await service.clock.advance(3_600_000);
		await service.deliveries.idle();
	}
	missed.push(emit(service));
	await service.deliveries.idle();
	const { id } = field.subscriptions(one)[0]!;
	const asked = service.requests.length;
	await n8n.restart();
	for (const event of missed) await field.arrived(event);
	expect(sink.count(missed)).toEqual({ lost: 0, doubled: 0 });
	expect((await field.works(one)).id).toBe(id);
	// It only looked.
	expect(service.requests.slice(asked).filter(({ method }) => method !== 'GET')).toEqual([]);
	await field.unpublish(unpublishedSince);
	for (const each of [one, publishedAnew]) {
		await field.unpublish(each);
		await field.start(each);
	}
	expect((await field.works(publishedAnew)).secret).not.toBe(secret);
	service.speak(today);

	// An old backup: subscribed again with the key that it has, also what was unpublished since.
	await n8n.kill();
	await rm(data, { recursive: true });
	await cp(backup, data, { recursive: true });
	const [before] = field.subscriptions(one);
	await n8n.restart();
	await poll(
		'another subscription',
		() => field.subscriptions(one),
		(all) => all.every((each) => each.id !== before!.id),
	);
	for (const each of [one, unpublishedSince, publishedAnew]) {
		await field.one(each);
		await field.works(each);
	}
});
