import { type Execution, itemsOf, type N8nClient, poll } from '../../n8n/client';
import type { Service } from '../../service';
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

export const words = (count: number): Array<{ text: string }> =>
	Array.from({ length: count }, (_, i) => ({ text: `Word ${i}` }));

/**
 * Runs a saved `sender`, which can't end by itself: the service takes every post, but leaves the node without an answer after
 * the first ones. Breaks it off then, and retries it.
 */
export async function breakOffAndRetry(
	n8n: N8nClient,
	service: Service,
	id: string,
	size: number,
	breakOff: (execution: string) => Promise<unknown>,
): Promise<{ broken: Execution; retry: Execution }> {
	const answered = Math.floor(size / 4);
	const lost = { kind: 'hang', act: true, method: 'POST', path: '^/posts$', times: 0 } as const;
	const fault = service.faults.add({ ...lost, skip: answered });
	await n8n.activate(id);
	await call(n8n, id, { items: words(size) });
	const sent = () => posts(service).length;
	await poll('some posts', sent, (found) => found > answered);
	const [running] = await n8n.executions(id);
	await breakOff(running!.id);
	expect(sent()).toBeLessThan(size);
	service.faults.clear(fault);
	const broken = await n8n.waitForFinish(running!.id);
	return { broken, retry: await n8n.retryExecution(broken.id) };
}

/** As above, where n8n or its worker is killed: every post is there once. */
export async function killAndRetry(
	n8n: N8nClient,
	service: Service,
	id: string,
	kill: () => Promise<unknown>,
): Promise<void> {
	const { broken, retry } = await breakOffAndRetry(n8n, service, id, 20, kill);
	expect(broken.status).toBe('crashed');
	expect(itemsOf(retry, 'Post')).toHaveLength(20);
	expect(count(service, 20)).toEqual({ posts: 20, missing: 0, doubled: 0 });
}

/** How many posts there are, and of how many items there is none, or more than one. */
export function count(service: Service, size: number): { posts: number; missing: number; doubled: number } {
	// Without the time that `MOVING` adds.
	const found = posts(service).map(({ text }) => text.replace(/ \d{13}$/, ''));
	const times = words(size).map(({ text }) => found.filter((word) => word === text).length);
	return {
		posts: found.length,
		missing: times.filter((each) => each === 0).length,
		doubled: times.filter((each) => each > 1).length,
	};
}
