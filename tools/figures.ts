import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** One line of the table that a soak or bench run prints at its end. */
export interface Row {
	what: string;
	value: string | number;
	/** What is wanted, in words; '' for a figure that is only told. */
	target: string;
	ok: boolean;
}

const printTable = (rows: Row[]): void =>
	console.table(
		rows.map(({ what, value, target, ok }) => ({
			what,
			measured: value,
			wanted: target,
			'': target === '' ? '' : ok ? 'ok' : 'MISSED',
		})),
	);

/** A row that is met or missed. */
export const row = (what: string, value: string | number, target: string, ok: boolean): Row => ({
	what,
	value,
	target,
	ok,
});
/** A row that is met only with 0. */
export const none = (what: string, value: number): Row => row(what, value, '0', value === 0);
/** A row that only tells. */
export const told = (what: string, value: string | number): Row => ({ what, value, target: '', ok: true });

/** Measures something; `scale` 1 is the full size. */
export type Measure = (scale: number) => Promise<Row[]>;

/**
 * Runs all parts, or with `PARTS=flood,queue` only those. Each row is printed as soon as its part is done: a part may
 * take a quarter of an hour.
 */
export async function runParts(parts: Record<string, Measure>, scale: number): Promise<Row[]> {
	const wanted = process.env.PARTS?.split(',');
	const rows: Row[] = [];
	for (const [part, measure] of Object.entries(parts)) {
		if (wanted && !wanted.includes(part)) continue;
		console.log(`${part} …`);
		const startMs = performance.now();
		const found = await measure(scale);
		rows.push(...found, told(`${part}: time`, `${Math.round((performance.now() - startMs) / 1000)} s`));
		for (const { what, value, ok } of found) console.log(`${ok ? ' ' : '!'} ${what}: ${value}`);
	}
	return rows;
}

/** `full` scaled, at least `least`. */
export const sized = (full: number, scale: number, least: number): number =>
	Math.max(least, Math.round(full * scale));

interface Figures {
	name: string;
	run: Measure;
}

/**
 * Runs the modules of a folder that end in `ending` one after another, prints one table at the end, and ends the
 * process: with 1 where a row was missed. Arguments: starts of file names, to run only these; `--scale=0.1` for a
 * tenth of the size.
 */
export async function runModules(folder: string, ending: string): Promise<never> {
	const { values, positionals: wanted } = parseArgs({
		options: { scale: { type: 'string', default: '1' } },
		allowPositionals: true,
	});
	const files = readdirSync(folder)
		.filter((file) => file.endsWith(ending))
		.filter((file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start)))
		.sort();
	const rows: Row[] = [];
	for (const file of files) {
		const { name, run } = (await import(join(folder, file))) as Figures;
		// The model speeds up the other clocks.
		const [started] = process.hrtime();
		console.log(`\n── ${name}`);
		try {
			rows.push(...(await run(Number(values.scale))));
		} catch (error) {
			console.error(error);
			rows.push({ what: name, value: (error as Error).message, target: 'to run', ok: false });
		}
		rows.push(told(`${name}: time`, `${process.hrtime()[0] - started} s`));
	}
	printTable(rows);
	process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
}
