import { isEqual } from 'lodash';
import { setTimeout as pause } from 'node:timers/promises';

import { accountOf } from '../../../test/n8n/examples';
import { N8nRestError, poll } from '../../../test/n8n/client';
import { deliver, emit, newEvent, type Receiver } from '../../../test/support/e2e/sender';
import { hookOf, ours, type Workflow } from '../../../test/support/e2e/flow';
import { demand, demandCount, type Scene, type Stage } from '../stage';

/** The trigger's life, from row to row. */

interface Published {
	id: string;
	workflow: Workflow;
	hook: string;
	receiver: Receiver;
	event: { id: string };
}

let published: Published | undefined;

function current(): Published {
	demand(published, 'The trigger was not published');
	return published;
}

async function publish(stage: Stage): Promise<void> {
	const workflow = ours([stage.sink.tell()], { name: 'Compat' });
	const id = await stage.create(workflow);
	await stage.n8n.activate(id);
	const hook = hookOf(workflow);
	const { url, secret } = await poll('the subscription', () => stage.subscriptions({ hook })[0]);
	await poll('n8n to have stored it', async () => {
		const { triggerCount, active } = await stage.n8n.rest('GET', `/workflows/${id}`);
		return active !== false && triggerCount !== 0 ? true : undefined;
	});
	// n8n stores the secret a moment after the service has it.
	await pause(1000);
	published = { id, workflow, hook, receiver: { url, secret }, event: newEvent() };
	demandCount(stage.subscriptions({ hook }).length, 1, 'subscriptions');
}

/** The event was handed on exactly once, when nothing is under way any more. */
async function arrivesOnce({ n8n, sink }: Stage, event: string): Promise<void> {
	const { id } = current();
	await poll(`event ${event} behind the trigger`, () => sink.byEvent().get(event));
	await poll(
		'n8n to be done',
		async () => await n8n.executions(id),
		(all) => all.every(({ status }) => !['new', 'running', 'waiting'].includes(status)),
	);
	demandCount(sink.times(event), 1, 'executions');
}

const delivered = async (stage: Stage): Promise<void> => await arrivesOnce(stage, emit(stage.service));

/** A copy keeps the address: n8n refuses it, and calls what deletes a subscription. */
async function copied(stage: Stage): Promise<void> {
	const { workflow, hook } = current();
	const before = stage.subscriptions({ hook });
	const copy = await stage.create({ ...workflow, name: 'Copy' });
	const isRefused = await stage.n8n.activate(copy).then(
		() => false,
		() => true,
	);
	await pause(2000);
	const after = stage.subscriptions({ hook });
	await stage.remove({ id: copy });
	demand(isRefused, 'n8n publishes it, too');
	demand(isEqual(after, before), `${after.length} subscriptions of ${before.length}`);
}

/** A change is published while a delivery waits for its next try: n8n deletes the subscription, and the event arrives. */
async function changed(stage: Stage): Promise<void> {
	const { n8n, service, sink } = stage;
	const { id, hook } = current();
	const [former] = stage.subscriptions({ hook });
	// The trigger refuses what is signed with it.
	former!.secret = 'of nobody';
	const event = emit(service);
	await service.deliveries.idle();
	demandCount(sink.times(event), 0, 'executions before the change');
	const { nodes, connections, settings, versionId, name } = await n8n.rest('GET', `/workflows/${id}`);
	nodes[0].parameters.events = ['post.published', 'post.scheduled'];
	await n8n.rest('PATCH', `/workflows/${id}`, { name, nodes, connections, settings, versionId });
	await n8n.activate(id);
	const isNew = ({ events }: { events: string[] }) => events.includes('post.scheduled');
	const { url, secret } = await poll('another one', () => stage.subscriptions({ hook }).find(isNew));
	Object.assign(current(), { receiver: { url, secret } });
	await arrivesOnce(stage, event);
	demandCount(stage.subscriptions({ hook }).length, 1, 'subscriptions');
}

async function duplicates(stage: Stage): Promise<void> {
	const { receiver, event } = current();
	const send = async () => await deliver(receiver, event);
	const answers = [...(await Promise.all([send(), send(), send()])), await send()];
	const said = answers.map(({ status, body }) => `${status} ${body}`);
	demand(
		answers.every(({ status }) => status === 200) && said.at(-1)!.includes('duplicate'),
		`Answers: ${said.join(', ')}`,
	);
	await arrivesOnce(stage, event.id);
}

async function forged({ n8n }: Stage): Promise<void> {
	const { receiver, id } = current();
	const before = (await n8n.executions(id)).length;
	const { status } = await deliver({ ...receiver, secret: 'not-the-secret' }, newEvent());
	demand(status === 401, `It was answered ${status}`);
	demandCount((await n8n.executions(id)).length - before, 0, 'executions');
}

/** n8n comes back: one subscription, what was handed on stays so, and what is new arrives. */
async function restart(stage: Stage): Promise<void> {
	await stage.n8n.restart();
	const { hook, receiver, event } = current();
	await poll(
		'n8n to take deliveries',
		async () => await deliver(receiver, event),
		({ status }) => status === 200,
	);
	await arrivesOnce(stage, event.id);
	demandCount(stage.subscriptions({ hook }).length, 1, 'subscriptions');
	await delivered(stage);
}

async function kill(stage: Stage): Promise<void> {
	await stage.n8n.kill();
	await restart(stage);
}

/** n8n is away until the service has given up; its clock is a day ahead afterwards. */
async function catchesUp(stage: Stage): Promise<void> {
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
	await arrivesOnce(stage, event);
}

async function unpublish(stage: Stage): Promise<void> {
	const { id, hook } = current();
	published = undefined;
	await stage.n8n.deactivate(id);
	await poll(
		'the subscription to be gone',
		() => stage.subscriptions({ hook }),
		({ length }) => length === 0,
	);
}

async function refusedKey(stage: Stage): Promise<void> {
	const { n8n, service } = stage;
	const id = await stage.create(ours([], { name: 'Refused' }), await accountOf(n8n, service, 'not-a-key'));
	const answer = await n8n.activate(id).then(
		() => 'success',
		(error: unknown) => (error instanceof N8nRestError ? error.status : String(error)),
	);
	const { active } = await n8n.rest('GET', `/workflows/${id}`);
	demand(
		answer !== 'success' && !active,
		`n8n answers ${answer}, ${active ? 'shows it as active' : 'stays inactive'}`,
	);
}

export const trigger: Scene = {
	'Trigger: published, one subscription': publish,
	'Trigger: an event is delivered': delivered,
	'Trigger: a change is published while a delivery waits, which arrives': changed,
	'Trigger: four copies of an event, one execution': duplicates,
	'Trigger: forged, refused without an execution': forged,
	'Trigger: n8n restarted; nothing again, new events arrive': restart,
	'Trigger: n8n killed; nothing again, new events arrive': kill,
	'Trigger: given up by the service while n8n was away, caught up with once': catchesUp,
	'Trigger: a copy at the same address is refused, the first one stays subscribed': copied,
	'Trigger: unpublished, no subscription': unpublish,
	'Trigger: published with a key that is refused, n8n says so': refusedKey,
};
