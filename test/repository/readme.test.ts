import { optionsOf } from '../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../nodes/SocialPublishing/resources';
import { readReadme, upToDate } from '../../tools/docs/readme';
import { blocksOf, readDocument } from '../support/documents';

/** The README says nothing that this version does not have. */

const readme = readReadme();

describe('the README', () => {
	test('lists the operations of the table and the examples; if this fails: npm run docs', () => {
		expect(readme).toBe(upToDate(readme));
	});

	test('begins with what it is in three sentences, and a picture', () => {
		const [, first = '', picture = ''] = readme.split(/\n\n/);
		expect(first.match(/[.!?](?=\s|$)/g)).toHaveLength(3);
		expect(picture).toMatch(/^!\[.+\]\(docs\/images\/|<picture>/);
	});

	test('leads from the installation to the first post, then to the rest', () => {
		const parts = [...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
		expect(parts).toEqual([
			'Try it without an account',
			'Install',
			'Credentials',
			'First post',
			'Trigger',
			'Errors',
			'Examples',
			'Operations',
			'Compared with HTTP Request',
			'Compatibility',
			'More',
		]);
	});

	test('is read in ten minutes: about 200 lines', () => {
		expect(readme.split('\n').length).toBeLessThan(235);
	});

	test('names the version that this is', () => {
		const { version } = jest.requireActual<{ version: string }>('../../package.json');
		const pattern = /"name":"n8n-nodes-social-publishing","version":"([^"]+)"/g;
		const text = readme + readDocument('docs/install.md');
		expect([...text.matchAll(pattern)].map(([, found]) => found)).toEqual([version, version]);
	});

	test.each(['README.md', 'docs/agents.md'])(
		'every *Resource → Operation* and *Options → …* that %s names is in the node',
		(path) => {
			const ways = [...readDocument(path).matchAll(/\*([^*]+?) → ([^*]+)\*/g)].map(
				([, from = '', to = '']) => [from, to.replace(/\s+/g, ' ')],
			);
			// In n8n's editor, not in the node: test/e2e follows them.
			const inEditor = ['Settings', '+', '…', 'On Error', 'Authentication'];
			const ours = ways.filter(([from = '']) => !inEditor.includes(from));
			expect(ours.length).toBeGreaterThan(5);
			const known = resources.flatMap(({ name, operations }) =>
				operations.flatMap((one) => [
					`${name} → ${one.name}`,
					...(optionsOf(one).options ?? []).map((option) => `Options → ${(option as any).displayName}`),
				]),
			);
			expect(ours.map((way) => way.join(' → ')).filter((way) => !known.includes(way))).toEqual([]);
		},
	);

	test('shows an error as the node gives it, and other JSON that is JSON', () => {
		const blocks = blocksOf(readme).filter(({ language }) => language === 'json');
		const shown = blocks.map(({ text }) => JSON.parse(text).error).filter((error) => error !== undefined);
		expect(shown.length).toBeGreaterThan(0);
		for (const { code, status, message } of shown)
			expect(readDocument('docs/errors.md')).toContain(`| \`${code}\` | ${status} | ${message} |`);
	});
});
