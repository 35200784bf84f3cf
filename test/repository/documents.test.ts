import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { resources } from '../../nodes/SocialPublishing/resources';
import { pages } from '../../tools/docs';
import { errorsPage } from '../../tools/docs/errors';
import { sources } from '../../tools/docs/sources';
import { surface } from '../../tools/docs/surface';
import { outputSchemas } from '../../tools/outputSchemas';
import { schemaFolder, schemas } from '../../tools/schemas';
import { readDocument } from '../support/documents';
import { errors } from '../support/specification';

/** What is made from the code is as the code is now. */

test.each(Object.entries(pages))('%s is what `npm run docs` writes', (path, page) => {
	const now = readDocument(path);
	expect(page(now)).toBe(now);
});

test("docs/errors.md has every code of the specification and of the nodes' code, each with words of its own", () => {
	const lines = readDocument('docs/errors.md').split('\n');
	const codes = lines.flatMap((line) => /^\| `(\w+)`/.exec(line)?.[1] ?? []);
	for (const group of [errors.auth, errors.request, ...Object.values(errors.endpoint)])
		expect(codes).toEqual(expect.arrayContaining(Object.keys(group)));
	const code = sources.map(({ text }) => text).join('\n');
	expect(codes).toEqual(expect.arrayContaining(code.match(/\bNODE_[A-Z_]*[A-Z]\b/g)!));
	for (const line of lines.filter((one) => one.startsWith('| `NODE_')))
		expect(line.split(' | ')[1]).toMatch(/[a-z]{3}/);
});

test('no error message says `canceled`: n8n would store the execution as canceled', () => {
	const rows = errorsPage().match(/^\| `.+$/gm)!;
	const messages = rows.map((row) => row.split(' | ').find((cell) => /[a-z]{3}/.test(cell))!);
	expect(messages.length).toBeGreaterThan(100);
	expect(messages.filter((message) => /canceled/i.test(message))).toEqual([]);
});

test('each operation has the output schema that `npm run schemas` writes', () => {
	const operations = resources.flatMap(({ value, operations: own }) =>
		own.map((one) => `${value}/${one.value}`),
	);
	expect(Object.keys(outputSchemas).sort()).toEqual(operations.sort());
	const files = readdirSync(schemaFolder, { recursive: true, withFileTypes: true })
		.filter((file) => file.isFile())
		.map((file) => join(file.parentPath, file.name));
	const written = files.map((file) => [relative(schemaFolder, file), readFileSync(file, 'utf8')]);
	expect(Object.fromEntries(written)).toEqual(Object.fromEntries(schemas()));
});

test('every resource, operation, parameter, value, type and default that was there is still there: saved workflows work', () => {
	// Before the first release, take a line out of tools/docs/surface.txt that is meant to go. After that, it has to stay.
	const now = new Set(surface());
	const listed = readDocument('tools/docs/surface.txt').split('\n');
	expect(listed.filter((line) => line && !now.has(line))).toEqual([]);
});
