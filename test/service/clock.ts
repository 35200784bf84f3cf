import { pull, sortedLastIndexBy } from 'lodash';

export interface Timer {
	due: number;
	run: () => void | Promise<void>;
}

/** Node's own timers end at 2^31 ms. */
const LONGEST_SLEEP = 2 ** 30;

/**
 * The service's time. Starts at real time, runs `speed` times as fast, and can be moved on with `advance`.
 * A callback must not wait for another timer of this clock: `advance` runs them one after another.
 */
export class Clock {
	private base: number;
	private realBase: number;
	private rate: number;
	/** Sorted by `due`; of equal ones the one that was set first. */
	private timers: Timer[] = [];
	private alarm: NodeJS.Timeout | undefined;
	private busy: Promise<void> = Promise.resolve();
	private advancing = false;
	private stopped = false;

	constructor(speed = 1) {
		this.base = Date.now();
		this.realBase = performance.now();
		this.rate = speed;
	}

	now(): number {
		return Math.floor(this.exact());
	}

	/** `ms`, or now, as the spec writes a timestamp. */
	iso(ms = this.now()): string {
		return new Date(ms).toISOString();
	}

	get speed(): number {
		return this.rate;
	}

	/** Service seconds per real second; 0 stops the clock, `advance` still moves it. */
	set speed(speed: number) {
		this.base = this.exact();
		this.realBase = performance.now();
		this.rate = speed;
		this.arm();
	}

	/** Runs `run` when `ms` of service time have passed. */
	setTimeout(run: () => void | Promise<void>, ms: number): Timer {
		const timer = { due: this.exact() + Math.max(0, ms), run };
		const index = sortedLastIndexBy(this.timers, timer, 'due');
		this.timers.splice(index, 0, timer);
		if (index === 0) this.arm();
		return timer;
	}

	clear(timer: Timer): void {
		pull(this.timers, timer);
	}

	/** Moves the time on by `ms` and runs everything that falls due on the way, in order, one after another. */
	advance(ms: number): Promise<void> {
		const step = this.busy.then(() => this.walk(ms));
		this.busy = step.catch(() => undefined);
		return step;
	}

	stop(): void {
		this.stopped = true;
		clearTimeout(this.alarm);
		this.timers = [];
	}

	private exact(): number {
		return this.base + (performance.now() - this.realBase) * this.rate;
	}

	private jumpTo(time: number): void {
		if (time > this.exact()) {
			this.base = time;
			this.realBase = performance.now();
		}
	}

	private async walk(ms: number): Promise<void> {
		const target = this.exact() + ms;
		this.advancing = true;
		clearTimeout(this.alarm);
		try {
			for (let next = this.take(target); next; next = this.take(target)) {
				this.jumpTo(next.due);
				await next.run();
			}
			this.jumpTo(target);
		} finally {
			this.advancing = false;
			this.arm();
		}
	}

	/** The earliest timer that is due at this time; it is no longer set then. */
	private take(time: number): Timer | undefined {
		return this.timers[0] && this.timers[0].due <= time ? this.timers.shift() : undefined;
	}

	private arm(): void {
		clearTimeout(this.alarm);
		const [next] = this.timers;
		if (!next || this.stopped || this.advancing || this.rate <= 0) return;
		const wait = Math.ceil((next.due - this.exact()) / this.rate);
		this.alarm = setTimeout(() => this.ring(), Math.min(Math.max(wait, 0), LONGEST_SLEEP));
		this.alarm.unref();
	}

	private ring(): void {
		const now = this.exact();
		for (let next = this.take(now); next; next = this.take(now)) void this.runLater(next);
		this.arm();
	}

	private async runLater(timer: Timer): Promise<void> {
		try {
			await timer.run();
		} catch (error) {
			if (!this.stopped) console.error('A timer of the service failed:', error);
		}
	}
}
