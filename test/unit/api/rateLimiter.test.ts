import { setImmediate as turn } from 'node:timers/promises';

import { LEEWAY, RateLimiter, type RateClass, type RetryBudget } from '../../../nodes/api/rateLimiter';
import { ended } from '../../support/virtualTime';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const LONG = 3_600_000;

/** A time on which nothing really happens: only the clock goes on. */
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

/** @param random what the spread of waits draws: 0 for none */
const limiterOf = (random = 0, signal?: AbortSignal) => new RateLimiter(signal, Date.now, () => random);

const afterOf = async (work: Promise<unknown>) => (await ended(work)).after;

/** Tells of a limit, as an answer to one request does. */
async function told(
	limiter: RateLimiter,
	limit: { limit?: number; remaining?: number; resetIn?: number },
	more: { refused?: boolean } = {},
): Promise<void> {
	await limiter.acquire('read', LONG);
	const { resetIn, ...counts } = limit;
	const resetAt = resetIn === undefined ? undefined : Date.now() + resetIn;
	limiter.release('read', { limit: { ...counts, resetAt }, ...more });
}

/** How many requests may start at once. */
async function room(limiter: RateLimiter): Promise<number> {
	let started = 0;
	for (let asked = 1; asked <= 100; asked++) {
		void limiter.acquire('read', LONG).then(() => started++);
		await turn();
		if (started < asked) return started;
	}
	return Infinity;
}

describe('a pause', () => {
	test.each([
		[0, 10_000, 10_000],
		[1, 10_000, 12_000],
		[1, 4_000, 5_000],
		[0.5, 4_000, 4_500],
	])('with a chance of %d: %d ms are %d ms', async (random, ms, expected) => {
		const limiter = limiterOf(random);
		limiter.pause(ms);
		expect(await afterOf(limiter.acquire('read', LONG))).toBe(expected);
		expect(await afterOf(limiter.acquire('write', LONG))).toBe(0);
	});

	test('a shorter one does not end a longer one', async () => {
		const limiter = limiterOf();
		limiter.pause(5_000);
		limiter.pause(1_000);
		expect(await afterOf(limiter.acquire('write', LONG))).toBe(5_000);
	});

	test.each([
		[4_999, { after: 4_999, error: { details: { status: 429 } } }],
		[5_000, { after: 5_000 }],
	])(
		'a fixed end in %d ms, before a pause of 5 s is over: waits until then, and fails',
		async (ms, expected) => {
			const limiter = limiterOf();
			limiter.pause(5_000);
			const end = await ended(limiter.acquire('write', { until: NOW + ms }));
			expect(end).toMatchObject(expected);
			expect('error' in end).toBe('error' in expected);
		},
	);
});

describe('a limit that is nearly used up', () => {
	test.each([
		// A tenth is left to others.
		[{ limit: 60, remaining: 20, resetIn: 30_000 }, 14],
		[{ limit: 60, remaining: 6, resetIn: 30_000 }, 0],
		[{ limit: 1, remaining: 1, resetIn: 30_000 }, 1],
		[{ remaining: 3, resetIn: 30_000 }, 3],
		// What is not told is no limit.
		[{ limit: 60, remaining: 3 }, Infinity],
		[{ limit: 60, resetIn: 30_000 }, Infinity],
	])('%j: %d requests at once', async (limit, expected) => {
		const limiter = limiterOf();
		await told(limiter, limit);
		expect(await room(limiter)).toBe(expected);
	});

	test('one that others use, too: a quarter is left to them, and a third of the rest is taken at once', async () => {
		const limiter = limiterOf();
		await told(limiter, { limit: 60, remaining: 60, resetIn: 30_000 }, { refused: true });
		expect(await room(limiter)).toBe(15);
	});

	test.each([
		[false, 32_000],
		// A run that had its share lets one that was refused go first: of four runs at once, one starved.
		[true, 35_000],
	])('the next request waits for the new window, and a bit (shared with others: %s)', async (refused, ms) => {
		const limiter = limiterOf(1);
		await told(limiter, { limit: 60, remaining: 0, resetIn: 30_000 }, { refused });
		expect(await afterOf(limiter.acquire('read', LONG))).toBe(ms);
		// The other kind has a limit of its own.
		expect(await afterOf(limiter.acquire('write', LONG))).toBe(0);
	});

	test('in the new window one request finds out, the others wait for its answer', async () => {
		const limiter = limiterOf();
		await told(limiter, { limit: 60, remaining: 0, resetIn: 1_000 });
		await jest.advanceTimersByTimeAsync(1_000);
		await limiter.acquire('read', LONG);
		const answer = { limit: { limit: 60, remaining: 59, resetAt: NOW + 60_000 } };
		setTimeout(() => limiter.release('read', answer), 400);
		const after = await afterOf(limiter.acquire('read', LONG));
		expect(after).toBeGreaterThanOrEqual(400);
		expect(after).toBeLessThan(500);
	});

	test.each([
		[30_000 / LEEWAY, 30_000],
		[30_000 / LEEWAY - 100, 0],
		[{ until: NOW + 30_000 }, 30_000],
		[{ until: NOW + 29_999 }, 0],
	])(
		'30 s away, and one is ready to wait for %j: after %d ms it is left to the service',
		async (budget, expected) => {
			// Nothing left at all, or nothing but what is left to others.
			for (const remaining of [0, 6]) {
				const limiter = limiterOf();
				await told(limiter, { limit: 60, remaining, resetIn: 30_000 });
				const until = typeof budget === 'number' ? budget : { until: Date.now() + budget.until - NOW };
				expect(await afterOf(limiter.acquire('read', until))).toBe(expected);
			}
		},
	);
});

describe('what answers tell of a limit', () => {
	const saying = (remaining?: number, resetIn = 30_000) => ({ limit: 100, remaining, resetIn });
	test.each([
		// Resets are told in whole seconds.
		['of one window, the smallest', saying(20), saying(50, 31_000), 10],
		['of the next window, its own', saying(20), saying(50, 32_000), 40],
		['none any more', saying(20), saying(), Infinity],
		['one at last', saying(), saying(30), 20],
	])('the count that holds is %s', async (_what, first, second, expected) => {
		const limiter = limiterOf();
		for (const one of [first, second]) await told(limiter, one);
		expect(await room(limiter)).toBe(expected);
	});

	test('is forgotten when its window is over and an answer tells nothing', async () => {
		const limiter = limiterOf();
		await told(limiter, { limit: 100, remaining: 5, resetIn: 1_000 });
		await limiter.acquire('read', { until: NOW });
		limiter.release('read');
		expect(limiter.limitOf('read')).toBe(100);
		await jest.advanceTimersByTimeAsync(1_000);
		await limiter.acquire('read', LONG);
		limiter.release('read');
		expect(limiter.limitOf('read')).toBeUndefined();
		expect(limiter.limitOf('write')).toBeUndefined();
	});

	test('is announced once', async () => {
		const limiter = limiterOf();
		const tell = jest.fn();
		limiter.whenKnown('read', tell);
		await limiter.acquire('read', LONG);
		limiter.release('read');
		expect(tell).not.toHaveBeenCalled();
		for (let i = 0; i < 2; i++) await told(limiter, { limit: 60, remaining: 50, resetIn: 1_000 });
		expect(tell).toHaveBeenCalledTimes(1);
	});

	test.each([
		[{ limit: 10, remaining: 10, resetIn: 20_000 }, 9, 0],
		// 9 of 10 a window: the rest in the next one.
		[{ limit: 10, remaining: 10, resetIn: 20_000 }, 10, 20_000],
		[{ limit: 10, remaining: 10, resetIn: 20_000 }, 18, 20_000],
		[{ limit: 10, remaining: 10, resetIn: 20_000 }, 19, 80_000],
		[{ limit: 10, remaining: 0, resetIn: 20_000 }, 9, 20_000],
		[{ limit: 10, remaining: 0, resetIn: 20_000 }, 10, 80_000],
		// No window is known: none but what one limit holds.
		[{ limit: 10 }, 10, 0],
		[{ limit: 10 }, 11, 60_000],
		[{}, 1000, undefined],
	])('%j: %d more take %s ms', async (limit, count, expected) => {
		const limiter = limiterOf();
		await told(limiter, limit);
		expect(limiter.estimate('read', count)).toBe(expected);
		expect(limiter.estimate('write', count)).toBeUndefined();
	});
});

describe('how long is waited', () => {
	test('counts from the first trouble after the last success, for each kind', () => {
		const limiter = limiterOf();
		const expectMost = (ms: number, ...[kind, budget, leeway]: [RateClass, RetryBudget, number?]) =>
			expect([ms, ms + 1].map((one) => limiter.allows(one, kind, budget, leeway))).toEqual([true, false]);
		expectMost(1_000, 'read', 1_000);
		expectMost(1_100, 'read', 1_000, LEEWAY);
		limiter.settled('read', NOW - 400);
		limiter.settled('read', NOW - 100);
		expectMost(600, 'read', 1_000);
		expectMost(1_000, 'write', 1_000);
		limiter.settled('read');
		expectMost(1_000, 'read', 1_000);
		expectMost(1_000, 'read', { until: NOW + 1_000 });
	});

	test.each<[RetryBudget, number]>([
		[200_000, 100_000],
		[10_000, 30_000],
		[{ until: NOW + 200_000 }, 100_000],
		[{ until: NOW + 10_000 }, 10_000],
		[{ until: NOW }, 1_000],
	])(
		'of %j a request is given %d ms: half, half a minute at least; before a fixed end what is left',
		(budget, ms) => expect(limiterOf().timeout('read', budget)).toBe(ms),
	);

	test('a stopped execution waits no longer, and says that nothing is sent twice', async () => {
		const stop = new AbortController();
		const limiter = limiterOf(0, stop.signal);
		limiter.pause(60_000);
		const waiting = ended(limiter.acquire('write', LONG));
		setTimeout(() => stop.abort(), 1_000);
		const { after, error } = await waiting;
		expect(after).toBeLessThanOrEqual(1_200);
		expect(error.message).toBe('The execution was stopped while waiting for the service');
		expect(error.details).toMatchObject({
			code: 'NODE_STOPPED',
			hint: 'Retry the execution to continue. What was already sent is not sent again.',
		});
		await expect(limiter.acquire('read', LONG)).rejects.toThrow('was stopped');
	});
});
