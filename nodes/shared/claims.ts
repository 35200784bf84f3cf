import { difference, uniqBy } from 'lodash';
import { sleep } from 'n8n-workflow';

interface Candidate {
	eventId: string;
	executionId: string;
}

/** Adds values to n8n's list of one node (in its database, shared by all processes), returns those that are new there. */
export type AddProcessed = (values: string[]) => Promise<string[]>;

/** Values in n8n's list per event: the event, the execution that has it, and those that gave way. */
export const VALUES_PER_EVENT = 4;

/** Pauses before a record that another process may have overwritten is repaired: the service's copies come after 150 ms. */
const REPAIR_AFTER_MS = [40, 30, 1_000, 3_000];
/** … and once more if the last repair had found it missing. */
const LAST_REPAIR_AFTER_MS = 6_000;

interface Pending extends Candidate {
	resolve(owner: Owner): void;
	reject(error: unknown): void;
}

/** Whose event it is: it is recorded now, it was this execution's before, or it is another's. */
type Owner = 'new' | 'mine' | 'other';

/**
 * Which execution passes an event on, in whatever process: the one that records it, also if queue mode runs it again.
 * n8n's list isn't atomic: a process may overwrite what another one has just recorded. So a record is repaired while the
 * event already runs, and an execution gives way only to a recorded event.
 */
export class Claims {
	private pending: Pending[] = [];
	private isWorking = false;

	/** Whether this execution passes the event on. @param othersClaim other processes may claim it at this moment */
	async claim(candidate: Candidate, add: AddProcessed, othersClaim: boolean): Promise<boolean> {
		const owner = await this.record(candidate, add);
		const repair = async () => {
			let found: Owner = 'new';
			for (const pauseMs of REPAIR_AFTER_MS) {
				await sleep(pauseMs);
				found = await this.record(candidate, add);
			}
			if (found === 'new')
				await sleep(LAST_REPAIR_AFTER_MS).then(async () => await this.record(candidate, add));
		};
		if (owner === 'new' && othersClaim) void repair().catch(() => undefined);
		return owner !== 'other';
	}

	private async record(candidate: Candidate, add: AddProcessed): Promise<Owner> {
		const owner = new Promise<Owner>((resolve, reject) =>
			this.pending.push({ ...candidate, resolve, reject }),
		);
		if (!this.isWorking) void this.work(add);
		return await owner;
	}

	/** One batch at a time in a process: the next one finds what this one has recorded. */
	private async work(add: AddProcessed): Promise<void> {
		this.isWorking = true;
		while (this.pending.length > 0) {
			// All that wait, but one per event: the next one of the same event has to find it.
			const batch = uniqBy(this.pending, 'eventId');
			this.pending = difference(this.pending, batch);
			try {
				const values = batch.flatMap(valuesOf);
				// The first time, two processes may create the list at the same moment: the one that fails finds it then.
				const added = new Set(await add(values).catch(async () => await add(values)));
				for (const one of batch) {
					const [event, owner] = valuesOf(one);
					one.resolve(added.has(event) ? 'new' : added.has(owner) ? 'other' : 'mine');
				}
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		this.isWorking = false;
	}
}

/** No event's ID can look like an owner, whatever it holds. */
const valuesOf = ({ eventId, executionId }: Candidate): [event: string, owner: string] => [
	`event ${eventId}`,
	`event-by ${executionId} ${eventId}`,
];
