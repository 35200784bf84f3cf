import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { resources } from '../../nodes/SocialPublishing/resources';
import { easiestFirst } from '../../test/n8n/examples';

/** The parts of the README that are made from the code: `npm run docs` writes them anew, a test compares. */

const root = resolve(__dirname, '../..');
const readmePath = join(root, 'README.md');

export const readReadme = () => readFileSync(readmePath, 'utf8');

/** The table that the node itself is made of, in the panel's order; what an operation does, the panel says. */
function operations(): string {
	const rows = resources.map(({ name, operations: all }) =>
		row(name, all.map((operation) => operation.name).join(', ')),
	);
	return [row('Resource', 'Operations'), row('---', '---'), ...rows].join('\n');
}

/** Each example's name and the first sentence of its note, easiest first. */
function examples(): string {
	const names = readdirSync(join(root, 'examples'))
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace(/\.json$/, ''));
	const rows = easiestFirst(names).map((name) => {
		const workflow = JSON.parse(readFileSync(join(root, 'examples', `${name}.json`), 'utf8'));
		return row(`[${workflow.name}](examples/${name}.json)`, firstSentence(workflow));
	});
	return [row('Workflow', 'What it does'), row('---', '---'), ...rows].join('\n');
}

function firstSentence({ nodes }: { nodes: any[] }): string {
	const note: string = nodes.find(({ type }) => type.endsWith('.stickyNote')).parameters.content;
	const text = note.replace(/^#.*\n+/, '').split('\n')[0] ?? '';
	return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, '.').replaceAll('**', '');
}

const row = (...cells: string[]): string =>
	`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** The README as it should be. */
export function upToDate(readme: string): string {
	return Object.entries({ operations, examples }).reduce((text, [name, write]) => {
		const begin = `<!-- ${name}: written by \`npm run docs\` -->`;
		const end = `<!-- end of ${name} -->`;
		const [before, rest] = text.split(begin);
		const after = rest?.split(end)[1];
		if (before === undefined || after === undefined)
			throw new Error(`README.md has lost the marks of its ${name}`);
		return `${before}${begin}\n\n${write()}\n\n${end}${after}`;
	}, readme);
}

if (require.main === module) writeFileSync(readmePath, upToDate(readReadme()));
