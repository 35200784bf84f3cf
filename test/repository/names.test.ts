import ts from 'typescript';

import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';
import { SocialPublishing } from '../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingTrigger } from '../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';
import { checker, nodesIn, sources, textOf } from '../../tools/docs/sources';

/** Errors, hints and descriptions name fields, choices and operations by the words that the panel shows. */

/** What n8n itself calls its things. */
const ofN8n = [
	'Execute step',
	'Error details',
	'From Social Publishing',
	'Executions',
	'From List',
	'By ID',
	'On Error',
];

/** Words in quotes of a text: names begin with a capital letter. */
const quoted = (text: string): string[] => [...text.matchAll(/'([A-Z][^'\n]+)'/g)].map(([, name]) => name!);

/** Every text of a source file, and the text of each argument that a function takes as a field's label. */
const namesIn = (file: ts.SourceFile): string[] =>
	nodesIn(file)
		.flatMap((one) => {
			if (ts.isStringLiteralLike(one) || ts.isTemplateExpression(one)) return quoted(textOf(one));
			if (!ts.isCallExpression(one)) return [];
			const parameters = checker.getResolvedSignature(one)?.parameters ?? [];
			return one.arguments
				.filter((_, i) => parameters[i]?.name === 'label')
				.map((label) => textOf(label).replaceAll("'", ''));
		})
		.flatMap((names) => names.split(' *or* '))
		// A name with something put in is no fixed name.
		.filter((name) => !name.includes('…'));

/** All that has a name in the panel: fields at any depth, their choices; sections of a field have none. */
function shownIn(value: unknown, found = new Set<string>()): Set<string> {
	if (typeof value !== 'object' || value === null) return found;
	const { displayName, name, value: choice, values } = value as Record<string, unknown>;
	if (typeof displayName === 'string' && values === undefined) found.add(displayName);
	if (typeof name === 'string' && choice !== undefined) found.add(name);
	for (const inner of Object.values(value)) shownIn(inner, found);
	return found;
}

test('a name in quotes is what the panel shows', () => {
	const shown = shownIn([
		ofN8n.map((displayName) => ({ displayName })),
		[new SocialPublishing(), new SocialPublishingTrigger(), new SocialPublishingApi()],
	]);
	const used = sources.flatMap((file) => namesIn(file).map((name) => ({ name, file: file.fileName })));
	expect(used.length).toBeGreaterThan(50);
	expect(used.filter(({ name }) => !shown.has(name))).toEqual([]);
});
