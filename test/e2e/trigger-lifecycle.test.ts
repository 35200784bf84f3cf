import { OwnN8n } from '../support/e2e/ownN8n';
import { sharedN8n } from './shared';

/** Publishing that n8n or the service refuses. Waits for n8n to give up, which takes it a minute and a half. */

let own: OwnN8n;

beforeAll(async () => void (own = await OwnN8n.in(await sharedN8n())));
afterAll(async () => await own?.close());

test('a copy that kept the address (imported as a file): n8n refuses it, the first one stays subscribed', async () => {
	const workflow = own.workflow('First', 'inbox.item.created');
	const first = await own.save('First', 'inbox.item.created', own.field.credential, workflow);
	await own.publish(first);
	const before = own.subscriptions(first);
	const second = await own.save('Second', first.type, own.field.credential, workflow);
	await expect(own.field.n8n.activate(second.id)).rejects.toThrow(/conflict/i);
	await own.remove(second);
	expect(own.subscriptions(first)).toEqual(before);
	await own.works(first);
	await own.remove(first);
});

test('published while the service is down, or with a key that it does not know: publishing once more subscribes', async () => {
	const { service } = own;
	const down = await own.save('Down', 'inbox.message_received');
	const keyless = await own.save(
		'Wrong key',
		'inbox.message_responded',
		await own.createCredential(service.url, 'unknown'),
	);
	await own.gate.shut();
	await Promise.all([down, keyless].map(async ({ id }) => await own.field.n8n.activate(id)));
	await own.until(down, 'failed');
	const { triggers } = await own.until(keyless, 'failed');
	expect(triggers[0].errorMessage).toContain("doesn't recognize this API key");
	await own.gate.open();
	await own.setKey(keyless.credential, service.addKey(), service.url);
	// What n8n's editor now says: "This workflow isn't running. Publish again to retry."
	for (const one of [down, keyless]) {
		await own.publish(one);
		await own.works(one);
		await own.remove(one);
	}
});
