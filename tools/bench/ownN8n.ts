import type { Execution, N8nClient } from '../../test/n8n/client';
import { accountOf } from '../../test/n8n/examples';
import { startN8n } from '../../test/n8n/instance';
import type { Service } from '../../test/service';
import { type FlowNode, manual, type Workflow } from '../../test/support/e2e/flow';

const SAMPLE_MS = 250;
const LONGEST_RUN_MS = 1_800_000;

/** What a workflow starts with: so many items, each with a text of its own. */
export const items = (count: number): FlowNode[] => [
	manual,
	{
		name: 'Items',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode: `return Array.from({ length: ${count} }, (_, i) => ({ json: { text: 'Post ' + i + ' of ${count}' } }));`,
		},
	},
];

interface Measured {
	execution: Execution;
	/** How much n8n's memory grew, at most. */
	bytes: number;
}

/**
 * Runs a workflow in an n8n of its own, so that its memory is its own. What is loaded once counts for neither time nor
 * memory: the workflow with 100 items runs before.
 */
export async function inOwnN8n(
	service: Service,
	workflowOf: (count: number) => Workflow,
	count: number,
	options: { apiKey?: string; beforeRun?: () => void } = {},
): Promise<Measured> {
	const { apiKey = service.keys.full, beforeRun } = options;
	const n8n = await startN8n();
	try {
		await run(n8n, service, service.keys.full, workflowOf(100));
		beforeRun?.();
		const before = await n8n.memory();
		let most = before;
		const look = async () => (most = Math.max(most, await n8n.memory()));
		const sampling = setInterval(() => void look(), SAMPLE_MS);
		const execution = await run(n8n, service, apiKey, workflowOf(count)).finally(() =>
			clearInterval(sampling),
		);
		return { execution, bytes: most - before };
	} finally {
		await n8n.stop();
	}
}

async function run(n8n: N8nClient, service: Service, apiKey: string, workflow: Workflow): Promise<Execution> {
	const id = await n8n.createWorkflow(workflow, await accountOf(n8n, service, apiKey));
	return await n8n.runWorkflow(id, { timeoutMs: LONGEST_RUN_MS });
}

/** n8n's HTTP Request node that makes a post of each item; `key` is an expression for the idempotency key. */
export const httpRequest = (
	service: { apiUrl: string },
	key: string,
	batch: { batchSize: number; batchInterval: number },
	more: Record<string, unknown> = {},
): FlowNode => ({
	name: 'Post',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		method: 'POST',
		url: `${service.apiUrl}/posts`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'socialPublishingApi',
		sendHeaders: true,
		headerParameters: { parameters: [{ name: 'Idempotency-Key', value: key }] },
		sendBody: true,
		specifyBody: 'json',
		jsonBody: "={{ JSON.stringify({ platform: 'x', content: { text: $json.text } }) }}",
		options: { batching: { batch } },
	},
	credentials: { socialPublishingApi: { id: null, name: 'Social Publishing account' } },
	...more,
});
