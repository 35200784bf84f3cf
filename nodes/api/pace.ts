import { sleep } from 'n8n-workflow';

import { refusal } from './errors';

/** How long a sleep may go on after the execution was stopped, in ms. */
const STOP_CHECK = 200;

/**
 * The pace of one run: all requests of a run share it, so that after a 429 every pending request waits, not just one.
 * Waits that overlap count once against the budget (`maxRetryWait`).
 */
export class Pace {
	private resumeAt = 0;
	private spent = 0;
	private countedUntil = 0;

	constructor(
		private readonly signal?: AbortSignal,
		private readonly now: () => number = Date.now,
	) {}

	/** Whether a wait of `ms` from now still fits into `budget` (both in ms). */
	allows(ms: number, budget: number): boolean {
		const from = Math.max(this.now(), this.countedUntil);
		return this.spent + Math.max(0, this.now() + ms - from) <= budget;
	}

	/** Makes every request of this run wait for `ms` from now. */
	pause(ms: number): void {
		this.resumeAt = Math.max(this.resumeAt, this.now() + ms);
	}

	/** Waits until no pause is in force. */
	async turn(): Promise<void> {
		this.throwIfStopped();
		while (this.resumeAt > this.now()) await this.wait(this.resumeAt - this.now());
	}

	/** Waits `ms`, ends early with a failure when the execution is stopped. */
	async wait(ms: number): Promise<void> {
		const start = this.now();
		const end = start + ms;
		this.spent += Math.max(0, end - Math.max(start, this.countedUntil));
		this.countedUntil = Math.max(this.countedUntil, end);
		for (let left = ms; left > 0; left = end - this.now()) {
			this.throwIfStopped();
			await sleep(Math.min(left, STOP_CHECK));
		}
		this.throwIfStopped();
	}

	private throwIfStopped(): void {
		if (this.signal?.aborted)
			throw refusal(
				'STOPPED',
				'The execution was stopped while waiting for the service',
				'Nothing more was sent.',
			);
	}
}
