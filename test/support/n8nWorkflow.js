/** Stands for n8n-workflow in unit tests (see `unitEnvironment.js`); waits by the test's own clock. */
module.exports = {
	...globalThis.n8nWorkflow,
	sleep: async (ms) => await new Promise((resolve) => setTimeout(resolve, ms)),
};
