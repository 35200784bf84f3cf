const { TestEnvironment } = require('jest-environment-node');

/** A mutant is dead once one test failed: the others of the file are skipped. */
module.exports = class extends TestEnvironment {
	async handleTestEvent({ name, test }) {
		if (name === 'test_done') this.failed ||= test.errors.length > 0;
		if (name === 'test_start' && this.failed) test.mode = 'skip';
	}
};
