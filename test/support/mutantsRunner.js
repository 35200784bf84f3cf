const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: TestRunner } = require('jest-runner');
const { escapeRegExp } = require('lodash');

/** The file that noticed the last mutant: mutants come in the order of the code, so it is likely to notice the next one. */
let lastNoticing;
const LIKELIER = 10;

/** Names and time of the tests in each file, as Stryker's first run found them; all its processes read it. */
const found = join(__dirname, '.mutants.json');

/** The names in a pattern of Stryker's: `(one)|(another)`. */
const namesIn = (pattern) =>
	pattern
		.slice(1, -1)
		.split(')|(')
		.map((name) => name.replace(/\\(.)/g, '$1'));

/**
 * Of all test files jest loads only those with a test that reaches the mutant, the quickest first, that which noticed the last one
 * sooner, and none after one that failed: jest itself would load every file before it looks at the names.
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
			lastNoticing = path;
		});
		const costOf = ({ test, time }) => (test.path === lastNoticing ? time / LIKELIER : time);
		const reaching = tests
			.map((test) => ({ test, ...files[test.path] }))
			.map((one) => ({ ...one, names: one.names.filter((name) => wanted.has(name)) }))
			.filter(({ names }) => names.length > 0)
			.sort((a, b) => costOf(a) - costOf(b));
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
