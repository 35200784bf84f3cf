import {
	DeliveryTracker,
	MAX_WAIT_MS,
	type Arrival,
	type EndAcceptance,
} from '../../../nodes/SocialPublishingTrigger/tracker';

let tracker: DeliveryTracker;

beforeEach(() => {
	jest.useFakeTimers();
	tracker = new DeliveryTracker();
});
afterEach(() => jest.useRealTimers());

const accepted = async (id = 'a'): Promise<EndAcceptance> => {
	const arrival = await tracker.admit(id);
	if (typeof arrival === 'string') throw new Error(`${id} is ${arrival}`);
	return arrival;
};
const copies = (): Array<Promise<Arrival>> =>
	Array.from({ length: 20 }, async () => await tracker.admit('a'));

describe('a copy of an event that is being accepted', () => {
	it('is a duplicate of one that was taken', async () => {
		const first = await accepted();
		const waiting = copies();
		first('taken');
		expect(new Set(await Promise.all(waiting))).toEqual(new Set(['duplicate']));
	});

	it('takes the place of one that failed, one of all', async () => {
		const first = await accepted();
		const waiting = copies();
		first('failed');
		const next = (await Promise.race(waiting)) as EndAcceptance;
		// Only the first end of an acceptance counts.
		first('taken');
		next('taken');
		const rest = (await Promise.all(waiting)).filter((arrival) => arrival !== next);
		expect(rest).toEqual(Array(19).fill('duplicate'));
	});

	it('is told "in progress" after ten seconds in all, however often the place changed hands', async () => {
		const first = await accepted();
		const [second, copy] = copies();
		await jest.advanceTimersByTimeAsync(MAX_WAIT_MS - 1);
		first('failed');
		expect(typeof (await second)).toBe('function');
		await jest.advanceTimersByTimeAsync(1);
		expect(await copy).toBe('in progress');
	});
});

it('keeps long IDs short', async () => {
	const long = 'x'.repeat(1_000_000);
	(await accepted(long))('taken');
	expect(await tracker.admit(long)).toBe('duplicate');
	await accepted(`${long}y`);
	const { taken } = tracker as unknown as { taken: Map<string, true> };
	expect(JSON.stringify([...taken.keys()]).length).toBeLessThan(100);
});

describe('an event that is recovered', () => {
	it('is begun once, unless it is taken or being accepted; copies wait for its end', async () => {
		const first = tracker.reserve('a')!;
		expect(tracker.reserve('a')).toBeUndefined();
		const copy = tracker.admit('a');
		first('taken');
		expect(await copy).toBe('duplicate');
		expect(tracker.reserve('a')).toBeUndefined();
		await accepted('b');
		expect(tracker.reserve('b')).toBeUndefined();
		tracker.reserve('c')!('failed');
		expect(tracker.reserve('c')).toBeDefined();
	});

	it('that was handed on counts as taken, whoever was accepting it', async () => {
		const first = await accepted();
		const copy = tracker.admit('a');
		tracker.markProcessed('a');
		tracker.markProcessed('b');
		expect(await copy).toBe('duplicate');
		first('failed');
		expect([await tracker.admit('a'), await tracker.admit('b')]).toEqual(['duplicate', 'duplicate']);
	});
});

it('knows the outcome that an execution waits for of what this process accepts, and of nothing else', async () => {
	expect(tracker.outcomeOf('a')).toBeUndefined();
	const first = await accepted();
	const outcome = tracker.outcomeOf('a');
	first('taken');
	expect([await outcome, await tracker.outcomeOf('a')]).toEqual(['taken', 'taken']);
	(await accepted('b'))('failed');
	expect(tracker.outcomeOf('b')).toBeUndefined();
});
