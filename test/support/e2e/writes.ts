import { itemsOf, type N8nClient, poll, STEP_TIMEOUT_MS } from '../../n8n/client';
import { accountOf } from '../../n8n/examples';
import { type Service, startService } from '../../service';
import { posts } from '../store';
import {
	call,
	createParameters,
	flow,
	type FlowNode,
	socialPublishing,
	splitItems,
	start,
	type Workflow,
} from './flow';

/** Posts through a real n8n, whose executions are broken off while they send, and what came of them. */

/** A post for each of the `items` of the request that starts it, by our node unless it is another one. */
export function sender(node: FlowNode = socialPublishing(createParameters())): Workflow {
	const workflow = flow('Sender', [start(), splitItems, node]);
	// n8n takes the last one here for the one at which a crashed execution ended, so that it counts the run of the others.
	return { ...workflow, nodes: workflow.nodes.reverse() };
}

/** A text that is another one each time it is evaluated. */
export const MOVING = '={{ $json.text }} {{ $now.toMillis() }}';
/** What it was made of. */
export const wordIn = (text: string): string => text.replace(/ \d{13}$/, '');

export const words = (count: number): Array<{ text: string }> =>
	Array.from({ length: count }, (_, i) => ({ text: `Word ${i}` }));

/** The service answers so many posts; it takes those after that, too, but leaves the node without an answer. */
export const answerOnly = ({ faults }: Service, count: number) =>
	faults.add({ kind: 'hang', act: true, method: 'POST', path: '^/posts$', skip: count, times: 0 });

/** Until the node waits for an answer that does not come: it can't end before it is stopped, or dies. */
export const untilSent = async ({ store }: Service, more: number) =>
	await poll(
		'some posts',
		() => store.posts.size,
		(count) => count > more,
	);

/** Runs a saved `sender`, which something kills while it sends, and retries it: every post is there once. */
export async function killAndRetry(
	n8n: N8nClient,
	service: Service,
	id: string,
	kill: () => Promise<unknown>,
): Promise<void> {
	answerOnly(service, 6);
	await n8n.activate(id);
	await call(n8n, id, { items: words(20) });
	await untilSent(service, 6);
	await kill();
	service.faults.clear();
	expect(service.store.posts.size).toBeLessThan(20);
	const broken = await n8n.waitForExecution(id);
	expect(broken.status).toBe('crashed');
	const retry = await n8n.retryExecution(broken.id);
	expect(itemsOf(retry, 'Post')).toHaveLength(20);
	expect(count(service, 20)).toMatchObject({ posts: 20, missing: 0, doubled: 0, wrong: 0 });
}

const STOPS = 3;

/** One request in five fails, in six ways; the same ones in every run. */
function unsettle({ faults }: Service): void {
	const ways = [
		{ kind: 'error', code: 'PUBLIC_API_POST_CREATE_FAILED' },
		{ kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED' },
		{ kind: 'dropBefore' },
		{ kind: 'dropAfter' },
		{ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '1' },
		{ kind: 'delay', ms: 300 },
	] as const;
	for (const [i, way] of ways.entries())
		faults.add({ ...way, method: 'POST', path: '^/posts$', rate: 0.2 / 6, times: 0, seed: 11 + i });
}

export interface Counted {
	posts: number;
	/** Items of which there is no post, more than one post, or a post with another text. */
	missing: number;
	doubled: number;
	wrong: number;
	requests: number;
}

export function count(service: Service, size: number): Counted {
	const found = posts(service).map(({ text }) => wordIn(text));
	const times = words(size).map(({ text }) => found.filter((word) => word === text).length);
	return {
		posts: found.length,
		missing: times.filter((each) => each === 0).length,
		doubled: times.filter((each) => each > 1).length,
		wrong: found.length - times.reduce((sum, each) => sum + each, 0),
		requests: service.requests.filter(({ method }) => method === 'POST').length,
	};
}

/** The node that posts; `text` is its Text parameter. */
export const postNode = (text: string): FlowNode =>
	socialPublishing(createParameters({ text, options: { maxRetryWait: 900 } }), {
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 100,
	});

/** `size` items through a node named Post; the service fails one request in five. */
export async function postThroughFaults(n8n: N8nClient, size: number, node: FlowNode) {
	const service = await startService();
	try {
		unsettle(service);
		const id = await n8n.createWorkflow(sender(node), await accountOf(n8n, service));
		const { last, stops } = await stopAndRetry(n8n, service, id, size);
		await n8n.deactivate(id);
		return { ...count(service, size), stops, last };
	} finally {
		await service.close();
	}
}

const ENDED = ['success', 'error', 'canceled', 'crashed'];

/** Runs the workflow, stops it `STOPS` times on the way, and retries it until there is a post for each item. */
async function stopAndRetry(n8n: N8nClient, service: Service, id: string, size: number) {
	const part = Math.floor(size / (STOPS + 1));
	const timeout = Math.max(STEP_TIMEOUT_MS, 2_000 * size);
	await n8n.activate(id);
	let hang = hangAfter(service, part);
	await call(n8n, id, { items: words(size) });
	let current = await poll('the execution', async () => (await n8n.executions(id))[0]?.id);
	const hasMet = () => service.faults.list().some((fault) => fault.id === hang && fault.met > 0);
	const stateNow = async () => (await n8n.executions(id)).find((one) => one.id === current)?.status;
	const look = async () => (hasMet() ? 'met' : await stateNow());
	let stops = 0;
	for (let turn = 0; turn < size; turn++) {
		const seen = await poll('posts to stop at', look, (one) => [...ENDED, 'met'].includes(one), timeout);
		if (seen === 'met') {
			await n8n.stopExecution(current);
			await n8n.waitForFinish(current, timeout);
			service.faults.clear(hang);
			stops++;
			// The retry sends what was sent before, too.
			if (stops < STOPS) hang = hangAfter(service, part * (stops + 1));
		} else if (count(service, size).missing === 0) break;
		current = await retry(n8n, current);
	}
	return { last: await n8n.waitForFinish(current, timeout), stops };
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
