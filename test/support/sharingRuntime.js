const { default: Runtime } = require('jest-runtime');
const { Settings } = require('luxon');

/** What most test files load is loaded once a process: jest would load the 700 files of n8n-workflow anew for each of them. */
const shared =
	/^(n8n-workflow|fast-check|fastify|twitter-text|@fastify\/multipart|ajv-formats|ajv\/dist\/2020|yaml|zod|luxon|lodash(\/\w+)?)$/;

module.exports = class extends Runtime {
	constructor(config, environment, ...rest) {
		super(config, environment, ...rest);
		const { global } = environment;
		// Jest gives tests a copy, of which Node doesn't read the time zone.
		global.processEnv = process.env;
		// What is shared goes by the test's own clock.
		Settings.now = () => global.Date.now();
		Settings.defaultZone = 'system';
		const sleep = async (ms) => await new Promise((resolve) => global.setTimeout(resolve, ms));
		// Not where n8n's engine runs, which has to know the errors of the nodes.
		if (config.displayName?.name !== 'integration') this.n8nWorkflow = { ...require('n8n-workflow'), sleep };
	}

	requireModuleOrMock(from, name) {
		if (!shared.test(name) || (name === 'n8n-workflow' && !this.n8nWorkflow))
			return super.requireModuleOrMock(from, name);
		return name === 'n8n-workflow' ? this.n8nWorkflow : require(name);
	}
};
