/** An execution that wants to pass an event on. */
export interface Claim {
	eventId: string;
	executionId: string;
}

/** n8n's list of processed values of one node: in its database, shared by all processes, kept over restarts. */
export interface ProcessedList {
	/** Adds values, the oldest are forgotten first; gives those that were not in the list before. */
	add(values: string[]): Promise<string[]>;
}

/** Values in n8n's list per event: the event itself, and the execution that has it. */
export const VALUES_PER_EVENT = 2;

interface Pending extends Claim {
	resolve(isFirst: boolean): void;
	reject(error: unknown): void;
}

/**
 * Which execution passes an event on, in whatever process it runs: the one that records the event. The execution is
 * recorded with it, so that one which queue mode runs again (its worker died) passes.
 */
export class Claims {
	private pending: Pending[] = [];

	private isWorking = false;

	/**
	 * @returns whether this execution passes the event on
	 * @throws whatever n8n's list throws twice in a row
	 */
	async claim(claim: Claim, list: ProcessedList, _othersClaim: boolean): Promise<boolean> {
		const isFirst = new Promise<boolean>((resolve, reject) =>
			this.pending.push({ ...claim, resolve, reject }),
		);
		if (!this.isWorking) void this.work(list);
		return await isFirst;
	}

	/** One batch at a time: n8n's list isn't atomic. */
	private async work(list: ProcessedList): Promise<void> {
		this.isWorking = true;
		while (this.pending.length > 0) {
			const batch = this.nextBatch();
			try {
				const values = batch.flatMap(valuesOf);
				// The first time, two processes may create the list at the same moment: the one that fails finds it then.
				const added = new Set(await list.add(values).catch(async () => await list.add(values)));
				for (const one of batch) {
					const [event, owner] = valuesOf(one);
					one.resolve(added.has(event) || !added.has(owner));
				}
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		this.isWorking = false;
	}

	/** All that wait, but one per event: the next one of the same event has to find it. */
	private nextBatch(): Pending[] {
		const batch = new Map<string, Pending>();
		this.pending = this.pending.filter((one) => {
			if (batch.has(one.eventId)) return true;
			batch.set(one.eventId, one);
			return false;
		});
		return [...batch.values()];
	}
}

/** No event's ID can look like an owner, whatever it holds. */
const valuesOf = ({ eventId, executionId }: Claim): [event: string, owner: string] => [
	`event ${eventId}`,
	`event-by ${executionId} ${eventId}`,
];
