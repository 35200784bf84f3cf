import fc from 'fast-check';

import { Claims, type AddProcessed } from '../../../nodes/shared/claims';
import { generator } from '../../service/faults';
import { runs } from '../../support/property';

const later = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** n8n's list without a lock: each call reads, waits and writes back; the first writes of two processes collide. */
class Database {
	list?: string[];
	calls = 0;

	/** @param fails below 0.5 before the write, below 1 after it */
	constructor(
		private readonly latency: () => number = () => 0,
		private readonly gap = latency,
		private readonly fails: () => number = () => 1,
	) {}

	readonly add: AddProcessed = async (values) => {
		this.calls++;
		const fails = this.fails();
		const isCold = this.list === undefined;
		await later(this.latency());
		if (fails < 0.5) throw new Error('the database is away');
		const read = this.list ?? [];
		await later(this.gap());
		if (isCold && this.list !== undefined) throw new Error('UNIQUE constraint failed');
		const added = values.filter((value) => !read.includes(value));
		this.list = [...read, ...added];
		if (fails < 1) throw new Error('the connection broke after the write');
		return added;
	};
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** What an execution is told; by default in a process of its own that knows of no others. */
async function claim(
	{ add }: { add: AddProcessed },
	eventId: string,
	executionId: string,
	{ claims = new Claims(), othersClaim = false } = {},
): Promise<boolean> {
	const answer = claims.claim({ eventId, executionId }, add, othersClaim);
	answer.catch(() => undefined);
	await jest.advanceTimersByTimeAsync(9_000);
	return await answer;
}

describe('one process', () => {
	it('gives each event to exactly one execution, and forgets none, however many copies come', async () => {
		const random = generator(3);
		const database = new Database(() => random() * 5);
		const claims = new Claims();
		const copies = Array.from({ length: 400 }, (_, i) => ({ eventId: `e${i % 40}`, executionId: String(i) }));
		const passed = Promise.all(
			copies.map(async (one, i) => {
				await later(i < 200 ? 0 : i);
				return (await claims.claim(one, database.add, i % 3 === 0)) ? [one.eventId] : [];
			}),
		);
		await jest.advanceTimersByTimeAsync(9_000);
		const events = Array.from({ length: 40 }, (_, i) => `e${i}`);
		expect((await passed).flat().sort()).toEqual([...events].sort());
		expect(database.list).toEqual(expect.arrayContaining(events.map((id) => `event ${id}`)));
		// After a restart the record alone has to know them all.
		for (const id of events) expect(await claim(database, id, 'new')).toBe(false);
	});

	it('asks the database once for all claims that come in meanwhile', async () => {
		const claims = new Claims();
		const database = new Database(() => 5);
		for (let i = 0; i < 100; i++)
			void claims.claim({ eventId: `e${i}`, executionId: `${i}` }, database.add, false);
		await jest.advanceTimersByTimeAsync(9_000);
		expect(database.calls).toBe(2);
		expect(database.list).toHaveLength(200);
	});

	it('lets an execution that is run again pass, and takes no ID of an event for the mark of another one', async () => {
		const database = new Database();
		const ids = ['e', 'e#1', 'e?', '1 e', '-by 1 e', 'by 1 e', 'event e', 'of 1 e', 'candidate e', ''];
		for (const id of ids)
			for (const executionId of ['1', '1', '2', '3', '1'])
				expect(await claim(database, id, executionId, { othersClaim: true })).toBe(executionId === '1');
	});

	it('tries a failed first write again, and says when the database does not work', async () => {
		const outcomes = [0, 1, 0, 0, 1];
		const database = new Database(undefined, undefined, () => outcomes.shift()!);
		const claims = new Claims();
		expect(await claim(database, 'e', '1', { claims })).toBe(true);
		await expect(claim(database, 'f', '1', { claims })).rejects.toThrow('the database is away');
		expect(await claim(database, 'f', '1', { claims })).toBe(true);
	});
});

it('a record that others overwrite is repaired while the event already runs: four times, once more if it is missing again', async () => {
	const asked: number[] = [];
	const add = async (values: string[]) => (asked.push(Date.now()), values);
	const start = Date.now();
	const claims = new Claims();
	expect(await claims.claim({ eventId: 'e', executionId: '1' }, add, true)).toBe(true);
	await jest.advanceTimersByTimeAsync(20_000);
	expect(asked.map((at) => at - start)).toEqual([0, 40, 70, 1070, 4070, 10_070]);
	await claims.claim({ eventId: 'f', executionId: '1' }, add, false);
	await jest.advanceTimersByTimeAsync(20_000);
	expect(asked).toHaveLength(7);
});

interface Case {
	processes: number;
	/** Longest time between reading and writing, in ms. */
	gap: number;
	/** The copies of an event come within so many ms, or when this says. */
	spread: number | ((event: number, copy: number) => number);
	events: number;
	/** How many of 100 calls fail, half of them after they wrote. */
	failing?: number;
	seed: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
	processes: fc.integer({ min: 2, max: 4 }),
	gap: fc.integer({ min: 1, max: 500 }),
	spread: fc.constantFrom(0, 5, 60, 300, 2000),
	events: fc.integer({ min: 1, max: 8 }),
	failing: fc.constantFrom(0, 0, 5),
	seed: fc.nat(),
});

async function simulate({ processes, gap, spread, events, failing = 0, seed }: Case) {
	const random = generator(seed);
	const database = new Database(
		() => random() * 5,
		() => random() * gap,
		() => (random() * 100 < failing ? random() : 1),
	);
	const claimers = Array.from({ length: processes }, () => new Claims());
	const passed = new Array<number>(events).fill(0);
	const copies = claimers.flatMap((claimer, copy) =>
		passed.map(async (_, event) => {
			await later(typeof spread === 'number' ? random() * spread : spread(event, copy));
			const claim = { eventId: `e${event}`, executionId: `${event}-${copy}` };
			// As the trigger does: twice is better than never.
			if (await claimer.claim(claim, database.add, true).catch(() => true)) passed[event]!++;
		}),
	);
	const all = Promise.all(copies);
	await jest.advanceTimersByTimeAsync(200_000);
	await all;
	return {
		never: passed.filter((times) => times === 0).length,
		twice: passed.filter((times) => times > 1).length,
		/** Of which no record stands in the end. */
		lost: passed.filter((_, event) => !database.list?.includes(`event e${event}`)).length,
	};
}

describe('several processes: some execution passes each event on, and its record stands', () => {
	it('never let all copies give way, nor an event be forgotten, with 2 to 4 processes and gaps of 1 to 500 ms', async () => {
		await fc.assert(
			fc.asyncProperty(cases, async (one) => {
				const { never, lost } = await simulate(one);
				return never === 0 && (one.failing! > 0 || lost === 0);
			}),
			runs(150),
		);
	});

	// In the last two, others copied a list without the record for longer than a second.
	it.each([
		{ processes: 4, gap: 100, spread: 300, events: 7, seed: 1494279525 },
		{ processes: 4, gap: 263, spread: 2000, events: 8, seed: 19 },
		{ processes: 4, gap: 346, spread: 2000, events: 6, seed: 514927051 },
	])('repairs a record that is overwritten late: $seed', async (one) => {
		expect(await simulate(one)).toMatchObject({ never: 0, lost: 0 });
	});

	it.each([40, 150, 1000])(
		'let one pass of copies 150 ms apart on two workers, with a database that answers within 20 ms and a new event every %d ms',
		async (every) => {
			const spread = (event: number, copy: number) => event * every + copy * 150;
			for (let seed = 0; seed < 120; seed++)
				expect(await simulate({ processes: 2, gap: 20, spread, events: 5, seed })).toEqual({
					...{ never: 0, twice: 0, lost: 0 },
				});
		},
	);
});
