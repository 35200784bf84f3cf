import groupBy from 'lodash/groupBy';
import sumBy from 'lodash/sumBy';

import type { Entry } from './journal';

/**
 * A run by hand that failed, and the next press of *Execute step*: for n8n that is another execution, which is handed
 * nothing of the one before. So this process remembers for an hour what such a run sent; see docs/idempotency.md.
 */

const KEPT_MS = 3_600_000;
/** What all runs together may hold; the one that ran longest ago goes first. */
const MAX_BYTES = 32 * 2 ** 20;

/** How a run ended that did not send everything. */
export type RunEnding = 'failed' | 'stopped';

interface Remembered {
	entry: Entry;
	/** Hashes of what it said when it went out, without its time: one for each of its names. */
	contents: string[];
	/** Of the entry; measured when its round has ended. */
	bytes?: number;
}

/** The last run of a node. */
interface LastRun {
	executionId: string;
	atMs: number;
	/** Rounds of a loop in which something failed. */
	failedRounds: Set<number>;
	/** How the last of these ended. */
	ending: RunEnding;
	/** By key. */
	sent: Map<string, Remembered>;
	/** What failed runs before it sent and nothing has asked for yet, in the order of sending. */
	pending: Map<Entry, Remembered>;
}

const lastRuns = new Map<string, LastRun>();

/** What one run of the node by hand knows of the failed ones before it. */
export class ManualRerun {
	/** What was found again and not sent anew. */
	readonly reused: Entry[] = [];
	/** What failed runs sent, whether this one asked for it or not; also by input item. */
	readonly earlier: ReadonlySet<Entry>;
	readonly byItem: Record<string, Entry[]>;
	private readonly run: LastRun;
	/** How the run before this one ended. */
	readonly lastEnding: RunEnding;
	private readonly byContent: Record<string, Array<{ entry: Entry }>>;
	private readonly found = new Set<Entry>();
	private readonly foundBy = new Map<string, { entry: Entry; content: string }>();

	/** @param owner names node, credential, key and address */
	constructor(
		private readonly owner: string,
		executionId: string,
		nowMs: number,
	) {
		for (const [name, { atMs }] of lastRuns) if (nowMs - atMs > KEPT_MS) lastRuns.delete(name);
		const last = lastRuns.get(owner);
		this.lastEnding = last?.ending ?? 'failed';
		// What the failed run had left over, then what it sent itself.
		const left = last?.failedRounds.size ? [...last.pending.values(), ...last.sent.values()] : [];
		const pending = new Map(left.map((one) => [one.entry, one]));
		const fresh = { failedRounds: new Set<number>(), sent: new Map<string, Remembered>(), pending };
		const known = last?.executionId === executionId ? last : fresh;
		this.run = { ...known, executionId, atMs: nowMs, ending: this.lastEnding };
		const said = [...this.run.pending.values()].flatMap(({ entry, contents }) =>
			contents.map((content) => ({ content, entry })),
		);
		this.byContent = groupBy(said, 'content');
		this.byItem = groupBy(this.pending, 'item');
		this.earlier = new Set(this.pending);
	}

	/** What failed runs sent and this one has not asked for yet. */
	get pending(): Entry[] {
		return [...this.run.pending.keys()];
	}

	/**
	 * The write of a failed run that said the same: of equal ones each finds its own.
	 * @param finder identifies the write of this run; undefined for a preview, which keeps nothing from others
	 */
	find(contents: readonly string[], finder?: string): Entry | undefined {
		const own = finder === undefined ? undefined : this.foundBy.get(finder);
		if (own && contents.includes(own.content) && this.run.pending.has(own.entry)) return own.entry;
		for (const content of contents) {
			const same = this.byContent[content] ?? [];
			while (same[0] && !this.isLeft(same[0].entry)) same.shift();
			const entry = same[0]?.entry;
			if (!entry) continue;
			if (finder !== undefined) {
				this.foundBy.set(finder, { entry, content });
				this.found.add(entry);
			}
			return entry;
		}
		return undefined;
	}

	private isLeft(entry: Entry): boolean {
		return this.run.pending.has(entry) && !this.found.has(entry);
	}

	/** Takes an entry, unless it was taken or is none of a failed run: each is handed out once. */
	take(entry: Entry): boolean {
		const isTaken = this.run.pending.delete(entry);
		if (isTaken) this.reused.push(entry);
		return isTaken;
	}

	/** Notes a write of this run; it counts unless it turns out not to have been carried out. */
	note(contents: string[], entry: Entry): void {
		// A try of the same run may say something else by now: what went out counts.
		if (this.run.sent.get(entry.key)?.entry !== entry) this.run.sent.set(entry.key, { contents, entry });
	}

	/** A round has ended, see `Writer.endRound`. */
	endRound(round: number, ending: RunEnding | undefined, finalKeys: ReadonlySet<string>): void {
		const { run } = this;
		if (ending) run.failedRounds.add(round);
		else run.failedRounds.delete(round);
		run.ending = ending ?? run.ending;
		// What the service keeps as failed may be sent anew.
		for (const [key, { entry }] of run.sent)
			if (!['succeeded', 'inDoubt'].includes(entry.state) || finalKeys.has(key)) run.sent.delete(key);
		lastRuns.delete(this.owner);
		lastRuns.set(this.owner, run);
		makeRoom();
	}

	/** Whether what this run sent will be known when it is repeated. */
	get isKept(): boolean {
		return lastRuns.has(this.owner);
	}
}

const bytesOf = ({ sent, pending }: LastRun): number =>
	sumBy([...sent.values(), ...pending.values()], (one) => (one.bytes ??= JSON.stringify(one.entry).length));

function makeRoom(): void {
	let bytes = sumBy([...lastRuns.values()], bytesOf);
	for (const [owner, run] of lastRuns) {
		if (bytes <= MAX_BYTES) return;
		lastRuns.delete(owner);
		bytes -= bytesOf(run);
	}
}
