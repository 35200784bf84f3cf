import { homedir } from 'node:os';
import { join } from 'node:path';

import { readDocument } from '../support/documents';
import { exceptionFor, exceptions } from '../../tools/compat/exceptions';
import { problems } from '../../tools/compat/log';
import { readRuns } from '../../tools/compat/record';
import { nameOf, releases } from '../n8n/releases';

/** What `npm run compat` found when it was last run; the run itself takes half an hour. */

const results = Object.entries(readRuns());

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
