import { randomUUID } from 'node:crypto';

import { type Execution, type N8nClient, poll, request } from '../../n8n/client';

/** Workflows for tests, built in code: nodes in a row, started by a request or by hand. */

export type Workflow = Record<string, any>;

/** A node as the editor exports it, with settings such as `retryOnFail`; `flow` adds what is missing. */
export interface FlowNode {
	name: string;
	type: string;
	typeVersion?: number;
	parameters?: Record<string, unknown>;
	[setting: string]: unknown;
}

/** A node of n8n's own. */
export const n8nNode = (
	name: string,
	type: string,
	typeVersion = 1,
	parameters: Record<string, unknown> = {},
): FlowNode => ({ name, type: `n8n-nodes-base.${type}`, typeVersion, parameters });

export const manual = n8nNode('Start', 'manualTrigger');
export const nothing = n8nNode('Nothing', 'noOp');
export const onError = n8nNode('Error', 'errorTrigger');
export const code = (name: string, jsCode: string): FlowNode => n8nNode(name, 'code', 2, { jsCode });

/** One item after another through the node *Post*; `ofLoop`: its connections. */
export const loop = n8nNode('Loop', 'splitInBatches', 3, { batchSize: 1, options: {} });
export const ofLoop = { Loop: { main: [[], [{ node: 'Post', type: 'main', index: 0 }]] } };

/** Starts a workflow by a request: see `call`. */
export const start = (): FlowNode => {
	const webhookId = randomUUID();
	const parameters = { path: webhookId, httpMethod: 'POST', responseMode: 'onReceived', options: {} };
	return { ...n8nNode('Start', 'webhook', 2, parameters), webhookId };
};

/** The body's `items`, one item each. */
export const splitItems = n8nNode('Items', 'splitOut', 1, { fieldToSplitOut: 'body.items', options: {} });

const credentials = { socialPublishingApi: { id: null, name: 'Social Publishing account' } };

export const socialPublishing = (
	parameters: Record<string, unknown>,
	settings: Record<string, unknown> = {},
	name = 'Post',
): FlowNode => ({
	name,
	type: 'n8n-nodes-social-publishing.socialPublishing',
	parameters,
	credentials,
	...settings,
});

/** n8n's HTTP Request node with our credential. */
export const asking = (name: string, url: string, parameters: object = {}): FlowNode => ({
	...n8nNode(name, 'httpRequest', 4.2, {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'socialPublishingApi',
		url,
		...parameters,
	}),
	credentials,
});

export const createParameters = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
	resource: 'post',
	operation: 'create',
	platforms: ['x'],
	text: '={{ $json.text }}',
	when: 'now',
	mediaFrom: 'none',
	options: {},
	...more,
});

export const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** A connection, or several from one output. */
export const to = (names: string | string[], type = 'main') => ({
	[type]: [[names].flat().map((node) => ({ node, type, index: 0 }))],
});

/** A workflow of nodes in a row; `links` adds or replaces connections. */
export function flow(
	name: string,
	nodes: FlowNode[],
	links: Record<string, unknown> = {},
	settings: Record<string, unknown> = {},
): Workflow {
	const row = nodes.slice(1).map((node, i) => [nodes[i]!.name, to(node.name)]);
	return {
		name,
		nodes: nodes.map((node, i) => ({
			id: randomUUID(),
			typeVersion: 1,
			position: [i * 220, 0],
			parameters: {},
			...node,
		})),
		connections: { ...Object.fromEntries(row), ...links },
		settings: { executionOrder: 'v1', ...settings },
	};
}

/** Nodes in a row, and behind the last one all `others`, side by side. */
export const sideBySide = (name: string, row: FlowNode[], others: FlowNode[]): Workflow =>
	flow(name, [...row, ...others.map((node, i) => ({ position: [row.length * 220, i * 180], ...node }))], {
		...Object.fromEntries(others.map((node) => [node.name, to([])])),
		[row.at(-1)!.name]: to(others.map((node) => node.name)),
	});

export interface TriggerOptions {
	name?: string;
	events?: string[];
	options?: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

/** A workflow that our trigger starts. */
export const ours = (
	behind: FlowNode[],
	{ name = 'Ours', events = ['post.published'], options = {}, settings }: TriggerOptions = {},
): Workflow => {
	const trigger = {
		name: 'Trigger',
		webhookId: randomUUID(),
		type: 'n8n-nodes-social-publishing.socialPublishingTrigger',
		typeVersion: 2,
		parameters: { events, options, includePost: false },
		credentials,
	};
	return flow(name, [trigger, ...behind], {}, settings);
};

/** The workflow's part of its address at the service. */
export const hookOf = (workflow: Workflow): string => workflow.nodes[0].webhookId;

/** n8n's AI agent, whose tools are our node with these parameters, by name; a `Model` is its model. */
export function agentFlow(tools: Record<string, Record<string, unknown>>): Workflow {
	const nodes: FlowNode[] = [
		manual,
		{
			name: 'Agent',
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion: 3,
			parameters: { promptType: 'define', text: 'Do what the script says.', options: {} },
		},
		{
			name: 'Model',
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
			credentials: { openAiApi: { name: 'Scripted model' } },
		},
		...Object.entries(tools).map(([name, parameters]) => ({
			...socialPublishing({ descriptionType: 'auto', ...parameters }, {}, name),
			type: 'n8n-nodes-social-publishing.socialPublishingTool',
		})),
	];
	return flow('Agent', nodes, {
		Agent: {},
		Model: to('Agent', 'ai_languageModel'),
		...Object.fromEntries(Object.keys(tools).map((name) => [name, to('Agent', 'ai_tool')])),
	});
}

/** Starts a published workflow by its Start node. */
export async function call(n8n: N8nClient, id: string, body: unknown = {}): Promise<void> {
	const { nodes } = await n8n.rest('GET', `/workflows/${id}`);
	const { path } = nodes.find(({ name }: FlowNode) => name === 'Start').parameters;
	const address = `${n8n.webhookUrl}/webhook/${path}`;
	await poll(
		`the webhook ${path}`,
		async () => {
			const json = { 'content-type': 'application/json' };
			const answer = await request(address, { method: 'POST', headers: json, body: JSON.stringify(body) });
			return { status: answer.status, text: await answer.text() };
		},
		({ status }) => status === 200,
	);
}

export async function runFlow(n8n: N8nClient, id: string, body: unknown = {}): Promise<Execution> {
	await n8n.activate(id);
	await call(n8n, id, body);
	return await n8n.waitForExecution(id);
}
