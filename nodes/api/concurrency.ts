import { sleep } from 'n8n-workflow';

/** n8n must not stand still for longer while rows are worked out. */
const LONGEST_BLOCK_MS = 100;

/** What is made of each, one after another; what else n8n has to do gets its turn. */
export async function inTurn<T, R>(all: readonly T[], make: (one: T) => Promise<R>): Promise<R[]> {
	const made: R[] = [];
	let resumedAt = Date.now();
	for (const one of all) {
		made.push(await make(one));
		if (Date.now() - resumedAt < LONGEST_BLOCK_MS) continue;
		await sleep(0);
		resumedAt = Date.now();
	}
	return made;
}

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
