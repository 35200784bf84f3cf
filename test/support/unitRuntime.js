const { default: Runtime } = require('jest-runtime');

/** Unit tests share what is loaded in most files, as they share n8n-workflow (see `unitEnvironment.js`). */
const shared = /^(fast-check|fastify|twitter-text|@fastify\/multipart|zod|luxon|lodash(\/\w+)?)$/;

module.exports = class extends Runtime {
	requireModuleOrMock(from, name) {
		return shared.test(name) ? require(name) : super.requireModuleOrMock(from, name);
	}
};
