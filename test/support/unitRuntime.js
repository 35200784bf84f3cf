const { default: Runtime } = require('jest-runtime');
const { Settings } = require('luxon');

/** Unit tests share what most of their files load: jest would load the 700 files of n8n-workflow anew for each of them. */
const shared =
	/^(n8n-workflow|fast-check|fastify|twitter-text|@fastify\/multipart|zod|luxon|lodash(\/\w+)?)$/;

module.exports = class extends Runtime {
	constructor(config, environment, ...rest) {
		super(config, environment, ...rest);
		const { global } = environment;
		// Jest gives tests a copy, of which Node doesn't read the time zone.
		global.processEnv = process.env;
		// What is shared goes by the test's own clock.
		Settings.now = () => global.Date.now();
		const sleep = async (ms) => await new Promise((resolve) => global.setTimeout(resolve, ms));
		this.n8nWorkflow = { ...require('n8n-workflow'), sleep };
	}

	requireModuleOrMock(from, name) {
		if (!shared.test(name)) return super.requireModuleOrMock(from, name);
		return name === 'n8n-workflow' ? this.n8nWorkflow : require(name);
	}
};
