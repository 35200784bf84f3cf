import { randomUUID } from 'node:crypto';

import { type Execution, itemsOf, type N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { type Service, startService } from '../service';
import { sharedN8n } from './shared';
import {
	call,
	createParameters,
	flow,
	runFlow,
	socialPublishing,
	splitItems,
	start,
} from '../support/e2e/flow';
import { allWords, answerOnly, textsAt, untilSent, words } from '../support/e2e/sending';

/** The rows of docs/idempotency.md that only a whole n8n can show. Where n8n is killed: crash.test.ts, queue-mode.test.ts. */
describe('what was sent is not sent again', () => {
	let service: Service;
	let n8n: N8nClient;
	let credential: Record<string, string>;
	const made: string[] = [];

	beforeAll(async () => {
		n8n = await sharedN8n();
	});
	beforeEach(async () => {
		service = await startService();
		credential = {
			socialPublishingApi: await n8n.createCredential(
				'Social Publishing account',
				'socialPublishingApi',
				credentialFor(service, service.keys.full),
			),
		};
	});
	afterEach(async () => {
		for (const id of made.splice(0).reverse()) await n8n.deleteWorkflow(id);
		await service.close();
	});

	const create = async (workflow: Record<string, unknown>): Promise<string> => {
		const id = await n8n.createWorkflow(workflow, credential);
		made.push(id);
		return id;
	};
	const texts = () => textsAt(service);
	const keysOf = (execution: Execution): unknown[] =>
		itemsOf(execution, 'Post').map(({ idempotency_key }) => idempotency_key);

	test('Retry On Fail, answers lost, `$now` in the text: one post an item', async () => {
		const path = randomUUID();
		service.faults.add({ kind: 'dropAfter', method: 'POST', rate: 0.5, seed: 3, times: 0 });
		const id = await create(
			flow('Retry on fail', [
				start(path),
				splitItems,
				socialPublishing(
					createParameters({ text: '={{ $json.text }} {{ $now.toMillis() }}', options: { maxRetryWait: 0 } }),
					{ retryOnFail: true, maxTries: 5, waitBetweenTries: 10 },
				),
			]),
		);
		await runFlow(n8n, id, path, { items: words(5) });
		const words5 = texts().map((text) => text.slice(0, 6));
		expect(new Set(words5).size).toBe(words5.length);
	});

	test('Retry execution, as it was and as the workflow is saved now; and a retry of the retry', async () => {
		const path = randomUUID();
		service.faults.add({ kind: 'dropAfter', method: 'POST', skip: 2, times: 3 });
		const parameters = createParameters({
			text: '={{ $json.text }} {{ $now.toMillis() }}',
			options: { maxRetryWait: 0, concurrency: 1 },
		});
		const id = await create(flow('Retry execution', [start(path), splitItems, socialPublishing(parameters)]));
		const first = await runFlow(n8n, id, path, { items: words(5) });
		expect(first.status).toBe('error');
		const second = await n8n.retryExecution(first.id);
		expect(second.status).toBe('error');
		const third = await n8n.retryExecution(second.id, { loadWorkflow: true });
		const last = third.status === 'error' ? await n8n.retryExecution(third.id) : third;
		expect(last.status).toBe('success');
		expect(texts().map((text) => text.slice(0, 6))).toEqual(words(5).map(({ text }) => text));
		expect(new Set(keysOf(last)).size).toBe(5);
	});

	/** Starts 30 items, stops the execution when some are sent, and retries it. */
	async function stopAndRetry(text: string): Promise<Execution> {
		const path = randomUUID();
		answerOnly(service, 8);
		const id = await create(
			flow('Stop', [start(path), splitItems, socialPublishing(createParameters({ text }))]),
		);
		await n8n.activate(id);
		await call(n8n, path, { items: words(30) });
		await untilSent(service, 8);
		const [running] = await n8n.executions(id);
		await n8n.stopExecution(running!.id);
		const stopped = await n8n.waitForFinish(running!.id);
		expect(stopped.status).toBe('canceled');
		expect(service.store.posts.size).toBeLessThan(30);
		service.faults.clear();
		return await n8n.retryExecution(stopped.id);
	}

	test('stopped while sending, then retried: every post once', async () => {
		// n8n drops what a stopped execution knew and starts its retry from the trigger; the token stays.
		const retry = await stopAndRetry('={{ $json.text }}');
		expect(retry.data.resultData.runData.Post[0].error).toBeUndefined();
		expect(itemsOf(retry, 'Post')).toHaveLength(30);
		expect(texts()).toEqual(allWords(30));
	});

	test('stopped and retried with `$now` in the text: every post once; what was sent with another text is named', async () => {
		const retry = await stopAndRetry('={{ $json.text }} {{ $now.toMillis() }}');
		expect(retry.data.resultData.runData.Post[0].error.context.data.code).toBe(
			'PUBLIC_API_IDEMPOTENCY_CONFLICT',
		);
		expect(texts().map((text) => text.replace(/ \d+$/, ''))).toEqual(allWords(30));
	});

	test('rounds of a loop are wishes of their own, and their retries are not', async () => {
		const path = randomUUID();
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
		const loop = {
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 1, options: {} },
		};
		const id = await create(
			flow('Loop', [start(path), splitItems, loop, socialPublishing(createParameters({ text: 'Same' }))], {
				Loop: { main: [[], [{ node: 'Post', type: 'main', index: 0 }]] },
				Post: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
			}),
		);
		const first = await runFlow(n8n, id, path, { items: words(4) });
		expect(first.status).toBe('error');
		expect(texts()).toHaveLength(2);
		const retry = await n8n.retryExecution(first.id);
		expect(retry.status).toBe('success');
		expect(texts()).toEqual(['Same', 'Same', 'Same', 'Same']);
	});

	test('a sub-workflow called for each item: a retry of the caller sends nothing again', async () => {
		const path = randomUUID();
		const sub = await create(
			flow('Sub', [
				{
					name: 'Called',
					type: 'n8n-nodes-base.executeWorkflowTrigger',
					typeVersion: 1.1,
					parameters: { inputSource: 'passthrough' },
				},
				socialPublishing(createParameters()),
			]),
		);
		await n8n.activate(sub);
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
		const caller = {
			name: 'Call',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: {
				workflowId: { __rl: true, mode: 'id', value: sub },
				workflowInputs: { mappingMode: 'defineBelow', value: {}, schema: [] },
				mode: 'each',
				options: {},
			},
		};
		const id = await create(flow('Caller', [start(path), splitItems, caller]));
		const first = await runFlow(n8n, id, path, { items: words(4) });
		expect(first.status).toBe('error');
		expect(texts()).toHaveLength(2);
		const retry = await n8n.retryExecution(first.id);
		expect(retry.status).toBe('success');
		expect(texts()).toEqual(words(4).map(({ text }) => text));
	});

	test('run again by hand in the editor: a new wish', async () => {
		const id = await create(
			flow('By hand', [
				{ name: 'By hand', type: 'n8n-nodes-base.manualTrigger' },
				socialPublishing(createParameters({ text: 'Hello' })),
			]),
		);
		const runs = [
			await n8n.runWorkflow(id, { trigger: 'By hand' }),
			await n8n.runWorkflow(id, { trigger: 'By hand' }),
		];
		expect(texts()).toEqual(['Hello', 'Hello']);
		// "Execute step": only this node, with what the one before it gave out.
		const { versionId } = await n8n.rest('GET', `/workflows/${id}`);
		await n8n.rest('PATCH', `/workflows/${id}`, { versionId, pinData: {} });
		const { executionId } = await n8n.rest('POST', `/workflows/${id}/run`, {
			runData: { 'By hand': runs[1]!.data.resultData.runData['By hand'] },
			startNodes: [{ name: 'Post', sourceData: null }],
			destinationNode: { nodeName: 'Post', mode: 'inclusive' },
			dirtyNodeNames: [],
		});
		await n8n.waitForFinish(executionId);
		expect(texts()).toEqual(['Hello', 'Hello', 'Hello']);
	});
});
