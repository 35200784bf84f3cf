/** Runs tasks as they come, at most so many at the same time; the others wait in order. */
export type Limit = <T>(task: () => Promise<T>) => Promise<T>;

/** @param most how many tasks may run at the same time, at least 1 */
export function limitConcurrency(most: number): Limit {
	let running = 0;
	const waiting: Array<() => void> = [];
	return async (task) => {
		// A finished task hands its place on, so that none that comes meanwhile takes it.
		if (running >= most) await new Promise<void>((resume) => waiting.push(resume));
		else running++;
		try {
			return await task();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else running--;
		}
	};
}
