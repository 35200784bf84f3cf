import { sleep } from 'n8n-workflow';

/** An execution that wants to hand an event on. */
export interface Claim {
	eventId: string;
	executionId: string;
}

/** n8n's list of processed values of one node: in its database, shared by all processes, kept over restarts. */
export interface Shared {
	/** Adds values, the oldest are forgotten first; gives those that were not in the list before. */
	add(values: string[]): Promise<string[]>;
}

/**
 * How long it may take until a claim that another process has just overwritten can be told by looking again, in ms:
 * n8n reads the list and then writes it back, without a lock.
 */
export const SETTLE = 150;

/** Other processes may overwrite a claim again and again; after so many looks the event is handed on. */
const MOST_LOOKS = 5;

/** Whose the event is: nobody had it and it is this execution's now, it was this execution's before, or another's. */
type Owner = 'claimed' | 'mine' | 'other';

interface Waiting {
	claim: Claim;
	resolve(owner: Owner): void;
	reject(error: unknown): void;
}

const markOf = ({ eventId, executionId }: Claim): string => `${eventId}#${executionId}`;

/**
 * Which execution hands an event on: one per event, in whatever process it runs.
 *
 * Within a process the claims of a node go one after another; those that come in meanwhile go together. Between
 * processes a claim is looked at again a moment after it was written: one that was overwritten is written anew, and
 * where another execution's claim stands in its place, that one has the event.
 *
 * Event and execution are both recorded, so that an execution which queue mode runs again (its worker died) passes.
 * A copy leaves its mark, too. It is not taken back: that would read and write the list once more, between the claims
 * of others. So a copy whose worker died while it was being stopped would pass when it is run again.
 */
export class Claims {
	private waiting: Waiting[] = [];

	private working = false;

	/**
	 * @param othersClaim whether other processes may claim the same event at this moment
	 * @returns whether this execution hands the event on
	 */
	async claim(claim: Claim, shared: Shared, othersClaim: boolean): Promise<boolean> {
		let owner = await this.look(claim, shared);
		for (let looks = 1; othersClaim && owner === 'claimed' && looks < MOST_LOOKS; looks++) {
			await sleep(SETTLE);
			owner = await this.look(claim, shared);
		}
		return owner !== 'other';
	}

	private async look(claim: Claim, shared: Shared): Promise<Owner> {
		const owner = new Promise<Owner>((resolve, reject) => this.waiting.push({ claim, resolve, reject }));
		if (!this.working) void this.work(shared);
		return await owner;
	}

	private async work(shared: Shared): Promise<void> {
		this.working = true;
		while (this.waiting.length > 0) {
			const batch = this.nextBatch();
			try {
				const added = new Set(await add(shared, batch));
				for (const { claim, resolve } of batch) resolve(ownerOf(claim, added));
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		this.working = false;
	}

	/** All that wait, but one claim per event: the next one of the same event has to find it. */
	private nextBatch(): Waiting[] {
		const events = new Set<string>();
		const batch: Waiting[] = [];
		const later: Waiting[] = [];
		for (const one of this.waiting) {
			(events.has(one.claim.eventId) ? later : batch).push(one);
			events.add(one.claim.eventId);
		}
		this.waiting = later;
		return batch;
	}
}

function ownerOf(claim: Claim, added: ReadonlySet<string>): Owner {
	if (!added.has(markOf(claim))) return 'mine';
	return added.has(claim.eventId) ? 'claimed' : 'other';
}

/** A first time two processes make the list at the same moment; the one that fails finds it the second time. */
async function add(shared: Shared, batch: Waiting[]): Promise<string[]> {
	const values = batch.flatMap(({ claim }) => [claim.eventId, markOf(claim)]);
	try {
		return await shared.add(values);
	} catch {
		return await shared.add(values);
	}
}
