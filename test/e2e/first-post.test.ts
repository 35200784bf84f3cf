import omit from 'lodash/omit';
import { join, resolve } from 'node:path';
import type { Locator } from 'playwright-core';
import { type Editor, openEditor } from '../n8n/browser';
import { type N8nClient, poll } from '../n8n/client';
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
	let socialPublishingApi: string;
	const workflows: string[] = [];
	let actions = 0;

	beforeAll(async () => {
		service = await startService({ seed: 'demo' });
		n8n = await sharedN8n();
		const data = credentialFor(service, service.keys.full);
		socialPublishingApi = await n8n.createCredential('An account', 'socialPublishingApi', data);
	});

	afterAll(async () => {
		await editor?.close();
		for (const id of workflows) await n8n.deleteWorkflow(id);
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

	const inBrowser = requiring('browser');

	async function addOption(name: string): Promise<string[]> {
		const add = visible('[data-test-id^="collection-parameter-add"]').last();
		await add.scrollIntoViewIfNeeded();
		await add.click();
		const entries = visible('.el-select-dropdown__item, [role="menuitem"], [role="option"]');
		await entries.filter({ hasText: name }).first().waitFor();
		const names = (await entries.allInnerTexts()).map((one) => one.trim());
		await entries.filter({ hasText: name }).first().click();
		return names;
	}

	inBrowser(
		'this text now to Instagram and LinkedIn, with two Instagram accounts: seven actions',
		async () => {
			const manual: FlowNode = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
			const empty = omit(createParameters({ text: '', platforms: [] }), 'when');
			const nodes = [manual, socialPublishing(empty)];
			const workflow = await n8n.createWorkflow(flow('First post', nodes), { socialPublishingApi });
			workflows.push(workflow);
			editor = await openEditor(n8n, { height: 1000 });
			await editor.openWorkflow(workflow);
			await editor.openNode('Post');

			const bakery = choices().filter({ hasText: 'Instagram: Lakeside Bakery' }).first();
			// The list closes when its entries arrive while it is open.
			const openList = poll('the platforms', async () => {
				await fieldOf('platforms').click();
				return await bakery.waitFor({ timeout: 4000 }).then(
					() => true,
					() => undefined,
				);
			});
			await act(openList);
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

	inBrowser('options by name; My Own ID and Wait Timeout only where they count', async () => {
		const names = await addOption('Avoid Duplicates');
		expect(names).toEqual([...names].sort());
		expect(names).toContain('Wait for Publication');
		expect(names).not.toContain('My Own ID');
		expect(names).not.toContain('Wait Timeout (Seconds)');
		await fieldOf('idempotencyKeyMode').locator('input').first().click();
		await choices().filter({ hasText: 'My Own ID' }).first().click();
		expect(await addOption('Wait for Publication')).toContain('My Own ID');
		const switched = fieldOf('waitForPublication').locator('.el-switch, [role="switch"]').first();
		await switched.click();
		expect(await addOption('My Own ID')).toContain('Wait Timeout (Seconds)');
		await picture('options');
	});

	inBrowser('a failed run, and Execute step pressed again: only what is missing is sent', async () => {
		const rows: FlowNode = {
			name: 'Rows',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			parameters: { jsCode: "return ['Rye', 'Spelt', 'Oat'].map((bread) => ({ json: { bread } }));" },
		};
		const manual: FlowNode = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
		const post = socialPublishing(
			createParameters({ platforms: ['linkedin'], text: '={{ $json.bread }}', options: { concurrency: 1 } }),
		);
		const again = await n8n.createWorkflow(flow('Pressed again', [manual, rows, post]), {
			socialPublishingApi,
		});
		workflows.push(again);
		const before = service.store.posts.size;
		service.faults.add({
			kind: 'error',
			code: 'PUBLIC_API_SCOPE_FORBIDDEN',
			method: 'POST',
			skip: 2,
			times: 1,
		});
		await editor.openWorkflow(again);
		await editor.openNode('Post');
		const output = element('output-panel');
		await element('node-execute-button').first().click();
		await output.getByText('2 posts were already sent').first().waitFor();
		await picture('failed');
		await element('node-execute-button').first().click();
		await output.getByText('2 requests were not sent again').first().waitFor();
		await picture('pressed-again');
		expect(service.store.posts.size - before).toBe(3);
	});
});
