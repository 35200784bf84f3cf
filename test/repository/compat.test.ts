import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

import { readDocument } from '../support/documents';
import { exceptionFor, exceptions, isBelow } from '../../tools/compat/exceptions';
import { problems, withoutFolders } from '../../tools/compat/log';
import { readRuns, upToDate } from '../../tools/compat/record';
import { nameOf, releases } from '../n8n/releases';

/** What `npm run compat` found when it was last run; the run itself takes half an hour. */

const results = Object.entries(readRuns());

test('docs/versions.md shows the results as they were written down', () => {
	const document = readDocument('docs/versions.md');
	expect(upToDate(document)).toBe(document);
});

test('every n8n of the list has been driven with all rows; each row is fine or known', () => {
	expect(results.map(([name]) => name).sort()).toEqual(releases.map(nameOf).sort());
	expect(nameOf(releases[0]!)).toMatch(/^1\.123\./);
	const [[, { rows: first }]] = results as [(typeof results)[0]];
	for (const [name, { rows }] of results) {
		expect(Object.keys(rows).sort()).toEqual(Object.keys(first).sort());
		const failed = Object.entries(rows).filter(
			([row, found]) => found !== 'ok' && !exceptionFor(row, name.split(' ')[0]!, found),
		);
		expect({ [name]: failed }).toEqual({ [name]: [] });
	}
});

test('the GitHub workflow drives each of them, by names that `npm run compat` knows', () => {
	const workflow = readDocument('.github/workflows/ci.yml');
	const [, names = ''] = /^ +n8n: \[(.*)\]$/m.exec(workflow)!;
	expect(names.split(', ')).toEqual(releases.map(nameOf));
});

test('no folder of a machine is written down', () => {
	expect(JSON.stringify(results)).not.toMatch(/\/(root|home|Users|tmp|work|var)\//);
	expect(withoutFolders(`at ${join(homedir(), 'a.js')}, ${join(tmpdir(), 'b')}`)).toBe('at …/a.js, …/b');
});

test('of a log counts what names the package, but not the folder that n8n is installed in', () => {
	const name = 'n8n-nodes-social-publishing';
	const ofN8n = `    at connect (${join(homedir(), '.cache', name, 'n8n-1', 'node_modules', 'n8n', 'a.js')}:1:1)`;
	const ours = `    at send (/x/node_modules/${name}/dist/a.js:1:1)`;
	const log = ['Error: getaddrinfo ENOTFOUND api.example.com', ofN8n, 'TypeError: x is not a function', ours];
	expect(problems(log.join('\n'), name)).toEqual([ours]);
});

test('every exception is needed', () => {
	const met = results.flatMap(([name, { rows }]) =>
		Object.entries(rows).map(([row, found]) => exceptionFor(row, name.split(' ')[0]!, found)),
	);
	expect(new Set(met)).toEqual(new Set([...exceptions, undefined]));
});

test('versions are compared as numbers', () => {
	expect(isBelow('2.9.0', '2.14.0')).toBe(true);
	expect(isBelow('2.14.0', '2.14.0')).toBe(false);
	expect(isBelow('10.0.0', '2.14.0')).toBe(false);
	expect(isBelow('1.123.81', '2.0.3')).toBe(true);
});
