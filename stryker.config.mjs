/** Mutation testing over the unit tests: `npm run mutants`, see CONTRIBUTING.md. @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['nodes/**/*.ts'],
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	// test/support/mutantsRunner.js finds the test files of a mutant: 30 mutants of nodes/api/retryPolicy.ts took 47 s, and 514 s
	// with `enableFindRelatedTests`, on a busy machine; the same two survived.
	jest: {
		projectType: 'custom',
		configFile: 'test/jest.mutants.config.js',
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	tempDirName: '.stryker-tmp',
	// Those that run while a module loads (descriptions, tables) need all tests each; integration tests hold them.
	ignoreStatic: true,
	incremental: true,
	incrementalFile: '.stryker-tmp/incremental.json',
	cleanTempDir: 'always',
	concurrency: 2,
	timeoutMS: 8_000,
	// A changed condition may fill the memory: the process ends, not the machine.
	testRunnerNodeArgs: ['--max-old-space-size=1024'],
	reporters: ['progress-append-only', 'clear-text'],
	// Percent of the changes that tests reach; fewer end the command with an error.
	thresholds: { high: 95, low: 92, break: 90 },
	clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
	ignorePatterns: [
		'dist',
		'docs/images',
		'examples',
		'icons',
		'test/e2e',
		'test/integration',
		'test/n8n',
		'tools',
	],
	allowConsoleColors: false,
};
