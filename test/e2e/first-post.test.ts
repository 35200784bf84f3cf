import { join, resolve } from 'node:path';
import type { Locator } from 'playwright-core';
import { type Editor, openEditor } from '../n8n/browser';
import type { N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { createParameters, type FlowNode, flow, socialPublishing } from '../support/e2e/flow';
import { sharedN8n } from './shared';

/** What people do most, and how many actions it takes them. Pictures go to test-results/first-post. */
describe('the first post in the panel', () => {
	const folder = resolve(__dirname, '../../test-results/first-post');
	let service: Service;
	let n8n: N8nClient;
	let editor: Editor;
	let workflow: string;
	let actions = 0;

	beforeAll(async () => {
		service = await startService({ seed: 'demo' });
		n8n = await sharedN8n();
	});

	afterAll(async () => {
		await editor?.close();
		if (workflow) await n8n.deleteWorkflow(workflow);
		await service.close();
	});

	const element = (id: string): Locator => editor.page.locator(`[data-test-id="${id}"]`);
	const visible = (selector: string) => editor.page.locator(selector).filter({ visible: true });
	const fieldOf = (name: string) => element(`parameter-input-${name}`);
	const choices = () => visible('.el-select-dropdown__item');

	/** A click or a text that somebody types. */
	async function act(action: Promise<unknown>): Promise<void> {
		await action;
		actions++;
	}

	async function picture(name: string): Promise<void> {
		await editor.page.addStyleTag({ content: '.el-notification { display: none !important }' });
		await editor.atRest();
		await editor.screenshot(join(folder, `${name}.png`));
	}

	requiring('browser')(
		'this text now to Instagram and LinkedIn, with two Instagram accounts: seven actions',
		async () => {
			const data = credentialFor(service, service.keys.full);
			const socialPublishingApi = await n8n.createCredential('An account', 'socialPublishingApi', data);
			const manual: FlowNode = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
			const { platforms: _none, when: _at, ...rest } = createParameters({ text: '' });
			const nodes = [manual, socialPublishing({ ...rest, platforms: [] })];
			workflow = await n8n.createWorkflow(flow('First post', nodes), { socialPublishingApi });
			editor = await openEditor(n8n, { height: 1000 });
			await editor.openWorkflow(workflow);
			await editor.openNode('Post');

			await act(fieldOf('platforms').click());
			const bakery = choices().filter({ hasText: 'Instagram: Lakeside Bakery' }).first();
			await bakery.waitFor();
			await picture('platforms');
			await act(bakery.click());
			await act(choices().filter({ hasText: 'LinkedIn' }).first().click());
			await editor.page.keyboard.press('Escape');
			const text = fieldOf('text').locator('textarea').first();
			await act(text.fill('Rye bread, still warm from the oven.'));
			await text.blur();
			await act(fieldOf('when').locator('input').first().click());
			await act(choices().filter({ hasText: 'Publish Now' }).first().click());
			await picture('filled');
			const output = element('output-panel');
			await act(element('node-execute-button').first().click());
			await output.getByText('2 items').waitFor();
			await output.getByText('Accepted by the service').first().waitFor();
			await picture('result');
			expect(actions).toBe(7);

			const columns = (await output.locator('th').allInnerTexts()).map((one) => one.trim()).filter(Boolean);
			expect(columns.slice(0, 2)).toEqual(['platform', 'account']);
			expect(await output.innerText()).toContain('Lakeside Bakery');
			const sent = service.requests.filter(
				({ method, path }) => method === 'POST' && path.endsWith('/posts'),
			);
			expect(sent.map(({ body }) => (body as { platform: string }).platform).sort()).toEqual([
				'instagram',
				'linkedin',
			]);
		},
	);
});
