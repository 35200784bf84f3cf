import { isCall, ON_POSTS } from './parameters';
import type { Run } from './play';
import type { Operation, Sequence } from './sequence';

/** What the service has after a call that succeeded. */
const STATUS: Partial<Record<Operation, string>> = {
	cancel: 'canceled',
	toDraft: 'draft',
	toScheduled: 'scheduled',
};

/**
 * Updates, deletions and cancellations of a tool or a sub-workflow are sent each time they are called: "the same again"
 * may undo what came between. In the other modes the key is the user's choice.
 */
export function checkCalls(one: Sequence, runs: Run[]): string[] {
	if (!isCall(one) || one.settings.mode !== 'execution') return [];
	const violations: string[] = [];
	const callOf = new Map<string, number>();
	for (const [at, run] of runs.entries()) {
		const { operation, requests, outputs = [], items, step, settings, call } = run;
		if (!ON_POSTS.has(operation) && operation !== 'webhookDelete') continue;
		for (const { key, about } of requests) {
			if (!callOf.has(key)) callOf.set(key, call);
			if (callOf.get(key) !== call)
				violations.push(`step ${step}: a call with the key of another one: ${about}`);
		}
		const tries = runs.slice(0, at).filter((earlier) => earlier.call === call);
		const isRetryOf = (about: string): boolean =>
			tries.some((earlier) => earlier.requests.some((effect) => effect.about === about));
		for (const [index, { about, label }] of items.entries()) {
			const last = items.findLastIndex((other) => !other.preview && other.label === label);
			const own = outputs.filter(({ item }) => item === index);
			if (last !== index || own.length === 0 || own.some(({ json }) => 'error' in json)) continue;
			// A retry of the sub-workflow's own execution is no other call.
			if (isRetryOf(about)) continue;
			if (!requests.some((effect) => effect.about === about))
				violations.push(`step ${step}, item ${index}: a call was not sent: ${operation} ${about}`);
			if (!ON_POSTS.has(operation) || (settings.workspace || 'ws_main') !== 'ws_main') continue;
			const post = run.postsAfter[label];
			const isAsTold =
				operation === 'delete'
					? !post
					: operation === 'update'
						? post?.text === own[0]!.json.text && post?.text.includes(`word ${settings.word}`)
						: post?.status === STATUS[operation];
			if (!isAsTold)
				violations.push(
					`step ${step}, item ${index}: ${operation} succeeded, but the service has ${JSON.stringify(post)}`,
				);
		}
	}
	return violations;
}
