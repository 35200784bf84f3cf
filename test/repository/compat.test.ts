import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

import { readDocument } from '../support/documents';
import { exceptionFor, exceptions, isBelow } from '../../tools/compat/exceptions';
import { problems, withoutFolders } from '../../tools/compat/log';
import { outdated, records, unfinished, upToDate } from '../../tools/compat/record';
import { nameOf, releases } from '../n8n/releases';

/** What `npm run compat` found when it was last run; the run itself takes half an hour. */

const results = Object.entries(records());

test('docs/versions.md shows the results as they were written down', () => {
	const document = readDocument('docs/versions.md');
	expect(upToDate(document)).toBe(document);
});

test('every n8n of the list has been driven; each row is fine or known', () => {
	expect(results.map(([name]) => name).sort()).toEqual(releases.map(nameOf).sort());
	expect(nameOf(releases[0]!)).toMatch(/^1\.123\./);
	for (const [name, found] of results) {
		const failed = Object.entries(found).filter(([, { is }]) => is === 'FAIL');
		expect({ [name]: failed }).toEqual({ [name]: [] });
	}
});

test('every n8n has all rows; docs/versions.md names the older builds', () => {
	expect(unfinished()).toEqual({});
	const document = readDocument('docs/versions.md');
	const builds = releases.map((release) => (outdated().includes(nameOf(release)) ? 'older' : 'newest'));
	expect(document).toContain(`| build of the package | ${builds.join(' | ')} |`);
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

test('of a log count errors and what is said of the package; stack lines and fields belong to the line before', () => {
	const stack =
		'    at AxiosError.from (/somewhere/axios.cjs:1355:24)\n    at handleRequestError (/somewhere/x.js:1:1)';
	const name = 'n8n-nodes-social-publishing';
	const found = (...lines: string[]) => problems(lines.join('\n'), name);
	expect(found('AxiosError: getaddrinfo EAI_AGAIN api.example.com', stack, 'n8n ready')).toEqual([]);
	const ofN8n = `    at connect (${join(homedir(), '.cache', name, 'n8n-1', 'node_modules', 'n8n', 'a.js')}:1:1)`;
	expect(found('Error: getaddrinfo ENOTFOUND api.example.com', ofN8n)).toEqual([]);
	expect(found('AggregateError', stack, '{', "  code: 'ECONNREFUSED'", '}', 'n8n ready')).toEqual([]);
	expect(found('Failed to start Python task runner', stack)).toEqual([]);
	expect(found('TypeError: x is not a function', stack)).toEqual(['TypeError: x is not a function']);
	expect(found("Error: Cannot find module 'p-limit'", '    at license.js:1:1')).toHaveLength(1);
	expect(found('fetch failed', `    at send (/x/node_modules/${name}/dist/a.js:1:1)`)).toEqual([
		'fetch failed',
	]);
	expect(found('One error', 'Another error', stack)).toEqual(['One error', 'Another error']);
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
