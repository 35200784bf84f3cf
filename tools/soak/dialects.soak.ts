import { randomInt } from 'node:crypto';

import { type Measure, sized } from '../figures';
import { runTest } from './jest';

/** The random services of `dialect.nodes.test.ts`: 1,000 of them, of a seed that is printed. */
export const services: Measure = async (scale) => {
	const { PROPERTY_SEED = String(randomInt(2 ** 31)) } = process.env;
	const DIALECT_RUNS = String(sized(1_000, scale, 20));
	const what = `${DIALECT_RUNS} dialects of seed ${PROPERTY_SEED}`;
	return [runTest('service/dialect.nodes', what, { DIALECT_RUNS, PROPERTY_SEED })];
};
