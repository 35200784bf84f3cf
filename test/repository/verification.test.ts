import { sublimeSearch } from '@n8n/utils/search/sublime-search';
import { SocialPublishing } from '../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingTrigger } from '../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';
import { readDocument as read } from '../support/documents';

/** What n8n asks of a community package before it verifies it, as far as it can be seen in the checkout. */

const manifest = JSON.parse(read('package.json'));
const action = new SocialPublishing();
const trigger = new SocialPublishingTrigger();

describe('package.json', () => {
	// Name, keywords, license, author, dependencies, files, version and so on: n8n's rules, by `npm run lint`.
	test('points to one public repository', () => {
		const [, slug] = /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\.git$/.exec(manifest.repository.url)!;
		expect(manifest.homepage).toBe(`https://github.com/${slug}#readme`);
		expect(manifest.bugs.url).toBe(`https://github.com/${slug}/issues`);
	});

	test('has a version that the changelog tells about, and exact development versions', () => {
		expect(read('CHANGELOG.md')).toContain(`\n## ${manifest.version}\n`);
		for (const version of Object.values(manifest.devDependencies))
			expect(version).toMatch(/^(npm:[\w-]+@)?\d+\.\d+\.\d+$/);
	});
});

/** What people type who have never heard of this package. */
const searchedFor = {
	// n8n shows both nodes as one, and searches the words of the action node only.
	both: [
		...['social media', 'instagram', 'tiktok', 'youtube', 'twitter', 'linkedin', 'facebook', 'bluesky'],
		...['post published', 'post failed', 'new comment', 'new message'],
	],
	SocialPublishing: [
		...['publish post', 'schedule post', 'schedule tweet', 'post to linkedin', 'post on instagram'],
		...['cross post', 'crosspost', 'reply to comment', 'youtube upload', 'upload video', 'post to x'],
		...['instagram reel', 'social media calendar', 'facebook page post', 'linkedin company page', 'caption'],
		...['social analytics', 'approve posts', 'auto post', 'schedule instagram post', 'schedule'],
		...['story', 'carousel', 'preview', 'preview post', 'buffer', 'hootsuite', 'inbox'],
	],
	SocialPublishingTrigger: ['webhook'],
};

describe.each([
	['SocialPublishing', action, trigger],
	['SocialPublishingTrigger', trigger, action],
])('the codex of %s', (name, { description }, other) => {
	const codex = JSON.parse(read(`nodes/${name}/${name}.node.json`));

	test('is as n8n asks; the class says the same, where n8n makes its catalog from it', () => {
		const { resources, alias, ...versions } = codex;
		expect(versions).toMatchObject({ node: manifest.name, nodeVersion: '1.0', codexVersion: '1.0' });
		expect(description.codex).toEqual({ categories: codex.categories, resources, alias });
		// Two of https://docs.n8n.io/connect/create-nodes/build-your-node/reference/codex-files/
		expect(codex.categories).toEqual(['Marketing & Content', 'Communication']);
	});

	test("is found in n8n's search by what people type", () => {
		expect(new Set(codex.alias).size).toBe(codex.alias.length);
		const phrases = [...searchedFor.both, ...searchedFor[name as keyof typeof searchedFor]];
		const node = { properties: { displayName: description.displayName, codex } };
		expect(phrases.filter((phrase) => sublimeSearch(phrase, [node]).length === 0)).toEqual([]);
	});

	test("has addresses in this package's README; that they exist: links.test.ts", () => {
		const { primaryDocumentation, credentialDocumentation } = codex.resources;
		for (const { url } of [...primaryDocumentation, ...credentialDocumentation])
			expect(url.startsWith(`${manifest.homepage.split('#')[0]}#`)).toBe(true);
	});

	test("tells n8n's AI workflow builder what the node is for, and names the other one", () => {
		const { searchHint, relatedNodes } = description.builderHint!;
		expect(searchHint).toMatch(/^[A-Z].*\.$/);
		expect(relatedNodes).toMatchObject([{ nodeType: `${manifest.name}.${other.description.name}` }]);
	});
});

test('the action node is an output and a tool of agents; it requires its credential, which n8n can test', () => {
	expect(action.description).toMatchObject({
		...{ group: ['output'], usableAsTool: true, defaults: { name: action.description.displayName } },
		credentials: [{ name: 'socialPublishingApi', required: true, testedBy: 'testCredential' }],
	});
});

describe('what people who come to help need', () => {
	test('publishing is done by a GitHub workflow with provenance', () => {
		const workflow = read('.github/workflows/publish.yml');
		const [build, publish] = workflow.split(/^ {2}publish:$/m) as [string, string];
		expect(publish).toContain('id-token: write');
		expect(publish).toMatch(/npm publish .*--provenance/);
		// What may get a token runs no code of dependencies, and no action that could become another one.
		expect(build).not.toContain('id-token');
		expect(publish).not.toMatch(/npm (ci|install|run|exec)|npx/);
	});

	test.each(['ci', 'nightly', 'publish'])(
		"workflow %s uses GitHub's own actions, pinned by commit",
		(name) => {
			const actions = [...read(`.github/workflows/${name}.yml`).matchAll(/uses: (\S+)/g)];
			expect(actions.length).toBeGreaterThan(1);
			for (const [, action] of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
		},
	);

	test('a security problem can be reported to the author and the repository that package.json names', () => {
		const repository = manifest.homepage.split('#')[0];
		const security = read('SECURITY.md');
		expect(security).toContain(`${repository}/security/advisories/new`);
		expect(security).toContain(`mailto:${manifest.author.email}`);
		expect(read('.github/ISSUE_TEMPLATE/config.yml')).toContain(`${repository}/security/advisories/new`);
	});
});
