import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { printTable, type Row } from '../soak/table';

/**
 * `npm run bench`: one module `*.bench.ts` after another, and one table at the end.
 * `npm run bench -- trigger --scale=0.2`: only modules whose file name starts so, a fifth of the size.
 */
interface Bench {
	name: string;
	run(scale: number): Promise<Row[]>;
}

async function main(): Promise<void> {
	const args = process.argv.slice(2);
	const scale = Number(args.find((arg) => arg.startsWith('--scale='))?.slice('--scale='.length) ?? 1);
	const wanted = args.filter((arg) => !arg.startsWith('--'));
	const files = readdirSync(__dirname)
		.filter((file) => file.endsWith('.bench.ts'))
		.filter((file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start)))
		.sort();
	const rows: Row[] = [];
	for (const file of files) {
		const { name, run } = (await import(join(__dirname, file))) as Bench;
		console.log(`\n── ${name}`);
		try {
			rows.push(...(await run(scale)));
		} catch (error) {
			console.error(error);
			rows.push({ what: name, value: (error as Error).message, target: 'to run', ok: false });
		}
	}
	console.log('');
	printTable(rows);
	process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
}

void main();
