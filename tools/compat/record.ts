import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { buildHash } from '../../test/n8n/package';
import { nameOf, releases } from '../../test/n8n/releases';
import { exceptionFor, exceptions } from './exceptions';

/** What was found, kept from run to run: `results.json`, and the table of docs/versions.md made from it. */

/** `exception`: less than wanted, for a reason that is known and written down. */
export interface Outcome {
	is: 'ok' | 'exception' | 'FAIL';
	told: string;
}

interface Run {
	/** The day of the run. */
	date: string;
	/** Which build of the package was driven; not known of the oldest runs. */
	build?: string;
	rows: Record<string, Outcome>;
}

const resultsPath = join(__dirname, 'results.json');
const documentPath = resolve(__dirname, '../../docs/versions.md');
const begin = '<!-- compat: written by `npm run compat` -->';
const end = '<!-- end of compat -->';

const readRuns = (): Record<string, Run> =>
	existsSync(resultsPath) ? JSON.parse(readFileSync(resultsPath, 'utf8')) : {};

/** Name of an n8n → what its last whole run found. */
export function records(): Record<string, Record<string, Outcome>> {
	return Object.fromEntries(Object.entries(readRuns()).map(([name, { rows }]) => [name, rows]));
}

/** Writes down a whole run of one n8n; or, into the last whole run, some rows that were run again. */
export async function record(name: string, rows: Record<string, Outcome>, isWhole: boolean): Promise<void> {
	const build = await buildHash();
	const { [name]: before, ...others } = readRuns();
	if (!isWhole && !before) return;
	const date = new Date().toISOString().slice(0, 10);
	const run = isWhole ? { date, build, rows } : { ...before!, rows: { ...before!.rows, ...rows } };
	// The last whole run stands last.
	const runs = isWhole ? { ...others, [name]: run } : { ...readRuns(), [name]: run };
	writeFileSync(resultsPath, `${JSON.stringify(runs, null, '\t')}\n`);
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
	return Object.fromEntries(
		all
			.map(([name, rows]) => [name, most - Object.keys(rows).length] as const)
			.filter(([, open]) => open > 0),
	);
}

/** docs/versions.md as it should be. */
export function upToDate(document: string): string {
	const [before, rest] = document.split(begin);
	const after = rest?.split(end)[1];
	if (before === undefined || after === undefined)
		throw new Error('docs/versions.md has lost the marks of its table');
	return `${before}${begin}\n\n${table()}\n\n${end}${after}`;
}

/** Each n8n a column, in the order of `releases`; what is less than wanted has the number of its note. */
function table(): string {
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
	const line = (...cells: string[]) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
	return [
		line('n8n', ...columns.map(nameOf)),
		line('---', ...columns.map(() => '---')),
		...rowNames.map((rowName) => line(rowName, ...columns.map((release) => cell(rowName, release)))),
		line('run on', ...columns.map((release) => runs[nameOf(release)]!.date)),
		line(
			'build of the package',
			...columns.map((release) => (outdated().includes(nameOf(release)) ? 'older' : 'newest')),
		),
		'',
		...Object.entries(unfinished()).flatMap(([name, open]) => [
			`**Open**: not run in ${name}: ${open} of the rows (–).`,
			'',
		]),
		...exceptions.map(({ why }, i) => `${i + 1}. ${why}`),
	].join('\n');
}

/** For the terminal. */
export function printTable(rowNames: string[], results: Record<string, Record<string, Outcome>>): void {
	const width = Math.max(...rowNames.map((name) => name.length));
	for (const [name, rows] of Object.entries(results)) {
		console.log(`── n8n ${name}`);
		for (const rowName of rowNames) {
			const outcome = rows[rowName];
			if (outcome)
				console.log(`${rowName.padEnd(width)}  ${outcome.is.padEnd(9)}  ${outcome.told}`.trimEnd());
		}
	}
}
