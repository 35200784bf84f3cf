import { join, resolve } from 'node:path';
import type { Locator } from 'playwright-core';
import { type Editor, openEditor } from '../n8n/browser';
import { type N8nClient, poll } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { createParameters, type FlowNode, flow, socialPublishing } from '../support/e2e/flow';
import { sharedN8n } from './shared';

/** *When: In the Next Free Slot* in the panel, as a person sets it up. Pictures go to test-results/queue. */
describe('the queue in the editor', () => {
	const folder = resolve(__dirname, '../../test-results/queue');
	let service: Service;
	let n8n: N8nClient;
	let editor: Editor;
	let workflow: string;

	beforeAll(async () => {
		service = await startService();
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

	async function picture(name: string): Promise<void> {
		await editor.page.addStyleTag({ content: '.el-notification { display: none !important }' });
		await editor.atRest();
		await editor.screenshot(join(folder, `${name}.png`));
	}

	async function run(text: string): Promise<string> {
		const output = element('output-panel');
		await element('node-execute-button').first().click();
		await output.getByText(text).first().waitFor();
		return await output.innerText();
	}

	requiring('browser')('days and times are set once; what runs find free goes out there', async () => {
		const data = credentialFor(service, service.keys.full);
		const socialPublishingApi = await n8n.createCredential('An account', 'socialPublishingApi', data);
		const manual: FlowNode = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
		const post = socialPublishing(createParameters({ text: 'Rye bread, still warm.' }));
		workflow = await n8n.createWorkflow(flow('Queue', [manual, post]), { socialPublishingApi });
		editor = await openEditor(n8n, { height: 1000 });
		await editor.openWorkflow(workflow);
		await editor.openNode('Post');

		await fieldOf('when').locator('input').first().click();
		await choices().filter({ hasText: 'In the Next Free Slot' }).first().waitFor();
		await picture('when');
		await choices().filter({ hasText: 'In the Next Free Slot' }).first().click();

		const times = fieldOf('slotTimes').locator('input, textarea').first();
		expect(await times.getAttribute('placeholder')).toBe('e.g. 09:00, 12:30, 18:00');
		await picture('empty');
		await fieldOf('slotDays').click();
		await choices().filter({ hasText: 'Sunday' }).first().waitFor();
		const days = (await choices().allInnerTexts()).map((one) => one.trim());
		expect(days[0]).toBe('Monday');
		expect(days[6]).toBe('Sunday');
		await picture('days');
		for (const day of ['Saturday', 'Sunday']) await choices().filter({ hasText: day }).first().click();
		await editor.page.keyboard.press('Escape');

		await times.fill('09:00, 25:00');
		await times.blur();
		expect(await run("'25:00' in 'Slot Times' isn't a time")).toContain('Enter times like 09:00, 18:30');
		await picture('mistake');
		expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);

		await times.fill('09:00, 18:00');
		await times.blur();
		for (const count of [1, 2]) {
			await run('scheduled_at_local');
			await poll(
				'the post',
				() => service.store.posts.size,
				(size) => size === count,
			);
		}
		await picture('result');
		const scheduled = [...service.store.posts.values()].map(({ scheduledAt }) => Date.parse(scheduledAt!));
		expect(scheduled[1]! - scheduled[0]!).toBeGreaterThanOrEqual(8 * 3_600_000);

		// The slots say how far apart posts are.
		const add = visible('[data-test-id^="collection-parameter-add"]').last();
		await add.scrollIntoViewIfNeeded();
		await add.click();
		const entries = visible('.el-select-dropdown__item, [role="menuitem"], [role="option"]');
		await entries.filter({ hasText: 'Text per Platform' }).first().waitFor();
		expect(await entries.filter({ hasText: 'Time Between Posts' }).count()).toBe(0);
		await picture('options');
	});
});
