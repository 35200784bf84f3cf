import { sleep } from 'n8n-workflow';

import { refusal } from './errors';

/** How long a sleep may go on after the execution was stopped, in ms. */
const STOP_CHECK = 200;
/** How long to wait for an answer that says whether there is room, in ms. */
const NEXT_ANSWER = 50;

/** The two limits of the spec ("Rate limits"): GET counts as read; POST, DELETE and, as far as is known, PATCH as write. */
export type RateClass = 'read' | 'write';

/** How long a request may wait for the service. */
export interface Patience {
	/** ms that the run may spend waiting in all (`maxRetryWait`); Infinity: its waits count for nobody. */
	budget: number;
	/** Time in ms after which nothing is waited for. */
	until?: number;
}

/** What the service last said of a limit (`X-RateLimit-*`). */
export interface RateLimit {
	limit?: number;
	remaining?: number;
	/** Time in ms at which the count starts again. */
	resetAt?: number;
}

/**
 * The limiter of one run: all requests of a run share it, so that after a 429 every pending request waits, not just one,
 * and so that a limit that is nearly used up is waited out before it is exceeded.
 * Waits that overlap count once against the budget (`maxRetryWait`).
 */
export class RateLimiter {
	private resumeAt = 0;
	private spent = 0;
	private countedUntil = 0;
	private readonly underWay: Record<RateClass, number> = { read: 0, write: 0 };
	private readonly limits: Partial<Record<RateClass, RateLimit>> = {};

	constructor(
		readonly signal?: AbortSignal,
		private readonly now: () => number = Date.now,
	) {}

	/** Whether a wait of `ms` from now is within what the caller is ready to wait. */
	allows(ms: number, { budget, until }: Patience): boolean {
		if (until !== undefined && this.now() + ms > until) return false;
		const from = Math.max(this.now(), this.countedUntil);
		return this.spent + Math.max(0, this.now() + ms - from) <= budget;
	}

	/** Makes every request of this run wait for `ms` from now. */
	pause(ms: number): void {
		this.resumeAt = Math.max(this.resumeAt, this.now() + ms);
	}

	/**
	 * Waits until no pause is in force and the limit, as far as it is known, has room for one more request, which then
	 * counts as under way until {@link release}. A limit whose reset is further away than the caller is ready to wait is
	 * left to the service to enforce.
	 */
	async acquire(kind: RateClass, patience: Patience): Promise<void> {
		this.throwIfStopped();
		for (;;) {
			const pause = this.resumeAt - this.now();
			if (pause > 0) {
				await this.wait(pause, patience);
				continue;
			}
			const { room, resetIn } = this.roomIn(kind);
			if (room > 0) break;
			if (this.underWay[kind] > 0 && -room < this.underWay[kind]) {
				// What is under way may be counted already: the next answer tells.
				await this.wait(NEXT_ANSWER, { budget: Infinity });
				continue;
			}
			if (resetIn <= 0 || !this.allows(resetIn, patience)) break;
			await this.wait(resetIn, patience);
		}
		this.underWay[kind]++;
	}

	/** A request is no longer under way; takes in what its answer says of the limit. */
	release(kind: RateClass, said?: RateLimit): void {
		this.underWay[kind]--;
		if (!said) return;
		const known = this.limits[kind];
		const sameWindow = known?.resetAt !== undefined && known.resetAt === said.resetAt;
		// Answers may arrive out of order: within one window the smallest count is the latest.
		const remaining =
			sameWindow && known.remaining !== undefined && said.remaining !== undefined
				? Math.min(known.remaining, said.remaining)
				: said.remaining;
		this.limits[kind] = { ...said, remaining };
	}

	/** Requests per minute that the service allows, where it has said so. */
	limitOf(kind: RateClass): number | undefined {
		return this.limits[kind]?.limit;
	}

	/** Waits `ms`, ends early with a failure when the execution is stopped. */
	async wait(ms: number, patience: Patience): Promise<void> {
		const start = this.now();
		const end = start + ms;
		if (patience.budget !== Infinity) {
			this.spent += Math.max(0, end - Math.max(start, this.countedUntil));
			this.countedUntil = Math.max(this.countedUntil, end);
		}
		for (let left = ms; left > 0; left = end - this.now()) {
			this.throwIfStopped();
			await sleep(Math.min(left, STOP_CHECK));
		}
		this.throwIfStopped();
	}

	/** How many more requests fit into the limit (0 or less: none) and, if none, the ms until it starts again. */
	private roomIn(kind: RateClass): { room: number; resetIn: number } {
		const { limit, remaining, resetAt } = this.limits[kind] ?? {};
		if (remaining === undefined || resetAt === undefined) return { room: Infinity, resetIn: 0 };
		const resetIn = resetAt - this.now();
		const left = resetIn > 0 ? remaining : (limit ?? Infinity);
		return { room: left - this.underWay[kind], resetIn };
	}

	private throwIfStopped(): void {
		if (this.signal?.aborted)
			throw refusal(
				'STOPPED',
				'The execution was stopped while waiting for the service',
				'Retry the execution to go on: what was sent is not sent again.',
			);
	}
}
