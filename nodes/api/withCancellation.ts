import { sleep } from 'n8n-workflow';

import type { Failure } from './errors';

/** How often a piece of work is looked at; a stop of the execution shows within that. */
const CHECK_EVERY_MS = 200;

/**
 * Runs `work` until it settles or `end` names a reason to give it up; it is then aborted and left behind.
 * @param end asked again and again while the work goes on
 * @param every in ms
 * @throws what `work` throws, or what `end` returns
 */
export async function withCancellation<T>(
	work: (signal: AbortSignal) => Promise<T>,
	end: () => Failure | undefined,
	every = CHECK_EVERY_MS,
): Promise<T> {
	const controller = new AbortController();
	let over = false;
	const settled = work(controller.signal)
		.then(
			(value) => ({ value }),
			(error: unknown) => ({ error }),
		)
		.finally(() => (over = true));
	while (!over) {
		await Promise.race([settled, sleep(every)]);
		const failure = over ? undefined : end();
		if (!failure) continue;
		controller.abort();
		throw failure;
	}
	const outcome = await settled;
	if ('error' in outcome) throw outcome.error as Error;
	return outcome.value;
}
