const { TestEnvironment } = require('jest-environment-node');

/** Unit tests share one n8n-workflow a process: jest would load its 700 files anew for every test file. */
module.exports = class extends TestEnvironment {
	async setup() {
		await super.setup();
		this.global.n8nWorkflow = require('n8n-workflow');
	}
};
