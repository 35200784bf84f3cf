import { join } from 'node:path';
import { type Editor, openEditor } from '../n8n/browser';
import type { N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { freePort } from '../n8n/process';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { sharedN8n } from './shared';

/** What a person sees who has just filled in the credential. Pictures of it: test-results/credential-*.png */
describe('the credential test in the editor', () => {
	const pictures = join(__dirname, '../../test-results');
	let service: Service;
	let n8n: N8nClient;
	let editor: Editor | undefined;

	beforeAll(async () => {
		service = await startService();
		n8n = await sharedN8n();
	});

	afterAll(async () => {
		await editor?.close();
		await service.close();
	});

	async function verdict(name: string, data: Record<string, unknown>) {
		editor ??= await openEditor(n8n);
		const id = await n8n.createCredential(name, 'socialPublishingApi', data);
		const result = await editor.testCredential(id);
		await editor.screenshot(join(pictures, `credential-${name.toLowerCase().replaceAll(' ', '-')}.png`));
		return result;
	}

	const inBrowser = requiring('browser');

	inBrowser('the right key is green', async () => {
		const { ok, message } = await verdict('Right key', credentialFor(service, service.keys.full));
		expect(message).toMatch(/success/i);
		expect(ok).toBe(true);
	});

	inBrowser('a wrong key, an expired key and a wrong address are told apart, with what to do', async () => {
		const nobody = { url: `http://127.0.0.1:${await freePort()}` };
		const wrongKey = await verdict('Wrong key', credentialFor(service, 'not-a-key'));
		const expired = await verdict('Expired key', credentialFor(service, service.keys.expired));
		const wrongAddress = await verdict('Wrong address', credentialFor(nobody, service.keys.full));
		const noService = await verdict('Not the service', credentialFor({ url: n8n.url }, service.keys.full));

		for (const { ok } of [wrongKey, expired, wrongAddress, noService]) expect(ok).toBe(false);
		expect(wrongKey.message).toMatch(/key/i);
		expect(expired.message).toMatch(/expired/i);
		expect(wrongAddress.message).toMatch(/address|base url/i);
		expect(noService.message).toMatch(/address|base url/i);
		const messages = [wrongKey, expired, wrongAddress].map(({ message }) => message);
		expect(new Set(messages).size).toBe(3);
	});
});
