import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What a document points to exists: links, headings, and the files that it names. */

const root = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const documents = ['', 'docs/', 'test/service/'].flatMap((folder) =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => folder + name),
);

/** Every file and folder of the checkout that a document may name. */
const files = readdirSync(root, { withFileTypes: true })
	.filter(({ name }) => !['node_modules', 'dist', '.git', '.stryker-tmp'].includes(name))
	.flatMap((entry) => [
		entry,
		...(entry.isDirectory()
			? readdirSync(join(root, entry.name), { recursive: true, withFileTypes: true })
			: []),
	])
	.map(({ parentPath, name }) => join(parentPath, name).slice(root.length));

/** As GitHub makes them from headings. */
const anchorsOf = (markdown: string): string[] =>
	[...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\w -]/g, '')
			.trim()
			.replaceAll(' ', '-'),
	);

const withoutBlocks = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, '');

/** Links to files and headings of this repository that are not there. */
function brokenLinks(path: string): string[] {
	const links = [...read(path).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
		([, link, source]) => link ?? source ?? '',
	);
	return links.filter((link) => {
		if (/^(https?|mailto):/.test(link)) return false;
		const [file = '', anchor] = link.split('#');
		const target = file === '' ? path : join(dirname(path), file);
		if (!existsSync(join(root, target))) return true;
		return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
	});
}

/** Files between backticks, whole or the end of their path, that are not there. */
const missingFiles = (path: string): string[] =>
	[...withoutBlocks(read(path)).matchAll(/`([^`\s]+)`/g)]
		.map(([, text = '']) => text.replace(/^…\//, ''))
		.filter(
			(text) => /^[\w.-][\w./-]*\.(ts|mjs|cjs|md|yml)$/.test(text) || /^(test|tools|nodes|docs)\//.test(text),
		)
		.filter((text) => !/[<*]/.test(text))
		.filter((text) => !files.some((file) => file.endsWith(`/${text.replace(/\/$/, '')}`)));

test.each(documents)('%s: its links lead to files and headings that exist', (path) => {
	expect(brokenLinks(path)).toEqual([]);
});

// docs/mutants.md is the record of one run, with the files as they were then.
test.each(documents.filter((path) => path !== 'docs/mutants.md'))(
	'%s: the files that it names exist',
	(path) => {
		expect(missingFiles(path)).toEqual([]);
	},
);
