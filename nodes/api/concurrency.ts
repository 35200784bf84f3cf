export type Limit = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs tasks as they come, at most `most` at the same time; the others wait in order. */
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
