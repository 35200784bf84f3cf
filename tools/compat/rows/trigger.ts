import { setTimeout as pause } from 'node:timers/promises';

import { accountOf } from '../../../test/n8n/examples';
import { N8nRestError } from '../../../test/n8n/rest';
import { poll } from '../../../test/n8n/client';
import { deliver, emit, newEvent, type Receiver } from '../../../test/support/e2e/sender';
import { Sink } from '../../../test/support/e2e/sink';
import { hookOf, ours, tell } from '../../../test/support/e2e/workflows';
import { type CompatRow, demand, type Finding, found, ok, type Stage } from '../stage';

/** The trigger's life, from row to row. */

interface Published {
	id: string;
	hook: string;
	webhookId: string;
	receiver: Receiver;
	sink: Sink;
	event: { id: string };
}

let published: Published | undefined;

const subscriptions = ({ service }: Stage, hook: string) =>
	[...service.store.webhooks.values()].filter(({ url }) => url.includes(hook));

function current(): Published {
	demand(published, 'The trigger was not published');
	return published;
}

async function publish(stage: Stage): Promise<Finding> {
	const sink = await Sink.start();
	const workflow = ours([tell(sink.url)], { name: 'Compat' });
	const id = await stage.save(workflow);
	await stage.n8n.activate(id);
	const hook = hookOf(workflow);
	const webhook = await poll('the subscription', async () => subscriptions(stage, hook)[0]);
	await poll('n8n to have stored it', async () => {
		const { triggerCount, active } = await stage.n8n.rest('GET', `/workflows/${id}`);
		return active !== false && triggerCount !== 0 ? true : undefined;
	});
	// n8n stores the secret a moment after the service has it.
	await pause(1000);
	const receiver = { url: webhook.url, secret: webhook.secret };
	published = { id, hook, webhookId: webhook.id, receiver, sink, event: newEvent() };
	return found(subscriptions(stage, hook).length, 1, 'subscriptions');
}

/** How often an event was handed on, once nothing is under way any more. */
async function arrivals({ n8n }: Stage, event: string): Promise<number> {
	const { id, sink } = current();
	await poll('n8n to be done', async () => {
		const all = await n8n.executions(id);
		return all.every(({ status }) => !['new', 'running', 'waiting'].includes(status)) || undefined;
	});
	return sink.times(event);
}

async function arrives(stage: Stage, event: string): Promise<number> {
	const { sink } = current();
	await poll(`event ${event} behind the trigger`, async () => sink.byEvent().has(event) || undefined);
	return await arrivals(stage, event);
}

const delivered = async (stage: Stage): Promise<Finding> =>
	found(await arrives(stage, emit(stage.service)), 1, 'executions');

async function duplicates(stage: Stage): Promise<Finding> {
	const { receiver, event } = current();
	const send = async () => await deliver(receiver, event);
	const answers = [...(await Promise.all([send(), send(), send()])), await send()];
	demand(
		answers.every(({ status }) => status === 200),
		`Answers: ${answers.map(({ status }) => status).join(', ')}`,
	);
	demand(answers.at(-1)!.body.includes('duplicate'), `The last answer: ${answers.at(-1)!.body}`);
	return found(await arrives(stage, event.id), 1, 'executions');
}

async function forged(stage: Stage): Promise<Finding> {
	const { receiver, id } = current();
	const before = (await stage.n8n.executions(id)).length;
	const { status } = await deliver({ ...receiver, secret: 'not-the-secret' }, newEvent());
	demand(status === 401, `It was answered ${status}`);
	return found((await stage.n8n.executions(id)).length - before, 0, 'executions');
}

/** After n8n came back: the same subscription, what was handed on stays so, and what is new arrives. */
async function back(stage: Stage): Promise<Finding> {
	const { hook, webhookId, receiver, event } = current();
	const again = await poll('n8n to take deliveries', async () => {
		const answer = await deliver(receiver, event);
		return answer.status === 200 ? answer : undefined;
	});
	demand(again.status === 200, `The old event was answered ${again.status}`);
	demand((await arrivals(stage, event.id)) === 1, 'An old event was handed on again');
	const listed = subscriptions(stage, hook).map((webhook) => webhook.id);
	demand(listed.length === 1, `${listed.length} subscriptions`);
	const fresh = await delivered(stage);
	return { ...fresh, ...(listed[0] === webhookId ? {} : { told: 'subscribed anew' }) };
}

async function restart(stage: Stage): Promise<Finding> {
	await stage.n8n.restart();
	return await back(stage);
}

async function kill(stage: Stage): Promise<Finding> {
	await stage.n8n.kill();
	await stage.n8n.restart();
	return await back(stage);
}

/** n8n is away until the service has given up; its clock is a day ahead afterwards. */
async function catchesUp(stage: Stage): Promise<Finding> {
	const { n8n, service } = stage;
	await n8n.kill();
	const event = emit(service);
	for (let hour = 0; hour < 24; hour++) {
		await service.clock.advance(3_600_000);
		await service.deliveries.idle();
	}
	const given = service.deliveries.history().find((each) => each.event.id === event);
	demand(given?.status === 'dead_letter', `The service shows the delivery as ${given?.status}`);
	await n8n.restart();
	return found(await arrives(stage, event), 1, 'executions');
}

async function unpublish(stage: Stage): Promise<Finding> {
	const { id, hook, sink } = current();
	await stage.n8n.deactivate(id);
	const gone = async () => (subscriptions(stage, hook).length === 0 ? true : undefined);
	await poll('the subscription to be gone', gone);
	await sink.stop();
	published = undefined;
	return ok();
}

async function refusedKey(stage: Stage): Promise<Finding> {
	const { n8n, service } = stage;
	const id = await stage.save(ours([], { name: 'Refused' }), await accountOf(n8n, service, 'not-a-key'));
	const refusal = await n8n.activate(id).then(
		() => undefined,
		(error: Error) => error,
	);
	const { active } = await n8n.rest('GET', `/workflows/${id}`);
	const answer = refusal instanceof N8nRestError ? `n8n answers ${refusal.status}` : 'n8n answers success';
	return {
		ok: Boolean(refusal) && !active,
		told: `${answer}, ${active ? 'shows it as active' : 'stays inactive'}`,
	};
}

export const trigger: CompatRow[] = [
	{ name: 'Trigger: published, one subscription', run: publish },
	{ name: 'Trigger: an event is delivered', run: delivered },
	{ name: 'Trigger: four copies of an event, one execution', run: duplicates },
	{ name: 'Trigger: forged, refused without an execution', run: forged },
	{ name: 'Trigger: n8n restarted; nothing again, new events arrive', run: restart },
	{ name: 'Trigger: n8n killed; nothing again, new events arrive', run: kill },
	{ name: 'Trigger: given up by the service while n8n was away, caught up with once', run: catchesUp },
	{ name: 'Trigger: unpublished, no subscription', run: unpublish },
	{ name: 'Trigger: published with a key that is refused, n8n says so', run: refusedKey },
];
