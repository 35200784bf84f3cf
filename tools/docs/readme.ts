import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { resources } from '../../nodes/SocialPublishing/resources';
import { eventOptions } from '../../nodes/shared/events';
import { easiestFirst } from '../../test/n8n/examples';
import { between, table } from './markdown';

/** The parts of the README that are made from the code: `npm run docs` writes them anew, a test compares. */

const root = resolve(__dirname, '../..');
const readmePath = join(root, 'README.md');

export const readReadme = () => readFileSync(readmePath, 'utf8');

/** The table that the node itself is made of, in the panel's order. */
const operations = (): string =>
	table(
		['Operation', 'What it does'],
		resources.flatMap(({ name, operations: all }) =>
			all.map((one) => [`${name} → ${one.name}`, one.description.replace(/[^.]$/, '$&.')]),
		),
	);

const events = (): string =>
	table(
		['Event', '`type`', 'When'],
		eventOptions.map(({ name, value, description = '' }) => [name, `\`${value}\``, `${description}.`]),
	);

/** Each example's name and the first sentence of its note, easiest first. */
function examples(): string {
	const names = readdirSync(join(root, 'examples'))
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace(/\.json$/, ''));
	const rows = easiestFirst(names).map((name) => {
		const workflow = JSON.parse(readFileSync(join(root, 'examples', `${name}.json`), 'utf8'));
		return [`[${workflow.name}](examples/${name}.json)`, firstSentence(workflow)];
	});
	return table(['Workflow', 'What it does'], rows);
}

function firstSentence({ nodes }: { nodes: any[] }): string {
	const note: string = nodes.find(({ type }) => type.endsWith('.stickyNote')).parameters.content;
	const text = note.replace(/^#.*\n+/, '').split('\n')[0] ?? '';
	return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, '.').replaceAll('**', '');
}

/** The README as it should be. */
export const upToDate = (readme: string): string =>
	Object.entries({ events, examples, operations }).reduce(
		(text, [name, write]) =>
			between(text, `<!-- ${name}: written by \`npm run docs\` -->`, `<!-- end of ${name} -->`, write()),
		readme,
	);

if (require.main === module) writeFileSync(readmePath, upToDate(readReadme()));
