import { examples } from '../../test/n8n/examples';
import { table } from './markdown';

/** Each example's name and the first sentence of its note. */
export const examplesPage = (): string => `# Examples

In n8n: *… → Import → From file*, or copy a file's text and paste it into the editor. Then choose your credential in each
*Social Publishing* node. The note in each workflow says what to change.

${table(
	['Workflow', 'What it does'],
	[...examples()].map(([file, workflow]) => [`[${workflow.name}](${file}.json)`, firstSentence(workflow)]),
)}

Written by \`npm run docs\` from the notes. A test runs each of them in a real n8n.
`;

function firstSentence({ nodes }: Record<string, any>): string {
	const note: string = nodes.find(({ type }: any) => type.endsWith('.stickyNote')).parameters.content;
	const text = note.replace(/^#.*\n+/, '').split('\n')[0] ?? '';
	return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, '.').replaceAll('**', '');
}
