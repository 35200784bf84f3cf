import { omit } from 'lodash';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { buildHash } from '../../test/n8n/package';
import { nameOf, releases } from '../../test/n8n/releases';
import { between, table } from '../docs/markdown';
import { exceptionFor, exceptions } from './exceptions';

/** What was found, kept from run to run: `results.json`, and the table of docs/development/versions.md made from it. */

interface Run {
	date: string;
	build: string;
	/** Name of a row → `ok`, or what was found instead. */
	rows: Record<string, string>;
}

const resultsPath = join(__dirname, 'results.json');
const documentPath = resolve(__dirname, '../../docs/development/versions.md');
const begin = '<!-- compat: written by `npm run compat` -->';
const end = '<!-- end of compat -->';

export const readRuns = (): Record<string, Run> => JSON.parse(readFileSync(resultsPath, 'utf8'));

export async function record(name: string, rows: Run['rows']): Promise<void> {
	const date = new Date().toISOString().slice(0, 10);
	const runs = { ...omit(readRuns(), name), [name]: { date, build: await buildHash(), rows } };
	writeFileSync(resultsPath, `${JSON.stringify(runs, null, '\t')}\n`);
	writeFileSync(documentPath, versionsPage(readFileSync(documentPath, 'utf8')));
}

export const versionsPage = (document: string): string => between(document, begin, end, tables());

/** Each n8n a column, in the order of `releases`; what is less than wanted has the number of its note. */
function tables(): string {
	const runs = readRuns();
	const columns = releases.filter((release) => runs[nameOf(release)]);
	const line = (title: string, cell: (run: Run, version: string) => string): string[] => [
		title,
		...columns.map((release) => cell(runs[nameOf(release)]!, release.version)),
	];
	const rowNames = [...new Set(columns.flatMap((release) => Object.keys(runs[nameOf(release)]!.rows)))];
	const lines = rowNames.map((name) =>
		line(name, ({ rows }, version) => {
			const found = rows[name] ?? '–';
			const exception = exceptionFor(name, version, found);
			return exception ? `${found} (${exceptions.indexOf(exception) + 1})` : found;
		}),
	);
	const last = [line('run on', ({ date }) => date), line('build of the package', ({ build }) => build)];
	const notes = exceptions.map(({ why }, i) => `${i + 1}. ${why}`);
	return [table(['n8n', ...columns.map(nameOf)], [...lines, ...last]), '', ...notes].join('\n');
}
