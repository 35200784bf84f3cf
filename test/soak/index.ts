import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { printTable, type Row } from './table';

/**
 * `npm run soak`: the long tests, one module `*.soak.ts` after another, and one table at the end.
 * `npm run soak -- trigger --scale=0.1`: only modules whose file name starts so, a tenth of the size.
 */
interface Soak {
	name: string;
	/** `scale` 1 is the full size. */
	run(scale: number): Promise<Row[]>;
}

async function main(): Promise<void> {
	const args = process.argv.slice(2);
	const scale = Number(args.find((arg) => arg.startsWith('--scale='))?.slice('--scale='.length) ?? 1);
	const wanted = args.filter((arg) => !arg.startsWith('--'));
	const files = readdirSync(__dirname)
		.filter((file) => file.endsWith('.soak.ts'))
		.filter((file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start)))
		.sort();
	const rows: Row[] = [];
	for (const file of files) {
		const { name, run } = (await import(join(__dirname, file))) as Soak;
		const started = Date.now();
		console.log(`\n── ${name}`);
		try {
			rows.push(...(await run(scale)));
		} catch (error) {
			console.error(error);
			rows.push({ what: name, value: (error as Error).message, target: 'to run', ok: false });
		}
		rows.push({
			what: `${name}: time`,
			value: `${Math.round((Date.now() - started) / 1000)} s`,
			target: '',
			ok: true,
		});
	}
	console.log('');
	printTable(rows);
	process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
}

void main();
