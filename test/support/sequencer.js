const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that wait for minutes; jest knows so only once it has run them, and a fresh clone has not. */
const longest = [
	'queue-mode',
	'trigger-restarts',
	'install-page',
	'trigger-kills',
	'editor',
	'trigger-monitor',
	'examples',
	'install',
	'trigger',
	'walk',
	'content-calendar',
	'idempotency',
	'dialect.nodes',
	'write.model',
	'answers',
	'uploads',
	'names',
	'scan',
	'readBudget',
	'poll',
	'pace',
	'lifecycle',
];

function rank({ path }) {
	const at = longest.indexOf(basename(path, '.test.ts'));
	return at < 0 ? longest.length : at;
}

/** The longest first, so that none is left alone at the end. */
module.exports = class extends Sequencer {
	sort(tests) {
		return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
	}
};

module.exports.longest = longest;
