import { readDocument } from '../support/documents';
import { exceptionFor, exceptions } from '../../tools/compat/exceptions';
import { readRuns } from '../../tools/compat/record';
import { nameOf, releases } from '../n8n/releases';

/** What `npm run compat` found when it was last run; the run itself takes half an hour. */

const results = Object.entries(readRuns());

test('every n8n of the list has been driven with all rows, and each of them is fine or known', () => {
	expect(results.map(([name]) => name).sort()).toEqual(releases.map(nameOf).sort());
	expect(nameOf(releases[0]!)).toMatch(/^1\.123\./);
	const [[, first]] = results as [(typeof results)[0]];
	for (const [name, { rows }] of results) {
		expect(Object.keys(rows).sort()).toEqual(Object.keys(first.rows).sort());
		const failed = Object.entries(rows).filter(
			([row, found]) => found !== 'ok' && !exceptionFor(row, name.split(' ')[0]!, found),
		);
		expect({ [name]: failed }).toEqual({ [name]: [] });
	}
});

test('the GitHub workflow drives each of them, by names that `npm run compat` knows', () => {
	const workflow = readDocument('.github/workflows/nightly.yml');
	const [, names = ''] = /^ +n8n: \[(.*)\]$/m.exec(workflow)!;
	expect(names.split(', ')).toEqual(releases.map(nameOf));
});

test('no folder of a machine is written down', () => {
	expect(JSON.stringify(results)).not.toMatch(/\/(root|home|Users|tmp|work|var)\//);
});

test('every exception is needed', () => {
	const met = results.flatMap(([name, { rows }]) =>
		Object.entries(rows).map(([row, found]) => exceptionFor(row, name.split(' ')[0]!, found)),
	);
	expect(new Set(met)).toEqual(new Set([...exceptions, undefined]));
});
