import { pushTo, type Entry } from './journal';

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
	pending: Set<Remembered>;
	bytes: number;
}

const lastRuns = new Map<string, LastRun>();

/** What one run of the node by hand knows of the failed ones before it. */
export class ManualRerun {
	/** What was found again and not sent anew. */
	readonly reused: Entry[] = [];
	private readonly run: LastRun;
	/** How the run before this one ended. */
	readonly lastEnding: RunEnding;
	private readonly byContent = new Map<string, Remembered[]>();
	private readonly byItem = new Map<string, Entry[]>();

	/**
	 * @param owner names node, credential, key and address
	 * @param nowMs the time
	 */
	constructor(
		private readonly owner: string,
		executionId: string,
		nowMs: number,
	) {
		for (const [name, { atMs }] of lastRuns) if (nowMs - atMs > KEPT_MS) lastRuns.delete(name);
		const last = lastRuns.get(owner);
		this.run =
			last?.executionId === executionId
				? { ...last, atMs: nowMs }
				: {
						executionId,
						atMs: nowMs,
						failedRounds: new Set(),
						ending: last?.ending ?? 'failed',
						sent: new Map(),
						// What the failed run had left over, then what it sent itself.
						pending: new Set(last?.failedRounds.size ? [...last.pending, ...last.sent.values()] : []),
						bytes: 0,
					};
		this.lastEnding = this.run.ending;
		for (const one of this.run.pending) {
			for (const content of one.contents) pushTo(this.byContent, content, one);
			pushTo(this.byItem, one.entry.item, one.entry);
		}
	}

	/** What failed runs sent for an input item. */
	ofItem(item: string): Entry[] {
		return this.byItem.get(item) ?? [];
	}

	/** What failed runs sent and this one has not asked for yet. */
	get pending(): Entry[] {
		return [...this.run.pending].map(({ entry }) => entry);
	}

	/** The write of a failed run that said the same. */
	find(contents: readonly string[]): Entry | undefined {
		return this.first(contents)?.entry;
	}

	/** Takes what {@link find} found: each is handed out once. */
	take(contents: readonly string[]): Entry | undefined {
		const taken = this.first(contents);
		if (!taken) return undefined;
		this.run.pending.delete(taken);
		this.reused.push(taken.entry);
		return taken.entry;
	}

	private first(contents: readonly string[]): Remembered | undefined {
		for (const content of contents) {
			const same = this.byContent.get(content) ?? [];
			while (same[0] && !this.run.pending.has(same[0])) same.shift();
			if (same[0]) return same[0];
		}
		return undefined;
	}

	/** Notes a write of this run; it counts unless it turns out not to have been carried out. */
	note(contents: string[], entry: Entry): void {
		// A try of the same run may say something else by now: what went out counts.
		if (this.run.sent.get(entry.key)?.entry !== entry) this.run.sent.set(entry.key, { contents, entry });
	}

	/**
	 * A round has ended.
	 * @param ending left out: nothing failed
	 * @param finalKeys of posts whose publication failed for good: they may be sent anew
	 */
	endRound(round: number, ending: RunEnding | undefined, finalKeys: ReadonlySet<string>): void {
		const { run } = this;
		if (ending) run.failedRounds.add(round);
		else run.failedRounds.delete(round);
		run.ending = ending ?? run.ending;
		for (const [key, { entry }] of run.sent)
			if (!isRemembered(entry) || finalKeys.has(key)) run.sent.delete(key);
		run.bytes = bytesOf([...run.sent.values(), ...run.pending]);
		lastRuns.delete(this.owner);
		lastRuns.set(this.owner, run);
		makeRoom();
	}

	/** Whether what this run sent will be known when it is repeated. */
	get isKept(): boolean {
		return lastRuns.has(this.owner);
	}
}

/** What the service keeps as failed may be sent anew. */
const isRemembered = ({ state }: Entry): boolean => state === 'succeeded' || state === 'inDoubt';

const bytesOf = (sent: Remembered[]): number =>
	sent.reduce((sum, one) => sum + (one.bytes ??= JSON.stringify(one.entry).length), 0);

function makeRoom(): void {
	let bytes = [...lastRuns.values()].reduce((sum, run) => sum + run.bytes, 0);
	for (const [owner, run] of lastRuns) {
		if (bytes <= MAX_BYTES) return;
		lastRuns.delete(owner);
		bytes -= run.bytes;
	}
}
