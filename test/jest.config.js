const { availableParallelism } = require('node:os');
const { join } = require('node:path');

const rootDir = join(__dirname, '..');
const isNight = Boolean(process.env.NIGHTLY);

// n8n-core logs every failure that a test provokes.
process.env.N8N_LOG_LEVEL ??= 'silent';

const runtime = join(__dirname, 'support', 'sharingRuntime.js');

/** The end-to-end tests of `npm test`: the README's main paths. The others run at night (`NIGHTLY=1`). */
const smoke = ['basics', 'editor', 'examples', 'idempotency', 'trigger', 'walk'];

const { N8N_RELEASE, N8N_FOLDER } = process.env;
const endToEnd = N8N_RELEASE || N8N_FOLDER ? ['releases'] : isNight ? ['*'] : smoke;

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
	// An integration or end-to-end test may leave a server open; that must not keep the run from ending.
	forceExit: true,
	// Says only that something hangs; end-to-end tests have a limit of their own.
	testTimeout: isNight ? 900_000 : 60_000,
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
			testMatch: endToEnd.map((name) => `**/${name}.test.ts`),
			globalSetup: join(rootDir, 'test', 'e2e', 'setup.ts'),
			globalTeardown: join(rootDir, 'test', 'e2e', 'teardown.ts'),
			setupFilesAfterEnv: [join(rootDir, 'test', 'e2e', 'timeout.ts')],
		}),
	],
};
