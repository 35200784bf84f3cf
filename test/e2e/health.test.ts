import { join, resolve } from 'node:path';

import { addPost, addWebhook, DAY } from '../support/service';
import { openEditor } from '../n8n/browser';
import { errorOf, itemsOf, type N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { flow, socialPublishing } from '../support/e2e/flow';
import { sharedN8n } from './shared';

/** Check Health of a workspace in which much is wrong. PANELS=folder keeps a picture of the output. */
describe('Check Health in a real n8n', () => {
	let service: Service;
	let n8n: N8nClient;
	let workflow: string;

	beforeAll(async () => {
		// Nothing is published: a post whose time passes stays scheduled.
		service = await startService({ speed: 0 });
		n8n = await sharedN8n();
		const data = credentialFor(service, service.keys.full);
		const socialPublishingApi = await n8n.createCredential(
			'Social Publishing account',
			'socialPublishingApi',
			data,
		);
		const nodes = [
			{ name: 'By hand', type: 'n8n-nodes-base.manualTrigger' },
			socialPublishing({ resource: 'workspace', operation: 'checkHealth' }, {}, 'Check health'),
		];
		workflow = await n8n.createWorkflow(flow('Health', nodes), { socialPublishingApi });
	});
	afterAll(async () => {
		await n8n.deleteWorkflow(workflow);
		await service.close();
	});
	beforeEach(() => {
		service.reset();
		const soon = Date.now() + DAY / 4;
		service.store.accounts.get('acc_main_x')!.status = 'disconnected';
		addPost(service, { id: 'due', platforms: ['x'], at: Date.now() + 3 * DAY });
		addPost(service, { id: 'overdue', text: 'Seeded rolls', at: Date.now() - DAY / 2 });
		for (const id of ['failed_1', 'failed_2']) addPost(service, { id, text: id, status: 'failed' });
		for (const id of ['twice_1', 'twice_2'])
			addPost(service, { id, text: 'Plum jam is back', platforms: ['facebook'], at: soon });
		addPost(service, { id: 'held', text: 'New hours', status: 'pending_approval', at: soon });
		service.store.webhooks.get(addWebhook(service))!.status = 'disabled';
	});

	const wrong = [
		['accounts', 'problem', '1 account is disconnected. 1 post is due there within 7 days.'],
		['overdue_posts', 'problem', '1 post is overdue.'],
		[
			'failed_posts',
			'problem',
			'2 posts failed in the last 7 days: The picture has the wrong proportions (2).',
		],
		['webhooks', 'problem', '1 webhook is disabled.'],
		['close_posts', 'warning', '1 post is due within five minutes of another post for the same account.'],
		['repeated_texts', 'warning', '1 post has the same text as an earlier post for the same account.'],
		['approvals', 'warning', '1 post due within a day waits for approval.'],
	];

	test('nine items, what is wrong first', async () => {
		const run = await n8n.runWorkflow(workflow);
		expect(errorOf(run)).toBeUndefined();
		const items = itemsOf(run, 'Check health');
		expect(items).toHaveLength(9);
		expect(items.slice(0, 7).map(({ check, status, message }: any) => [check, status, message])).toEqual(
			wrong,
		);
		expect(items.slice(7).map(({ status }: any) => status)).toEqual(['ok', 'ok']);
	});

	requiring('browser')('the table in the panel reads as it should', async () => {
		const editor = await openEditor(n8n, { width: 1600, height: 1000 });
		try {
			await editor.openWorkflow(workflow);
			const panel = await editor.openNode('Check health');
			await panel.locator('[data-test-id="node-execute-button"]').first().click();
			const output = editor.page.locator('[data-test-id="output-panel"]');
			await output.getByText('9 items').first().waitFor();
			await output.getByText('1 post is overdue.').first().waitFor();
			await editor.atRest();
			const folder = resolve(process.env.PANELS ?? join(__dirname, '../../test-results'));
			await editor.screenshot(join(folder, 'check-health.png'));
			await output.getByText('rate_limit').first().scrollIntoViewIfNeeded();
			await editor.screenshot(join(folder, 'check-health-end.png'));
			const shown = await output.innerText();
			for (const [, , message] of wrong) expect(shown).toContain(message);
		} finally {
			await editor.close();
		}
	});
});
