import ts from 'typescript';
import { resources } from '../../nodes/SocialPublishing/resources';
import { pages } from '../../tools/docs';
import { errorsPage } from '../../tools/docs/errors';
import { checker, nodesIn, sources, textOf } from '../../tools/docs/sources';
import { surface } from '../../tools/docs/surface';
import { outputSchemas } from '../../tools/outputSchemas';
import { schemas } from '../../tools/build';
import { readDocument } from '../support/documents';
import { panelNames } from './panel';

/** What is made from the code is as the code is now. */

test.each(Object.entries(pages))('%s is what `npm run docs` writes', (path, page) => {
	const now = readDocument(path);
	expect(page(now)).toBe(now);
});

test('docs/errors.md has every code of the nodes, each with words of its own', () => {
	const lines = readDocument('docs/errors.md').split('\n');
	const codes = lines.flatMap((line) => /^\| `(\w+)`/.exec(line)?.[1] ?? []);
	const code = sources.map(({ text }) => text).join('\n');
	expect(codes).toEqual(expect.arrayContaining(code.match(/\bNODE_[A-Z_]*[A-Z]\b/g)!));
	for (const line of lines.filter((one) => one.startsWith('| `NODE_')))
		expect(line.split(' | ')[1]).toMatch(/[a-z]{3}/);
});

test('no error message says `canceled`: n8n would store the execution as canceled', () => {
	const rows = errorsPage().match(/^\| `.+$/gm)!;
	const messages = rows.map((row) => row.split(' | ').find((cell) => /[a-z]{3}/.test(cell))!);
	expect(messages.length).toBeGreaterThan(80);
	expect(messages.filter((message) => /canceled/i.test(message))).toEqual([]);
});

test('each operation has an output schema', () => {
	const operations = resources.flatMap(({ value, operations: own }) =>
		own.map((one) => `${value}/${one.value}`),
	);
	expect(Object.keys(outputSchemas).sort()).toEqual(operations.sort());
	const { properties, version } = schemas()['post/create']!;
	expect(version).toBe(1);
	expect(properties).toMatchObject({ id: { type: 'string' }, idempotency_key: { type: 'string' } });
});

test('every resource, operation, parameter, value, type and default that was there is still there: saved workflows work', () => {
	// Before the first release, take a line out of tools/docs/surface.txt that is meant to go. After that, it has to stay.
	const now = new Set(surface());
	const listed = readDocument('tools/docs/surface.txt').split('\n');
	expect(listed.filter((line) => line && !now.has(line))).toEqual([]);
});

// Errors, hints and descriptions name fields, choices and operations by the words that the panel shows.

/** What n8n itself calls its things. */
const ofN8n = ['Execute step', 'Error details', 'Executions', 'From List', 'By ID', 'On Error'];

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

test('a name in quotes is what the panel shows', () => {
	const shown = new Set([...panelNames(), ...ofN8n]);
	const used = sources.flatMap((file) => namesIn(file).map((name) => ({ name, file: file.fileName })));
	expect(used.length).toBeGreaterThan(50);
	expect(used.filter(({ name }) => !shown.has(name))).toEqual([]);
});
