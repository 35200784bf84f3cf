import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

import { type Measure, row, sized } from '../figures';

/** The random sequences of `write.model.test.ts`, which knows MODEL_SEED, MODEL_RUNS and MODEL_PATH: 20,000 of them. */
export const sequences: Measure = async (scale) => {
	const { MODEL_RUNS = String(sized(20_000, scale, 200)) } = process.env;
	const jest = [
		require.resolve('jest/bin/jest'),
		'-c',
		'test/jest.config.js',
		'--selectProjects',
		'integration',
	];
	const { status } = spawnSync(process.execPath, [...jest, 'write.model', '-t', 'MODEL_SEED'], {
		cwd: resolve(__dirname, '../..'),
		env: { ...process.env, MODEL_RUNS },
		stdio: 'inherit',
	});
	return [row(`${MODEL_RUNS} sequences`, status === 0 ? 'right' : 'see above', 'right', status === 0)];
};
