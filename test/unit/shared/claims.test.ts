import { generator } from '../../service/faults';
import { Claims, SETTLE_MS, type ProcessedList } from '../../../nodes/shared/claims';

const later = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** n8n's list: read, then written back. Of several processes at once: claims.model.test.ts. */
class Database {
	list: string[] = [];
	calls = 0;

	constructor(
		private readonly latency: () => number = () => 0,
		private readonly maxEntries = Infinity,
	) {}

	shared(): ProcessedList {
		return {
			add: async (values) => {
				this.calls++;
				await later(this.latency());
				const read = [...this.list];
				await later(this.latency());
				const added = values.filter((value) => !read.includes(value));
				this.list = [...read, ...added].slice(-this.maxEntries);
				return added;
			},
		};
	}
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

async function settled<T>(promises: Array<Promise<T>>): Promise<T[]> {
	const all = Promise.all(promises);
	await jest.advanceTimersByTimeAsync(60 * SETTLE_MS);
	return await all;
}

describe('one process', () => {
	it('gives each event to exactly one execution', async () => {
		const claims = new Claims();
		const database = new Database(() => 5);
		const shared = database.shared();
		const copies = Array.from({ length: 500 }, (_, i) => ({ eventId: `e${i % 50}`, executionId: String(i) }));
		const passed = await settled(
			copies.map(async (claim) => ((await claims.claim(claim, shared, false)) ? claim.eventId : '')),
		);
		expect(passed.filter((id) => id !== '').sort()).toEqual(
			[...new Set(copies.map(({ eventId }) => eventId))].sort(),
		);
	});

	it('asks the database once for all claims that come in meanwhile', async () => {
		const claims = new Claims();
		const database = new Database(() => 5);
		const shared = database.shared();
		await settled(
			Array.from(
				{ length: 100 },
				async (_, i) => await claims.claim({ eventId: `e${i}`, executionId: `${i}` }, shared, false),
			),
		);
		expect(database.calls).toBe(2);
	});

	it('lets an execution that is run again pass', async () => {
		const shared = new Database().shared();
		const claim = async (executionId: string) =>
			(await settled([new Claims().claim({ eventId: 'e', executionId }, shared, true)]))[0];
		expect(await claim('1')).toBe(true);
		expect(await claim('1')).toBe(true);
		expect(await claim('2')).toBe(false);
		expect(await claim('3')).toBe(false);
		expect(await claim('1')).toBe(true);
	});

	it('takes no ID of an event for the mark of another one', async () => {
		const shared = new Database().shared();
		const claims = new Claims();
		for (const eventId of [
			'e',
			'e#1',
			'e?',
			'1 e',
			'-by 1 e',
			'by 1 e',
			'event e',
			'of 1 e',
			'candidate e',
			'',
		])
			for (const expected of [true, false])
				expect(
					await settled([claims.claim({ eventId, executionId: expected ? '1' : '2' }, shared, true)]),
				).toEqual([expected]);
	});

	it('forgets nothing, however many copies come in between', async () => {
		const random = generator(3);
		const database = new Database(() => random() * 5);
		const shared = database.shared();
		const claims = new Claims();
		const copies = Array.from({ length: 400 }, (_, i) => ({ eventId: `e${i % 40}`, executionId: String(i) }));
		await settled(
			copies.map(async (claim, i) => {
				await later(i);
				return await claims.claim(claim, shared, i % 3 === 0);
			}),
		);
		for (const { eventId } of copies) expect(database.list).toContain(`event ${eventId}`);
		// After a restart: the record alone has to know them all.
		const again = await settled(
			copies
				.slice(0, 40)
				.map(async ({ eventId }) => await new Claims().claim({ eventId, executionId: 'new' }, shared, false)),
		);
		expect(again).not.toContain(true);
	});

	it('keeps to the bound', async () => {
		const database = new Database(() => 0, 20);
		const shared = database.shared();
		const claims = new Claims();
		for (let i = 0; i < 100; i++)
			await settled([claims.claim({ eventId: `e${i}`, executionId: `${i}` }, shared, false)]);
		expect(database.list).toHaveLength(20);
		expect(await settled([claims.claim({ eventId: 'e99', executionId: 'x' }, shared, false)])).toEqual([
			false,
		]);
		expect(await settled([claims.claim({ eventId: 'e5', executionId: 'x' }, shared, false)])).toEqual([true]);
	});

	it('tries a failed first write again, and says when the database does not work', async () => {
		const database = new Database();
		let failures = 1;
		const shared: ProcessedList = {
			...database.shared(),
			add: async (values) => {
				if (failures-- > 0) throw new Error('UNIQUE constraint failed');
				return await database.shared().add(values);
			},
		};
		const claims = new Claims();
		expect(await settled([claims.claim({ eventId: 'e', executionId: '1' }, shared, false)])).toEqual([true]);
		failures = 2;
		const failed = expect(claims.claim({ eventId: 'f', executionId: '1' }, shared, false)).rejects.toThrow(
			'UNIQUE',
		);
		await jest.advanceTimersByTimeAsync(10);
		await failed;
		expect(await settled([claims.claim({ eventId: 'f', executionId: '1' }, shared, false)])).toEqual([true]);
	});
});

describe('a value that other processes overwrite', () => {
	/** A list that keeps nothing: each look finds the value gone; counts how often it was asked for. */
	const forgetful = (latency = 0) => {
		const asked: string[] = [];
		const list: ProcessedList = {
			add: async (values) => {
				asked.push(values[0]!);
				await later(latency);
				return values;
			},
		};
		return { list, asked };
	};

	it('is looked at five times, as a candidacy and, while nobody waits for it, as the event', async () => {
		const { list, asked } = forgetful();
		expect(await settled([new Claims().claim({ eventId: 'e', executionId: '1' }, list, true)])).toEqual([
			true,
		]);
		expect(asked).toEqual([...Array<string>(5).fill('candidate e'), ...Array<string>(5).fill('event e')]);
	});

	it.each([
		['150 ms', 10, 150],
		['three times the slowest look', 100, 300],
		['five seconds at most', 4000, 5000],
	])('is looked at again after %s', async (_name, latency, pause) => {
		const { list } = forgetful(latency);
		const start = Date.now();
		let took = 0;
		void new Claims()
			.claim({ eventId: 'e', executionId: '1' }, list, true)
			.then(() => (took = Date.now() - start));
		await jest.advanceTimersByTimeAsync(200_000);
		// Five looks with four pauses between them, and one at the event.
		expect(took).toBe(6 * latency + 4 * pause);
	});

	it('a look that was slow once is forgotten by and by', async () => {
		let latency = 1000;
		const list: ProcessedList = {
			add: async (values) => {
				await later(latency);
				return values;
			},
		};
		const claims = new Claims();
		await settled([claims.claim({ eventId: 'slow', executionId: '1' }, list, false)]);
		latency = 0;
		for (let i = 0; i < 100; i++)
			await settled([claims.claim({ eventId: `e${i}`, executionId: '1' }, list, false)]);
		const start = Date.now();
		let took = 0;
		void claims.claim({ eventId: 'e', executionId: '1' }, list, true).then(() => (took = Date.now() - start));
		await jest.advanceTimersByTimeAsync(60_000);
		expect(took).toBeLessThan(9 * SETTLE_MS);
	});

	it("that is this execution's already is looked at once", async () => {
		const database = new Database();
		const shared = database.shared();
		await settled([new Claims().claim({ eventId: 'e', executionId: '1' }, shared, true)]);
		database.calls = 0;
		await settled([new Claims().claim({ eventId: 'e', executionId: '1' }, shared, true)]);
		expect(database.calls).toBe(2);
	});
});
