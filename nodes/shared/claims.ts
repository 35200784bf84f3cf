import { sleep } from 'n8n-workflow';

/** An execution that wants to hand an event on. */
export interface Claim {
	eventId: string;
	executionId: string;
}

/** n8n's list of processed values of one node: in its database, shared by all processes, kept over restarts. */
export interface ProcessedList {
	/** Adds values, the oldest are forgotten first; gives those that were not in the list before. */
	add(values: string[]): Promise<string[]>;
}

/** Least time after which a value that another process has just overwritten can be told by looking again. */
export const SETTLE_MS = 150;
/** The time to settle, as a multiple of the slowest look so far: n8n reads the list, then writes it back. */
const SETTLE_LOOKS = 3;
const LONGEST_SETTLE_MS = 5_000;
/** How long one steps back whose candidacy did not stand, as a multiple of the time to settle. */
const STEP_BACK = 8;
/** Other processes may overwrite a value again and again; after so many looks it counts as standing. */
const MOST_LOOKS = 5;

/** Values in n8n's list per event, at most: the candidacy, the event itself, and the execution's mark of each. */
export const VALUES_PER_EVENT = 4;

/** Whose a value is: nobody had it and it is this execution's now, it was this execution's before, or another's. */
type Owner = 'claimed' | 'mine' | 'other';

interface Pending {
	value: string;
	mark: string;
	resolve(owner: Owner): void;
	reject(error: unknown): void;
}

/**
 * Which execution hands an event on, in whatever process it runs.
 *
 * The list has no lock: n8n reads it and writes it back, and what another process wrote meanwhile is gone. So there are
 * two steps. First a candidacy, looked at again until it stands: of copies, all but one step back for a while. Then the
 * event itself, which is asked for (and so recorded) only by an execution that hands it on if nobody had it. Hence an
 * event in the list always means that some execution hands it on, and only that makes another give way: never all of
 * them. Where a write is lost at exactly the wrong moment, two pass.
 *
 * Event and execution are both recorded, so that an execution which queue mode runs again (its worker died) passes.
 */
export class Claims {
	private pending: Pending[] = [];

	private working = false;

	/** The slowest look of late, in ms. */
	private slowest = 0;

	/**
	 * @param othersClaim whether other processes may claim the same event at this moment
	 * @returns whether this execution hands the event on
	 * @throws whatever n8n's list throws twice in a row
	 */
	async claim({ eventId, executionId }: Claim, list: ProcessedList, othersClaim: boolean): Promise<boolean> {
		// No event's ID can look like a mark, whatever it holds.
		const look = async (kind: string) =>
			await this.look(`${kind} ${eventId}`, `${kind}-by ${executionId} ${eventId}`, list);
		if (!othersClaim) return (await look('event')) !== 'other';
		const candidacy = await this.untilItStands(async () => await look('candidate'));
		if (candidacy === 'other') await sleep(STEP_BACK * this.settleMs);
		const owner = await look('event');
		// Recorded anew while others overwrite it; that decides nothing any more, so nobody waits for it.
		if (owner === 'claimed')
			void this.untilItStands(async () => await look('event'), owner).catch(() => undefined);
		return owner !== 'other';
	}

	/** Looks again until the value stands, or is another's. */
	private async untilItStands(look: () => Promise<Owner>, first?: Owner): Promise<Owner> {
		let owner = first ?? (await look());
		for (let looks = 1; owner === 'claimed' && looks < MOST_LOOKS; looks++) {
			await sleep(this.settleMs);
			owner = await look();
		}
		return owner;
	}

	/** How long a write of another process may be under way. */
	private get settleMs(): number {
		return Math.min(LONGEST_SETTLE_MS, Math.max(SETTLE_MS, SETTLE_LOOKS * this.slowest));
	}

	private async look(value: string, mark: string, list: ProcessedList): Promise<Owner> {
		const owner = new Promise<Owner>((resolve, reject) =>
			this.pending.push({ value, mark, resolve, reject }),
		);
		if (!this.working) void this.work(list);
		return await owner;
	}

	private async work(list: ProcessedList): Promise<void> {
		this.working = true;
		while (this.pending.length > 0) {
			const batch = this.nextBatch();
			const started = Date.now();
			try {
				const added = new Set(await add(list, batch));
				for (const { value, mark, resolve } of batch) resolve(ownerOf(value, mark, added));
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
			this.slowest = Math.max(Date.now() - started, this.slowest * 0.95);
		}
		this.working = false;
	}

	/** All that wait, but one per value: the next one of the same value has to find it. */
	private nextBatch(): Pending[] {
		const values = new Set<string>();
		const batch: Pending[] = [];
		const later: Pending[] = [];
		for (const one of this.pending) {
			(values.has(one.value) ? later : batch).push(one);
			values.add(one.value);
		}
		this.pending = later;
		return batch;
	}
}

function ownerOf(value: string, mark: string, added: ReadonlySet<string>): Owner {
	if (!added.has(mark)) return 'mine';
	return added.has(value) ? 'claimed' : 'other';
}

/** A first time two processes make the list at the same moment; the one that fails finds it the second time. */
async function add(list: ProcessedList, batch: Pending[]): Promise<string[]> {
	const values = batch.flatMap(({ value, mark }) => [value, mark]);
	try {
		return await list.add(values);
	} catch {
		return await list.add(values);
	}
}
