import type { IDataObject } from 'n8n-workflow';

import type { ErrorDetails } from '../../api/failure';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What is known of a write: it may have been carried out, the service kept the post as failed, or it was carried out. */
export type State = 'inDoubt' | 'keptAsFailed' | 'succeeded';

/** A write of this execution, as n8n stores it. */
export interface Entry {
	key: string;
	state: State;
	method: Method;
	path: string;
	/** '' for the API key's own. */
	workspaceId: string;
	/** A platform, `platform:account`, `file-…`, or the path of what changes one record. */
	target: string;
	contentHash: string;
	/** By hand: what its input item held. */
	itemHash?: string;
	/** A file of a post: not reported by itself. */
	isAttached?: true;
	/** What went out; left out where it may hold a secret. */
	body?: IDataObject;
	response?: IDataObject;
	failure?: ErrorDetails;
}

/** What a request came to: `keptAsFailed`: the service kept the post; `notProcessed`: certainly not carried out. */
export type Result = 'done' | 'keptAsFailed' | 'notProcessed' | 'unknown';

/**
 * What is known of a write after a request for it, by what was known before. What is kept as failed is never sent again, and
 * what has succeeded only where its answer isn't kept, since it may hold a secret.
 */
export const stateAfter: Record<'nothing' | 'inDoubt' | 'succeeded', Record<Result, State | 'nothing'>> = {
	nothing: { done: 'succeeded', keptAsFailed: 'keptAsFailed', notProcessed: 'nothing', unknown: 'inDoubt' },
	inDoubt: { done: 'succeeded', keptAsFailed: 'keptAsFailed', notProcessed: 'inDoubt', unknown: 'inDoubt' },
	succeeded: {
		done: 'succeeded',
		keptAsFailed: 'succeeded',
		notProcessed: 'succeeded',
		unknown: 'succeeded',
	},
};

export type Before = keyof typeof stateAfter;

const platformOf = (target: string): string => target.split(':')[0]!;

/** Whether two targets may be the same: `x` and `x:acc_1` may, `x:acc_1` and `x:acc_2` are two accounts. */
export const mayBeSame = (one: string, other: string): boolean =>
	one === platformOf(other) || platformOf(one) === other;

/** What this node writes in an execution, by row and target: noted in its context, which n8n hands to every retry. */
export class Journal {
	private readonly rows: Record<string, Record<string, Entry>>;

	constructor(memory: IDataObject) {
		this.rows = (memory.writes ??= {}) as unknown as Record<string, Record<string, Entry>>;
	}

	/** What is known of a row, by target. */
	ofRow(rowId: string): Entry[] {
		return Object.values(this.rows[rowId] ?? {});
	}

	/** Of all rounds of a loop, and all calls of a tool. */
	get all(): Entry[] {
		return Object.values(this.rows).flatMap((row) => Object.values(row));
	}

	/** Which entry each target of a row goes on with: its own, else one of its platform; each entry is for one target. */
	match(rowId: string, targets: readonly string[]): Map<string, Entry> {
		const entries = new Set(this.ofRow(rowId));
		const found = new Map<string, Entry>();
		const take = (isFor: (entry: Entry, target: string) => boolean) => {
			for (const target of targets.filter((one) => !found.has(one))) {
				const entry = [...entries].find((one) => isFor(one, target));
				if (entry && entries.delete(entry)) found.set(target, entry);
			}
		};
		take((entry, target) => entry.target === target);
		take((entry, target) => mayBeSame(entry.target, target));
		return found;
	}

	note(rowId: string, entry: Entry): void {
		(this.rows[rowId] ??= {})[entry.target] = entry;
	}

	/** Notes what a request came to. A write that certainly wasn't carried out is as if it had never been. @returns its state now */
	settle(rowId: string, entry: Entry, before: Before, result: Result): State | 'nothing' {
		const state = stateAfter[before][result];
		if (state === 'nothing') delete this.rows[rowId]![entry.target];
		else entry.state = state;
		return state;
	}
}
