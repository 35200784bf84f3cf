import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';
import { SocialPublishing } from '../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingTrigger } from '../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';

/** What n8n asks of a community package before it verifies it, as far as it can be seen in the checkout. */

const root = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));

const sources = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
);

describe('package.json', () => {
	test('is named, described and licensed as n8n asks', () => {
		expect(manifest.name).toMatch(/^n8n-nodes-[a-z0-9-]+$/);
		expect(manifest.keywords).toContain('n8n-community-node-package');
		expect(manifest.license).toBe('MIT');
		expect(read('LICENSE.md')).toContain('Permission is hereby granted, free of charge');
		expect(manifest.description).toMatch(/n8n/);
		expect(manifest.author).toEqual({ name: expect.any(String), email: expect.stringContaining('@') });
	});

	test('points to one public repository', () => {
		const [, slug] = /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\.git$/.exec(manifest.repository.url)!;
		expect(manifest.homepage).toBe(`https://github.com/${slug}#readme`);
		expect(manifest.bugs.url).toBe(`https://github.com/${slug}/issues`);
	});

	test('brings nothing along: one peer, no dependencies, no overrides, no install scripts, only dist', () => {
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		for (const field of [
			'dependencies',
			'optionalDependencies',
			'bundleDependencies',
			'bundledDependencies',
			'overrides',
			'bin',
			'type',
		])
			expect(manifest).not.toHaveProperty(field);
		for (const script of [
			'prepare',
			'preinstall',
			'install',
			'postinstall',
			'prepublish',
			'preprepare',
			'postprepare',
		])
			expect(manifest.scripts).not.toHaveProperty(script);
		expect(manifest.files).toEqual(['dist']);
	});

	test('names every node and credential where the build puts it, and nothing else', () => {
		const built = (suffix: string) =>
			sources
				.filter((path) => path.endsWith(suffix))
				.map((path) => `dist/${path.replace(/\.ts$/, '.js')}`)
				.sort();
		expect(manifest.n8n).toEqual({
			n8nNodesApiVersion: 1,
			credentials: built('.credentials.ts'),
			nodes: built('.node.ts'),
		});
	});

	test('has a semantic version that the changelog tells about, and exact development versions', () => {
		expect(manifest.version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
		expect(read('CHANGELOG.md')).toContain(`\n## ${manifest.version}\n`);
		for (const version of Object.values(manifest.devDependencies))
			expect(version).toMatch(/^(npm:[\w-]+@)?\d+\.\d+\.\d+$/);
	});
});

describe('icons', () => {
	const credential = new SocialPublishingApi();
	const owners = {
		credential: [credential.icon, 'credentials'],
		node: [new SocialPublishing().description.icon, 'nodes/SocialPublishing'],
		trigger: [new SocialPublishingTrigger().description.icon, 'nodes/SocialPublishingTrigger'],
	} as const;

	test.each(Object.entries(owners))('%s: SVG files for light and dark that differ', (_, [icon, folder]) => {
		const { light, dark } = icon as { light: string; dark: string };
		const [one, other] = [light, dark].map((name) => {
			expect(name).toMatch(/^file:.*\.svg$/);
			// The build puts icons/ where the compiled file's path leads to.
			return read(join(folder, name.slice('file:'.length)));
		});
		expect(one).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
		expect(other).toMatch(/^<svg /);
		expect(one).not.toBe(other);
		const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(one!) ?? [];
		expect(width).toBeDefined();
		expect(width).toBe(height);
	});
});

describe('codex files', () => {
	/** https://docs.n8n.io/connect/create-nodes/build-your-node/reference/codex-files/ */
	const categories = [
		'Analytics',
		'Communication',
		'Data & Storage',
		'Development',
		'Finance & Accounting',
		'Marketing & Content',
		'Miscellaneous',
		'Productivity',
		'Sales',
		'Utility',
	];
	const nodes = sources.filter((path) => path.endsWith('.node.ts'));

	test.each(nodes)('%s has one', (path) => {
		const codex = JSON.parse(read(path.replace(/\.ts$/, '.json')));
		expect(codex.node).toBe(manifest.name);
		expect(codex).toMatchObject({ nodeVersion: '1.0', codexVersion: '1.0' });
		expect(codex.categories.length).toBeGreaterThan(0);
		for (const category of codex.categories) expect(categories).toContain(category);
		const { primaryDocumentation, credentialDocumentation } = codex.resources;
		for (const { url } of [...primaryDocumentation, ...credentialDocumentation])
			expect(url.startsWith(`${manifest.homepage.split('#')[0]}#`)).toBe(true);
		const aliases = codex.alias.map((alias: string) => alias.toLowerCase());
		expect(new Set(aliases).size).toBe(aliases.length);
		// What people type who have never heard of this package.
		for (const word of [
			'social media',
			...(path.includes('Trigger') ? [] : ['schedule post']),
			'instagram',
			'tiktok',
			'youtube',
			'twitter',
			'linkedin',
			'facebook',
			'bluesky',
		])
			expect(aliases).toContain(word);
	});

	test.each([
		['SocialPublishing', new SocialPublishing()],
		['SocialPublishingTrigger', new SocialPublishingTrigger()],
	])('the class %s says the same, where n8n makes its catalog from it', (name, { description }) => {
		const { categories, resources, alias } = JSON.parse(read(`nodes/${name}/${name}.node.json`));
		expect(description.codex).toEqual({ categories, resources, alias });
	});

	test("each class tells n8n's AI workflow builder what it is for, and names the other node", () => {
		const types = (Object.values(manifest.n8n.nodes) as string[]).map(
			(path) => `${manifest.name}.${/(\w+)\.node\.js$/.exec(path)![1]!.replace(/^S/, 's')}`,
		);
		for (const { description } of [new SocialPublishing(), new SocialPublishingTrigger()]) {
			const { searchHint = '', relatedNodes = [] } = description.builderHint!;
			expect(searchHint).toMatch(/^[A-Z].*\.$/);
			expect(searchHint).not.toMatch(/={{|[<>]/);
			expect(
				[...relatedNodes.map(({ nodeType }) => nodeType), `${manifest.name}.${description.name}`].sort(),
			).toEqual([...types].sort());
		}
	});

	test('the addresses lead to parts of the README that exist', () => {
		const anchors = read('README.md')
			.split('\n')
			.filter((line) => /^#+ /.test(line))
			.map((line) =>
				line
					.replace(/^#+ /, '')
					.toLowerCase()
					.replace(/[^\w -]/g, '')
					.replaceAll(' ', '-'),
			);
		const urls = [
			new SocialPublishingApi().documentationUrl,
			...nodes.flatMap((path) => {
				const { resources } = JSON.parse(read(path.replace(/\.ts$/, '.json')));
				return Object.values(resources).flatMap((list: any) => list.map(({ url }: any) => url));
			}),
		];
		for (const url of urls) {
			const anchor = url.split('#')[1];
			if (anchor !== 'readme') expect(anchors).toContain(anchor);
		}
	});
});

describe('the nodes', () => {
	const action = new SocialPublishing();
	const trigger = new SocialPublishingTrigger();

	test('the action can be an AI tool; the trigger is one by name, kind and inputs', () => {
		expect(action.description.usableAsTool).toBe(true);
		expect(trigger.description).not.toHaveProperty('usableAsTool');
		expect(trigger.description.name).toBe('socialPublishingTrigger');
		expect(trigger.description.displayName).toMatch(/ Trigger$/);
		expect(trigger.description.group).toEqual(['trigger']);
		expect(trigger.description.inputs).toEqual([]);
	});

	test('use no credential but that of this package', () => {
		for (const { description } of [action, trigger])
			expect(description.credentials).toMatchObject([
				{ name: new SocialPublishingApi().name, required: true },
			]);
	});

	test('actions start with a capital letter, have no articles and name what they work on', () => {
		const operations = action.description.properties.filter(({ name }) => name === 'operation');
		expect(operations.length).toBeGreaterThan(0);
		for (const one of operations)
			for (const option of one.options as any[]) {
				expect(option.action).toMatch(/^[A-Z]/);
				expect(option.action).not.toMatch(/\b(a|an|the)\b/i);
				expect(option.action.split(' ').length).toBeGreaterThan(1);
				expect(option.description).not.toBe(option.action);
			}
	});

	test('nothing lies about in their folders', () => {
		const allowed = /(\.ts|\.node\.json|__schema__\/.*\.json)$/;
		expect(
			sources.filter((path) => !allowed.test(path) || /\.(bak|backup)\b|(^|\/)test\./.test(path)),
		).toEqual([]);
	});
});

describe('what people who come to help need', () => {
	test.each([
		'README.md',
		'CHANGELOG.md',
		'CONTRIBUTING.md',
		'SECURITY.md',
		'LICENSE.md',
		'.github/workflows/ci.yml',
		'.github/workflows/publish.yml',
		'.github/ISSUE_TEMPLATE/bug_report.yml',
	])('%s', (path) => expect(existsSync(join(root, path))).toBe(true));

	test('publishing is done by a GitHub workflow with provenance', () => {
		const workflow = read('.github/workflows/publish.yml');
		const [build, publish] = workflow.split(/^ {2}publish:$/m) as [string, string];
		expect(publish).toContain('id-token: write');
		expect(publish).toMatch(/npm publish .*--provenance/);
		// What may get a token runs no code of dependencies, and no action that could become another one.
		expect(build).not.toContain('id-token');
		expect(publish).not.toMatch(/npm (ci|install|run|exec)|npx/);
		const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, name]) => name);
		expect(actions.length).toBeGreaterThan(3);
		for (const name of actions) expect(name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
	});

	test('a security problem can be reported to the author and the repository that package.json names', () => {
		const repository = manifest.homepage.split('#')[0];
		const security = read('SECURITY.md');
		expect(security).toContain(`${repository}/security/advisories/new`);
		expect(security).toContain(`mailto:${manifest.author.email}`);
		expect(read('.github/ISSUE_TEMPLATE/config.yml')).toContain(`${repository}/security/advisories/new`);
	});

	test('every command that a document or a workflow names exists', () => {
		const texts = [
			'README.md',
			'CONTRIBUTING.md',
			'.github/workflows/ci.yml',
			'.github/workflows/publish.yml',
		];
		const named = texts.flatMap((path) =>
			[...read(path).matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name),
		);
		expect(named).toContain('build');
		for (const name of new Set(named)) expect(Object.keys(manifest.scripts)).toContain(name);
	});
});
