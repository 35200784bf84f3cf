import fc from 'fast-check';

import { startService, type Service } from '../../../support/writes';
import { figures, sequence, violations } from '../../../support/writesModel';

/**
 * The rule of docs/idempotency.md over random sequences. `MODEL_RUNS=20000 MODEL_SEED=…` runs more, or the same again;
 * `MODEL_PATH` goes to the shrunk sequence at once.
 */
describe('the record of writes, over random sequences', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	afterAll(async () => await service.close());

	const { MODEL_RUNS, MODEL_SEED, MODEL_PATH } = process.env;
	const numRuns = Number(MODEL_RUNS ?? 200);
	const seed = MODEL_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(MODEL_SEED);

	test(
		`${numRuns} sequences (MODEL_SEED=${seed})`,
		async () => {
			await fc.assert(
				fc.asyncProperty(sequence, async (one) => {
					expect(await violations(service, one)).toEqual([]);
				}),
				{ numRuns, seed, path: MODEL_PATH, endOnFailure: false },
			);
			if (MODEL_PATH !== undefined) return;
			// A node that does nothing keeps the rule, too.
			expect(figures.sequences).toBeGreaterThanOrEqual(numRuns);
			for (const count of [figures.runs, figures.carriedOut, figures.told])
				expect(count).toBeGreaterThan(numRuns);
		},
		60_000 + numRuns * 500,
	);
});
