import type { IDataObject } from 'n8n-workflow';

import { limits, listNames } from './contract';
import { refusal } from './failure';

export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** An event is a flat record; one that is nested deeper than this makes n8n fail when it stores the execution. */
const MAX_DEPTH = 64;

/** Whether a value is nested too deeply to be given to n8n. */
export const isTooDeep = (value: unknown, levels = MAX_DEPTH): boolean =>
	typeof value === 'object' &&
	value !== null &&
	(levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));

/** The array in an answer: a bare one, else under the first of `names` that has one, else the first one of records. */
export function arrayIn(data: unknown, names: readonly string[]): unknown[] | undefined {
	if (!isRecord(data)) return Array.isArray(data) ? data : undefined;
	const named = names.filter((name) => name in data).map((name): unknown => data[name]);
	if (named.length > 0) return named.find((value) => Array.isArray(value));
	const arrays = Object.values(data).filter((value): value is IDataObject[] => Array.isArray(value));
	return arrays.find((one) => one.some(isRecord)) ?? arrays.find(({ length }) => length === 0);
}

/** The records in an answer, whatever else is in it. */
export const records = (data: unknown, names: readonly string[]): IDataObject[] =>
	(arrayIn(data, names) ?? []).filter(isRecord);

/** Adds records to those that were found, each once. */
export function collect(found: Map<unknown, IDataObject>, more: IDataObject[]): void {
	for (const one of more) found.set(one.id || JSON.stringify(one), one);
}

/** How many pages in a row may bring nothing new before that counts as a fault of the service. */
const MAX_EMPTY_PAGES = 20;

/**
 * Approvals (spec, "Pagination"), until `hasNext` is false, or `most` are there. A page without new items isn't the last
 * one: its items may have been decided since. Without `hasNext`, a page that is not full ends the list.
 * @throws Failure where the service keeps promising more and gives nothing new
 */
export async function pages(
	ask: (query: { page: number; limit: number }) => Promise<unknown>,
	most: number,
): Promise<IDataObject[]> {
	const limit = Math.min(most, limits.approvalsPerPage);
	const found = new Map<unknown, IDataObject>();
	for (let page = 1, empty = 0; ; page++) {
		const data = await ask({ page, limit });
		const batches = records(data, listNames.approvals);
		const before = found.size;
		collect(found, batches);
		empty = found.size > before ? 0 : empty + 1;
		const { hasNext } = isRecord(data) && isRecord(data.pagination) ? data.pagination : {};
		const goesOn = typeof hasNext === 'boolean' ? hasNext : batches.length >= limit && empty === 0;
		if (!goesOn || found.size >= most) return [...found.values()].slice(0, most);
		if (empty >= MAX_EMPTY_PAGES)
			throw refusal(
				'PAGES_REPEAT',
				`The service reports more after page ${page}, but its last ${empty} pages contained nothing new`,
				"Turn off 'Return All' and set 'Limit' to the number that you need.",
			).with({ status: 200 });
	}
}
