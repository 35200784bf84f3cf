import { poll } from '../../n8n/client';
import type { Service } from '../../service';
import {
	createParameters,
	flow,
	type FlowNode,
	socialPublishing,
	splitItems,
	start,
	type Workflow,
} from './flow';

/** Items for executions that are broken off while they send, and what came of them. */

/** A post for each of the `items` of the request that starts it, by our node unless it is another one. */
export const sender = (node: FlowNode = socialPublishing(createParameters())): Workflow =>
	flow('Sender', [start(), splitItems, node]);

/** A text that is another one each time it is evaluated. */
export const MOVING = '={{ $json.text }} {{ $now.toMillis() }}';
/** What it was made of. */
export const wordIn = (text: string): string => text.replace(/ \d{13}$/, '');

export const words = (count: number): Array<{ text: string }> =>
	Array.from({ length: count }, (_, i) => ({ text: `Word ${i}` }));

export const textsAt = ({ store }: Service): string[] =>
	[...store.posts.values()].map(({ text }) => text).sort();

/** The texts of `words(count)`, sorted as `textsAt` has them. */
export const allWords = (count: number): string[] =>
	words(count)
		.map(({ text }) => text)
		.sort();

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
