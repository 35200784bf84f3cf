import { join, resolve } from 'node:path';
import { type Editor, openEditor } from '../n8n/browser';
import { type N8nClient, poll } from '../n8n/client';
import { credentialFor, examples } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { type FlowNode, flow, socialPublishing } from '../support/e2e/flow';
import { nothing, ours } from '../support/e2e/workflows';
import { sharedN8n } from './shared';

/** The nodes on n8n's canvas, and the README's picture of them (rewritten only with UPDATE_PICTURES=1). */
describe('the example workflows in the editor', () => {
	const root = resolve(__dirname, '../..');
	let service: Service;
	let n8n: N8nClient;
	let editor: Editor;

	beforeAll(async () => {
		service = await startService();
		n8n = await sharedN8n();
		editor = await openEditor(n8n, { scale: process.env.UPDATE_PICTURES === '1' ? 2 : 1 });
	});

	const workflows: string[] = [];
	const saved = async (...what: Parameters<N8nClient['createWorkflow']>): Promise<string> => {
		const id = await n8n.createWorkflow(...what);
		workflows.push(id);
		return id;
	};

	beforeEach(() => service.reset());

	afterEach(async () => {
		for (const id of workflows.splice(0)) await n8n.deleteWorkflow(id);
	});

	afterAll(async () => {
		await editor?.screenshot(join(root, 'test-results/editor.png'));
		await editor?.close();
		await service.close();
	});

	requiring('browser')(
		'every node has its name and icon, is known to n8n and misses no setting',
		async () => {
			const data = credentialFor(service, service.keys.full);
			const credential = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data);
			const openAiApi = await n8n.createCredential('OpenAI account', 'openAiApi', { apiKey: 'example' });
			const httpBearerAuth = await n8n.createCredential('Token', 'httpBearerAuth', { token: 'example' });
			const credentials = { socialPublishingApi: credential, openAiApi, httpBearerAuth };
			for (const [file, workflow] of await examples()) {
				await editor.openWorkflow(await saved(workflow, credentials));
				const expected = workflow.nodes.filter(({ type }: any) => !type.endsWith('.stickyNote'));
				const names = (nodes: Array<{ name: string }>) => nodes.map(({ name }) => name).sort();
				const nodes = await poll(
					`the nodes ${names(expected).join()}`,
					async () => await editor.nodes(),
					(seen) => seen.length === expected.length && seen.every(({ hasIcon }) => hasIcon),
				);
				expect(names(nodes)).toEqual(names(expected));
				for (const node of nodes) expect(node).toMatchObject({ unknown: false, hasIssues: false });
				if (file === 'schedule-a-post' && process.env.UPDATE_PICTURES === '1') {
					await editor.screenshotCanvas(join(root, 'docs/images/workflow.png'));
				}
			}
		},
	);

	requiring('browser')("the trigger's settings, and Check Delivery: the verdict comes first", async () => {
		const data = credentialFor(service, service.keys.full);
		const socialPublishingApi = await n8n.createCredential('An account', 'socialPublishingApi', data);
		const options = { catchUp: true, catchUpFromPosts: false, checkEvery: 15 };
		const watched = ours([nothing], { name: 'Watched', options });
		const trigger = await saved(watched, { socialPublishingApi });
		await n8n.activate(trigger);
		const { url } = await poll('the subscription', () =>
			[...service.store.webhooks.values()].find((each) => each.url.includes(watched.nodes[0].webhookId)),
		);
		await editor.openWorkflow(trigger);
		await editor.openNode('Trigger');
		for (const label of [
			'Trigger On',
			'Include Post',
			'Recover Missed Events',
			'Recover From Posts',
			'Check Every',
		])
			await editor.page.getByText(label, { exact: false }).first().waitFor();
		await editor.closeNode();

		const manual: FlowNode = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
		const parameters = { resource: 'webhook', operation: 'check', address: url, options: {} };
		const check = socialPublishing(parameters, {}, 'Check');
		const checking = await saved(flow('Checking', [manual, check]), { socialPublishingApi });
		await editor.openWorkflow(checking);
		await editor.openNode('Check');
		const output = editor.page.locator('[data-test-id="output-panel"]');
		const verdict = async (text: string) => {
			await editor.page.locator('[data-test-id="node-execute-button"]').first().click();
			await output.getByText(text).first().waitFor();
			const shown = await output.innerText();
			expect(shown.indexOf('verdict')).toBeLessThan(shown.indexOf('subscriptions'));
		};
		await verdict('The service has the subscription; it has not sent anything yet');
		await n8n.deactivate(trigger);
		await poll(
			'the subscription to be gone',
			() => service.store.webhooks.size,
			(count) => count === 0,
		);
		await verdict('The service has no subscription for this address');
	});
});
