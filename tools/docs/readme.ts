import { resources } from '../../nodes/SocialPublishing/resources';
import { eventOptions } from '../../nodes/shared/events';
import { examples } from '../../test/n8n/examples';
import { between, table } from './markdown';

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

/** Each example's name and the first sentence of its note. */
const exampleRows = (): string =>
	table(
		['Workflow', 'What it does'],
		[...examples()].map(([file, workflow]) => [
			`[${workflow.name}](examples/${file}.json)`,
			firstSentence(workflow),
		]),
	);

function firstSentence({ nodes }: Record<string, any>): string {
	const note: string = nodes.find(({ type }: any) => type.endsWith('.stickyNote')).parameters.content;
	const text = note.replace(/^#.*\n+/, '').split('\n')[0] ?? '';
	return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, '.').replaceAll('**', '');
}

export const readmePage = (readme: string): string =>
	Object.entries({ events, examples: exampleRows, operations }).reduce(
		(text, [name, write]) =>
			between(text, `<!-- ${name}: written by \`npm run docs\` -->`, `<!-- end of ${name} -->`, write()),
		readme,
	);
