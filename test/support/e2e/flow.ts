import { randomUUID } from 'node:crypto';

import { type Execution, type N8nClient, poll } from '../../n8n/client';
import { request } from '../../n8n/rest';

/** Workflows for tests, built in code: nodes in a row, started by a request. */

export interface FlowNode {
	name: string;
	type: string;
	typeVersion?: number;
	parameters?: Record<string, unknown>;
	/** Settings such as `retryOnFail`, `onError`. */
	more?: Record<string, unknown>;
}

export const start = (path: string): FlowNode => ({
	name: 'Start',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	parameters: { path, httpMethod: 'POST', responseMode: 'onReceived', options: {} },
	more: { webhookId: path },
});

/** The body's `items`, one item each. */
export const splitItems: FlowNode = {
	name: 'Items',
	type: 'n8n-nodes-base.splitOut',
	typeVersion: 1,
	parameters: { fieldToSplitOut: 'body.items', options: {} },
};

export const socialPublishing = (
	parameters: Record<string, unknown>,
	more: Record<string, unknown> = {},
	name = 'Post',
): FlowNode => ({
	name,
	type: 'n8n-nodes-social-publishing.socialPublishing',
	typeVersion: 1,
	parameters,
	more: { credentials: { socialPublishingApi: { id: null, name: 'Social Publishing account' } }, ...more },
});

export const createParameters = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
	resource: 'post',
	operation: 'create',
	postTo: 'platforms',
	platforms: ['x'],
	text: '={{ $json.text }}',
	when: 'now',
	mediaFrom: 'none',
	options: {},
	...more,
});

/** A workflow of nodes in a row; `links` adds or replaces connections. */
export function flow(
	name: string,
	nodes: FlowNode[],
	links?: Record<string, unknown>,
): Record<string, unknown> {
	const row = Object.fromEntries(
		nodes
			.slice(0, -1)
			.map((node, i) => [node.name, { main: [[{ node: nodes[i + 1]!.name, type: 'main', index: 0 }]] }]),
	);
	return {
		name,
		nodes: nodes.map(({ name: nodeName, type, typeVersion = 1, parameters = {}, more = {} }, i) => ({
			id: randomUUID(),
			name: nodeName,
			type,
			typeVersion,
			position: [i * 220, 0],
			parameters,
			...more,
		})),
		connections: { ...row, ...links },
		settings: { executionOrder: 'v1' },
	};
}

/** Starts a published workflow by its Start node. */
export async function call(
	n8n: Pick<N8nClient, 'webhookUrl'>,
	path: string,
	body: unknown = {},
): Promise<void> {
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

/** Publishes, starts, and waits for the end of the execution. */
export async function runFlow(
	n8n: N8nClient,
	id: string,
	path: string,
	body: unknown = {},
): Promise<Execution> {
	await n8n.activate(id);
	await call(n8n, path, body);
	return await n8n.waitForExecution(id);
}
