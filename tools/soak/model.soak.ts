import fc from 'fast-check';

import { startService } from '../../test/service';
import { row, told, type Row } from '../figures';

/** Random sequences of writes, faults and retries, 20,000 of them; MODEL_SEED, MODEL_RUNS and MODEL_PATH as in write.model.test.ts. */
export const name = 'model';

export async function run(scale: number): Promise<Row[]> {
	// n8n logs every failure that a sequence provokes.
	process.env.N8N_LOG_LEVEL ??= 'silent';
	const { figures, sequence, violations } = await import('../../test/support/writesModel');
	const { MODEL_SEED, MODEL_RUNS, MODEL_PATH } = process.env;
	const seed = Number(MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
	const numRuns = Number(MODEL_RUNS ?? Math.max(200, Math.round(20_000 * scale)));
	console.log(`model: ${numRuns} sequences, MODEL_SEED=${seed}`);
	const service = await startService();
	const property = fc.asyncProperty(sequence, async (one) => {
		if (figures.sequences % 500 === 0) console.log(`model: ${figures.sequences} sequences so far`);
		const wrong = await violations(service, one);
		if (wrong.length > 0) throw new Error(wrong.join('\n'));
	});
	const result = await fc.check(property, { numRuns, seed, path: MODEL_PATH });
	if (result.failed) console.log(fc.defaultReportMessage(result), result.errorInstance);
	await service.close();
	return [
		told('model: seed', seed),
		told('model: node runs', figures.runs),
		told('model: writes that reached the service', figures.requests),
		told('model: writes that it carried out', figures.carriedOut),
		row('model: sequences until one was wrong', result.numRuns, String(numRuns), !result.failed),
	];
}
