import mapKeys from 'lodash/mapKeys';
import { join, resolve } from 'node:path';
import { type Editor, openEditor } from '../n8n/browser';
import { poll } from '../n8n/client';
import { example, examples } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import { flow, type FlowNode, manual, socialPublishing, type Workflow } from '../support/e2e/flow';
import { nothing, ours } from '../support/e2e/workflows';
import { addWebhook } from '../support/store';
import { sharedN8n, useScene } from './shared';

/** The nodes on n8n's canvas, and the README's picture of them (rewritten only with UPDATE_PICTURES=1). */
describe('in the editor', () => {
	const root = resolve(__dirname, '../..');
	const scene = useScene();
	const update = process.env.UPDATE_PICTURES === '1';
	const inBrowser = requiring('browser');
	let editor: Editor;

	beforeAll(async () => void (editor = await openEditor(await sharedN8n(), { scale: update ? 2 : 1 })));

	afterAll(async () => {
		await editor?.screenshot(join(root, 'test-results/editor.png'));
		await editor?.close();
	});

	inBrowser('every node of the examples has its name and icon, is known and misses no setting', async () => {
		const { n8n, account, save } = scene;
		const openAiApi = await n8n.createCredential('OpenAI account', 'openAiApi', { apiKey: 'example' });
		const httpBearerAuth = await n8n.createCredential('Token', 'httpBearerAuth', { token: 'example' });
		// All of them on one canvas: each load takes seconds.
		const all: Workflow = { name: 'All examples', nodes: [], connections: {} };
		for (const [i, [file, { nodes, connections }]] of [...(await examples())].entries()) {
			const nameOf = (name: string) => `${file}: ${name}`;
			for (const { id, name, position, ...node } of nodes) {
				const [x, y] = position;
				all.nodes.push({ ...node, id: `${file}-${id}`, name: nameOf(name), position: [x, y + 1000 * i] });
			}
			const renamed = JSON.stringify(connections, (key, value) => (key === 'node' ? nameOf(value) : value));
			Object.assign(
				all.connections,
				mapKeys(JSON.parse(renamed), (_to, from) => nameOf(from)),
			);
		}
		await editor.openWorkflow(await save(all, { ...account, openAiApi, httpBearerAuth }));
		const names = (nodes: Array<{ name: string }>) => nodes.map(({ name }) => name).sort();
		const expected = names(all.nodes.filter(({ type }: FlowNode) => !type.endsWith('.stickyNote')));
		const nodes = await poll(
			`the nodes ${expected.join()}`,
			async () => await editor.nodes(),
			(seen) => seen.length === expected.length && seen.every(({ hasIcon }) => hasIcon),
		);
		expect(names(nodes)).toEqual(expected);
		expect(nodes.filter(({ unknown, hasIssues }) => unknown || hasIssues)).toEqual([]);
		if (!update) return;
		await editor.openWorkflow(await save(await example('schedule-a-post'), account));
		await editor.screenshotCanvas(join(root, 'docs/images/workflow.png'));
	});

	inBrowser(
		"the trigger's settings; Check Delivery with the verdict first; the list of webhooks",
		async () => {
			const { n8n, save, service } = scene;
			const { webhooks } = service.store;
			const options = { catchUp: true, catchUpFromPosts: false, checkEvery: 15 };
			const trigger = await save(ours([nothing], { name: 'Watched', options }));
			await n8n.activate(trigger);
			const { url } = await poll('the subscription', () => [...webhooks.values()][0]);
			await editor.openWorkflow(trigger);
			await editor.openNode('Trigger');
			const labels = [
				'Trigger On',
				'Include Post',
				'Recover Missed Events',
				'Recover From Posts',
				'Check Every',
			];
			for (const label of labels) await editor.page.getByText(label).first().waitFor();
			await editor.closeNode();

			const parameters = { resource: 'webhook', operation: 'check', options: { address: url } };
			const check = socialPublishing(parameters, {}, 'Check');
			await editor.openWorkflow(await save(flow('Checking', [manual, check])));
			await editor.openNode('Check');
			const verdict = async (text: string) => {
				await editor.execute();
				await editor.output.getByText(text).first().waitFor();
				const shown = await editor.output.innerText();
				expect(shown.indexOf('verdict')).toBeLessThan(shown.indexOf('subscriptions'));
			};
			await verdict('The service has the subscription; it has not sent anything yet');
			await n8n.deactivate(trigger);
			await poll(
				'the subscription to be gone',
				() => webhooks.size,
				(count) => count === 0,
			);
			await verdict('The service has no subscription for this address');

			addWebhook(service);
			await editor.element('rlc-input').first().click();
			await editor.element('rlc-item').filter({ hasText: 'Newsroom' }).first().waitFor();
		},
	);
});
