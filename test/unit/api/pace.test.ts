import { setImmediate as turn } from 'node:timers/promises';

import { refusal } from '../../../nodes/api/failure';
import { LEEWAY, Pace, type Budget, type RateClass } from '../../../nodes/api/pace';
import { ended } from '../../support/virtualTime';

const LONG = 3_600_000;

/** A time on which nothing really happens: only the clock goes on. */
beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') }));
afterEach(() => void jest.useRealTimers());

interface Limit {
	limit?: number;
	remaining?: number;
	/** In s. */
	reset?: number;
}
const headersOf = (limit: Limit) =>
	Object.fromEntries(Object.entries(limit).map(([name, value]) => [`x-ratelimit-${name}`, String(value)]));

/** What the client does when an answer has come. */
function answered(pace: Pace, kind: RateClass, limit: Limit) {
	pace.noteOutcome(kind);
	pace.learn(kind, headersOf(limit));
	return 'sent';
}
/** A request that ends at once, with what its answer says of the limit. */
const ask = async (pace: Pace, kind: RateClass = 'read', budget: Budget = LONG, limit: Limit = {}) =>
	await pace.turn(kind, budget, async () => answered(pace, kind, limit));
const afterOf = async (work: Promise<unknown>) => (await ended(work)).after;

/** How many requests may start at once. */
async function room(pace: Pace): Promise<number> {
	let started = 0;
	for (let asked = 1; asked <= 100; asked++) {
		void pace.turn('read', LONG, async () => await new Promise<never>(() => started++));
		await turn();
		if (started < asked) return started;
	}
	return Infinity;
}

describe('a pause', () => {
	test('holds every request, however short the next one is; the wait counts once', async () => {
		const pace = new Pace();
		await jest.advanceTimersByTimeAsync(5_000);
		pace.pause(10_000);
		pace.pause(1_000);
		const both = Promise.all([ask(pace), ask(pace, 'write')]);
		expect(await ended(both)).toEqual({ value: ['sent', 'sent'], after: 10_000 });
		expect(await afterOf(ask(pace))).toBe(0);
		expect(pace.waitedMs).toBe(10_000);
	});

	test.each([
		[4_999, undefined, 0],
		[5_000, 'sent', 5_000],
	])('of 5 s, and a fixed end in %d ms: %s after %d ms', async (withinMs, value, after) => {
		const pace = new Pace();
		pace.pause(5_000);
		expect(await ended(ask(pace, 'write', pace.begin({ withinMs })))).toEqual({ value, after });
	});
});

describe('a limit that is nearly used up', () => {
	test.each<[Limit, number]>([
		// 15 % are left to others; of the rest a quarter goes out at once.
		[{ limit: 60, remaining: 20, reset: 30 }, 3],
		[{ limit: 60, remaining: 10, reset: 30 }, 1],
		[{ limit: 60, remaining: 9, reset: 30 }, 0],
		[{ limit: 1, remaining: 1, reset: 30 }, 1],
		[{ remaining: 3, reset: 30 }, 1],
		[{ limit: 60, remaining: 30 }, Infinity],
		[{ limit: 60, reset: 30 }, Infinity],
	])('%j: %d requests at once', async (limit, expected) => {
		const pace = new Pace();
		await ask(pace, 'read', LONG, limit);
		expect(await room(pace)).toBe(expected);
	});

	test('the next request waits for the new window; one of the other kind does not', async () => {
		const pace = new Pace();
		await ask(pace, 'read', LONG, { limit: 60, remaining: 0, reset: 30 });
		expect(await afterOf(ask(pace, 'write'))).toBe(0);
		expect(pace.waitedMs).toBe(0);
		expect(await afterOf(ask(pace))).toBe(30_000);
		expect(pace.waitedMs).toBe(30_000);
	});

	test('in the new window one request finds out, the others wait for its answer', async () => {
		const pace = new Pace();
		await ask(pace, 'read', LONG, { limit: 60, remaining: 0, reset: 1 });
		await jest.advanceTimersByTimeAsync(1_000);
		const first = pace.turn('read', LONG, async () => {
			await pace.wait(400);
			return answered(pace, 'read', { limit: 60, remaining: 59, reset: 60 });
		});
		const after = await afterOf(Promise.all([first, ask(pace)]));
		expect(after).toBeGreaterThanOrEqual(400);
		expect(after).toBeLessThan(500);
	});

	test.each<[number | { withinMs: number }, number]>([
		[30_000 / LEEWAY, 30_000],
		[30_000 / LEEWAY - 100, 0],
		[{ withinMs: 30_000 }, 30_000],
		[{ withinMs: 29_999 }, 0],
	])('30 s away, with a budget of %j: after %d ms it is left to the service', async (budget, expected) => {
		// Nothing left at all, or nothing but what is left to others.
		for (const remaining of [0, 9]) {
			const pace = new Pace();
			await ask(pace, 'read', LONG, { limit: 60, remaining, reset: 30 });
			expect(await afterOf(ask(pace, 'read', pace.begin(budget)))).toBe(expected);
		}
	});
});

describe('the count of a limit', () => {
	test('is that of the last answer', async () => {
		const pace = new Pace();
		for (const remaining of [35, 75]) await ask(pace, 'read', LONG, { limit: 100, remaining, reset: 30 });
		expect(await room(pace)).toBe(15);
	});

	test('is forgotten when its window is over and an answer says nothing; of the other kind it says nothing', async () => {
		const pace = new Pace();
		await ask(pace, 'read', LONG, { limit: 120, remaining: 50, reset: 1 });
		await ask(pace);
		expect([pace.limitOf('read'), pace.limitOf('write')]).toEqual([120, undefined]);
		await jest.advanceTimersByTimeAsync(1_000);
		await ask(pace);
		expect(pace.limitOf('read')).toBeUndefined();
	});
});

test('a request that throws frees its slot, and says nothing of the service', async () => {
	const pace = new Pace();
	await ask(pace, 'read', LONG, { limit: 3, remaining: 2, reset: 60 });
	pace.noteOutcome('read', pace.now() - 400);
	const failure = refusal('A', 'no', 'try');
	const failing = pace.turn('read', LONG, async () => await Promise.reject<string>(failure));
	await expect(failing).rejects.toBe(failure);
	expect([pace.allows(700, 'read', 1_000), pace.allows(701, 'read', 1_000)]).toEqual([true, false]);
	expect(await room(pace)).toBe(1);
});

describe('how long is waited', () => {
	test('counts from the first trouble after the last success, for each kind', async () => {
		const pace = new Pace();
		const expectMost = (ms: number, ...[kind, budget]: [RateClass, Budget]) =>
			expect([ms, ms + 1].map((one) => pace.allows(one, kind, budget))).toEqual([true, false]);
		expectMost(1_000 * LEEWAY, 'read', 1_000);
		for (const ago of [400, 100]) pace.noteOutcome('read', pace.now() - ago);
		expectMost(700, 'read', 1_000);
		expectMost(1_100, 'write', 1_000);
		await ask(pace);
		expectMost(1_100, 'read', 1_000);
		expectMost(1_000, 'read', pace.begin({ withinMs: 1_000 }));
	});

	test.each<[number | { withinMs: number }, number]>([
		[200_000, 100_000],
		[10_000, 30_000],
		[{ withinMs: 200_000 }, 100_000],
		[{ withinMs: 10_000 }, 10_000],
		[{ withinMs: 0 }, 1_000],
	])('of %j a request is given %d ms: half, half a minute at least, or what is left', (budget, ms) => {
		const pace = new Pace();
		expect(pace.timeoutMs('read', pace.begin(budget))).toBe(ms);
	});

	test('with a limit of months a request is given a day, not no time at all: no timer runs that long', () => {
		const pace = new Pace();
		const budget = 100 * 86_400_000;
		for (const one of [budget, { withinMs: budget }])
			expect(pace.timeoutMs('write', pace.begin(one))).toBe(86_400_000);
	});

	test('a clock that is set back or ahead by an hour changes nothing', async () => {
		for (const hours of [-1, 1]) {
			const pace = new Pace();
			pace.pause(1_000);
			const running = ended(Promise.all([ask(pace), pace.wait(1_000), ask(pace, 'write', 2_000)]));
			const real = Date.now();
			jest.setSystemTime(real + hours * 3_600_000);
			const { value, after } = await running;
			expect([value, after - hours * 3_600_000]).toEqual([['sent', undefined, 'sent'], 1_000]);
		}
	});

	test('a stopped execution waits no longer, and says that nothing is sent twice', async () => {
		const stop = new AbortController();
		const pace = new Pace(stop.signal);
		pace.pause(60_000);
		setTimeout(() => stop.abort(), 1_000);
		const { after, error } = await ended(ask(pace));
		expect(after).toBeLessThanOrEqual(2_000);
		expect(error.details).toMatchObject({
			code: 'NODE_STOPPED',
			hint: 'Retry the execution to continue. What was already sent is not sent again.',
		});
		expect(pace.waitedMs).toBe(after);
		const never = async () => await new Promise<never>(() => undefined);
		await expect(pace.within(LONG, never, () => refusal('A', 'no', 'try'))).rejects.toThrow('was stopped');
		await expect(ask(pace)).rejects.toThrow('was stopped');
	});
});

test('work is given so much time, then it is aborted', async () => {
	const pace = new Pace();
	const signals: AbortSignal[] = [];
	const taking = (ms: number) =>
		pace.within(
			1_000,
			async (signal) => {
				signals.push(signal);
				await new Promise((done) => setTimeout(done, ms));
				return 'done';
			},
			() => refusal('LATE', 'late', 'try'),
		);
	expect(await ended(taking(999))).toEqual({ value: 'done', after: 999 });
	const { error, after } = await ended(taking(5_000));
	expect([error.message, after, signals[1]!.aborted]).toEqual(['late', 1_000, true]);
});
