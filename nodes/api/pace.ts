import { sleep } from 'n8n-workflow';

import { executionStopped, type Failure } from './failure';

/** How often to check whether the execution was stopped, or a wait is over early. */
const STOP_CHECK_MS = 1_000;
/** How much longer than the budget a pause may be: windows of a limit are in whole seconds, and clocks differ. */
export const LEEWAY = 1.1;
/** Least time that a request is given to answer, unless a fixed end comes first. */
const MIN_TIMEOUT_MS = 30_000;
/** Longest time for a request: a timer of more than 24 days would end at once. */
const MAX_TIMEOUT_MS = 86_400_000;
/** Time that a request is given just before a fixed end. */
const LAST_TIMEOUT_MS = 1_000;

/** The two limits of the spec ("Rate limits"): GET counts as read, everything else as write. */
export type RateClass = 'read' | 'write';

/** What can be in trouble by itself: the two kinds of requests, and transfers of files. */
type Kind = RateClass | 'transfer';

/** How long to wait for the service, in ms: a number without any request of the run succeeding, `withinMs` in all. */
export type RetryBudget = number | { readonly withinMs: number };

/** A budget that has begun; `until` by the clock of the pace. */
export type Budget = number | { readonly until: number };

/** The pace of all requests of a run: after a 429 they wait together (spec, "Rate limits"). Times are in ms. */
export class Pace {
	/** How long this run has waited for the rate limit, in ms; several requests that wait together count once. */
	waitedMs = 0;
	private resumeAt = 0;
	private waiting = 0;
	/** Since when no request of a kind has succeeded, while the service has trouble or refuses more. */
	private readonly troubleSince: Partial<Record<Kind, number>> = {};

	/** @param signal of the execution: ends every wait when it is stopped */
	constructor(readonly signal?: AbortSignal) {}

	/** A clock that nobody sets. */
	now(): number {
		return performance.now();
	}

	begin(budget: RetryBudget): Budget {
		return typeof budget === 'number' ? budget : { until: this.now() + budget.withinMs };
	}

	/**
	 * Waits until no pause is in force; one beyond the budget is left to the service.
	 * @returns false where a pause lasts beyond a fixed end: nothing is to be sent
	 */
	async ready(kind: RateClass, budget: Budget): Promise<boolean> {
		for (;;) {
			await this.wait(0);
			const pause = this.resumeAt - this.now();
			if (pause <= 0) return true;
			if (!this.allows(pause, kind, budget)) return typeof budget === 'number';
			await this.waitForLimit(pause);
		}
	}

	/** Makes every request of this run wait for `ms` from now. */
	pause(ms: number): void {
		this.resumeAt = Math.max(this.resumeAt, this.now() + ms);
	}

	/** Whether a wait of `ms` from now is within the budget. */
	allows(ms: number, kind: Kind, budget: Budget): boolean {
		return this.now() + ms <= this.deadline(kind, budget, LEEWAY);
	}

	/** How long a request may take from now, in ms: half of what is left, so that another can follow. */
	timeoutMs(kind: RateClass, budget: Budget): number {
		const left = this.deadline(kind, budget) - this.now();
		const least = typeof budget === 'number' ? MIN_TIMEOUT_MS : Math.min(left, MIN_TIMEOUT_MS);
		return Math.min(Math.max(left / 2, least, LAST_TIMEOUT_MS), MAX_TIMEOUT_MS);
	}

	/** Takes in how a request or transfer ended: budgets count from the first trouble after the last success. */
	noteOutcome(kind: Kind, troubleSince?: number): void {
		if (troubleSince === undefined) delete this.troubleSince[kind];
		else this.troubleSince[kind] ??= troubleSince;
	}

	/** Waits `ms`, or until `done`. @throws Failure once the execution is stopped */
	async wait(ms: number, done?: AbortSignal): Promise<void> {
		const end = this.now() + ms;
		for (;;) {
			if (this.signal?.aborted) throw executionStopped();
			const left = end - this.now();
			if (left <= 0 || done?.aborted) return;
			await sleep(Math.min(left, STOP_CHECK_MS));
		}
	}

	/**
	 * The result of `work`, which is aborted after `ms` or when the execution is stopped. n8n's own time-out counts only
	 * while nothing moves, and outside of executions n8n aborts nothing.
	 */
	async within<T>(ms: number, work: (done: AbortSignal) => Promise<T>, timedOut: () => Failure): Promise<T> {
		const done = new AbortController();
		const guard = async (): Promise<never> => {
			await this.wait(ms, done.signal);
			throw timedOut();
		};
		try {
			return await Promise.race([work(done.signal), guard()]);
		} finally {
			done.abort();
		}
	}

	private async waitForLimit(ms: number): Promise<void> {
		const start = this.now();
		this.waiting++;
		await this.wait(ms).finally(() => {
			// The last of those that wait together counts for all.
			if (--this.waiting === 0) this.waitedMs += this.now() - start;
		});
	}

	private deadline(kind: Kind, budget: Budget, leeway = 1): number {
		const start = this.troubleSince[kind] ?? this.now();
		return typeof budget === 'number' ? start + budget * leeway : budget.until;
	}
}
