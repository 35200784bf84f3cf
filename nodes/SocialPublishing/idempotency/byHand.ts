import type { WriteRecord } from './writeRecord';

/**
 * A run by hand that failed, and the next press of *Execute step*: for n8n that is another execution, which is handed
 * nothing of the one before. So this process remembers for a while what such a run had sent; see docs/idempotency.md.
 */

/** How long a run that failed is remembered, in ms. */
const KEPT = 3_600_000;
/** Of how many nodes; the one that was run longest ago goes first. */
const MOST_NODES = 100;

/** A write and a hash of what it says and where it goes. */
interface Sent {
	said: string;
	record: WriteRecord;
}

interface LastRun {
	executionId: string;
	/** In ms. */
	at: number;
	/** Rounds of a loop in which something failed. */
	failed: Set<number>;
	/** What it has sent, or may have sent, itself; by key. */
	sent: Map<string, Sent>;
	/** What a run before it had sent and nothing has asked for yet. */
	before: Sent[];
}

const lastRuns = new Map<string, LastRun>();

/** What one run of the node by hand knows of the failed ones before it. */
export class ByHand {
	/** How many writes of a failed run were asked for again. */
	taken = 0;
	private readonly before: Sent[];
	private readonly said = new Map<WriteRecord, string>();

	/**
	 * @param node names node, credential and address
	 * @param now in ms
	 */
	constructor(
		private readonly node: string,
		private readonly executionId: string,
		private readonly now: number,
	) {
		const last = lastRuns.get(node);
		const isOver = !last || now - last.at > KEPT;
		if (isOver) this.before = [];
		else if (last.executionId === executionId) this.before = [...last.before];
		else this.before = last.failed.size > 0 ? [...last.before, ...last.sent.values()] : [];
	}

	get knowsAny(): boolean {
		return this.before.length > 0;
	}

	/** The write of a failed run that said the same; each is handed out once. */
	take(said: string): WriteRecord | undefined {
		const at = this.before.findIndex((one) => one.said === said);
		if (at < 0) return undefined;
		this.taken++;
		return this.before.splice(at, 1)[0]!.record;
	}

	/** Notes what a write of this run says, whenever it was sent. */
	note(record: WriteRecord, said: string): void {
		this.said.set(record, said);
	}

	/** A round has ended. What was certainly not carried out, or what the service kept as failed, may be sent anew. */
	ended(round: number, failed: boolean): void {
		const known = lastRuns.get(this.node);
		const last =
			known?.executionId === this.executionId
				? known
				: {
						executionId: this.executionId,
						at: this.now,
						failed: new Set<number>(),
						sent: new Map<string, Sent>(),
						before: this.before,
					};
		if (failed) last.failed.add(round);
		else last.failed.delete(round);
		last.at = this.now;
		last.before = this.before;
		for (const [record, said] of this.said)
			if (record.state === 'answered' || record.state === 'unclear')
				last.sent.set(record.key, { said, record });
		lastRuns.delete(this.node);
		lastRuns.set(this.node, last);
		if (lastRuns.size > MOST_NODES) lastRuns.delete(lastRuns.keys().next().value!);
	}
}
