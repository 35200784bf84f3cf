import { setTimeout as pause } from 'node:timers/promises';

/**
 * Timers and clock of the node under test move only when told to; what n8n, the service and the network use goes on.
 * `jest.useRealTimers()` ends it.
 */
export function stopTime(): void {
	jest.useFakeTimers({
		doNotFake: [
			'clearImmediate',
			'clearInterval',
			'hrtime',
			'nextTick',
			'performance',
			'queueMicrotask',
			'setImmediate',
			'setInterval',
		],
	});
}

/** Moves the node's time on by `ms`, and leaves a moment of real time to requests and answers. */
export async function goOn(ms: number): Promise<void> {
	await jest.advanceTimersByTimeAsync(ms);
	await pause(5);
}

/** Moves the node's time on, a second in each step, until `work` has ended. */
export async function throughTime<T>(work: Promise<T>): Promise<T> {
	let over = false;
	const ended = work.finally(() => (over = true));
	while (!over) await goOn(1000);
	return await ended;
}
