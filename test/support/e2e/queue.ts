import { setTimeout as pause } from 'node:timers/promises';

import { poll } from '../../n8n/client';
import type { N8n } from '../../n8n/instance';
import type { Field } from './field';
import { retryMissing } from './kills';
import { repeats, type Repeats } from './repeats';
import { deliver, emit, newEvent } from './sender';
import { code, ours } from './flow';

/** Queue mode. All workflows stay published: those that the service sends events have types of their own. */

const originsOf = (n8n: N8n) => n8n.webhooks.map(({ origin }) => origin);

/** Copies to both processors, also at the same moment. */
export async function bothProcessors(field: Field<N8n>, count: number): Promise<Repeats> {
	const { n8n, sink } = field;
	const { receiver } = await field.publish(field.workflow('Both processors', 'post.published'));
	return await repeats({ count, receiver, sink, origins: originsOf(n8n), width: 16 });
}

/** Figures of events that the service itself delivers. */
interface Delivered {
	events: number;
	doubled: number;
	/** Events that were not behind the trigger until their broken execution was retried. */
	needed: number;
	lost: number;
}

/** The service's real pattern: the answer is cut, and 150 ms later a copy goes to the other processor. */
export async function cutAnswers(field: Field<N8n>, count: number, perSecond: number): Promise<Delivered> {
	const before = () => field.service.deliveries.cutNext();
	return await emitted(field, { type: 'post.created', count, perSecond, before });
}

/** Each kind of process restarted while events come in. */
export async function restarts(field: Field<N8n>, count: number): Promise<Delivered> {
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
	return await emitted(field, { type: 'post.failed', count, perSecond: 5, meanwhile });
}

/** The leading main killed under load and started again: several mains at once need a licence of n8n. */
export async function leaders(field: Field<N8n>, count: number, kills: number): Promise<Delivered> {
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
	return await emitted(field, { type: 'post.scheduled', count, perSecond: 3, meanwhile });
}

interface Emitting {
	type: string;
	count: number;
	perSecond: number;
	before?: () => void;
	meanwhile?: () => Promise<void>;
}

/** Events of the service, each delivery to the next processor. */
async function emitted(
	field: Field<N8n>,
	{ type, count, perSecond, before, meanwhile }: Emitting,
): Promise<Delivered> {
	const { n8n, service, sink } = field;
	const { id, receiver } = await field.publish(field.workflow(type, type));
	const events: string[] = [];
	service.deliveries.rotateOrigins = originsOf(n8n);
	const beside = meanwhile?.();
	for (let i = 0; i < count; i++) {
		before?.();
		events.push(emit(service, type));
		await pause(1000 / perSecond);
	}
	await beside;
	const mine = () => service.deliveries.history().filter((each) => each.webhook_id === receiver.id);
	const undelivered = () => mine().filter(({ status }) => status !== 'delivered');
	await poll('the service to be done', undelivered, (some) => some.length === 0);
	const missing = () => sink.missing(events);
	const arrived = async () =>
		await poll('the events to arrive', missing, ({ size }) => size === 0).catch(() => undefined);
	await arrived();
	const needed = missing().size;
	// Only what was killed needs a person.
	if (needed > 0 && meanwhile) {
		await retryMissing(n8n, id, missing);
		await arrived();
	}
	await pause(5000);
	service.deliveries.rotateOrigins = [];
	return { events: count, needed, ...sink.count(events) };
}

/** Another node of the workflow writes static data: in queue mode n8n then loses the trigger's. */
export async function wiped(
	field: Field<N8n>,
): Promise<{ wasWiped: boolean; verified: boolean; unsubscribed: boolean }> {
	const { n8n, sink } = field;
	const writes = "$getWorkflowStaticData('global').touched = $execution.id; return $input.all();";
	const writer = code('Write static data', writes);
	const one = await field.publish(
		ours([writer, sink.tell("$('Trigger').first().json.id")], { name: 'Wiped' }),
	);
	const arrives = async (event: { id: string }) => {
		const { status } = await deliver(one.receiver, event);
		const times = () => sink.times(event.id);
		await poll('the event to arrive', times, (found) => found > 0).catch(() => undefined);
		return status === 200 && times() === 1;
	};
	await arrives(newEvent());
	await pause(2000);
	const { staticData } = await n8n.rest('GET', `/workflows/${one.id}`);
	const verified = await arrives(newEvent());
	await field.unpublish(one);
	const unsubscribed = field.subscriptions(one).length === 0;
	return { wasWiped: !JSON.stringify(staticData ?? {}).includes('webhookId'), verified, unsubscribed };
}
