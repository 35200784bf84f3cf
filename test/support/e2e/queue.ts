import { setTimeout as pause } from 'node:timers/promises';

import { poll } from '../../n8n/client';
import type { N8n } from '../../n8n/instance';
import type { Field } from './field';
import { retryMissing } from './kills';
import { repeats } from './repeats';
import { emit } from './sender';

/** Queue mode. All workflows stay published: those that the service sends events have types of their own. */

const originsOf = (n8n: N8n) => n8n.webhooks.map(({ origin }) => origin);

/** Copies to both processors, also at the same moment. */
export async function bothProcessors(field: Field<N8n>, count: number) {
	const { receiver } = await field.publish(field.workflow('Both processors', 'post.published'));
	return await repeats(count, receiver, field.sink, originsOf(field.n8n));
}

/** How many events that the service itself delivers never were behind the trigger, and how many more than once. */
type Delivered = Promise<{ lost: number; doubled: number }>;

/** The service's real pattern: the answer is cut, and 150 ms later a copy goes to the other processor. */
export const cutAnswers = async (field: Field<N8n>, count: number): Delivered =>
	await emitted(field, 'post.created', count, { before: () => field.service.deliveries.cutNext() });

/** Each kind of process restarted while events come in. */
export async function restarts(field: Field<N8n>, count: number): Delivered {
	const { main, webhooks, workers } = field.n8n;
	const meanwhile = async () => {
		for (const [i, each] of [...workers, webhooks[0]!, main, webhooks[1]!].entries()) {
			await pause(1000);
			// Gently and by force in turn.
			if (i % 2 === 0) await each.kill();
			else await each.stop();
			await each.start();
		}
	};
	return await emitted(field, 'post.failed', count, { meanwhile });
}

/** The leading main killed under load and started again: several mains at once need a licence of n8n. */
export async function leaders(field: Field<N8n>, count: number, kills: number): Delivered {
	const { n8n, service } = field;
	const meanwhile = async () => {
		for (let kill = 0; kill < kills; kill++) {
			await pause(2000);
			await n8n.main.kill();
			await pause(2000);
			const asked = service.requests.length;
			await n8n.main.start();
			await poll('its first check', () => service.requests[asked]);
		}
	};
	return await emitted(field, 'post.scheduled', count, { meanwhile });
}

/** Events of the service, four a second, each delivery to the next processor. */
async function emitted(
	field: Field<N8n>,
	type: string,
	count: number,
	{ before, meanwhile }: { before?: () => void; meanwhile?: () => Promise<void> },
): Delivered {
	const { n8n, service, sink } = field;
	const { id, receiver } = await field.publish(field.workflow(type, type));
	const events: string[] = [];
	service.deliveries.rotateOrigins = originsOf(n8n);
	const beside = meanwhile?.();
	for (let i = 0; i < count; i++) {
		before?.();
		events.push(emit(service, type));
		await pause(250);
	}
	await beside;
	const mine = () => service.deliveries.history().filter((each) => each.webhook_id === receiver.id);
	const undelivered = () => mine().filter(({ status }) => status !== 'delivered');
	await poll('the service to be done', undelivered, (some) => some.length === 0);
	const missing = () => sink.missing(events);
	const arrived = async () =>
		await poll('the events to arrive', missing, ({ size }) => size === 0).catch(() => undefined);
	await arrived();
	// Only what was killed needs a person.
	if (missing().size > 0 && meanwhile) {
		await retryMissing(n8n, id, missing);
		await arrived();
	}
	await pause(5000);
	service.deliveries.rotateOrigins = [];
	return sink.count(events);
}
