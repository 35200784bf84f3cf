import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The documents, what they tell their readers to run, and the files that they may name. */

export const root = resolve(__dirname, '../..');

/** Every document for people; what a test says of "all documents" means these. */
export const documents = [
	...readdirSync(root).filter((name) => name.endsWith('.md')),
	...['docs', 'docs/development'].flatMap((folder) =>
		readdirSync(join(root, folder))
			.filter((name) => name.endsWith('.md'))
			.map((name) => `${folder}/${name}`),
	),
	'examples/README.md',
	'test/service/README.md',
];

export const readDocument = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What no commit holds. */
const ignored = ['.git', ...readDocument('.gitignore').split('\n')].map((line) => line.replace(/\/$/, ''));

/** The files of the checkout, or of folders: also where there is no git, and those that are new. */
export const filesIn = (...folders: string[]): string[] =>
	(folders.length > 0 ? folders : ['']).flatMap((folder) =>
		readdirSync(join(root, folder), { withFileTypes: true })
			.filter(({ name }) => !ignored.includes(name))
			.flatMap((one) => {
				const path = join(folder, one.name);
				return one.isDirectory() ? filesIn(path) : [path];
			}),
	);

export interface Block {
	/** The heading that it stands under. */
	heading: string;
	/** Behind the opening fence; '' for none. */
	language: string;
	text: string;
}

export function blocksOf(markdown: string): Block[] {
	const blocks: Block[] = [];
	let heading = '';
	let open: Block | undefined;
	for (const line of markdown.split('\n')) {
		const fence = /^```(.*)$/.exec(line);
		if (open && fence) {
			blocks.push({ ...open, text: open.text.trimEnd() });
			open = undefined;
		} else if (open) open.text += `${line}\n`;
		else if (fence) open = { heading, language: fence[1]!.trim(), text: '' };
		else heading = /^#+ +(.*)$/.exec(line)?.[1] ?? heading;
	}
	if (open) throw new Error(`A block under "${heading}" has no end`);
	return blocks;
}

/** The lines of a shell block, without their comments. */
export const linesOf = ({ text }: Block): string[] =>
	text
		.split('\n')
		.map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
		.filter((line) => line !== '');

/** The commands of a document: in its blocks for a shell, and between backticks in its text. */
export const commandsIn = (markdown: string): string[] => [
	...blocksOf(markdown)
		.filter(({ language }) => language === 'sh')
		.flatMap(linesOf),
	...[...withoutBlocks(markdown).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text),
];

export const withoutBlocks = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, '');
