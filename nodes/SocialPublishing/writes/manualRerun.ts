import compact from 'lodash/compact';
import filter from 'lodash/filter';
import forEach from 'lodash/forEach';
import groupBy from 'lodash/groupBy';
import map from 'lodash/map';
import pick from 'lodash/pick';
import sumBy from 'lodash/sumBy';

import type { Entry, Journal } from './journal';

/**
 * A run by hand that failed, and the next press of *Execute step*: for n8n that is another execution, which is handed
 * nothing of the one before. So this process remembers for an hour what such a run sent; see docs/idempotency.md.
 */

const KEPT_MS = 3_600_000;
/** What all runs together may hold; the one that ended longest ago goes first. */
const MAX_BYTES = 32 * 2 ** 20;

/** The last run of a node. */
interface LastRun {
	executionId: string;
	endedAt: number;
	/** Rounds of a loop in which something failed: without one, the next run sends everything again. */
	failedRounds: Set<number>;
	/** What failed runs before it sent and it didn't ask for, then what it sent itself. */
	entries: Entry[];
	bytes: number;
}

const lastRuns = new Map<string, LastRun>();

/** What one run of the node by hand knows of the failed ones before it. */
export class ManualRerun {
	/** What failed runs sent and this one has not asked for yet. */
	readonly pending: Set<Entry>;
	private readonly failedRounds: Set<number>;
	/** What was pending at the start, by each of its contents; the first to be sent is last. */
	private readonly byContent: Record<string, Entry[]> = {};
	private readonly byItem: Record<string, Entry[]>;

	/** @param owner names node, credential, key and address */
	constructor(
		private readonly owner: string,
		private readonly executionId: string,
		private readonly journal: Journal,
	) {
		for (const [name, { endedAt }] of lastRuns) if (Date.now() - endedAt > KEPT_MS) lastRuns.delete(name);
		const last = lastRuns.get(owner);
		const isSame = last?.executionId === executionId;
		this.failedRounds = isSame ? last.failedRounds : new Set();
		const known = last && (isSame || last.failedRounds.size > 0) ? last.entries : [];
		const own = new Set(journal.ofAllRounds.map(({ key }) => key));
		const entries = known.filter(({ key }) => !own.has(key));
		this.pending = new Set(entries);
		this.byItem = groupBy(entries, 'item');
		for (const entry of entries.reverse())
			forEach(entry.contents, (content) => void (this.byContent[content] ??= []).push(entry));
	}

	/** What is pending of an input item, whatever it says now. */
	pendingOf(item: string): Entry[] {
		return filter(this.byItem[item], (entry) => this.pending.has(entry));
	}

	/** The write of a failed run that says the same as this one. */
	find({ contents }: Entry): Entry | undefined {
		for (const same of compact(map(contents, (content) => this.byContent[content]))) {
			// Some were found by another of their contents.
			while (same.length > 0 && !this.pending.has(same.at(-1)!)) same.pop();
			if (same.length > 0) return same.at(-1);
		}
		return undefined;
	}

	/** Makes a write of a failed run one of this run, under the names that it has now: of equal ones each finds its own. */
	carryOver(entry: Entry, now: Entry): Entry {
		this.pending.delete(entry);
		return this.journal.add({ ...entry, ...pick(now, 'item', 'names', 'contents'), isCarriedOver: true });
	}

	/** A round has ended, see `Writer.endRound`. */
	endRound(round: number, hasFailed: boolean): void {
		if (hasFailed) this.failedRounds.add(round);
		else this.failedRounds.delete(round);
		const isSent = ({ state, contents }: Entry): boolean =>
			contents !== undefined && (state === 'succeeded' || state === 'inDoubt');
		const entries = [...this.pending, ...this.journal.ofAllRounds.filter(isSent)];
		const { executionId, failedRounds } = this;
		lastRuns.delete(this.owner);
		lastRuns.set(this.owner, {
			...{ executionId, failedRounds, entries },
			endedAt: Date.now(),
			bytes: JSON.stringify(entries).length,
		});
		makeRoom();
	}

	/** Whether what this run sent will be known when it is repeated. */
	get isKept(): boolean {
		return lastRuns.has(this.owner);
	}
}

function makeRoom(): void {
	let bytes = sumBy([...lastRuns.values()], 'bytes');
	for (const [owner, run] of lastRuns) {
		if (bytes <= MAX_BYTES) return;
		lastRuns.delete(owner);
		bytes -= run.bytes;
	}
}
