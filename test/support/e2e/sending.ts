import { poll } from '../../n8n/client';
import type { Service } from '../../service';

/** Items for executions that are broken off while they send, and what came of them. */

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
