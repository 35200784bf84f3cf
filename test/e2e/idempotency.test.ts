import { itemsOf } from '../n8n/client';
import {
	byId,
	code,
	createParameters,
	flow,
	type FlowNode,
	loop,
	manual,
	n8nNode,
	ofLoop,
	runFlow,
	socialPublishing,
	splitItems,
	start,
	to,
} from '../support/e2e/flow';
import { breakOffAndRetry, count, MOVING, sender, words } from '../support/e2e/writes';
import { posts } from '../support/store';
import { scaled, useScene } from './shared';

/** The rows of docs/idempotency.md that only a whole n8n can show. Where n8n is killed: trigger-kills.test.ts, queue-mode.test.ts. */
describe('what was sent is not sent again', () => {
	const scene = useScene();

	const texts = () => posts(scene.service).map(({ text }) => text);
	const post = (more: Record<string, unknown>) => socialPublishing(createParameters(more));

	/** One request in five fails, in six ways; the same ones in every run. */
	const faults = [
		{ kind: 'error', code: 'PUBLIC_API_POST_CREATE_FAILED' },
		{ kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED' },
		{ kind: 'dropBefore' },
		{ kind: 'dropAfter' },
		{ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '1' },
		{ kind: 'delay', ms: 300 },
	] as const;

	test('Retry On Fail, one request in five fails, stopped and retried: each post once', async () => {
		const { n8n, service } = scene;
		for (const [i, fault] of faults.entries())
			service.faults.add({ ...fault, method: 'POST', rate: 0.2 / faults.length, times: 0, seed: 11 + i });
		const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const parameters = createParameters({ options: { maxRetryWait: 900 } });
		const id = await scene.save(sender(socialPublishing(parameters, retrying)));
		const size = scaled(40);
		const stop = async (execution: string) => await n8n.stopExecution(execution);
		// n8n 2.41 leaves the error of the execution that was stopped in its retry.
		const { broken, retry } = await breakOffAndRetry(n8n, service, id, size, stop);
		expect([broken.status, itemsOf(retry, 'Post').length]).toEqual(['canceled', size]);
		expect(count(service, size)).toEqual({ posts: size, missing: 0, doubled: 0 });
	});

	test('Retry execution, as it was and as the workflow is saved now; and a retry of the retry', async () => {
		const { n8n, service } = scene;
		service.faults.add({ kind: 'dropAfter', method: 'POST', skip: 2, times: 3 });
		const id = await scene.save(sender(post({ text: MOVING, options: { maxRetryWait: 0 } })));
		const first = await runFlow(n8n, id, { items: words(5) });
		const second = await n8n.retryExecution(first.id);
		expect([first.status, second.status]).toEqual(['error', 'error']);
		const third = await n8n.retryExecution(second.id, { loadWorkflow: true });
		const last = third.status === 'error' ? await n8n.retryExecution(third.id) : third;
		expect(last.status).toBe('success');
		expect(count(service, 5)).toMatchObject({ posts: 5, missing: 0, doubled: 0 });
		expect(new Set(itemsOf(last, 'Post').map(({ idempotency_key: key }) => key)).size).toBe(5);
	});

	/** Four items, of which the third is refused; then a retry. */
	async function failAndRetry(id: string): Promise<void> {
		scene.service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
		const first = await runFlow(scene.n8n, id, { items: words(4) });
		expect(first.status).toBe('error');
		expect(texts()).toHaveLength(2);
		expect((await scene.n8n.retryExecution(first.id)).status).toBe('success');
	}

	test('rounds of a loop are writes of their own, and their retries are not', async () => {
		const nodes = [start(), splitItems, loop, post({ text: 'Same' })];
		await failAndRetry(await scene.save(flow('Loop', nodes, { ...ofLoop, Post: to('Loop') })));
		expect(texts()).toEqual(['Same', 'Same', 'Same', 'Same']);
	});

	/** Calls a sub-workflow, which posts, for each item. */
	async function callFor(...items: FlowNode[]): Promise<string> {
		const called = n8nNode('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
		const sub = await scene.save(flow('Sub', [called, post({})]));
		await scene.n8n.activate(sub);
		const workflowInputs = { mappingMode: 'defineBelow', value: {}, schema: [] };
		const parameters = { workflowId: byId(sub), workflowInputs, mode: 'each', options: {} };
		return await scene.save(flow('Caller', [...items, n8nNode('Call', 'executeWorkflow', 1.2, parameters)]));
	}

	test('a sub-workflow called for each item: a retry of the caller sends nothing again', async () => {
		await failAndRetry(await callFor(start(), splitItems));
		expect(count(scene.service, 4)).toMatchObject({ posts: 4, missing: 0, doubled: 0 });
	});

	test('a sub-workflow called for each item by hand: a retry of the caller sends nothing again', async () => {
		const { n8n, service } = scene;
		const items = code('Items', `return ${JSON.stringify(words(4).map((json) => ({ json })))}`);
		const id = await callFor(manual, items);
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
		const first = await n8n.runWorkflow(id, { trigger: manual.name });
		expect([first.status, texts().length]).toEqual(['error', 2]);
		expect((await n8n.retryExecution(first.id)).status).toBe('success');
		expect(count(service, 4)).toMatchObject({ posts: 4, missing: 0, doubled: 0 });
	});
});
