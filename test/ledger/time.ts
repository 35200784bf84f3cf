import { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';

// n8n-core logs every failure.
process.env.N8N_LOG_LEVEL ??= 'silent';

/** Time that stands still, and jumps from timer to timer when nothing else happens: two recordings are the same to the byte. */

/** A Friday, 10:00 in Berlin. */
export const START = Date.parse('2026-11-20T09:00:00Z');

/** So many turns of the event loop without a request, and nothing is under way. */
const QUIET_TURNS = 12;

const fake = createRequire(__filename)('@sinonjs/fake-timers');
const realRandom = Math.random;
let clock: any;

// Node's own header tells the real time.
const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (this: ServerResponse, ...given: any[]) {
	return (writeHead as any).apply(this.setHeader('date', new Date().toUTCString()), given);
} as typeof writeHead;

export function stopTime(): void {
	const toFake = ['Date', 'setTimeout', 'clearTimeout', 'performance'];
	clock = fake.install({ now: START, toFake });
	Math.random = () => 0.5;
}

export function freeTime(): void {
	clock.uninstall();
	Math.random = realRandom;
}

/** Returns when nothing has happened for a moment. @param happened grows with each event */
async function quiet(happened: () => number): Promise<void> {
	let before = happened();
	for (let turns = 0; turns < QUIET_TURNS; turns++) {
		await pause(1);
		if (happened() !== before) turns = 0;
		before = happened();
	}
}

async function next(): Promise<void> {
	const before = Date.now();
	await clock.nextAsync();
	// A timer of a part of a millisecond would come again at the same time, for ever.
	if (Date.now() === before) await clock.tickAsync(1);
}

/** Jumps from timer to timer until `work` has ended. */
export async function through<T>(work: Promise<T>, happened: () => number): Promise<T> {
	let isOver = false;
	const ended = work.finally(() => (isOver = true));
	ended.catch(() => undefined);
	while (!isOver) {
		await quiet(happened);
		if (!isOver && clock.countTimers() > 0) await next();
	}
	return await ended;
}

/** Moves the time on by `ms`, from timer to timer. */
export async function goOn(ms: number, happened: () => number): Promise<void> {
	const end = Date.now() + ms;
	await quiet(happened);
	for (;;) {
		const left = end - Date.now();
		const due = Math.min(...Object.values<any>(clock.timers ?? {}).map(({ callAt }) => callAt), Infinity);
		if (due >= end) return void clock.tick(left);
		await next();
		await quiet(happened);
	}
}
