import { emit } from '../support/e2e/sender';
import { sharedN8n, useField } from './shared';

/** Publishing that n8n or the service refuses. Waits for n8n to give up. */

const own = useField(sharedN8n);

test('a copy that kept the address (imported as a file): n8n refuses it, the first one stays subscribed', async () => {
	const { field } = own;
	const workflow = field.workflow('First', 'inbox.item.created');
	const first = await field.publish(workflow);
	const before = field.subscriptions(first);
	const second = await field.save(workflow);
	await expect(field.n8n.activate(second.id)).rejects.toThrow(/conflict/i);
	await field.remove(second);
	expect(field.subscriptions(first)).toEqual(before);
	await field.works(first);
});

test('published while the service is down, or with a key that it does not know: publishing once more subscribes', async () => {
	const { field } = own;
	const { service, gate, n8n } = field;
	const down = await field.save(field.workflow('Down', 'inbox.message_received'));
	const unknown = await field.account('unknown', service.url);
	const keyless = await field.save(field.workflow('Wrong key', 'inbox.message_responded'), unknown);
	await gate.shut();
	await Promise.all([down, keyless].map(async ({ id }) => await n8n.activate(id)));
	await field.settled(down.id, 'failed');
	const { triggers } = await field.settled(keyless.id, 'failed');
	expect(triggers[0].errorMessage).toContain("doesn't recognize this API key");
	await gate.open();
	await field.setKey(unknown, field.newKey());
	// What n8n's editor now says: "This workflow isn't running. Publish again to retry."
	for (const one of [down, keyless]) {
		await field.start(one);
		await field.works(one);
	}
});

test('a change is published while a delivery waits for its next try: n8n deletes the subscription first, and the event arrives', async () => {
	const { field } = own;
	const { service } = field;
	const one = await field.publish(field.workflow('Changed', 'post.scheduled'));
	// The trigger refuses what is signed with it.
	one.receiver.secret = 'of nobody';
	const event = emit(service, one.type);
	await service.deliveries.idle();
	expect(field.sink.times(event)).toBe(0);
	await field.change(one, ({ parameters }) => parameters.events.push('post.failed'));
	expect(field.subscriptions(one).map(({ id }) => id)).not.toContain(one.receiver.id);
	await field.arrived(event);
	await field.works(one);
	expect(field.sink.times(event)).toBe(1);
});
