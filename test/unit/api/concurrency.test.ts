import fc from 'fast-check';

import { inTurn, limitConcurrency } from '../../../nodes/api/concurrency';
import { runs } from '../../support/property';

test('one after another, where others run once that has not been possible for a tenth of a second', async () => {
	jest.useFakeTimers({ now: 0 });
	const order: unknown[] = [];
	const made = inTurn([99, 100, 199, 200, 250], async (now) => {
		jest.setSystemTime(now);
		setTimeout(() => order.push('other'));
		return order.push(now);
	});
	await jest.advanceTimersByTimeAsync(0);
	await jest.advanceTimersByTimeAsync(1);
	jest.useRealTimers();
	expect(await made).toHaveLength(5);
	expect(order.filter((one, i) => one !== order[i - 1])).toEqual([99, 100, 'other', 199, 200, 'other', 250]);
});

describe('tasks at the same time', () => {
	/** A task for each number, which takes so many turns of the event loop; below 0 it fails. */
	const tasks = fc.array(
		fc.integer({ min: -5, max: 5 }).filter((turns) => turns !== 0),
		{ maxLength: 30 },
	);

	test('are as many as allowed while others wait, start in order, and give what they give; and once more', async () => {
		await fc.assert(
			fc.asyncProperty(tasks, fc.integer({ min: 1, max: 6 }), async (turns, most) => {
				const limit = limitConcurrency(most);
				for (let round = 1; round <= 2; round++) {
					const started: number[] = [];
					let running = 0;
					let widest = 0;
					const run = async (turn: number, i: number) => {
						started.push(i);
						widest = Math.max(widest, ++running);
						for (let left = Math.abs(turn); left > 0; left--) await Promise.resolve();
						running--;
						if (turn < 0) throw i;
						return i;
					};
					const results = await Promise.allSettled(
						turns.map(async (turn, i) => await limit(async () => await run(turn, i))),
					);
					expect(started).toEqual(turns.map((_, i) => i));
					expect(widest).toBe(Math.min(most, turns.length));
					expect(results).toEqual(
						turns.map((turn, i) =>
							turn < 0 ? { status: 'rejected', reason: i } : { status: 'fulfilled', value: i },
						),
					);
				}
			}),
			runs(100),
		);
	});

	test('one that comes when a place is handed on does not take it', async () => {
		const limit = limitConcurrency(1);
		const order: string[] = [];
		const note = (name: string) => async () => void order.push(name);
		const first = limit(note('first')).then(async () => await limit(note('third')));
		await Promise.all([first, limit(note('second'))]);
		expect(order).toEqual(['first', 'second', 'third']);
	});
});
