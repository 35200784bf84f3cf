import { type Measure, sized } from '../figures';
import { runTest } from './jest';

/** The random sequences of `write.model.test.ts`, which knows MODEL_RUNS and MODEL_PATH: 20,000 of them. */
export const sequences: Measure = async (scale) => {
	const { MODEL_RUNS = String(sized(20_000, scale, 200)) } = process.env;
	return [runTest('write.model', `${MODEL_RUNS} sequences`, { MODEL_RUNS })];
};
