import { refusal } from '../../../nodes/api/failure';
import { LEEWAY, Pace, type Budget, type RateClass } from '../../../nodes/api/pace';
import { ended } from '../../support/virtualTime';

const LONG = 3_600_000;

/** A time on which nothing really happens: only the clock goes on. */
beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') }));
afterEach(() => void jest.useRealTimers());

/** A request that ends at once. */
const ask = async (pace: Pace, kind: RateClass = 'read', budget: Budget = LONG) => {
	const isReady = await pace.ready(kind, budget);
	if (isReady) pace.noteOutcome(kind);
	return isReady;
};
const afterOf = async (work: Promise<unknown>) => (await ended(work)).after;

describe('a pause', () => {
	test('holds every request, however short the next one is; the wait counts once', async () => {
		const pace = new Pace();
		await jest.advanceTimersByTimeAsync(5_000);
		pace.pause(10_000);
		pace.pause(1_000);
		const both = Promise.all([ask(pace), ask(pace, 'write')]);
		expect(await ended(both)).toEqual({ value: [true, true], after: 10_000 });
		expect(await afterOf(ask(pace))).toBe(0);
		expect(pace.waitedMs).toBe(10_000);
	});

	test.each([
		[4_999, false, 0],
		[5_000, true, 5_000],
	])('of 5 s, and a fixed end in %d ms: %s after %d ms', async (withinMs, value, after) => {
		const pace = new Pace();
		pace.pause(5_000);
		expect(await ended(ask(pace, 'write', pace.begin({ withinMs })))).toEqual({ value, after });
	});
});

test('a pause beyond a budget that counts from the last success is left to the service', async () => {
	const pace = new Pace();
	pace.pause(30_000);
	expect(await ended(ask(pace, 'read', 1_000))).toEqual({ value: true, after: 0 });
	expect(pace.waitedMs).toBe(0);
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
			expect([value, after - hours * 3_600_000]).toEqual([[true, undefined, true], 1_000]);
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
