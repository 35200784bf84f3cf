import { generator } from '../../service/faults';
import { Claims, type AddProcessed } from '../../../nodes/shared/claims';

const later = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** n8n's list: read, then written back. Of several processes at once: claims.model.test.ts. */
class Database {
	list: string[] = [];
	calls = 0;
	/** So many of the next calls fail. */
	failures = 0;

	constructor(private readonly latency: () => number = () => 0) {}

	readonly add: AddProcessed = async (values) => {
		this.calls++;
		if (this.failures-- > 0) throw new Error('UNIQUE constraint failed');
		await later(this.latency());
		const read = [...this.list];
		await later(this.latency());
		const added = values.filter((value) => !read.includes(value));
		this.list = [...read, ...added];
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

	it('lets an execution that is run again pass', async () => {
		const database = new Database();
		for (const [executionId, expected] of [
			['1', true],
			['1', true],
			['2', false],
			['3', false],
			['1', true],
		] as const)
			expect(await claim(database, 'e', executionId, { othersClaim: true })).toBe(expected);
	});

	it('takes no ID of an event for the mark of another one', async () => {
		const database = new Database();
		const ids = ['e', 'e#1', 'e?', '1 e', '-by 1 e', 'by 1 e', 'event e', 'of 1 e', 'candidate e', ''];
		for (const id of ids)
			for (const executionId of ['1', '2'])
				expect(await claim(database, id, executionId, { othersClaim: true })).toBe(executionId === '1');
	});

	it('tries a failed first write again, and says when the database does not work', async () => {
		const database = new Database();
		const claims = new Claims();
		database.failures = 1;
		expect(await claim(database, 'e', '1', { claims })).toBe(true);
		database.failures = 2;
		await expect(claim(database, 'f', '1', { claims })).rejects.toThrow('UNIQUE');
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
