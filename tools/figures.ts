import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One line of the table that a soak or bench run prints at its end. */
export interface Row {
	what: string;
	value: string | number;
	/** What is wanted, in words; '' for a figure that is only told. */
	target: string;
	ok: boolean;
}

export function printTable(rows: Row[]): void {
	const cells = rows.map(({ what, value, target, ok }) => [
		what,
		String(value),
		target,
		target === '' ? '' : ok ? 'ok' : 'MISSED',
	]);
	const lines = [['what', 'measured', 'wanted', ''], ...cells];
	const widths = [0, 1, 2, 3].map((i) => Math.max(...lines.map((line) => line[i]!.length)));
	for (const line of lines)
		console.log(
			line
				.map((cell, i) => cell.padEnd(widths[i]!))
				.join('  ')
				.trimEnd(),
		);
}

/** A row that is met or missed. */
export const row = (what: string, value: string | number, target: string, ok: boolean): Row => ({
	what,
	value,
	target,
	ok,
});
/** A row that only tells. */
export const told = (what: string, value: string | number): Row => ({ what, value, target: '', ok: true });

interface Figures {
	name: string;
	/** `scale` 1 is the full size. */
	run(scale: number): Promise<Row[]>;
}

/**
 * Runs the modules of a folder that end in `ending` one after another, prints one table at the end, and ends the
 * process: with 1 where a row was missed. Arguments: starts of file names, to run only these; `--scale=0.1` for a
 * tenth of the size.
 */
export async function runModules(folder: string, ending: string): Promise<never> {
	const args = process.argv.slice(2);
	const scale = Number(args.find((arg) => arg.startsWith('--scale='))?.slice('--scale='.length) ?? 1);
	const wanted = args.filter((arg) => !arg.startsWith('--'));
	const files = readdirSync(folder)
		.filter((file) => file.endsWith(ending))
		.filter((file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start)))
		.sort();
	const rows: Row[] = [];
	for (const file of files) {
		const { name, run } = (await import(join(folder, file))) as Figures;
		// Not Date: the model speeds it up.
		const started = performance.now();
		console.log(`\n── ${name}`);
		try {
			rows.push(...(await run(scale)));
		} catch (error) {
			console.error(error);
			rows.push({ what: name, value: (error as Error).message, target: 'to run', ok: false });
		}
		rows.push(told(`${name}: time`, `${Math.round((performance.now() - started) / 1000)} s`));
	}
	console.log('');
	printTable(rows);
	process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
}
