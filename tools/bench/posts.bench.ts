import { join } from 'node:path';

import type { Execution, N8nClient } from '../../test/n8n/client';
import { accountOf } from '../../test/n8n/examples';
import { startN8n } from '../../test/n8n/instance';
import { type Service, startService } from '../../test/service';
import {
	asking,
	code,
	createParameters,
	flow,
	type FlowNode,
	loop,
	manual,
	n8nNode,
	ofLoop,
	socialPublishing,
	to,
	type Workflow,
} from '../../test/support/e2e/flow';
import { figure, row, type Row } from './figures';

/** How posts go out, beside what people would use instead. */

/** The highest plan (spec, "Rate limits": 90 writes a minute), its minute shortened. */
const WINDOW_MS = 4_000;
/** What keeps to that with a reserve: 15 posts a second. */
const BATCH = { batchSize: 15, batchInterval: 1_000 };
const WAIT_S = 0.05;

/** What a workflow starts with: so many items, each with a text of its own. */
const items = (count: number): FlowNode[] => [
	manual,
	code(
		'Items',
		`return Array.from({ length: ${count} }, (_, i) => ({ json: { text: 'Post ' + i + ' of ${count}' } }));`,
	),
];

/** n8n's Retry On Fail at its defaults. */
const tries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1_000 };

/** n8n's HTTP Request node that makes a post of each item. */
const httpRequest = ({ apiUrl }: Service, key: string, batch = { batchSize: 1, batchInterval: 0 }) => ({
	...asking('Post', `${apiUrl}/posts`, {
		method: 'POST',
		sendHeaders: true,
		headerParameters: { parameters: [{ name: 'Idempotency-Key', value: key }] },
		sendBody: true,
		specifyBody: 'json',
		jsonBody: "={{ JSON.stringify({ platform: 'x', content: { text: $json.text } }) }}",
		options: { batching: { batch } },
	}),
	...tries,
});

type Way = (service: Service, count: number) => Workflow;

const batches =
	(key: string): Way =>
	(service, count) =>
		flow('In batches', [...items(count), httpRequest(service, key, BATCH)]);

/** An idempotency key that a retry has again, and one that is made anew for each request. */
const keys = {
	row: '={{ $execution.id }}-{{ $json.text.replaceAll(" ", "-") }}',
	time: '={{ $now.toMillis() }}-{{ $itemIndex }}',
};

/** One post, then a wait, until no item is left. */
const inLoop: Way = (service, count) => {
	const parameters = { resume: 'timeInterval', amount: WAIT_S, unit: 'seconds' };
	const wait = { ...n8nNode('Wait', 'wait', 1.1, parameters), webhookId: 'bench-wait' };
	const nodes = [...items(count), loop, httpRequest(service, keys.row), wait];
	return flow('Loop', nodes, { ...ofLoop, Wait: to('Loop') });
};

const thisNode =
	(parameters: Record<string, unknown>): Way =>
	(_, count) =>
		flow('Posts', [...items(count), socialPublishing(createParameters(parameters), tries)]);

const ways: Record<string, Way> = {
	'this node, at a time': thisNode({ when: 'at', scheduledAt: '2126-01-01T10:00' }),
	'this node, now, one after another': thisNode({ when: 'now' }),
	'HTTP Request in batches, the row as key': batches(keys.row),
	'HTTP Request in batches, the time as key': batches(keys.time),
	'Loop with a Wait, the row as key': inLoop,
};

/** 1,000 posts, the answer to every fifth request lost after the service has acted. */
export async function lostAnswers(scale: number): Promise<Row[]> {
	const count = Math.round(1_000 * scale);
	const rows: Row[] = [];
	for (const [way, workflowOf] of Object.entries(ways)) {
		const service = await startService({ speed: 0, rateWindowMs: WINDOW_MS });
		const { execution, bytes } = await inOwnN8n(service, workflowOf, count);
		const texts = [...service.store.posts.values()].map(({ text }) => text);
		await service.close();
		const sent = new Set(texts).size;
		const repeated = new Set(texts.filter((text, i) => texts.indexOf(text) !== i)).size;
		const seconds = (Date.parse(execution.stoppedAt!) - Date.parse(execution.startedAt)) / 1000;
		const measured = [
			`${seconds.toFixed(0)} s`,
			`${Math.round(bytes / 2 ** 20)} MiB`,
			`${sent} sent`,
			`${repeated} more than once`,
			`${count - sent} lost`,
			`ends with ${execution.status}`,
		].join(', ');
		const what = `${count} posts: ${way}`;
		const isExact = sent === count && repeated === 0 && execution.status === 'success';
		rows.push(
			way.startsWith('this node')
				? row(what, measured, 'each once, with success', isExact)
				: figure(what, measured),
		);
	}
	return rows;
}

/** In an n8n of its own: how much its memory grew at most, once 100 items have loaded what is loaded once. */
async function inOwnN8n(
	service: Service,
	workflowOf: Way,
	count: number,
): Promise<{ execution: Execution; bytes: number }> {
	const n8n = await startN8n({
		env: { NODE_OPTIONS: `--require "${join(__dirname, 'collectGarbage.cjs')}"` },
	});
	try {
		await run(n8n, service, workflowOf(service, 100));
		service.store.posts.clear();
		const lost = { kind: 'dropAfter', rate: 0.2, seed: 1, times: 0 } as const;
		service.faults.add({ ...lost, method: 'POST', path: '^/posts$' });
		const before = await n8n.memory();
		let most = before;
		const look = async () => (most = Math.max(most, await n8n.memory()));
		const sampling = setInterval(() => void look(), 250);
		const execution = await run(n8n, service, workflowOf(service, count), service.keys.highest);
		clearInterval(sampling);
		return { execution, bytes: most - before };
	} finally {
		await n8n.stop();
	}
}

async function run(n8n: N8nClient, service: Service, workflow: Workflow, key?: string): Promise<Execution> {
	const id = await n8n.createWorkflow(workflow, await accountOf(n8n, service, key));
	return await n8n.runWorkflow(id, { timeoutMs: 1_800_000 });
}
