import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { optionsOf } from '../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../nodes/SocialPublishing/resources';
import { readReadme, upToDate } from '../../tools/docs/readme';
import { readDocument } from '../support/documents';

/** The README says nothing that this version does not have. */

const root = resolve(__dirname, '../..');
const readme = readReadme();

const anchorOf = (heading: string) =>
	heading
		.toLowerCase()
		.replace(/[^\w -]/g, '')
		.trim()
		.replaceAll(' ', '-');

describe('the README', () => {
	test('lists the operations of the table and the examples; if this fails: npm run docs', () => {
		expect(readme).toBe(upToDate(readme));
	});

	test('links to files and headings that exist', () => {
		const anchors = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
		const links = [...readme.matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
			([, a, b]) => a ?? b ?? '',
		);
		expect(links.length).toBeGreaterThan(5);
		const broken = links.filter((link) => {
			if (/^https?:/.test(link)) return false;
			const [path, anchor] = link.split('#');
			return path ? !existsSync(join(root, path)) : !anchors.includes(anchor ?? '');
		});
		expect(broken).toEqual([]);
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
		const named = ['README.md', 'docs/install.md'].flatMap((path) =>
			[...readDocument(path).matchAll(/"name":"n8n-nodes-social-publishing","version":"([^"]+)"/g)].map(
				([, found]) => found,
			),
		);
		expect(named).toEqual([version, version]);
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

	test('shows an error as the node gives it', () => {
		const [, text = ''] = /```json\n(\{\n\t"error"[^]*?)```/.exec(readme)!;
		const { code, status, message } = JSON.parse(text).error;
		expect(readDocument('docs/errors.md')).toContain(`| \`${code}\` | ${status} | ${message} |`);
	});

	test('examples of JSON are JSON', () => {
		const blocks = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text);
		expect(blocks.length).toBeGreaterThan(0);
		for (const block of blocks) expect(() => JSON.parse(block)).not.toThrow();
	});
});
