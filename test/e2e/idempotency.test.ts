import { type Execution, itemsOf } from '../n8n/client';
import {
	byId,
	call,
	createParameters,
	flow,
	type FlowNode,
	manual,
	runFlow,
	socialPublishing,
	splitItems,
	start,
	to,
} from '../support/e2e/flow';
import {
	allWords,
	answerOnly,
	MOVING,
	sender,
	textsAt,
	untilSent,
	wordIn,
	words,
} from '../support/e2e/sending';
import { useScene } from './shared';

/** The rows of docs/idempotency.md that only a whole n8n can show. Where n8n is killed: trigger-restarts.test.ts, queue-mode.test.ts. */
describe('what was sent is not sent again', () => {
	const scene = useScene();

	const texts = () => textsAt(scene.service);
	const post = (more: Record<string, unknown>, settings: Record<string, unknown> = {}) =>
		socialPublishing(createParameters(more), settings);

	test('Retry On Fail, answers lost, `$now` in the text: one post an item', async () => {
		scene.service.faults.add({ kind: 'dropAfter', method: 'POST', rate: 0.5, seed: 3, times: 0 });
		const again = { retryOnFail: true, maxTries: 5, waitBetweenTries: 10 };
		const id = await scene.save(sender(post({ text: MOVING, options: { maxRetryWait: 0 } }, again)));
		await runFlow(scene.n8n, id, { items: words(5) });
		const sent = texts().map(wordIn);
		expect(new Set(sent).size).toBe(sent.length);
	});

	test('Retry execution, as it was and as the workflow is saved now; and a retry of the retry', async () => {
		const { n8n, service } = scene;
		service.faults.add({ kind: 'dropAfter', method: 'POST', skip: 2, times: 3 });
		const options = { maxRetryWait: 0, concurrency: 1 };
		const id = await scene.save(sender(post({ text: MOVING, options })));
		const first = await runFlow(n8n, id, { items: words(5) });
		expect(first.status).toBe('error');
		const second = await n8n.retryExecution(first.id);
		expect(second.status).toBe('error');
		const third = await n8n.retryExecution(second.id, { loadWorkflow: true });
		const last = third.status === 'error' ? await n8n.retryExecution(third.id) : third;
		expect(last.status).toBe('success');
		expect(texts().map(wordIn)).toEqual(allWords(5));
		expect(new Set(itemsOf(last, 'Post').map(({ idempotency_key: key }) => key)).size).toBe(5);
	});

	/** Starts 30 items, stops the execution when some are sent, and retries it. */
	async function stopAndRetry(text: string): Promise<Execution> {
		const { n8n, service } = scene;
		answerOnly(service, 8);
		const id = await scene.save(sender(post({ text })));
		await n8n.activate(id);
		await call(n8n, id, { items: words(30) });
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
		const retry = await stopAndRetry(MOVING);
		const { code } = retry.data.resultData.runData.Post[0].error.context.data;
		expect(code).toBe('PUBLIC_API_IDEMPOTENCY_CONFLICT');
		expect(texts().map(wordIn)).toEqual(allWords(30));
	});

	/** Four items, of which the third is refused; then a retry. */
	async function failAndRetry(id: string): Promise<void> {
		scene.service.faults.add({
			kind: 'error',
			code: 'PUBLIC_API_SCOPE_FORBIDDEN',
			method: 'POST',
			skip: 2,
		});
		const first = await runFlow(scene.n8n, id, { items: words(4) });
		expect(first.status).toBe('error');
		expect(texts()).toHaveLength(2);
		expect((await scene.n8n.retryExecution(first.id)).status).toBe('success');
	}

	test('rounds of a loop are writes of their own, and their retries are not', async () => {
		const loop: FlowNode = {
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 1, options: {} },
		};
		const rounds = { Loop: { main: [[], ...to('Post').main!] }, Post: to('Loop') };
		await failAndRetry(
			await scene.save(flow('Loop', [start(), splitItems, loop, post({ text: 'Same' })], rounds)),
		);
		expect(texts()).toEqual(['Same', 'Same', 'Same', 'Same']);
	});

	test('a sub-workflow called for each item: a retry of the caller sends nothing again', async () => {
		const called: FlowNode = {
			name: 'Called',
			type: 'n8n-nodes-base.executeWorkflowTrigger',
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		};
		const sub = await scene.save(flow('Sub', [called, post({})]));
		await scene.n8n.activate(sub);
		const caller: FlowNode = {
			name: 'Call',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: {
				workflowId: byId(sub),
				workflowInputs: { mappingMode: 'defineBelow', value: {}, schema: [] },
				mode: 'each',
				options: {},
			},
		};
		await failAndRetry(await scene.save(sender(caller)));
		expect(texts()).toEqual(allWords(4));
	});

	test('run again by hand in the editor: a post each time', async () => {
		const { n8n } = scene;
		const id = await scene.save(flow('By hand', [manual, post({ text: 'Hello' })]));
		await n8n.runWorkflow(id);
		const { runData } = (await n8n.runWorkflow(id)).data.resultData;
		expect(texts()).toEqual(['Hello', 'Hello']);
		// "Execute step": only this node, with what the one before it gave out.
		const { executionId } = await n8n.rest('POST', `/workflows/${id}/run`, {
			runData: { Start: runData.Start },
			startNodes: [{ name: 'Post', sourceData: null }],
			destinationNode: { nodeName: 'Post', mode: 'inclusive' },
			dirtyNodeNames: [],
		});
		await n8n.waitForFinish(executionId);
		expect(texts()).toEqual(['Hello', 'Hello', 'Hello']);
	});
});
