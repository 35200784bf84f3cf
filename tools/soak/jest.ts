import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

import { row, type Row } from '../figures';

/** One integration test of the suite, with more random cases than `npm test` tries. */
export function runTest(path: string, what: string, env: Record<string, string>): Row {
	const jest = [
		require.resolve('jest/bin/jest'),
		'-c',
		'test/jest.config.js',
		'--selectProjects',
		'integration',
	];
	const { status } = spawnSync(process.execPath, [...jest, '--testPathPattern', path], {
		cwd: resolve(__dirname, '../..'),
		env: { ...process.env, ...env },
		stdio: 'inherit',
	});
	return row(what, status === 0 ? 'right' : 'see above', 'right', status === 0);
}
