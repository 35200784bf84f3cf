import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';

import { type Measure, row, type Row, sized } from '../figures';

/** One test of the suite, with more random cases than `npm test` tries, of a seed that is new and printed. */
export function runTest(
	path: string,
	what: string,
	env: Record<string, string>,
	project = 'integration',
): Row {
	const { PROPERTY_SEED = String(randomInt(2 ** 31)) } = process.env;
	const config = ['-c', 'test/jest.config.js', '--selectProjects', project];
	const jest = [require.resolve('jest/bin/jest'), ...config];
	const { status } = spawnSync(process.execPath, [...jest, '--testPathPattern', path], {
		cwd: resolve(__dirname, '../..'),
		env: { ...process.env, PROPERTY_SEED, ...env },
		stdio: 'inherit',
	});
	return row(`${what} of seed ${PROPERTY_SEED}`, status === 0 ? 'right' : 'see above', 'right', status === 0);
}

/** The random services of `dialect.nodes.test.ts`: 1,000 of them. */
export const services: Measure = async (scale) => {
	const DIALECT_RUNS = String(sized(1_000, scale, 20));
	return [runTest('service/dialect.nodes', `${DIALECT_RUNS} dialects`, { DIALECT_RUNS })];
};

/** The random sequences of `write.model.test.ts`, which knows MODEL_RUNS and MODEL_PATH: 20,000 of them. */
export const sequences: Measure = async (scale) => {
	const { MODEL_RUNS = String(sized(20_000, scale, 200)) } = process.env;
	return [runTest('write.model', `${MODEL_RUNS} sequences`, { MODEL_RUNS })];
};
