import { randomUUID } from 'node:crypto';

import { type Execution, itemsOf, type N8nClient, poll } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { type N8n, startN8n } from '../n8n/instance';
import { requiring } from '../n8n/requires';
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

/** The rows of docs/idempotency.md that only a whole n8n can show. */
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
		credential = await credentialIn(n8n);
	});
	afterEach(async () => {
		for (const id of made.splice(0).reverse()) await n8n.deleteWorkflow(id);
		await service.close();
	});

	const credentialIn = async (where: N8nClient) => ({
		socialPublishingApi: await where.createCredential(
			'Social Publishing account',
			'socialPublishingApi',
			credentialFor(service, service.keys.full),
		),
	});
	const create = async (workflow: Record<string, unknown>): Promise<string> => {
		const id = await n8n.createWorkflow(workflow, credential);
		made.push(id);
		return id;
	};
	const texts = (): string[] => [...service.store.posts.values()].map((post: any) => post.text).sort();
	const words = (count: number) => Array.from({ length: count }, (_, i) => ({ text: `Word ${i}` }));
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

	/** The service answers so many posts; it takes those after that, too, but leaves the node without an answer. */
	const answerOnly = (count: number) =>
		service.faults.add({ kind: 'hang', act: true, method: 'POST', path: '^/posts$', skip: count, times: 0 });

	/** Until the node waits for an answer that does not come: it can't end before it is stopped, or dies. */
	const someSent = async (more: number) =>
		await poll(
			'some posts',
			() => service.store.posts.size,
			(count) => count > more,
		);

	/** Starts 30 items, stops the execution when some are sent, and retries it. */
	async function stopAndRetry(text: string): Promise<Execution> {
		const path = randomUUID();
		answerOnly(8);
		const id = await create(
			flow('Stop', [start(path), splitItems, socialPublishing(createParameters({ text }))]),
		);
		await n8n.activate(id);
		await call(n8n, path, { items: words(30) });
		await someSent(8);
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
		expect(texts()).toEqual(
			words(30)
				.map(({ text }) => text)
				.sort(),
		);
	});

	test('stopped and retried with `$now` in the text: every post once; what was sent with another text is named', async () => {
		const retry = await stopAndRetry('={{ $json.text }} {{ $now.toMillis() }}');
		expect(retry.data.resultData.runData.Post[0].error.context.data.code).toBe(
			'PUBLIC_API_IDEMPOTENCY_CONFLICT',
		);
		expect(texts().map((text) => text.replace(/ \d+$/, ''))).toEqual(
			words(30)
				.map(({ text }) => text)
				.sort(),
		);
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

	test('run by hand, failed, run again, also as "Execute step": only what is missing', async () => {
		const rows = { fieldToSplitOut: 'items', options: {} };
		const items = { mode: 'raw', jsonOutput: JSON.stringify({ items: words(3) }), options: {} };
		const id = await create(
			flow('By hand, failed', [
				{ name: 'By hand', type: 'n8n-nodes-base.manualTrigger' },
				{ name: 'Rows', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: items },
				{ name: 'Items', type: 'n8n-nodes-base.splitOut', parameters: rows },
				socialPublishing(createParameters({ options: { concurrency: 1 } })),
			]),
		);
		const { versionId } = await n8n.rest('GET', `/workflows/${id}`);
		await n8n.rest('PATCH', `/workflows/${id}`, { versionId, pinData: {} });
		const refuse = (skip: number) =>
			service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip });
		refuse(1);
		const first = await n8n.runWorkflow(id, { trigger: 'By hand' });
		expect([first.status, texts()]).toEqual(['error', ['Word 0']]);
		refuse(1);
		const second = await n8n.runWorkflow(id, { trigger: 'By hand' });
		expect([second.status, texts()]).toEqual(['error', ['Word 0', 'Word 1']]);
		const before = second.data.resultData.runData;
		const { executionId } = await n8n.rest('POST', `/workflows/${id}/run`, {
			runData: Object.fromEntries(['By hand', 'Rows', 'Items'].map((name) => [name, before[name]])),
			startNodes: [{ name: 'Post', sourceData: null }],
			destinationNode: { nodeName: 'Post', mode: 'inclusive' },
			dirtyNodeNames: [],
		});
		const third = await n8n.waitForFinish(executionId);
		expect(itemsOf(third, 'Post')).toHaveLength(3);
		expect(texts()).toEqual(words(3).map(({ text }) => text));
		await n8n.runWorkflow(id, { trigger: 'By hand' });
		expect(texts()).toHaveLength(6);
	});

	test('n8n killed while sending, then retried from the start: every post once', async () => {
		const own: N8n = await startN8n();
		try {
			const path = randomUUID();
			answerOnly(6);
			const workflow = flow('Crash', [start(path), splitItems, socialPublishing(createParameters())]);
			const id = await own.createWorkflow(workflow, await credentialIn(own));
			await own.activate(id);
			await call(own, path, { items: words(20) });
			await someSent(6);
			await own.kill();
			service.faults.clear();
			const sent = service.store.posts.size;
			expect(sent).toBeLessThan(20);
			await own.restart();
			const crashed = await own.waitForExecution(id);
			expect(crashed.status).toBe('crashed');
			const retry = await own.retryExecution(crashed.id);
			expect(retry.status).toBe('success');
			expect(texts()).toEqual(
				words(20)
					.map(({ text }) => text)
					.sort(),
			);
		} finally {
			await own.stop();
		}
	});

	requiring('postgres', 'redis')(
		'queue mode: the worker dies while sending, the execution is retried: every post once',
		async () => {
			const own: N8n = await startN8n({
				mode: 'queue',
				webhooks: 1,
				// As docs/idempotency.md asks for: else n8n 2.41 may store the execution without what it was given.
				env: { QUEUE_WORKER_STALLED_INTERVAL: '0' },
			});
			try {
				const path = randomUUID();
				answerOnly(6);
				const workflow = flow('Queue', [start(path), splitItems, socialPublishing(createParameters())]);
				const id = await own.createWorkflow(workflow, await credentialIn(own));
				await own.activate(id);
				await call(own, path, { items: words(20) });
				await someSent(6);
				const [worker] = own.workers;
				await worker!.kill('SIGKILL');
				service.faults.clear();
				expect(service.store.posts.size).toBeLessThan(20);
				await worker!.start();
				// n8n does not run it again by itself: the worker, in its folder again, finds in its log that it died with it.
				const ended = await own.waitForExecution(id, { status: 'crashed' });
				const retry = await own.retryExecution(ended.id);
				expect(itemsOf(retry, 'Post')).toHaveLength(20);
				expect(texts()).toEqual(
					words(20)
						.map(({ text }) => text)
						.sort(),
				);
			} finally {
				await own.stop();
			}
		},
	);
});
