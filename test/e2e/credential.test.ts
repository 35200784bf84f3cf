import { credentialFor } from '../n8n/examples';
import { freePort } from '../n8n/process';
import { useScene } from './shared';

/** What n8n's test of a credential says. In the dialog, with the right key: walk.test.ts. */
describe('the credential test', () => {
	const scene = useScene();

	async function verdict(url: string, key: string) {
		const data = credentialFor({ url }, key);
		const id = await scene.n8n.createCredential('Tested', 'socialPublishingApi', data);
		return await scene.n8n.testCredential(id, 'Tested', 'socialPublishingApi', data);
	}

	test('the right key, a wrong one, an expired one and a wrong address are told apart', async () => {
		const { n8n, service } = scene;
		const { full, expired } = service.keys;
		expect(await verdict(service.url, full)).toMatchObject({ status: 'OK' });
		const wrong = [
			await verdict(service.url, 'not-a-key'),
			await verdict(service.url, expired),
			await verdict(`http://127.0.0.1:${await freePort()}`, full),
			// Somebody is there, but not the service.
			await verdict(n8n.url, full),
		];
		expect(wrong.map(({ status }) => status)).toEqual(Array(4).fill('Error'));
		const messages = wrong.map(({ message }) => message);
		const says = [/key/i, /expired/i, /address|base url/i, /address|base url/i];
		expect(messages).toEqual(says.map((words) => expect.stringMatching(words)));
		expect(new Set(messages.slice(0, 3)).size).toBe(3);
	});
});
