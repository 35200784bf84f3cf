import { type Measure, sized } from '../figures';
import { runTest } from './jest';

/** The random services of `dialect.nodes.test.ts`: 1,000 of them. */
export const services: Measure = async (scale) => {
	const DIALECT_RUNS = String(sized(1_000, scale, 20));
	return [runTest('service/dialect.nodes', `${DIALECT_RUNS} dialects`, { DIALECT_RUNS })];
};
