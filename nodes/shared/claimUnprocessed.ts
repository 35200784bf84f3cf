import type { IExecuteFunctions } from 'n8n-workflow';

/** How many values are kept for a node; the oldest are forgotten first. */
const KEPT = 50_000;

const options = { mode: 'entries' as const, maxEntries: KEPT };

/** n8n reads its list and writes it back without a lock: within a process one after another. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Those of the values that nobody has claimed before in n8n's list of processed values of this node; they are recorded.
 * A run by hand takes all and records none: it is somebody looking. Whoever claimed a value gets it again in every
 * later try, in whatever mode n8n makes it (Retry On Fail, Retry execution, a job that queue mode runs again).
 * @param claimant stays the same in every try, differs between executions, rounds of a loop and items
 */
export async function claimUnprocessed(
	context: IExecuteFunctions,
	claimant: string,
	values: string[],
): Promise<string[]> {
	if (context.getMode() === 'manual' || values.length === 0) return values;
	const turn = last.then(async () => await claim(context, claimant, values));
	last = turn.catch(() => undefined);
	return await turn;
}

/** The marks go first: a crash in between lets a later try take a value again, it never makes it lose one. */
async function claim({ helpers }: IExecuteFunctions, claimant: string, values: string[]): Promise<string[]> {
	const add = async (some: string[]): Promise<Set<string>> => {
		const { new: added } = await helpers.checkProcessedAndRecord(some, 'node', options);
		return new Set(added.map(String));
	};
	const markOf = (value: string): string => `${value}@${claimant}`;
	const newMarks = await add(values.map(markOf));
	const fresh = await add(values);
	const taken = values.filter((value) => fresh.has(value) || !newMarks.has(markOf(value)));
	const others = values.filter((value) => !taken.includes(value)).map(markOf);
	if (others.length > 0) await helpers.removeProcessed(others, 'node', options);
	return taken;
}
