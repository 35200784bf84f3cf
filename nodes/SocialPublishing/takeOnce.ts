import type { IExecuteFunctions } from 'n8n-workflow';

import { limitConcurrency } from '../api/concurrency';

/** How many values are kept for a node; the oldest are forgotten first. */
const KEPT = 50_000;

const options = { mode: 'entries' as const, maxEntries: KEPT };

/** n8n reads its list and writes it back without a lock: within a process one after another. */
const oneAtATime = limitConcurrency(1);

/**
 * Those of the values that no execution of this node has taken before, in n8n's database; they are recorded as taken.
 * A run by hand takes all and records none: it is somebody looking. A retry gets again what the execution had taken.
 * @param root stays the same in every retry of an execution
 */
export async function takeOnce(
	context: IExecuteFunctions,
	root: string,
	values: string[],
): Promise<string[]> {
	if (context.getMode() === 'manual' || values.length === 0) return values;
	const { helpers } = context;
	const mark = (value: string): string => `${value}@${root}`;
	return await oneAtATime(async () => {
		const { new: fresh, processed } = await helpers.checkProcessedAndRecord(values, 'node', options);
		const taken = new Set(fresh.map(String));
		if (context.getMode() === 'retry') {
			const before = processed.map(String);
			const marks = await helpers.checkProcessedAndRecord(before.map(mark), 'node', options);
			await helpers.removeProcessed(marks.new, 'node', options);
			const mine = new Set(marks.processed.map(String));
			for (const value of before) if (mine.has(mark(value))) taken.add(value);
		}
		if (fresh.length > 0) await helpers.checkProcessedAndRecord(fresh.map(String).map(mark), 'node', options);
		return values.filter((value) => taken.has(value));
	});
}
