import { sleep } from 'n8n-workflow';

import { refusal } from './errors';
import { answerFailure } from './errorTexts';

/** How long a sleep may go on after the execution was stopped. */
const STOP_CHECK_MS = 200;
/** How long to wait for an answer that says whether there is room. */
const NEXT_ANSWER_MS = 50;
/** Part of a limit that is left to others who use the same key; more once a refusal has shown that there are any. */
const RESERVE = { alone: 0.1, shared: 0.25 };
/** Most that is added to a wait for the next window, so that several runs don't all come back at once. */
const LONGEST_JITTER_MS = 2_000;
/** How much later a run comes back that had its share of a window: one that was refused goes first. */
const YIELD_MS = 3_000;
/** How much longer than asked for a wait for the next window may be: those are counted in whole seconds, and clocks differ. */
export const LEEWAY = 1.1;
/** Time that any request of a run is given; a service that works answers sooner. */
const TIME_TO_ANSWER_MS = 30_000;
/** Time that a request is given just before a fixed end. */
const LAST_MOMENT_MS = 1_000;
/** How far apart the resets that two answers of one window tell may be: they are counted in whole seconds. */
const RESET_TOLERANCE_MS = 2_000;
/** Spec, "Rate limits": counted by the minute; in ms. */
const WINDOW_MS = 60_000;

/** The two limits of the spec ("Rate limits"): GET counts as read; POST, DELETE and, as far as is known, PATCH as write. */
export type RateClass = 'read' | 'write';

/** What can be in trouble by itself: the two kinds of requests, and transfers of files. */
type Kind = RateClass | 'transfer';

/**
 * How long the service may be waited for. A number: so many ms without any request of the run succeeding
 * (`maxRetryWait`). `until`: to a time in ms, whatever succeeds.
 */
export type RetryBudget = number | { readonly until: number };

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
 */
export class RateLimiter {
	private resumeAt = 0;
	/** Since when no request of a kind has succeeded, while the service has trouble or refuses more. */
	private readonly troubleSince: Partial<Record<Kind, number>> = {};
	private readonly underWay: Record<RateClass, number> = { read: 0, write: 0 };
	private readonly isShared: Partial<Record<RateClass, boolean>> = {};
	private readonly limits: Partial<Record<RateClass, RateLimit>> = {};
	private readonly waitingForLimit: Partial<Record<RateClass, () => void>> = {};

	/** @param random 0 to 1, spreads the waits of several runs */
	constructor(
		readonly signal?: AbortSignal,
		readonly now: () => number = Date.now,
		private readonly random: () => number = Math.random,
	) {}

	/** Whether a wait of `ms` from now is within what the caller is ready to wait. */
	allows(ms: number, kind: Kind, budget: RetryBudget, leeway = 1): boolean {
		return this.now() + ms <= this.deadline(kind, budget, leeway);
	}

	/** How long a request may take from now, in ms: half of what is left, so that another can follow. */
	timeout(kind: RateClass, budget: RetryBudget): number {
		const left = this.deadline(kind, budget) - this.now();
		const least = typeof budget === 'number' ? TIME_TO_ANSWER_MS : Math.min(left, TIME_TO_ANSWER_MS);
		return Math.max(left / 2, least, LAST_MOMENT_MS);
	}

	private deadline(kind: Kind, budget: RetryBudget, leeway = 1): number {
		return typeof budget === 'number'
			? (this.troubleSince[kind] ?? this.now()) + budget * leeway
			: budget.until;
	}

	/** Makes every request of this run wait for `ms` from now, and a little longer. */
	pause(ms: number): void {
		this.resumeAt = Math.max(this.resumeAt, this.now() + this.spread(ms));
	}

	/** Longer by a random bit: runs that share a limit come back one after the other. */
	private spread(ms: number): number {
		return ms + this.random() * Math.min(LONGEST_JITTER_MS, ms / 4);
	}

	/**
	 * Waits until no pause is in force and the limit, as far as it is known, has room for one more request, which then
	 * counts as under way until {@link release}. A limit whose reset is further away than the caller is ready to wait is
	 * left to the service to enforce.
	 * @throws Failure where a fixed end comes before the pause is over, or the execution is stopped
	 */
	async acquire(kind: RateClass, budget: RetryBudget): Promise<void> {
		this.throwIfStopped();
		for (;;) {
			const pause = this.resumeAt - this.now();
			if (pause > 0) {
				const left = typeof budget === 'number' ? pause : budget.until - this.now();
				await this.wait(Math.min(pause, left));
				if (left < pause) throw answerFailure(429, undefined);
				continue;
			}
			const { left, resetIn } = this.leftOf(kind);
			if (this.underWay[kind] < this.atOnce(kind, left)) break;
			if (left > 0) {
				// What is under way may be counted already: the next answer tells.
				await this.wait(NEXT_ANSWER_MS);
				continue;
			}
			if (!this.allows(resetIn, kind, budget, LEEWAY)) break;
			await this.wait(this.spread(resetIn) + (this.isShared[kind] ? YIELD_MS : 0));
		}
		this.underWay[kind]++;
	}

	/**
	 * A request is no longer under way.
	 * @param said what its answer says of the limit; whether it was refused for that; since when it had trouble, if it had
	 */
	release(kind: RateClass, said: { limit?: RateLimit; refused?: boolean; troubleSince?: number } = {}): void {
		this.underWay[kind]--;
		this.settled(kind, said.troubleSince);
		if (said.refused) this.isShared[kind] = true;
		const { limit } = said;
		if (!limit) {
			// A window that is over and not followed by another one: nothing is known any more.
			if (this.leftOf(kind).resetIn <= 0) delete this.limits[kind];
			return;
		}
		const known = this.limits[kind];
		const sameWindow = Math.abs((known?.resetAt ?? NaN) - (limit.resetAt ?? NaN)) < RESET_TOLERANCE_MS;
		// Answers may arrive out of order: within one window the smallest count is the latest.
		const remaining =
			sameWindow && known?.remaining !== undefined && limit.remaining !== undefined
				? Math.min(known.remaining, limit.remaining)
				: limit.remaining;
		this.limits[kind] = { ...limit, remaining };
		const tell = this.waitingForLimit[kind];
		delete this.waitingForLimit[kind];
		tell?.();
	}

	/** A slot that no request used: says nothing of how the service does. */
	releaseUnused(kind: RateClass): void {
		this.underWay[kind]--;
	}

	/** Calls `tell` once, as soon as an answer has told the limit. */
	whenKnown(kind: RateClass, tell: () => void): void {
		this.waitingForLimit[kind] = tell;
	}

	/** Takes in how a try ended: waits count from the first trouble after the last success. */
	settled(kind: Kind, troubleSince?: number): void {
		if (troubleSince === undefined) delete this.troubleSince[kind];
		else this.troubleSince[kind] ??= troubleSince;
	}

	/** Requests per minute that the service allows, where it has said so. */
	limitOf(kind: RateClass): number | undefined {
		return this.limits[kind]?.limit;
	}

	/**
	 * How long `count` more requests, those under way included, will at least take, in ms; undefined where the service has
	 * not told its limit.
	 * Spec, "Rate limits": counted by the minute.
	 */
	estimate(kind: RateClass, count: number): number | undefined {
		const { limit, resetAt } = this.limits[kind] ?? {};
		if (!limit) return undefined;
		const later = count - Math.max(0, Math.min(this.leftOf(kind).left, limit));
		if (later <= 0) return 0;
		const next = resetAt === undefined ? WINDOW_MS : Math.max(0, resetAt - this.now());
		return next + (Math.ceil(later / (limit - this.reserveOf(kind, limit))) - 1) * WINDOW_MS;
	}

	/** Waits `ms`, ends early with a failure when the execution is stopped. */
	async wait(ms: number): Promise<void> {
		const end = this.now() + ms;
		for (let left = ms; left > 0; left = end - this.now()) {
			this.throwIfStopped();
			await sleep(Math.min(left, STOP_CHECK_MS));
		}
		this.throwIfStopped();
	}

	/** How many requests may be under way at once (0 or less: none). */
	private atOnce(kind: RateClass, left: number): number {
		// What others have under way is not in the count yet: this run takes as much as it leaves to each of two.
		return this.isShared[kind] ? Math.ceil(left / 3) : left;
	}

	/** How many more requests the limit takes, those under way included, and the ms until it starts again. */
	private leftOf(kind: RateClass): { left: number; resetIn: number } {
		const { limit, remaining, resetAt } = this.limits[kind] ?? {};
		if (remaining === undefined || resetAt === undefined) return { left: Infinity, resetIn: 0 };
		const resetIn = resetAt - this.now();
		// A new window may be used up by others already: one request finds out.
		return { left: resetIn > 0 ? remaining - this.reserveOf(kind, limit) : 1, resetIn };
	}

	private reserveOf(kind: RateClass, limit = 0): number {
		const part = Math.ceil(limit * RESERVE[this.isShared[kind] ? 'shared' : 'alone']);
		return Math.max(0, Math.min(limit - 1, part));
	}

	private throwIfStopped(): void {
		if (this.signal?.aborted)
			throw refusal(
				'STOPPED',
				'The execution was stopped while waiting for the service',
				'Retry the execution to continue. What was already sent is not sent again.',
			);
	}
}
