import type { Entry } from './journal';

/**
 * A run by hand that failed, and the next press of *Execute step*: for n8n that is another execution, which is handed
 * nothing of the one before. So this process remembers for an hour what such a run sent; see docs/idempotency.md.
 */

const KEPT_MS = 3_600_000;
/** What all runs together may hold; the one that ran longest ago goes first. */
const MAX_BYTES = 32 * 2 ** 20;

/** Where each write stood in its run, by a hash of what it says without its time: equal items have several. */
type SentByContent = Map<string, Map<Entry, string[]>>;

/** The last run of a node. */
interface LastRun {
	executionId: string;
	atMs: number;
	/** Rounds of a loop in which something failed. */
	failedRounds: Set<number>;
	sent: SentByContent;
	/** What a failed run before it sent and nothing has asked for yet. */
	pending: SentByContent;
	bytes: number;
}

const lastRuns = new Map<string, LastRun>();

/** What one run of the node by hand knows of the failed ones before it. */
export class ManualRerun {
	/** What was found again and not sent anew. */
	readonly reused: Entry[] = [];
	private readonly run: LastRun;
	private readonly pendingPositions: Set<string>;

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
					pending: last && last.failedRounds.size > 0 ? merged(last) : new Map(),
					bytes: 0,
				};
		this.pendingPositions = new Set(
			[...this.run.pending.values()].flatMap((sent) => [...sent.values()].flat()),
		);
	}

	/** Whether the run before sent something for this item and part, whatever it says now. */
	sentAt(position: string): boolean {
		return this.pendingPositions.has(position);
	}

	/** What failed runs sent and this one has not asked for yet. */
	get pending(): Entry[] {
		return [...this.run.pending.values()].flatMap((entries) => [...entries.keys()]);
	}

	/** The write of a failed run that said the same. */
	find(content: string): Entry | undefined {
		return this.run.pending.get(content)?.keys().next().value;
	}

	/** Takes what {@link find} found: each is handed out once. */
	take(content: string): Entry | undefined {
		const taken = this.find(content);
		if (!taken) return undefined;
		this.run.pending.get(content)!.delete(taken);
		this.reused.push(taken);
		return taken;
	}

	/** Notes a write of this run, before it is sent; it counts unless it turns out not to have been carried out. */
	note(content: string, entry: Entry, positions: string[]): void {
		const known = this.run.sent.get(content);
		if (known) known.set(entry, positions);
		else this.run.sent.set(content, new Map([[entry, positions]]));
	}

	/**
	 * A round has ended.
	 * @param finalKeys of posts whose publication failed for good: they may be sent anew
	 */
	endRound(round: number, failed: boolean, finalKeys: ReadonlySet<string>): void {
		const { run } = this;
		if (failed) run.failedRounds.add(round);
		else run.failedRounds.delete(round);
		for (const sent of run.sent.values())
			for (const entry of sent.keys())
				if (!isRemembered(entry) || finalKeys.has(entry.key)) sent.delete(entry);
		run.bytes = bytesOf(run.sent) + bytesOf(run.pending);
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

/** What a failed run leaves: what it sent itself, after what it had left over. */
function merged({ pending, sent }: LastRun): SentByContent {
	const all: SentByContent = new Map([...pending].map(([content, entries]) => [content, new Map(entries)]));
	for (const [content, entries] of sent) all.set(content, new Map([...(all.get(content) ?? []), ...entries]));
	return all;
}

function bytesOf(sent: SentByContent): number {
	let bytes = 0;
	for (const entries of sent.values())
		for (const entry of entries.keys()) bytes += JSON.stringify(entry).length;
	return bytes;
}

function makeRoom(): void {
	let bytes = [...lastRuns.values()].reduce((sum, run) => sum + run.bytes, 0);
	for (const [owner, run] of lastRuns) {
		if (bytes <= MAX_BYTES) return;
		lastRuns.delete(owner);
		bytes -= run.bytes;
	}
}
