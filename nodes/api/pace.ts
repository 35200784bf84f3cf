import { sleep, type IDataObject } from 'n8n-workflow';

import { executionStopped, type Failure } from './failure';
import { rateLimit, resetInMs } from './rateLimitHeaders';

/** How often to check whether the execution was stopped, or a wait is over early. */
const STOP_CHECK_MS = 1_000;
/** Share of a limit that is left to others who use the same key. */
const RESERVE = 0.15;
/** What others have under way isn't counted yet: at most one in so many of what is left goes out at once. */
const AT_ONCE = 4;
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

/** What the last answer that said something of a limit said. */
interface RateLimit {
	limit?: number;
	remaining?: number;
	/** When the count starts again, by the clock of the pace. */
	resetAt?: number;
}

/** The pace of all requests of a run: they wait together after a 429, and before a limit is exceeded. Times are in ms. */
export class Pace {
	/** How long this run has waited for the rate limit, in ms; several requests that wait together count once. */
	waitedMs = 0;
	private resumeAt = 0;
	private waitingForLimit = 0;
	/** Requests that wait for the end of another one. */
	private waitingForSlot: Array<() => void> = [];
	/** Since when no request of a kind has succeeded, while the service has trouble or refuses more. */
	private readonly troubleSince: Partial<Record<Kind, number>> = {};
	private readonly underWay: Record<RateClass, number> = { read: 0, write: 0 };
	private readonly limits: Partial<Record<RateClass, RateLimit>> = {};

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
	 * Runs a request once no pause is in force and the limit has room. A pause or reset beyond the budget is left to the service.
	 * @returns undefined where a pause lasts beyond a fixed end: nothing was sent
	 */
	async turn<T>(kind: RateClass, budget: Budget, request: () => Promise<T>): Promise<T | undefined> {
		if (!(await this.room(kind, budget))) return undefined;
		try {
			return await request();
		} finally {
			this.underWay[kind]--;
			for (const resume of this.waitingForSlot.splice(0)) resume();
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

	/** Requests per minute that the service allows; undefined where its answers don't say. */
	limitOf(kind: RateClass): number | undefined {
		return this.limits[kind]?.limit;
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

	/** Takes a slot; false where there is none within the budget. */
	private async room(kind: RateClass, budget: Budget): Promise<boolean> {
		for (;;) {
			await this.wait(0);
			const pause = this.resumeAt - this.now();
			if (pause > 0 && this.allows(pause, kind, budget)) {
				await this.waitForLimit(pause);
				continue;
			}
			if (pause > 0 && typeof budget !== 'number') return false;
			const left = this.leftOf(kind);
			if (left === undefined || this.underWay[kind] < Math.ceil(left / AT_ONCE)) break;
			// The requests under way may be counted already: their answers say.
			if (left > 0) await new Promise<void>((resume) => this.waitingForSlot.push(resume));
			else {
				const resetIn = this.limits[kind]!.resetAt! - this.now();
				if (!this.allows(resetIn, kind, budget)) break;
				await this.waitForLimit(resetIn);
			}
		}
		// Taken here: requests that start at the same moment would all find room.
		this.underWay[kind]++;
		return true;
	}

	private async waitForLimit(ms: number): Promise<void> {
		const start = this.now();
		this.waitingForLimit++;
		await this.wait(ms).finally(() => {
			// The last of those that wait together counts for all.
			if (--this.waitingForLimit === 0) this.waitedMs += this.now() - start;
		});
	}

	learn(kind: RateClass, headers: IDataObject): void {
		const said = rateLimit(headers);
		if (said) {
			const resetIn = resetInMs(said.reset);
			this.limits[kind] = { ...said, resetAt: resetIn === undefined ? undefined : this.now() + resetIn };
			return;
		}
		// A window that is over and not followed by another one: nothing is known any more.
		if ((this.limits[kind]?.resetAt ?? 0) <= this.now()) delete this.limits[kind];
	}

	/** How many more requests the limit takes, those under way included; undefined where that isn't known. */
	private leftOf(kind: RateClass): number | undefined {
		const { limit = 0, remaining, resetAt } = this.limits[kind] ?? {};
		if (remaining === undefined || resetAt === undefined) return undefined;
		// A new window may be used up by others already: one request finds out.
		if (resetAt <= this.now()) return 1;
		return remaining - Math.max(0, Math.min(limit - 1, Math.ceil(limit * RESERVE)));
	}

	private deadline(kind: Kind, budget: Budget, leeway = 1): number {
		const start = this.troubleSince[kind] ?? this.now();
		return typeof budget === 'number' ? start + budget * leeway : budget.until;
	}
}
