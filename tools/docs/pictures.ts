import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** `npm run pictures`: the pictures in docs/images anew, by the tests that take them. */

const root = resolve(__dirname, '../..');
const jest = require.resolve('jest/bin/jest');
const args = ['-c', 'test/jest.config.js', '-i', 'test/e2e/(editor|walk)', '--selectProjects', 'e2e'];
const env = { ...process.env, UPDATE_PICTURES: '1', CI: 'true' };
process.exitCode =
	spawnSync(process.execPath, [jest, ...args], { cwd: root, env, stdio: 'inherit' }).status ?? 1;
