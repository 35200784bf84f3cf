import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';

import { row, type Row } from '../figures';

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
