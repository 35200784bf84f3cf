import { parseArgs } from 'node:util';

import { figure, type Row, row } from './figures';
import * as posts from './posts.bench';
import * as trigger from './trigger.bench';

/**
 * `npm run bench`: figures of speed and memory, in one table at the end; exits with 1 where a row was missed.
 * `npm run bench -- posts`, `npm run bench -- trigger --scale=0.2` for a part of them, and a fifth of the size.
 */
async function main(): Promise<void> {
	const { values, positionals: wanted } = parseArgs({
		options: { scale: { type: 'string', default: '1' } },
		allowPositionals: true,
	});
	const rows: Array<Row & { of: string }> = [];
	for (const [module, measures] of Object.entries({ posts, trigger })) {
		if (wanted.length > 0 && !wanted.includes(module)) continue;
		for (const [name, measure] of Object.entries(measures)) {
			const of = `${module}.${name}`;
			console.log(`\n── ${of}`);
			const started = performance.now();
			const found = await measure(Number(values.scale)).catch((error: Error) => {
				console.error(error);
				return [row('it ran', error.message, 'yes', false)];
			});
			found.push(figure('time', `${Math.round((performance.now() - started) / 1000)} s`));
			// At once: a measure may take a quarter of an hour.
			for (const { what, measured, ok } of found) console.log(`${ok ? ' ' : '!'} ${what}: ${measured}`);
			rows.push(...found.map((one) => ({ of, ...one })));
		}
	}
	console.table(rows.map(({ ok, ...one }) => ({ ...one, '': ok ? '' : 'MISSED' })));
	process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
}

void main();
