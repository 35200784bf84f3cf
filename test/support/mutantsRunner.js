const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: TestRunner } = require('jest-runner');
const { escapeRegExp } = require('lodash');

/** When a test file last noticed a mutant: mutants come in the order of the code, so it is likely to notice the next one. */
const lastNoticed = new Map();

/** Names and time of the tests in each file, as Stryker's first run found them; all its processes read it. */
const found = join(__dirname, '.mutants.json');

/** The names in a pattern of Stryker's: `(one)|(another)`. */
const namesIn = (pattern) =>
	pattern
		.slice(1, -1)
		.split(')|(')
		.map((name) => name.replace(/\\(.)/g, '$1'));

/**
 * Of all test files jest loads only those with a test that reaches the mutant, those first that noticed the ones before it, then
 * the quickest, and none after one that failed: jest itself would load every file before it looks at the names.
 */
module.exports = class extends TestRunner {
	async runTests(tests, watcher, options) {
		const { testNamePattern: pattern } = this._globalConfig;
		if (pattern && existsSync(found)) await this.runSome(tests, watcher, options, new Set(namesIn(pattern)));
		else await this.runAll(tests, watcher, options);
	}

	async runSome(tests, watcher, options, wanted) {
		const files = JSON.parse(readFileSync(found, 'utf8'));
		const config = this._globalConfig;
		let failed = false;
		this.on('test-file-success', ([{ path }, { numFailingTests }]) => {
			if (numFailingTests === 0) return;
			failed = true;
			lastNoticed.set(path, Date.now());
		});
		const reaching = tests
			.map((test) => ({ test, ...files[test.path] }))
			.map((one) => ({ ...one, names: one.names.filter((name) => wanted.has(name)) }))
			.filter(({ names }) => names.length > 0)
			.sort(
				(a, b) =>
					(lastNoticed.get(b.test.path) ?? 0) - (lastNoticed.get(a.test.path) ?? 0) || a.time - b.time,
			);
		for (const { test, names } of reaching) {
			if (failed) return;
			this._globalConfig = { ...config, testNamePattern: `^(${names.map(escapeRegExp).join('|')})$` };
			await super.runTests([test], watcher, options);
		}
	}

	async runAll(tests, watcher, options) {
		const files = {};
		this.on('test-file-success', ([{ path }, { testResults, perfStats }]) => {
			files[path] = { names: testResults.map(({ fullName }) => fullName), time: perfStats.runtime };
		});
		await super.runTests(tests, watcher, options);
		writeFileSync(found, JSON.stringify(files));
	}
};
