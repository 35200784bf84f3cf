import { type INodeParameters, type INodeProperties, NodeHelpers } from 'n8n-workflow';

import type { Operation, Resource } from '../../nodes/SocialPublishing/engine/operation';
import { fieldsOf } from '../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../nodes/SocialPublishing/resources';
import { type Editor, openEditor } from '../n8n/browser';
import { errorOf, itemsOf, type N8nClient, poll } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { insertPost } from '../service/seed';
import { sharedN8n } from './shared';
import { flow, socialPublishing, type FlowNode } from '../support/e2e/flow';

type Parameters = Record<string, unknown>;

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const range = { from: '={{ $now.minus({ days: 60 }).toISO() }}', to: '={{ $now.toISO() }}' };

/** Parameters of each operation that make sense together; what is not here is at its default. */
const suitable: Record<string, Parameters> = {
	'account.getAll': { filters: { platform: 'instagram' } },
	'analytics.getInsights': { limit: 3 },
	'analytics.getOverview': {},
	'analytics.getSummary': { output: 'perPlatform' },
	'analytics.getUnified': { ...range, output: 'table' },
	'approval.getAll': { returnAll: true },
	'inbox.getAll': {},
	'inbox.reply': { inboxItemId: byId('inb_seed_1'), text: 'Thank you!' },
	'media.createUploadUrl': { fileName: 'photo.png', contentType: 'image/png', size: 20 },
	'media.upload': {},
	'media.uploadDirect': {},
	'post.cancel': { postId: byId('post_to_cancel') },
	'post.create': { platforms: ['linkedin', 'x'], text: 'Hello from a workflow', when: 'now' },
	'post.delete': { postId: byId('post_to_delete') },
	'post.get': { postId: byId('post_done') },
	'post.getAll': { returnAll: true },
	'post.getAnalytics': { postId: byId('post_done'), granularity: 'daily', output: 'series' },
	'post.update': { postId: byId('post_to_update'), updateFields: { text: 'Better' } },
	'post.waitForStatus': { postId: byId('post_done') },
	'socialConnection.getAll': {},
	'usage.get': {},
	'webhook.check': { webhookId: byId('wh_1') },
	'webhook.create': {
		url: 'https://example.com/events',
		events: ['post.published'],
		description: 'Newsroom',
	},
	'webhook.delete': { webhookId: byId('wh_2') },
	'webhook.getAll': {},
	'webhook.getDeliveries': { webhookId: byId('wh_1') },
	'workspace.checkHealth': { days: 7 },
	'workspace.getAll': {},
};

/** Nothing was to be delivered yet. */
const noneYet = new Set(['getDeliveries']);

const start: FlowNode = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
const file: FlowNode[] = [
	{
		name: 'Words',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: '{ "text": "not quite a picture" }', options: {} },
	},
	{
		name: 'File',
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: {
			operation: 'toText',
			sourceProperty: 'text',
			options: { fileName: 'photo.png' },
		},
	},
];

interface Shown {
	action: string;
	/** Labels of the fields that its parameters show, in order. */
	labels: string[];
}

/** Every operation run once from a workflow, one workflow a resource; and what the editor shows of each. */
describe('every operation in a real n8n', () => {
	let service: Service;
	let n8n: N8nClient;
	let editor: Editor | undefined;
	const workflows = new Map<string, string>();

	beforeAll(async () => {
		service = await startService({ seed: 'demo' });
		n8n = await sharedN8n();
		const day = 86_400_000;
		const post = (id: string, status: 'scheduled' | 'completed', at: number) =>
			insertPost(service, { id, text: id, status, at: Date.now() + at, platforms: ['linkedin'] });
		for (const id of ['post_to_cancel', 'post_to_delete', 'post_to_update']) post(id, 'scheduled', day);
		post('post_done', 'completed', -3 * day);
		for (const id of ['wh_1', 'wh_2'])
			service.store.webhooks.set(id, {
				id,
				workspaceId: 'ws_main',
				url: `${service.url}/events`,
				events: ['post.failed'],
				description: null,
				status: 'active',
				secret: 'example-secret-of-a-webhook',
				createdAt: service.clock.iso(),
			});
		const data = credentialFor(service, service.keys.full);
		const credential = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data);
		for (const { value, operations } of resources)
			workflows.set(
				value,
				await n8n.createWorkflow(workflowOf(value, operations), credentialIds(credential)),
			);
	});

	afterAll(async () => {
		await editor?.close();
		for (const id of workflows.values()) await n8n.deleteWorkflow(id);
		await service.close();
	});

	const credentialIds = (id: string) => ({ socialPublishingApi: id });

	/** The start, a file where the resource takes one, and then all operations side by side. */
	function workflowOf(resource: string, operations: Resource['operations']): Record<string, unknown> {
		const before = resource === 'media' ? [start, ...file] : [start];
		const nodes = operations.map(({ value, action }) =>
			socialPublishing({ resource, operation: value, ...suitable[`${resource}.${value}`] }, {}, action),
		);
		const main = [nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }))];
		const made: any = flow(`All of ${resource}`, [...before, ...nodes], {
			[before.at(-1)!.name]: { main },
			...Object.fromEntries(nodes.map(({ name }) => [name, { main: [] }])),
		});
		nodes.forEach((_, i) => {
			made.nodes[before.length + i].position = [before.length * 220, i * 180];
		});
		return made;
	}

	test('there are parameters here for every operation', () => {
		const all = resources.flatMap(({ value, operations }) =>
			operations.map((one) => `${value}.${one.value}`),
		);
		expect(Object.keys(suitable).sort()).toEqual(all.sort());
	});

	test.each([...new Set(Object.keys(suitable).map((name) => name.split('.')[0]!))])(
		'%s: each operation gives items',
		async (resource) => {
			const run = await n8n.runWorkflow(workflows.get(resource)!, { trigger: 'Start' });
			expect(errorOf(run)).toBeUndefined();
			const { operations } = resources.find(({ value }) => value === resource)!;
			for (const { action, value } of operations) {
				const items = itemsOf(run, action);
				const expected = noneYet.has(value) ? 0 : 1;
				expect({ [action]: items.length >= expected }).toEqual({ [action]: true });
				expect(JSON.stringify(items)).not.toContain(service.keys.full);
			}
		},
	);

	/** What the editor asks n8n for when a dropdown is opened. */
	const ask = async (
		kind: 'options' | 'resource-locator-results',
		path: string,
		methodName: string,
		key: string,
	) => {
		const id = await n8n.createCredential(
			'Social Publishing account',
			'socialPublishingApi',
			credentialFor(service, key),
		);
		return await n8n.rest('POST', `/dynamic-node-parameters/${kind}`, {
			nodeTypeAndVersion: { name: 'n8n-nodes-social-publishing.socialPublishing', version: 1 },
			path: `parameters.${path}`,
			methodName,
			currentNodeParameters: {
				resource: 'post',
				operation: 'create',
				options: { workspaceId: byId('ws_main') },
			},
			credentials: { socialPublishingApi: { id, name: 'Social Publishing account' } },
		});
	};

	test('the lists of the editor', async () => {
		const { full, expired } = service.keys;
		const found = await ask('resource-locator-results', 'postId', 'searchPosts', full);
		expect(found.results.map(({ value }: any) => value)).toContain('post_done');
		const accounts = await ask('options', 'accounts', 'getAccounts', full);
		expect(accounts).toContainEqual({ name: 'Lakeside Bakery · X', value: 'acc_main_x' });
		expect(await ask('options', 'platforms', 'getPlatforms', expired)).toHaveLength(7);
		for (const [kind, path, method] of [
			['options', 'accounts', 'getAccounts'],
			['resource-locator-results', 'postId', 'searchPosts'],
		] as const)
			await expect(ask(kind, path, method, expired)).rejects.toThrow(/The API key has expired/);
	});

	/** A field's label; below a collection those of the entries that were added. */
	function labelsIn({ displayName, name, type, options = [] }: INodeProperties, given: Parameters): string[] {
		const added = type === 'collection' ? ((given[name] as object | undefined) ?? {}) : {};
		const entries = (options as INodeProperties[]).filter((entry) => entry.name in added);
		return [displayName, ...entries.map((entry) => entry.displayName)];
	}

	/** The labels that the fields of an operation have with these parameters, top level only. */
	function shownOf(resource: Resource, operation: Operation): Shown {
		const parameters = suitable[`${resource.value}.${operation.value}`]!;
		const all = fieldsOf(operation);
		const valueOf = (name: string) => parameters[name] ?? all.find((field) => field.name === name)?.default;
		const fields = all.filter((field) =>
			Object.entries<any>(field.displayOptions?.show ?? {}).every(([name, values]) =>
				values.includes(valueOf(name)),
			),
		);
		return {
			action: operation.action,
			labels: ['Resource', 'Operation', ...fields.flatMap((field) => labelsIn(field, parameters))],
		};
	}

	test('each operation shows its fields and no others, in order, as n8n decides it', async () => {
		const type = 'n8n-nodes-social-publishing.socialPublishing';
		const [description] = await n8n.rest('POST', '/node-types', { nodeInfos: [{ name: type, version: 1 }] });
		const properties: INodeProperties[] = description.properties;
		for (const resource of resources)
			for (const operation of resource.operations) {
				const { action, labels } = shownOf(resource, operation);
				const given = {
					resource: resource.value,
					operation: operation.value,
					...suitable[`${resource.value}.${operation.value}`],
				};
				const node = { typeVersion: 1 };
				const isShown = (values: INodeParameters) => (property: INodeProperties) =>
					NodeHelpers.displayParameter(values, property, node, description);
				const ofOperation = properties.filter(isShown(given));
				const defaults = Object.fromEntries(ofOperation.map(({ name, default: value }) => [name, value]));
				const values = { ...defaults, ...given } as INodeParameters;
				expect([
					action,
					properties.filter(isShown(values)).flatMap((field) => labelsIn(field, given)),
				]).toEqual([action, labels]);
			}
	});

	requiring('browser')('post: each panel in the editor shows them', async () => {
		editor = await openEditor(n8n, { width: 1500, height: 1000 });
		const resource = resources.find(({ value }) => value === 'post')!;
		await editor.openWorkflow(workflows.get('post')!);
		for (const { hasIssues, name } of await editor.nodes())
			expect({ [name]: hasIssues }).toEqual({ [name]: false });
		for (const operation of resource.operations) {
			const { action, labels } = shownOf(resource, operation);
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
