import { poll } from '../n8n/client';
import { repeats } from '../support/e2e/repeats';
import { deliver, emit, newEvent } from '../support/e2e/sender';
import { nothing, ours } from '../support/e2e/flow';
import { scaled, sharedN8n, useField } from './shared';

/** The trigger in a real n8n. */

const field = useField(sharedN8n);
afterEach(async () => await field.clear());

test('repeated events arrive once each, those that come at the same moment too', async () => {
	const { n8n, sink } = field;
	const { id, receiver } = await field.publish(field.workflow('Repeats', 'post.published'));
	const { doubled, lost, answers } = await repeats(scaled(60), receiver, sink);
	expect({ doubled, lost }).toEqual({ doubled: 0, lost: 0 });
	expect(answers['200 duplicate']).toBeGreaterThan(0);
	const execution = JSON.stringify(await n8n.waitForExecution(id));
	expect(execution).toContain('evt_');
	expect(execution).not.toContain(receiver.secret);
	expect(execution).not.toContain('x-service-signature');
});

test('one subscription through all changes of the workflow, and none after it', async () => {
	const { n8n, service, sink } = field;
	const life = await field.publish(field.workflow('Life', 'post.published'));
	const works = async () => await field.arrived(emit(service));

	// Published: one subscription, events arrive.
	await field.one(life, ({ events }) => events.join() === 'post.published');
	await works();

	// Other events: one subscription, and the old one is gone.
	const before = await field.one(life);
	await field.change(life, ({ parameters }) => (parameters.events = ['post.published', 'post.failed']));
	const after = await field.one(life, ({ events }) => events.length === 2);
	expect(after.id).not.toBe(before.id);
	await works();

	// Another credential: one subscription, with a secret made from the new key.
	const { secret } = await field.one(life);
	const socialPublishingApi = { id: await field.account(), name: 'Other' };
	await field.change(life, (trigger) => (trigger.credentials = { socialPublishingApi }));
	const { url } = await field.one(life, (webhook) => webhook.secret !== secret);
	// What was signed with the old secret is forged now.
	expect((await deliver({ url, secret }, newEvent())).status).toBe(401);
	await works();

	// "Execute step": a subscription of its own, which goes with the test.
	const live = await field.one(life);
	const start = { triggerToStartFrom: { name: 'Trigger' } };
	const listening = await n8n.rest('POST', `/workflows/${life.id}/run`, start);
	expect(listening.waitingForWebhook).toBe(true);
	const two = await poll(
		'two subscriptions',
		() => field.subscriptions(life),
		({ length }) => length === 2,
	);
	const test = two.find(({ id }) => id !== live.id)!;
	expect(test.url).toContain('/webhook-test/');
	expect(test.secret).not.toBe(live.secret);
	const event = emit(service);
	// From the test and from the live execution.
	await field.arrived(event, 2);
	await field.one(life, ({ id }) => id === live.id);
	expect(sink.times(event)).toBe(2);

	// Deleting the workflow deletes the subscription.
	await field.remove(life);
	expect(field.subscriptions(life)).toEqual([]);
});

test('two triggers in one workflow: two subscriptions, and none when it is unpublished', async () => {
	const double = field.workflow('Two', 'post.published');
	const second = { ...ours([nothing]).nodes[0], name: 'Second' };
	double.nodes.push(second);
	double.connections.Second = double.connections.Trigger;
	const one = await field.publish(double);
	const both = [one, { hook: second.webhookId }];
	expect(both.map((each) => field.subscriptions(each).length)).toEqual([1, 1]);
	const event = emit(field.service);
	await field.arrived(event, 2);
	await field.unpublish(one);
	expect(both.map((each) => field.subscriptions(each).length)).toEqual([0, 0]);
	expect(field.sink.times(event)).toBe(2);
});

test('published while the service is down, or with a key that it does not know: publishing once more subscribes', async () => {
	const { service, gate, n8n } = field;
	const down = await field.keep(field.workflow('Down', 'inbox.message_received'));
	const unknown = await field.account('unknown', service.url);
	const keyless = await field.keep(field.workflow('Wrong key', 'inbox.message_responded'), unknown);
	await gate.shut();
	await Promise.all([down, keyless].map(async ({ id }) => await n8n.activate(id)));
	await field.settled(down.id, 'failed');
	const { triggers } = await field.settled(keyless.id, 'failed');
	expect(triggers[0].errorMessage).toContain("doesn't recognize this API key");
	await gate.open();
	await field.setKey(unknown, field.service.addKey());
	// What n8n's editor now says: "This workflow isn't running. Publish again to retry."
	for (const one of [down, keyless]) {
		await field.start(one);
		await field.works(one);
	}
});
