// Which folder may import which, types included; `test/repository/layout.test.ts` runs it.
const folder = (name) => `^nodes/SocialPublishing/${name}/`;
const only = (from, ...allowed) => ({
	name: `${from.name}-imports-only`,
	severity: 'error',
	comment: `${from.name} imports only ${allowed.map(({ name }) => name).join(', ')}`,
	from: { path: from.path },
	to: { path: '^(nodes|credentials|test|tools)/', pathNot: [from, ...allowed].map(({ path }) => path) },
});

const api = { name: 'api', path: '^nodes/api/' };
const shared = { name: 'shared', path: '^nodes/shared/' };
const writes = { name: 'writes', path: folder('writes') };
const media = { name: 'media', path: folder('media') };
const lookups = { name: 'lookups', path: folder('lookups') };
const engine = { name: 'engine', path: folder('engine') };
const resources = { name: 'resources', path: folder('resources') };
const trigger = { name: 'trigger', path: '^nodes/SocialPublishingTrigger/' };

const product = '^(nodes|credentials)/';
/** What tests and tools share. */
const common = '^test/(support|service|n8n)/';

module.exports = {
	forbidden: [
		{ name: 'no-circle', severity: 'error', from: { path: product }, to: { circular: true } },
		{ name: 'no-orphan', severity: 'error', from: { path: product, orphan: true }, to: {} },
		only(api),
		only(shared, api),
		only(writes, api),
		only(media, writes, api),
		only(lookups, shared, api),
		only(engine, writes, media, lookups, shared, api),
		only(resources, engine, writes, media, lookups, shared, api),
		only(trigger, shared, api),
		only({ name: 'credentials', path: '^credentials/' }, api),
		{
			name: 'tools-imports-only',
			severity: 'error',
			comment: 'Tools import what they share with tests, but no test',
			from: { path: '^tools/' },
			to: { path: '^test/', pathNot: common },
		},
		{
			name: 'common-imports-only',
			severity: 'error',
			comment: 'What tests and tools share imports neither',
			from: { path: common },
			to: { path: '^(test|tools)/', pathNot: common },
		},
		{
			name: 'tools-only-for-their-tests',
			severity: 'error',
			comment: 'Only the tests of the tools, in test/repository, import tools',
			from: { path: '^test/', pathNot: '^test/repository/' },
			to: { path: '^tools/' },
		},
	],
	options: {
		tsConfig: { fileName: 'tsconfig.json' },
		tsPreCompilationDeps: true,
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '^dist/' },
	},
};
