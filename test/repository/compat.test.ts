import { readDocument } from '../tools/docs/commands';
import { exceptionFor, exceptions, isBelow } from '../tools/compat/exceptions';
import { records, upToDate } from '../tools/compat/record';
import { nameOf, releases } from '../n8n/releases';

/** What `npm run compat` found when it was last run; the run itself takes half an hour. */

const results = Object.entries(records());

test('docs/versions.md shows the results as they were written down', () => {
	const document = readDocument('docs/versions.md');
	expect(upToDate(document)).toBe(document);
});

test('every n8n has been driven through all rows; each is fine or known, and the floor is among them', () => {
	expect(results.map(([name]) => name).sort()).toEqual(releases.map(nameOf).sort());
	expect(nameOf(releases[0]!)).toMatch(/^1\.123\./);
	const rows = Object.keys(results[0]![1]);
	for (const [name, found] of results) {
		expect({ [name]: Object.keys(found) }).toEqual({ [name]: rows });
		const failed = Object.entries(found).filter(([, { is }]) => is === 'FAIL');
		expect({ [name]: failed }).toEqual({ [name]: [] });
	}
});

test('the GitHub workflow drives each of them, by names that `npm run compat` knows', () => {
	const workflow = readDocument('.github/workflows/ci.yml');
	const [, names = ''] = /^ +n8n: \[(.*)\]$/m.exec(workflow)!;
	expect(names.split(', ')).toEqual(releases.map(nameOf));
});

test('every exception is needed', () => {
	const met = results.flatMap(([name, found]) =>
		Object.entries(found)
			.filter(([, { is }]) => is === 'exception')
			.map(([row, { told }]) => exceptionFor(row, name.split(' ')[0]!, told)),
	);
	expect(new Set(met)).toEqual(new Set(exceptions));
});

test('versions are compared as numbers', () => {
	expect(isBelow('2.9.0', '2.14.0')).toBe(true);
	expect(isBelow('2.14.0', '2.14.0')).toBe(false);
	expect(isBelow('10.0.0', '2.14.0')).toBe(false);
	expect(isBelow('1.123.81', '2.0.3')).toBe(true);
});
