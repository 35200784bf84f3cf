import fc from 'fast-check';

import { limitConcurrency } from '../../../nodes/api/concurrency';
import { runs } from '../../support/property';

describe('tasks at the same time', () => {
	/** A task for each number, which takes so many turns of the event loop; below 0 it fails. */
	const tasks = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 30 });

	test('are as many as allowed while others wait, start in order, and give what they give', async () => {
		await fc.assert(
			fc.asyncProperty(tasks, fc.integer({ min: 1, max: 6 }), async (turns, most) => {
				const limit = limitConcurrency(most);
				const started: number[] = [];
				let running = 0;
				let widest = 0;
				const results = await Promise.allSettled(
					turns.map(
						async (turn, i) =>
							await limit(async () => {
								started.push(i);
								widest = Math.max(widest, ++running);
								for (let left = Math.abs(turn); left > 0; left--) await Promise.resolve();
								running--;
								if (turn < 0) throw new Error(`task ${i}`);
								return i;
							}),
					),
				);
				expect(started).toEqual(turns.map((_, i) => i));
				expect(widest).toBeLessThanOrEqual(most);
				results.forEach((result, i) =>
					expect(result).toEqual(
						turns[i]! < 0
							? { status: 'rejected', reason: new Error(`task ${i}`) }
							: { status: 'fulfilled', value: i },
					),
				);
			}),
			runs(200),
		);
	});

	test('fill all places at once, and again when all are free', async () => {
		const limit = limitConcurrency(3);
		for (const round of [1, 2]) {
			let running = 0;
			let finish = (): void => undefined;
			const end = new Promise<void>((resolve) => (finish = resolve));
			const all = [1, 2, 3, 4, 5].map(async () => await limit(async () => (running++, await end)));
			await new Promise(setImmediate);
			expect({ round, running }).toEqual({ round, running: 3 });
			finish();
			await Promise.all(all);
			expect({ round, running }).toEqual({ round, running: 5 });
		}
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
