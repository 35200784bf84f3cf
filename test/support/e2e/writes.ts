import { type Execution, type N8nClient, poll } from '../../n8n/client';
import { accountOf } from '../../n8n/examples';
import { type Service, startService } from '../../service';
import { call, createParameters, type FlowNode, socialPublishing } from './flow';
import { sender, wordIn, words } from './sending';

/** Many posts through a real n8n while the service fails one request in five, with stops and retries. */

/** How often the execution is stopped and retried on its way. */
const STOPS = 3;
export const PATIENCE = 1_800_000;

/** One request in five fails, in six ways; the same ones in every run. */
function unsettle(service: Service): void {
	const rate = 0.2 / 6;
	const one = { method: 'POST', path: '^/posts$', rate, times: 0 };
	service.faults.add({ ...one, seed: 11, kind: 'error', code: 'PUBLIC_API_POST_CREATE_FAILED' });
	service.faults.add({ ...one, seed: 12, kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED' });
	service.faults.add({ ...one, seed: 13, kind: 'dropBefore' });
	service.faults.add({ ...one, seed: 14, kind: 'dropAfter' });
	service.faults.add({ ...one, seed: 15, kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '1' });
	service.faults.add({ ...one, seed: 16, kind: 'delay', ms: 300 });
}

export interface Counted {
	/** Posts at the service. */
	posts: number;
	/** Items of which there is no post, more than one post, or a post with another text. */
	missing: number;
	doubled: number;
	wrong: number;
	requests: number;
}

export function count(service: Service, size: number): Counted {
	const wanted = words(size).map(({ text }) => text);
	const found = new Map<string, number>();
	let wrong = 0;
	for (const { text } of service.store.posts.values()) {
		const word = wordIn(text);
		if (!wanted.includes(word)) wrong++;
		else found.set(word, (found.get(word) ?? 0) + 1);
	}
	return {
		posts: service.store.posts.size,
		missing: wanted.filter((word) => !found.has(word)).length,
		doubled: [...found.values()].filter((times) => times > 1).length,
		wrong,
		requests: service.requests.filter(({ method }) => method === 'POST').length,
	};
}

/** The node that posts; `text` is its Text parameter. */
export const postNode = (text: string): FlowNode =>
	socialPublishing(createParameters({ text, options: { concurrency: 20, maxRetryWait: 900 } }), {
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 100,
	});

interface Posted extends Counted {
	stops: number;
	last: Execution;
}

/** `size` items through a node named Post; the service fails one request in five. */
export async function postThroughFaults(
	n8n: N8nClient,
	size: number,
	nodeFor: (service: Service) => FlowNode,
): Promise<Posted> {
	const service = await startService();
	try {
		unsettle(service);
		const id = await n8n.createWorkflow(sender(nodeFor(service)), await accountOf(n8n, service));
		const { last, stops } = await stopAndRetry(n8n, service, id, size);
		await n8n.deactivate(id);
		return { ...count(service, size), stops, last };
	} finally {
		await service.close();
	}
}

const ENDED = ['success', 'error', 'canceled', 'crashed'];

/** Runs the workflow, stops it up to `STOPS` times on the way, and retries it each time. */
async function stopAndRetry(n8n: N8nClient, service: Service, id: string, size: number) {
	const part = Math.floor(size / (STOPS + 1));
	await n8n.activate(id);
	let hang = hangAfter(service, part);
	await call(n8n, id, { items: words(size) });
	let current = await poll('the execution', async () => (await n8n.executions(id))[0]?.id);
	let stops = 0;
	for (let turn = 1; turn <= STOPS; turn++) {
		const met = () => service.faults.list().find((fault) => fault.id === hang)!.met > 0;
		// Of a node that gives up early not all are sent.
		const state = async () => (await n8n.executions(id)).find((one) => one.id === current)?.status;
		const look = async () => (met() ? 'met' : await state());
		const seen = await poll('posts to stop at', look, (one) => [...ENDED, 'met'].includes(one), PATIENCE);
		if (seen === 'success') break;
		if (seen === 'met') {
			await n8n.stopExecution(current);
			await n8n.waitForFinish(current, PATIENCE);
			stops++;
		}
		service.faults.clear(hang);
		// The retry sends what was sent before, too.
		if (turn < STOPS) hang = hangAfter(service, part * (turn + 1));
		current = await retry(n8n, current);
	}
	return { last: await n8n.waitForFinish(current, PATIENCE), stops };
}

/** Every post but so many hangs: an execution that sends them all can't end before it is stopped. */
const hangAfter = ({ faults }: Service, skip: number) =>
	faults.add({ kind: 'hang', method: 'POST', path: '^/posts$', times: 0, skip });

/** Starts a retry; its execution's ID, without waiting for its end. */
async function retry(n8n: N8nClient, id: string): Promise<string> {
	// n8n answers when the retry has ended.
	void n8n.rest('POST', `/executions/${id}/retry`, { loadWorkflow: false }).catch(() => undefined);
	const look = async () => (await n8n.executions()).find((one) => one.retryOf === id)?.id;
	return await poll(`the retry of execution ${id}`, look);
}

/** How the node's last run ended. (The execution's own state stays "error" in a retry of a stopped one.) */
export function endOf({ status, data }: Execution): string {
	const last = data.resultData.runData.Post?.at(-1);
	if (!last) return status;
	return last.error ? (last.error.context?.data?.code ?? 'error') : `${last.data.main[0].length} items`;
}
