const { TestEnvironment } = require('jest-environment-node');

const { Settings } = require('luxon');

/** Unit tests share one n8n-workflow a process: jest would load its 700 files anew for every test file. */
module.exports = class extends TestEnvironment {
	async setup() {
		await super.setup();
		this.global.n8nWorkflow = require('n8n-workflow');
		// Jest gives tests a copy, of which Node doesn't read the time zone.
		this.global.processEnv = process.env;
		// Luxon is shared, too (see `unitRuntime.js`); its clock is the test's own.
		Settings.now = () => this.global.Date.now();
	}
};
