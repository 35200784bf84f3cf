import fc from 'fast-check';

import { Claims, type ProcessedList } from '../../../nodes/shared/claims';
import { generator } from '../../service/faults';
import { runs } from '../../support/property';

/**
 * n8n's list without a lock, simulated on a virtual clock: several processes, each call reads, waits and writes back.
 * Whatever happens, somebody hands each event on; how often two do is told.
 * `CLAIMS_RUNS=20000 npx jest …` runs more; a seed that failed is printed by fast-check.
 */

const { numRuns: RUNS = 0 } = runs(Number(process.env.CLAIMS_RUNS ?? 150));

interface Case {
	processes: number;
	/** Longest time between reading and writing, in ms. */
	gap: number;
	/** The copies of an event come within so many ms. */
	spread: number;
	events: number;
	/** How many of 100 calls fail, half of them after they wrote. */
	failing: number;
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

const later = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

async function simulate({ processes, gap, spread, events, failing, seed }: Case) {
	const random = generator(seed);
	let stored: string[] = [];
	const list: ProcessedList = {
		async add(values) {
			const fails = random() * 100 < failing ? random() : 1;
			await later(random() * 5);
			if (fails < 0.5) throw new Error('the database is away');
			const read = stored;
			await later(random() * gap);
			const added = values.filter((value) => !read.includes(value));
			stored = [...read, ...added];
			if (fails < 1) throw new Error('the connection broke after the write');
			return added;
		},
	};
	const claimers = Array.from({ length: processes }, () => new Claims());
	const passed = new Array<number>(events).fill(0);
	const copies = claimers.flatMap((claimer, process) =>
		passed.map(async (_, event) => {
			await later(random() * spread);
			const claim = { eventId: `e${event}`, executionId: `${event}-${process}` };
			// As the trigger does: twice is better than never.
			if (await claimer.claim(claim, list, true).catch(() => true)) passed[event]!++;
		}),
	);
	const all = Promise.all(copies);
	await jest.advanceTimersByTimeAsync(200_000);
	await all;
	return {
		never: passed.filter((times) => times === 0).length,
		twice: passed.filter((times) => times > 1).length,
		/** Of which no record stands in the end. */
		lost: passed.filter((_, event) => !stored.includes(`event e${event}`)).length,
		events,
	};
}

describe('claims on a list without a lock', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it('never let all copies give way, nor an event be forgotten, with 2 to 4 processes and gaps of 1 to 500 ms', async () => {
		const told = { events: 0, twice: 0 };
		await fc.assert(
			fc.asyncProperty(cases, async (one) => {
				const { never, twice, lost, events } = await simulate(one);
				if (one.failing === 0) {
					told.events += events;
					told.twice += twice;
				}
				return never === 0 && (one.failing > 0 || lost === 0);
			}),
			runs(RUNS),
		);
		if (process.env.CLAIMS_RUNS) process.stdout.write(`claims: ${JSON.stringify(told)}\n`);
	});

	it('let one pass of copies that come 150 ms apart, as the service sends them, with gaps of up to 60 ms', async () => {
		let events = 0;
		let twice = 0;
		for (let seed = 0; seed < RUNS; seed++) {
			const random = generator(seed);
			let stored: string[] = [];
			const list: ProcessedList = {
				async add(values) {
					const read = stored;
					await later(random() * 60);
					const added = values.filter((value) => !read.includes(value));
					stored = [...read, ...added];
					return added;
				},
			};
			const claimers = Array.from({ length: 2 }, () => new Claims());
			const passed = new Array<number>(5).fill(0);
			const all = Promise.all(
				passed.flatMap((_, event) =>
					claimers.map(async (claimer, copy) => {
						await later(event * 40 + copy * 150);
						const claim = { eventId: `e${event}`, executionId: `${event}-${copy}` };
						if (await claimer.claim(claim, list, true)) passed[event]!++;
					}),
				),
			);
			await jest.advanceTimersByTimeAsync(60_000);
			await all;
			expect(passed).not.toContain(0);
			events += 5;
			twice += passed.filter((times) => times > 1).length;
		}
		expect({ events, twice }).toEqual({ events: RUNS * 5, twice: 0 });
	});
});
