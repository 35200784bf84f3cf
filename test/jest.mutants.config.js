const { join } = require('node:path');

const { projects } = require('./jest.config');

/** What Stryker runs: the unit tests, of each only what it takes to tell a mutant (`npm run mutants`). */
module.exports = {
	...projects.find(({ displayName }) => displayName === 'unit'),
	testEnvironment: join(__dirname, 'support', 'mutantsEnvironment.js'),
	runner: join(__dirname, 'support', 'mutantsRunner.js'),
	watchman: false,
	testTimeout: 15_000,
};
