const { availableParallelism } = require('node:os');
const { join } = require('node:path');

const rootDir = join(__dirname, '..');

// n8n-core logs every failure that a test provokes.
process.env.N8N_LOG_LEVEL ??= 'silent';

const runtime = join(__dirname, 'support', 'sharingRuntime.js');

/** One project a kind of test: unit needs nothing, repository and integration the built package, e2e a real n8n. */
const project = (name, more = {}) => ({
	displayName: name,
	rootDir,
	roots: [join(rootDir, 'test', name)],
	testMatch: ['**/*.test.ts'],
	testEnvironment: 'node',
	transform: { '\\.ts$': join(__dirname, 'support', 'transform.js') },
	modulePathIgnorePatterns: [join(rootDir, 'dist', 'package.json'), join(rootDir, '.stryker-tmp')],
	...more,
});

module.exports = {
	rootDir,
	// More than there are cores: integration and end-to-end tests mostly wait for timers, connections and n8n.
	maxWorkers: 3 * availableParallelism(),
	testSequencer: join(__dirname, 'support', 'sequencer.js'),
	// What a machine with much else to do needs, many times over: it says only that something hangs.
	testTimeout: 900_000,
	// A test that failed half-way may leave a server open; that must not keep the run from ending.
	forceExit: true,
	projects: [
		project('unit', { runtime }),
		project('repository'),
		project('integration', {
			runtime,
			setupFilesAfterEnv: [join(rootDir, 'test', 'support', 'checkContract.ts')],
		}),
		// What reads answers, once more, with the other zod that the package may meet.
		project('zod4', {
			roots: [join(rootDir, 'test')],
			testMatch: [
				'**/test/zod4/*.test.ts',
				'**/integration/SocialPublishing/resources.test.ts',
				'**/unit/api/{answers,records}.test.ts',
			],
			resolver: join(rootDir, 'test', 'zod4', 'resolver.js'),
		}),
		project('e2e', {
			globalSetup: join(rootDir, 'test', 'e2e', 'setup.ts'),
			globalTeardown: join(rootDir, 'test', 'e2e', 'teardown.ts'),
		}),
	],
};
