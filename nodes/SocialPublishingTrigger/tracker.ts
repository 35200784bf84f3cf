import { once } from 'lodash';
import { sleep } from 'n8n-workflow';

import { LruMap } from '../shared/lruMap';

/** How a delivery of an event ended: its answer went out with 2xx, or it did not. */
type Acceptance = 'taken' | 'failed';

/** Called when the answer has gone out or the connection closed; only the first call counts. */
export type EndAcceptance = (outcome: Acceptance) => void;
export type Arrival = EndAcceptance | 'duplicate' | 'in progress';

export const MAX_WAIT_MS = 10_000;

/** The events of one node that this process has taken or is accepting right now (spec, "Delivery and retry rules" 5). */
export class DeliveryTracker {
	private readonly progress = new Map<string, { done: Promise<Acceptance>; end: EndAcceptance }>();
	/** 2 MiB for usual IDs; the oldest go first. */
	private readonly taken = new LruMap<string, true>(20_000);

	/** A delivery has arrived. A copy of one that is being accepted waits for its outcome, and takes its place if it failed. */
	async admit(id: string): Promise<Arrival> {
		const tooLate = once(async () => await sleep(MAX_WAIT_MS).then(() => 'late' as const));
		for (;;) {
			if (this.isTaken(id)) return 'duplicate';
			const end = this.reserve(id);
			if (end) return end;
			const outcome = await Promise.race([this.outcomeOf(id), tooLate()]);
			if (outcome === 'late') return 'in progress';
		}
	}

	/** Starts to accept an event; undefined where this process has taken it or is accepting it. */
	reserve(id: string): EndAcceptance | undefined {
		if (this.taken.has(id) || this.progress.has(id)) return undefined;
		let end!: EndAcceptance;
		const done = new Promise<Acceptance>((resolve) => {
			// By a second call, a copy may have taken the place.
			end = once((outcome) => {
				this.progress.delete(id);
				if (outcome === 'taken') this.taken.set(id, true);
				resolve(outcome);
			});
		});
		this.progress.set(id, { done, end });
		return end;
	}

	/** Whether an event was passed on: not one that is still being accepted. */
	isTaken(id: string): boolean {
		return this.taken.has(id);
	}

	/** The event was passed on, whoever accepted it. */
	markProcessed(id: string): void {
		this.progress.get(id)?.end('taken');
		this.taken.set(id, true);
	}

	/** The outcome of the event's acceptance in this process; undefined where this process knows nothing of it. */
	outcomeOf(id: string): Promise<Acceptance> | undefined {
		return this.progress.get(id)?.done ?? (this.isTaken(id) ? Promise.resolve('taken') : undefined);
	}
}
