import groupBy from 'lodash/groupBy';

import type { Entry } from './journal';

/**
 * A run by hand that failed, and the next press of *Execute step*: for n8n that is another execution, which is handed
 * nothing of the one before. So this process remembers for an hour what such a run sent; see docs/idempotency.md.
 */

const KEPT_MS = 3_600_000;
/** What all runs together may hold; the one that ran longest ago goes first. */
const MAX_BYTES = 32 * 2 ** 20;

interface Sent {
	entry: Entry;
	/** Hash of what it said when it went out, without its time. */
	content: string;
	/** Of the entry; measured when its round has ended. */
	bytes?: number;
}

/** The last run of a node. */
interface LastRun {
	executionId: string;
	atMs: number;
	/** Rounds of a loop in which something failed. */
	failedRounds: Set<number>;
	/** By key. */
	sent: Map<string, Sent>;
	/** What failed runs before it sent and nothing has asked for yet, by content: equal items have several. */
	pending: Map<string, Sent[]>;
	bytes: number;
}

const lastRuns = new Map<string, LastRun>();

/** What one run of the node by hand knows of the failed ones before it. */
export class ManualRerun {
	/** What was found again and not sent anew. */
	readonly reused: Entry[] = [];
	private readonly run: LastRun;
	private readonly pendingIds: Set<string>;

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
		const isSame = last?.executionId === executionId;
		this.run = isSame
			? { ...last, atMs: nowMs }
			: {
					executionId,
					atMs: nowMs,
					failedRounds: new Set(),
					sent: new Map(),
					pending: last && last.failedRounds.size > 0 ? leftBy(last) : new Map(),
					bytes: 0,
				};
		this.pendingIds = new Set(this.pending.flatMap(({ ids }) => ids));
	}

	private get pendingList(): Sent[] {
		return [...this.run.pending.values()].flat();
	}

	/** Whether failed runs sent something for this item and part, whatever it says now. */
	wasSent(id: string): boolean {
		return this.pendingIds.has(id);
	}

	/** What failed runs sent and this one has not asked for yet. */
	get pending(): Entry[] {
		return this.pendingList.map(({ entry }) => entry);
	}

	/** The write of a failed run that said the same. */
	find(content: string): Entry | undefined {
		return this.run.pending.get(content)?.[0]?.entry;
	}

	/** Takes what {@link find} found: each is handed out once. */
	take(content: string): Entry | undefined {
		const taken = this.run.pending.get(content)?.shift()?.entry;
		if (taken) this.reused.push(taken);
		return taken;
	}

	/** Notes a write of this run; it counts unless it turns out not to have been carried out. */
	note(content: string, entry: Entry): void {
		// A try of the same run may say something else by now: what went out counts.
		if (this.run.sent.get(entry.key)?.entry !== entry) this.run.sent.set(entry.key, { content, entry });
	}

	/**
	 * A round has ended.
	 * @param finalKeys of posts whose publication failed for good: they may be sent anew
	 */
	endRound(round: number, failed: boolean, finalKeys: ReadonlySet<string>): void {
		const { run } = this;
		if (failed) run.failedRounds.add(round);
		else run.failedRounds.delete(round);
		for (const [key, { entry }] of run.sent)
			if (!isRemembered(entry) || finalKeys.has(key)) run.sent.delete(key);
		run.bytes = bytesOf([...run.sent.values(), ...this.pendingList]);
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

/** What a failed run leaves: what it had left over, then what it sent itself. */
const leftBy = ({ pending, sent }: LastRun): Map<string, Sent[]> =>
	new Map(Object.entries(groupBy([...[...pending.values()].flat(), ...sent.values()], 'content')));

const bytesOf = (sent: Sent[]): number =>
	sent.reduce((sum, one) => sum + (one.bytes ??= JSON.stringify(one.entry).length), 0);

function makeRoom(): void {
	let bytes = [...lastRuns.values()].reduce((sum, run) => sum + run.bytes, 0);
	for (const [owner, run] of lastRuns) {
		if (bytes <= MAX_BYTES) return;
		lastRuns.delete(owner);
		bytes -= run.bytes;
	}
}
