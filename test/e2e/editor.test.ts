import mapKeys from 'lodash/mapKeys';
import { join, resolve } from 'node:path';
import type { Operation, Resource } from '../../nodes/SocialPublishing/engine/operation';
import { fieldsOf } from '../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../nodes/SocialPublishing/resources';
import { type Editor, openEditor } from '../n8n/browser';
import { poll } from '../n8n/client';
import { example, examples } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import {
	byId,
	flow,
	type FlowNode,
	manual,
	sideBySide,
	socialPublishing,
	type Workflow,
} from '../support/e2e/flow';
import { hookOf, nothing, ours } from '../support/e2e/workflows';
import { operations } from '../support/operations';
import { addWebhook } from '../support/store';
import { sharedN8n, useScene } from './shared';

/** The nodes on n8n's canvas, and the README's picture of them (rewritten only with UPDATE_PICTURES=1). */
describe('in the editor', () => {
	const root = resolve(__dirname, '../..');
	const scene = useScene();
	const update = process.env.UPDATE_PICTURES === '1';
	let editor: Editor;

	beforeAll(async () => void (editor = await openEditor(await sharedN8n(), { scale: update ? 2 : 1 })));

	afterAll(async () => {
		await editor?.screenshot(join(root, 'test-results/editor.png'));
		await editor?.close();
	});

	requiring('browser')(
		'every node of the examples has its name and icon, is known to n8n and misses no setting',
		async () => {
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
		},
	);

	requiring('browser')(
		"the trigger's settings, and Check Delivery: the verdict comes first; the list of webhooks",
		async () => {
			const { webhooks } = scene.service.store;
			const options = { catchUp: true, catchUpFromPosts: false, checkEvery: 15 };
			const watched = ours([nothing], { name: 'Watched', options });
			const trigger = await scene.save(watched);
			await scene.n8n.activate(trigger);
			const { url } = await poll('the subscription', () =>
				[...webhooks.values()].find((each) => each.url.includes(hookOf(watched))),
			);
			await editor.openWorkflow(trigger);
			await editor.openNode('Trigger');
			const labels = [
				'Trigger On',
				'Include Post',
				'Recover Missed Events',
				'Recover From Posts',
				'Check Every',
			];
			for (const label of labels) await editor.page.getByText(label, { exact: false }).first().waitFor();
			await editor.closeNode();

			const parameters = { resource: 'webhook', operation: 'check', address: url, options: {} };
			const check = socialPublishing(parameters, {}, 'Check');
			await editor.openWorkflow(await scene.save(flow('Checking', [manual, check])));
			await editor.openNode('Check');
			const verdict = async (text: string) => {
				await editor.execute();
				await editor.output.getByText(text).first().waitFor();
				const shown = await editor.output.innerText();
				expect(shown.indexOf('verdict')).toBeLessThan(shown.indexOf('subscriptions'));
			};
			await verdict('The service has the subscription; it has not sent anything yet');
			await scene.n8n.deactivate(trigger);
			await poll(
				'the subscription to be gone',
				() => webhooks.size,
				(count) => count === 0,
			);
			await verdict('The service has no subscription for this address');

			addWebhook(scene.service);
			await editor.element('rlc-input').first().click();
			await editor.element('rlc-item').filter({ hasText: 'Newsroom' }).first().waitFor();
		},
	);

	const locators = ['postId', 'inboxItemId', 'webhookId'];

	/** What each operation is given; what is not here is at its default. */
	function parametersOf(resource: Resource, { value }: Operation): Record<string, any> {
		const given = Object.entries<any>(operations[`${resource.value}:${value}`] ?? {}).map(([key, one]) => [
			key,
			locators.includes(key) ? byId(one.value ?? one) : one,
		]);
		return { resource: resource.value, operation: value, ...Object.fromEntries(given) };
	}

	/** The labels that the fields of an operation have with these parameters, and those of the entries that were added. */
	function labelsOf(resource: Resource, operation: Operation): string[] {
		const parameters = parametersOf(resource, operation);
		const all = fieldsOf(operation);
		const valueOf = (name: string) => parameters[name] ?? all.find((field) => field.name === name)?.default;
		const fields = all.filter((field) =>
			Object.entries<any>(field.displayOptions?.show ?? {}).every(([name, values]) =>
				values.includes(valueOf(name)),
			),
		);
		const labels = fields.flatMap(({ displayName, name, type, options = [] }) => {
			const added = type === 'collection' ? (parameters[name] ?? {}) : {};
			const entries = (options as any[]).filter((entry) => entry.name in added);
			return [displayName, ...entries.map((entry) => entry.displayName)];
		});
		return ['Resource', 'Operation', ...labels];
	}

	requiring('browser')('post: each panel shows the fields of its operation, in order', async () => {
		const post = resources.find(({ value }) => value === 'post')!;
		const nodes = post.operations.map((one) => socialPublishing(parametersOf(post, one), {}, one.action));
		await editor.openWorkflow(await scene.save(sideBySide('All of post', [manual], nodes)));
		for (const { hasIssues, name } of await editor.nodes())
			expect({ [name]: hasIssues }).toEqual({ [name]: false });
		for (const operation of post.operations) {
			const { action } = operation;
			const labels = labelsOf(post, operation);
			const panel = await editor.openNode(action);
			const list = panel.locator('[data-test-id="node-parameters"]');
			const shown = async () => {
				const texts = list.locator('[data-test-id="input-label"]').filter({ visible: true }).allInnerTexts();
				// A label is followed by what else stands in its line.
				return (await texts).map((text) => text.trim().split('\n')[0]!);
			};
			const seen = await poll(`the panel of ${action}`, shown, ({ length }) => length >= labels.length);
			expect({ action, labels: seen }).toEqual({ action, labels });
			await editor.closeNode();
		}
	});
});
