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

/** Whose event it is: it is recorded now, it was this execution's before, or it is another's. */
type Owner = 'new' | 'mine' | 'other';

/**
 * Which execution passes an event on, in whatever process: the one that records it, also if queue mode runs it again.
 * n8n's list isn't atomic: a process may overwrite what another one has just recorded. So a record is repaired while the
 * event already runs, and an execution gives way only to a recorded event.
 */
export class Claims {
	/** What the next call of n8n's list takes along. */
	private next?: { values: string[]; added: Promise<Set<string>> };
	private last: Promise<unknown> = Promise.resolve();

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
		const [event, owner] = valuesOf(candidate);
		// One call has an event once: the next candidate for it has to find it.
		while (this.next?.values.includes(event)) await this.next.added.catch(() => undefined);
		const { values, added } = (this.next ??= this.afterLast(add));
		values.push(event, owner);
		const isNew = await added;
		return isNew.has(event) ? 'new' : isNew.has(owner) ? 'other' : 'mine';
	}

	/** One call at a time in a process: it finds what the last one has recorded. */
	private afterLast(add: AddProcessed) {
		const values: string[] = [];
		const added = this.last.then(async () => {
			this.next = undefined;
			// The first time, two processes may create the list at the same moment: the one that fails finds it then.
			return new Set(await add(values).catch(async () => await add(values)));
		});
		this.last = added.catch(() => undefined);
		return { values, added };
	}
}

/** No event's ID can look like an owner, whatever it holds. */
const valuesOf = ({ eventId, executionId }: Candidate): [event: string, owner: string] => [
	`event ${eventId}`,
	`event-by ${executionId} ${eventId}`,
];
