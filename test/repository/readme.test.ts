import { optionsOf } from '../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../nodes/SocialPublishing/resources';
import { MAX_CHARACTERS } from '../service/networks';
import { readDocument } from '../support/documents';

/** The README says nothing that this version does not have. */

const readme = readDocument('README.md');

describe('the README', () => {
	test('is at most 9,000 characters, and has no HTML and no link that npm could not follow', () => {
		expect(readme.length).toBeLessThanOrEqual(9000);
		expect(readme).not.toMatch(/<\w+[ >]/);
		const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
		expect(links.filter((link) => !/^(https:|#|[\w-]+(\.\w+|\/))/.test(link))).toEqual([]);
	});

	test("has every operation, in its resource's row", () => {
		const rows = new Map(
			[...readme.matchAll(/^\| ([\w, ]+) \| ([A-Z][\w, ]+) \|$/gm)].flatMap(([, names = '', list = '']) =>
				names.split(', ').map((name) => [name, list] as const),
			),
		);
		const wanted = resources.map(({ name, operations }) => [
			name,
			operations.map((one) => one.name).join(', '),
		]);
		expect(wanted.map(([name]) => [name, rows.get(name!)])).toEqual(wanted);
	});

	test('names the version that this is', () => {
		const { version } = jest.requireActual<{ version: string }>('../../package.json');
		const pattern = /"name":"n8n-nodes-social-publishing","version":"([^"]+)"/g;
		const text = readme + readDocument('docs/install.md');
		expect([...text.matchAll(pattern)].map(([, found]) => found)).toEqual([version]);
	});

	test('has the lengths by which the embedded service refuses texts', () => {
		const rows = [...readme.matchAll(/^\| (\w+) \| ([\d,]+) characters/gm)];
		const lengths = rows.map(([, name = '', max = '']) => [name.toLowerCase(), Number(max.replace(',', ''))]);
		expect(Object.fromEntries(lengths)).toEqual(MAX_CHARACTERS);
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
});
