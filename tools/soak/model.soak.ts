import fc from 'fast-check';

import { startService } from '../../test/service';
import { type Measure, row, told } from '../figures';

/** Random sequences of writes, faults and retries, 20,000 of them; MODEL_SEED, MODEL_RUNS and MODEL_PATH as in write.model.test.ts. */
export const sequences: Measure = async (scale) => {
	// n8n logs every failure that a sequence provokes.
	process.env.N8N_LOG_LEVEL ??= 'silent';
	const { figures, sequence, violations } = await import('../../test/support/writesModel');
	const { MODEL_SEED, MODEL_RUNS, MODEL_PATH } = process.env;
	const seed = Number(MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
	const numRuns = Number(MODEL_RUNS ?? Math.max(200, Math.round(20_000 * scale)));
	console.log(`${numRuns} sequences, MODEL_SEED=${seed}`);
	const service = await startService();
	const property = fc.asyncProperty(sequence, async (one) => {
		if (figures.sequences % 500 === 0) console.log(`${figures.sequences} sequences so far`);
		const wrong = await violations(service, one);
		if (wrong.length > 0) throw new Error(wrong.join('\n'));
	});
	const result = await fc.check(property, { numRuns, seed, path: MODEL_PATH });
	if (result.failed) console.log(fc.defaultReportMessage(result), result.errorInstance);
	await service.close();
	return [
		told('node runs', figures.runs),
		told('writes that reached the service', figures.requests),
		told('writes that it carried out', figures.carriedOut),
		row('sequences until one was wrong', result.numRuns, String(numRuns), !result.failed),
	];
};
