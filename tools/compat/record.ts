import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { buildHash } from '../../test/n8n/package';
import { nameOf, releases } from '../../test/n8n/releases';
import { between, table } from '../docs/markdown';
import { exceptionFor, exceptions } from './exceptions';

/** What was found, kept from run to run: `results.json`, and the table of docs/versions.md made from it. */

/** `exception`: less than wanted, for a reason that is known and written down. */
export interface Outcome {
	is: 'ok' | 'exception' | 'FAIL';
	told: string;
}

interface Run<Told = Outcome> {
	/** The day of the run. */
	date: string;
	/** Which build of the package was driven; not known of the oldest runs. */
	build?: string;
	rows: Record<string, Told>;
}

const resultsPath = join(__dirname, 'results.json');
const documentPath = resolve(__dirname, '../../docs/versions.md');
const begin = '<!-- compat: written by `npm run compat` -->';
const end = '<!-- end of compat -->';

/** In the file an outcome is one line: what is fine, and of the rest what was found. */
const written = ({ is, told }: Outcome): string => (is === 'ok' ? is : `${is}: ${told}`);
function outcomeOf(text: string): Outcome {
	const [, is, told = ''] = /^(ok|exception|FAIL)(?:: (.*))?$/s.exec(text)!;
	return { is: is as Outcome['is'], told };
}

function readRuns(): Record<string, Run> {
	if (!existsSync(resultsPath)) return {};
	const runs: Record<string, Run<string>> = JSON.parse(readFileSync(resultsPath, 'utf8'));
	return mapValues(runs, (run) => ({ ...run, rows: mapValues(run.rows, outcomeOf) }));
}

function writeRuns(runs: Record<string, Run>): void {
	const lines = mapValues(runs, (run) => ({ ...run, rows: mapValues(run.rows, written) }));
	writeFileSync(resultsPath, `${JSON.stringify(lines, null, '\t')}\n`);
}

/** Name of an n8n → what its last whole run found. */
export function records(): Record<string, Record<string, Outcome>> {
	return mapValues(readRuns(), ({ rows }) => rows);
}

/** Writes down a whole run of one n8n; or, into the last whole run, some rows that were run again. */
export async function record(name: string, rows: Record<string, Outcome>, isWhole: boolean): Promise<void> {
	const build = await buildHash();
	const runs = readRuns();
	const before = runs[name];
	if (!isWhole && !before) return;
	const date = new Date().toISOString().slice(0, 10);
	// The last whole run stands last.
	if (isWhole) writeRuns({ ...omit(runs, name), [name]: { date, build, rows } });
	else writeRuns({ ...runs, [name]: { ...before!, rows: { ...before!.rows, ...rows } } });
	writeFileSync(documentPath, upToDate(readFileSync(documentPath, 'utf8')));
}

/** The n8ns whose last run was of an older build than the newest run of all. */
export function outdated(): string[] {
	const runs = Object.entries(readRuns());
	const newest = runs.at(-1)?.[1].build;
	return runs.filter(([, { build }]) => build === undefined || build !== newest).map(([name]) => name);
}

/** The n8ns in which some rows have not been run, with how many. */
export function unfinished(): Record<string, number> {
	const all = Object.entries(records());
	const most = new Set(all.flatMap(([, rows]) => Object.keys(rows))).size;
	const open = all.map(([name, rows]) => [name, most - Object.keys(rows).length] as const);
	return Object.fromEntries(open.filter(([, count]) => count > 0));
}

/** docs/versions.md as it should be. */
export const upToDate = (document: string): string => between(document, begin, end, tables());

/** Each n8n a column, in the order of `releases`; what is less than wanted has the number of its note. */
function tables(): string {
	const runs = readRuns();
	const columns = releases.filter((release) => runs[nameOf(release)]);
	const rowNames = [...new Set(columns.flatMap((release) => Object.keys(runs[nameOf(release)]!.rows)))];
	const cell = (rowName: string, release: (typeof releases)[number]): string => {
		const outcome = runs[nameOf(release)]!.rows[rowName];
		if (!outcome) return '–';
		const { is, told } = outcome;
		if (is === 'ok') return 'ok';
		if (is === 'FAIL') return `**FAIL**: ${told}`;
		const exception = exceptionFor(rowName, release.version, told);
		return `${told} (${exception ? exceptions.indexOf(exception) + 1 : '?'})`;
	};
	const last = (title: string, cellOf: (name: string) => string) => [
		title,
		...columns.map((release) => cellOf(nameOf(release))),
	];
	return [
		table(
			['n8n', ...columns.map(nameOf)],
			[
				...rowNames.map((rowName) => [rowName, ...columns.map((release) => cell(rowName, release))]),
				last('run on', (name) => runs[name]!.date),
				last('build of the package', (name) => (outdated().includes(name) ? 'older' : 'newest')),
			],
		),
		'',
		...Object.entries(unfinished()).flatMap(([name, open]) => [
			`**Open**: not run in ${name}: ${open} of the rows (–).`,
			'',
		]),
		...exceptions.map(({ why }, i) => `${i + 1}. ${why}`),
	].join('\n');
}
