import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import ts from 'typescript';

import { textOf } from '../../tools/docs/errors';
import { loader, load } from '../support/package';

/** Errors, hints and descriptions name fields, choices and operations by the words that the panel shows. */

const root = resolve(__dirname, '../..');

/** What n8n itself calls its things. */
const ofN8n = ['Execute step', 'Error details', 'From Social Publishing', 'Executions', 'From List', 'By ID'];

/** Words in quotes of a text: names begin with a capital letter. */
const quoted = (text: string): string[] => [...text.matchAll(/'([A-Z][^'\n]+)'/g)].map(([, name]) => name!);

/** Every text of a source file, and the text of each argument that a function takes as a field's label. */
function namesIn(file: ts.SourceFile, checker: ts.TypeChecker): string[] {
	const names: string[] = [];
	const visit = (one: ts.Node): void => {
		if (ts.isStringLiteralLike(one) || ts.isTemplateExpression(one)) names.push(...quoted(textOf(one, file)));
		else if (ts.isCallExpression(one)) {
			const parameters = checker.getResolvedSignature(one)?.parameters ?? [];
			one.arguments.forEach((argument, i) => {
				if (parameters[i]?.name === 'label' && ts.isStringLiteralLike(argument)) names.push(argument.text);
			});
		}
		one.forEachChild(visit);
	};
	visit(file);
	// A name with something put in is no fixed name.
	return names.filter((name) => !name.includes('…'));
}

/** All that has a name in the panel: fields at any depth, their choices; sections of a field have none. */
function shownIn(value: unknown, found = new Set<string>()): Set<string> {
	if (typeof value !== 'object' || value === null) return found;
	const { displayName, name, value: choice, values } = value as Record<string, unknown>;
	if (typeof displayName === 'string' && values === undefined) found.add(displayName);
	if (typeof name === 'string' && choice !== undefined) found.add(name);
	for (const inner of Object.values(value)) shownIn(inner, found);
	return found;
}

test('a name in quotes is what the panel shows', async () => {
	await load();
	const types = [...Object.values<any>(loader.nodeTypes), ...Object.values<any>(loader.credentialTypes)];
	const shown = shownIn([
		ofN8n.map((displayName) => ({ displayName })),
		types.map(({ type }) => [type.description, type.nodeVersions, type.properties]),
	]);
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true })
			.map((file) => join(root, folder, String(file)))
			.filter((file) => file.endsWith('.ts')),
	);
	const { options } = ts.parseJsonConfigFileContent(
		ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
		ts.sys,
		root,
	);
	const program = ts.createProgram(files, options);
	const checker = program.getTypeChecker();
	const used = files.flatMap((file) =>
		namesIn(program.getSourceFile(file)!, checker).map((name) => ({
			name,
			file: file.slice(root.length + 1),
		})),
	);
	expect(used.length).toBeGreaterThan(50);
	expect(used.filter(({ name }) => !shown.has(name))).toEqual([]);
});
