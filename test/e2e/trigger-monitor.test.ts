import { times } from 'lodash';
import { poll } from '../n8n/client';
import type { Ours } from '../support/e2e/field';
import { flow, onError } from '../support/e2e/flow';
import { emit } from '../support/e2e/sender';
import { sharedN8n, useField } from './shared';

/** The trigger in an n8n that runs: nobody publishes anew, nobody catches up by hand. */

// By an expression: n8n 2.41 evaluates those only while it waits for a call of its own.
const field = useField(sharedN8n, { checkEvery: '={{ 1 }}' });

test('a trigger looks after its subscription, and catches up', async () => {
	const { n8n, service, sink } = field;
	const one = await field.publish(field.workflow('Looked after', 'post.published'));
	const secretOf = (which: Ours) => field.subscriptions(which)[0]!.secret;

	// Published: one subscription, events arrive, no execution but theirs.
	await field.works(one);
	// One that is just ending is in n8n's list twice, or not at all.
	await n8n.waitForExecution(one.id);
	expect(await n8n.executions(one.id)).toHaveLength(1);

	// Duplicated, with another account: a subscription and a secret of its own; then its key is revoked.
	const errorWorkflow = await n8n.createWorkflow(
		flow('On error', [onError, sink.tell('$json.workflow.name')]),
	);
	await n8n.activate(errorWorkflow);
	const workflow = field.workflow('Looked after copy', 'post.failed', { errorWorkflow });
	const key = field.service.addKey();
	const duplicate = await field.publish(workflow, await field.account(key));
	await field.works(one);
	await field.works(duplicate);
	expect(secretOf(one)).not.toBe(secretOf(duplicate));
	service.store.keys.get(key)!.revoked = true;
	await field.works(duplicate);

	// "Execute step" of a published workflow: its own subscription is looked after as before, as the next lines show.
	const start = { triggerToStartFrom: { name: 'Trigger' } };
	await n8n.rest('POST', `/workflows/${one.id}/run`, start);
	await poll(
		'two subscriptions',
		() => field.subscriptions(one),
		({ length }) => length === 2,
	);
	await field.arrived(emit(service), 2);
	await field.one(one);

	// Deleted, or disabled, at the service by hand: another one within one check.
	const disabled = await field.publish(field.workflow('Disabled', 'post.created'), await field.account());
	service.store.webhooks.delete(field.subscriptions(one)[0]!.id);
	field.subscriptions(disabled)[0]!.status = 'disabled';
	for (const each of [one, disabled]) {
		await field.one(each);
		await field.works(each);
	}
	await field.remove(disabled);

	// The key is replaced while events flow: none refused, none lost, a new secret.
	const secret = secretOf(one);
	await field.setKey(field.credential, field.service.addKey());
	const events: string[] = [];
	// One after another: so many as n8n takes, however busy this machine is.
	const send = async () => {
		events.push(emit(service));
		await service.deliveries.idle();
	};
	await poll(
		'another secret',
		async () => {
			await send();
			return field.subscriptions(one);
		},
		([first, ...others]) => others.length === 0 && first!.secret !== secret,
	);
	for (const again of times(5, () => send)) await again();
	for (const event of events) await field.arrived(event);
	expect(sink.count(events)).toEqual({ lost: 0, doubled: 0 });
	// The trigger's own answers: a busy n8n may answer late, or by itself that its database is not ready.
	const refused = service.deliveries
		.history()
		.filter(({ event_id }) => events.includes(event_id))
		.flatMap(({ log }) => log.filter(({ said }) => said?.startsWith('{"error"')));
	expect(refused).toEqual([]);

	// A key revoked for long: deliveries go on, people are told once; a new key is all it takes.
	const failed = async () => (await n8n.executions(duplicate.id)).filter((each) => each.status === 'error');
	await poll('a failed execution', failed, (some) => some.length > 0);
	await field.arrived('Looked after copy');
	await field.works(duplicate);
	const oldSecret = secretOf(duplicate);
	await field.setKey(duplicate.credential, field.service.addKey());
	await field.one(duplicate, ({ secret: now }) => now !== oldSecret);
	await field.works(duplicate);
	expect(await failed()).toHaveLength(1);
	expect(sink.times('Looked after copy')).toBe(1);
	await field.remove(duplicate);
	expect(field.subscriptions(duplicate)).toEqual([]);
	await n8n.deleteWorkflow(errorWorkflow);
});
