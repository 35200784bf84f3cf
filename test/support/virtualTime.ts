import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

/** Timers and clock of the node under test move only when told to. `jest.useRealTimers()` ends it. */
export function stopTime(): void {
	jest.useFakeTimers({
		doNotFake: [
			'clearImmediate',
			'clearInterval',
			'hrtime',
			'nextTick',
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

/** Longer than anything under test waits: work that is not over by then waits for ever. */
const FOR_EVER = 2 * 3_600_000;

/** Moves a fake clock from timer to timer until `work` has ended: its value or failure, and after how many ms. */
export async function ended<T>(work: Promise<T>): Promise<{ value?: T; error?: any; after: number }> {
	const start = Date.now();
	let end: { value?: T; error?: any } | undefined;
	work.then(
		(value) => (end = { value }),
		(error: unknown) => (end = { error }),
	);
	for (;;) {
		await turn();
		const after = Date.now() - start;
		if (end) return { ...end, after };
		if (jest.getTimerCount() === 0 || after > FOR_EVER) throw new Error('It waits for ever');
		jest.advanceTimersToNextTimer();
		// A timer of a part of a millisecond would come again at the same time, for ever.
		if (Date.now() - start === after) jest.advanceTimersByTime(1);
	}
}
