import { parseArgs } from 'node:util';

import { type N8n, type N8nOptions, startN8n } from '../../test/n8n/instance';
import { startService } from '../../test/service';
import { Field } from '../../test/support/e2e/field';

/** One line of the table that a benchmark prints at its end. */
export interface Row {
	what: string;
	measured: string | number;
	/** In words; '' where nothing is wanted. */
	wanted: string;
	ok: boolean;
}

export function row(what: string, measured: Row['measured'], wanted: string, ok: boolean): Row {
	return { what, measured, wanted, ok };
}
/** A row that is met only with 0. */
export const none = (what: string, measured: number): Row => row(what, measured, '0', measured === 0);
export const figure = (what: string, measured: Row['measured']): Row => row(what, measured, '', true);

/** Measures something; `scale` 1 is the full size. */
export type Measure = (scale: number) => Promise<Row[]>;

export const sized = (full: number, scale: number, least: number): number =>
	Math.max(least, Math.round(full * scale));

export const inMiB = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/**
 * Measures one after another what the modules export, prints one table at the end, and ends the process: with 1 where a
 * row was missed. Arguments: starts of `module.measure`, for these only; `--scale=0.1` for a tenth of the size.
 */
export async function runAll(modules: Record<string, Record<string, Measure>>): Promise<never> {
	const { values, positionals: wanted } = parseArgs({
		options: { scale: { type: 'string', default: '1' } },
		allowPositionals: true,
	});
	const measures = Object.entries(modules).flatMap(([module, measuresOf]) =>
		Object.entries(measuresOf).map(([name, measure]) => [`${module}.${name}`, measure] as const),
	);
	const rows: Array<Row & { of: string }> = [];
	for (const [of, measure] of measures) {
		if (wanted.length > 0 && !wanted.some((start) => of.startsWith(start))) continue;
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
	console.table(rows.map(({ ok, ...one }) => ({ ...one, '': ok ? '' : 'MISSED' })));
	process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
}

/** Measures with an n8n and a service of its own; what was published there is unpublished at the end. */
export async function inField(
	measure: (field: Field<N8n>, n8n: N8n) => Promise<Row[]>,
	n8nOptions: N8nOptions = {},
): Promise<Row[]> {
	const service = await startService();
	const n8n = await startN8n(n8nOptions);
	try {
		const field = await Field.set(n8n, service);
		const rows = await measure(field, n8n);
		await field.clear();
		return [...rows, none('subscriptions left at the service', service.store.webhooks.size)];
	} finally {
		await n8n.stop();
		await service.close();
	}
}
