import { setTimeout as pause } from 'node:timers/promises';

import { poll } from '../../n8n/client';
import type { N8n } from '../../n8n/instance';
import type { Field } from './field';
import { allExecutions, retryMissing } from './kills';
import { repeats, type Repeats } from './repeats';
import { deliver, deliverGithub, emit, newEvent } from './sender';
import { Sink } from './sink';
import { github, hookOf, ours, tell } from './workflows';

/** Queue mode: one main, two webhook processors, two workers. The trigger looks after itself, once a minute. */

const everyMinute = { options: { checkEvery: 1 } };

const originsOf = (n8n: N8n) => n8n.webhooks.map(({ origin }) => origin);

/** Copies to both processors, also at the same moment: with our trigger, and with n8n's GitHub Trigger. */
export async function bothProcessors(
	field: Field,
	n8n: N8n,
	count: number,
	who: 'ours' | 'github',
): Promise<Repeats> {
	const sink = await Sink.start();
	const name = 'Both processors';
	const receiver =
		who === 'ours'
			? (await field.publish(ours([tell(sink.url)], { name, ...everyMinute }))).receiver
			: await field.publishGithub(github([tell(sink.url, '$json.body.id')], { name }));
	const result = await repeats({
		count,
		receiver,
		sink,
		deliver: who === 'ours' ? deliver : deliverGithub,
		origins: originsOf(n8n),
		width: 16,
	});
	await sink.stop();
	return result;
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
export async function cutAnswers(
	field: Field,
	n8n: N8n,
	count: number,
	perSecond: number,
): Promise<Delivered> {
	const before = () => field.service.deliveries.cutNext();
	return await emitted(field, n8n, { name: 'Cut answers', count, perSecond, before });
}

/** Each kind of process restarted while events come in. */
export async function restarts(field: Field, n8n: N8n, count: number): Promise<Delivered> {
	const plan = [n8n.workers[0]!, n8n.webhooks[0]!, n8n.main, n8n.workers[1]!, n8n.webhooks[1]!];
	const meanwhile = async () => {
		for (const [i, each] of plan.entries()) {
			await pause(1000);
			// Gently and by force in turn.
			if (i % 2 === 0) await each.kill();
			else await each.stop();
			await each.start();
		}
	};
	return await emitted(field, n8n, { name: 'Restarts', count, perSecond: 5, meanwhile });
}

/**
 * The main process, which leads, killed under load, another one started on the same database: it catches up while events
 * flow. Several mains at once need a licence of n8n.
 */
export async function leaders(field: Field, n8n: N8n, count: number, kills: number): Promise<Delivered> {
	const { service } = field;
	const meanwhile = async () => {
		for (let kill = 0; kill < kills; kill++) {
			await pause(2000);
			await n8n.main.kill();
			await pause(2000);
			const asked = service.requests.length;
			await n8n.main.start();
			await poll('its first look', () => service.requests[asked]);
		}
	};
	return await emitted(field, n8n, { name: 'Leaders', count, perSecond: 3, meanwhile });
}

interface Emitting {
	name: string;
	count: number;
	perSecond: number;
	before?: () => void;
	meanwhile?: () => Promise<void>;
}

/** Events of the service, each delivery to the next processor. */
async function emitted(
	field: Field,
	n8n: N8n,
	{ name, count, perSecond, before, meanwhile }: Emitting,
): Promise<Delivered> {
	const { service } = field;
	const sink = await Sink.start();
	const { id: workflow, webhookId } = await field.publish(ours([tell(sink.url)], { name, ...everyMinute }));
	const ids: string[] = [];
	service.deliveries.rotateOrigins = originsOf(n8n);
	const beside = meanwhile?.();
	for (let i = 0; i < count; i++) {
		before?.();
		ids.push(emit(service));
		await pause(1000 / perSecond);
	}
	await beside;
	const mine = () => service.deliveries.history().filter((each) => each.webhook_id === webhookId);
	const undelivered = () => mine().filter(({ status }) => status !== 'delivered');
	await poll('the service to be done', undelivered, (some) => some.length === 0);
	const missing = () => new Set(ids.filter((id) => !sink.byEvent().has(id)));
	const arrived = async () =>
		await poll('the events to arrive', missing, ({ size }) => size === 0).catch(() => undefined);
	await arrived();
	const needed = missing().size;
	// Only what was killed needs a person.
	if (needed > 0 && meanwhile) {
		await retryMissing(field.n8n, workflow, missing);
		await arrived();
	}
	await pause(5000);
	for (const event of missing()) await tellFate(field, workflow, event);
	const times = ids.map((id) => sink.times(id));
	service.deliveries.rotateOrigins = [];
	const result = {
		events: count,
		doubled: times.filter((each) => each > 1).length,
		needed,
		lost: times.filter((each) => each === 0).length,
	};
	await sink.stop();
	return result;
}

/** Prints what became of an event that never was: the answers to its deliveries, and where n8n has it. */
async function tellFate({ service, n8n }: Field, workflow: string, event: string): Promise<void> {
	const delivery = service.deliveries.history().find(({ event_id }) => event_id === event);
	console.log(`! ${event} never was; its deliveries: ${JSON.stringify(delivery?.log)}`);
	for (const { id, status } of await allExecutions(n8n, workflow)) {
		if (status === 'success') continue;
		const has = JSON.stringify((await n8n.execution(id)).data).includes(event);
		console.log(`!   execution ${id}, ${status}, ${has ? 'has it' : 'does not have it'}`);
	}
}

/** Another node of the workflow writes static data: in queue mode n8n then loses the trigger's. */
export async function wiped(
	field: Field,
): Promise<{ wasWiped: boolean; verified: boolean; unsubscribed: boolean }> {
	const sink = await Sink.start();
	const writer = {
		name: 'Write static data',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode: "$getWorkflowStaticData('global').touched = $execution.id; return $input.all();" },
	};
	const workflow = ours([writer, tell(sink.url, "$('Trigger').first().json.id")], {
		name: 'Wiped',
		...everyMinute,
	});
	const { id, receiver } = await field.publish(workflow);
	const arrives = async (event: { id: string }) => {
		const { status } = await deliver(receiver, event);
		const times = () => sink.times(event.id);
		await poll('the event to arrive', times, (found) => found > 0).catch(() => undefined);
		return status === 200 && times() === 1;
	};
	await arrives(newEvent());
	await pause(2000);
	const { staticData } = await field.n8n.rest('GET', `/workflows/${id}`);
	const text = JSON.stringify(staticData ?? {});
	const verified = await arrives(newEvent());
	await field.n8n.deactivate(id);
	await field.settled(id, 'not_published');
	const unsubscribed = field.subscriptions(hookOf(workflow)).length === 0;
	await sink.stop();
	return { wasWiped: !text.includes('webhookId'), verified, unsubscribed };
}
