const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: TestRunner } = require('jest-runner');

/** Names and time of the tests in each file, as Stryker's first run found them; all its processes read it. */
const found = join(__dirname, '.mutants.json');

/**
 * Of all test files jest loads only those with a test that reaches the mutant, the quickest first, and none after one that
 * failed: jest itself would load every file before it looks at the names.
 */
module.exports = class extends TestRunner {
	async runTests(tests, watcher, options) {
		const pattern = this._globalConfig.testNamePattern;
		const files = !pattern || !existsSync(found) ? {} : JSON.parse(readFileSync(found, 'utf8'));
		const isWanted = ({ path }) =>
			!files[path] || files[path].names.some((name) => RegExp(pattern).test(name));
		const timeOf = ({ path }) => files[path]?.time ?? 0;
		const results = {};
		let failed = false;
		this.on('test-file-success', ([{ path }, { numFailingTests, testResults, perfStats }]) => {
			results[path] = { names: testResults.map(({ fullName }) => fullName), time: perfStats.runtime };
			failed ||= numFailingTests > 0;
		});
		for (const test of tests.filter(isWanted).sort((a, b) => timeOf(a) - timeOf(b)))
			if (!failed) await super.runTests([test], watcher, options);
		if (!pattern) writeFileSync(found, JSON.stringify(results));
	}
};
