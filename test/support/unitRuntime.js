const { default: Runtime } = require('jest-runtime');

/** Unit tests share what is loaded in most files, as they share n8n-workflow (see `unitEnvironment.js`). */
const shared = /^(fast-check|fastify|twitter-text|@fastify\/multipart|zod|luxon|lodash(\/\w+)?)$/;

/** … and what jest loads anew for every file to print errors and snapshots. */
const sharedOfJest = /^(jest-snapshot|jest-message-util|semver)$/;

module.exports = class extends Runtime {
	requireInternalModule(from, name) {
		return sharedOfJest.test(name) ? require(name) : super.requireInternalModule(from, name);
	}

	requireModuleOrMock(from, name) {
		return shared.test(name) ? require(name) : super.requireModuleOrMock(from, name);
	}
};
