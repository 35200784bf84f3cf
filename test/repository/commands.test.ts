import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
	type Block,
	blocksOf,
	documents,
	inlineCommandsOf,
	linesOf,
	looksLikeCommands,
	readDocument,
} from '../support/documents';

/** Every command in a document is run by a test, or it stands here why not: one that nobody knows fails. */

const root = resolve(__dirname, '../..');
const { scripts } = jest.requireActual<{ scripts: Record<string, string> }>('../../package.json');

/** What runs the command as the document has it. */
const runBy: Record<string, string> = {
	'npm start': 'test/e2e/readme.test.ts',
	'npm test': '.ci/run',
	'npm run docs': 'test/repository/readme.test.ts',
	'npm run schemas': 'test/repository/schemas.test.ts',
	'npm run service': 'test/integration/service/cli.test.ts',
	'npm run service -- --port 4010 --seed demo --speed 60': 'test/integration/service/cli.test.ts',
};

/** docs/install.md: its blocks are taken from there and run. */
const installTest = 'test/e2e/install-page.test.ts';

/** Run by people only. */
const byHand: Record<string, string> = {
	'npm run lint:fix': 'changes files; `npm run lint` is run',
	'npm run format': 'changes files',
	'npm run build:watch': 'does not end; `npm run build` is run',
	'npm run dev': '`npm start` is run',
	'npm run pictures': 'changes files; test/e2e/walk.test.ts walks the same way',
	'npm run bench': 'takes long, and what it prints depends on the machine',
	'npm run soak': 'takes up to an hour; `npm test` runs the same scaled down',
	'npm run compat': 'installs five n8ns of 2.5 GB each; .github/workflows/ci.yml runs it',
	'npm run mutants': 'takes up to an hour',
	'npm run mutants -- nodes/api/postRange.ts': 'takes minutes',
	'PROPERTY_SEED=7 npm run test:unit -- postRange': 'repeats a failure',
	'READS=1 npm run test:unit -- readBudget': 'prints figures',
	'RECONCILE_RUNS=2000 PROPERTY_SEED=20261124 npm run test:unit -- reconcile.model': 'takes minutes',
	'npm run test:e2e -- queue-mode': 'a part of `npm test`',
	'npm run compat -- 1.123.81': 'as above',
	'npm run compat -- --rows=trigger': 'as above',
	'docker run -d --name n8n -p 5678:5678 -v n8n_data:/home/node/.n8n -e N8N_UNVERIFIED_PACKAGES_ENABLED=true -e N8N_DEFAULT_BINARY_DATA_MODE=filesystem docker.n8n.io/n8nio/n8n':
		'wants Docker; .github/workflows/nightly.yml runs the image with these settings',
	'FRESH_CLONE=1 npm run test:e2e -- readme': 'test/e2e/readme.test.ts itself',
};

/** The scripts that `npm test` consists of, and those that run some of the same jest projects. */
const projectsOf = (name: string): string[] =>
	/--selectProjects ([\w ]+)|jest\.(unit)\.config/
		.exec(scripts[name]!)
		?.slice(1)
		.join('')
		.trim()
		.split(' ') ?? [];
const called = [...scripts.test!.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
const projects = called.flatMap(projectsOf);
const isPart = (name: string): boolean =>
	projectsOf(name).length > 0 && projectsOf(name).every((project) => projects.includes(project));
const inTest = Object.keys(scripts)
	.filter((name) => called.includes(name) || isPart(name))
	.map((name) => `npm run ${name}`);

function isKnown(command: string): boolean {
	if (inTest.includes(command) || command in runBy || command in byHand) return true;
	// One part of the long runs: the file must be there.
	const [, kind, part] = /^npm run (bench|soak) -- (\w+)(?:\.\w+)?$/.exec(command) ?? [];
	return part !== undefined && existsSync(join(root, 'tools', kind!, `${part}.${kind}.ts`));
}

const isInstall = (path: string, { heading }: Block) =>
	path === 'docs/install.md' && ['In an image of your own', 'With npm'].includes(heading);

describe.each(documents)('%s', (path) => {
	const text = readDocument(path);
	const blocks = blocksOf(text);

	test('its blocks say in which language they are; those for a shell or Docker are known', () => {
		for (const block of blocks) {
			expect(['sh', 'dockerfile', 'yaml', 'json', 'ts', '']).toContain(block.language);
			if (block.language === '') expect(looksLikeCommands(block)).toBe(false);
			if (block.language === 'dockerfile') expect(isInstall(path, block)).toBe(true);
		}
	});

	test('it gives no command that nobody runs', () => {
		const shell = blocks.filter((block) => block.language === 'sh' && !isInstall(path, block));
		const commands = [...shell.flatMap(linesOf), ...inlineCommandsOf(text)];
		expect(commands.filter((command) => !isKnown(command))).toEqual([]);
	});
});

test('what runs them exists, and so do the scripts', () => {
	for (const path of [...Object.values(runBy), installTest]) expect(existsSync(join(root, path))).toBe(true);
	const names = [...Object.keys(runBy), ...Object.keys(byHand), ...inTest]
		.flatMap((command) => /npm (?:run )?([\w:]+)/.exec(command)?.[1] ?? [])
		.sort();
	expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
});

test('the lists hold nothing that no document says', () => {
	const all = documents.map(readDocument);
	const said = [...all.flatMap(blocksOf).flatMap(linesOf), ...all.flatMap(inlineCommandsOf)];
	expect(
		[...Object.keys(runBy), ...Object.keys(byHand)].filter((command) => !said.includes(command)),
	).toEqual([]);
});

test('npm test runs every project of jest', () => {
	const { projects: all } = jest.requireActual<{ projects: Array<{ displayName: string }> }>(
		'../jest.config',
	);
	expect([...projects].sort()).toEqual(all.map(({ displayName }) => displayName).sort());
});

test('every script of the package is told about', () => {
	const text = readDocument('CONTRIBUTING.md');
	const untold = Object.keys(scripts).filter((name) => !new RegExp(`npm (run )?${name}[\`\\s]`).test(text));
	expect(untold).toEqual([]);
});

test('commands in a block without a language are found', () => {
	const isFound = (text: string) => looksLikeCommands({ heading: '', language: '', text });
	expect(['npm run x', 'nodes/api/   the service'].map(isFound)).toEqual([true, false]);
});
