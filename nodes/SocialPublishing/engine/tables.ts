import { has, omit, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../api/failure';
import { textOf, visible } from '../../api/texts';
import type { RequestContext } from './item';

/**
 * Rows of one table: the same columns in all of them, `first` ones first, null where a row has none. Otherwise the editor
 * shows "undefined" there.
 */
export function withColumns(rows: IDataObject[], first: readonly string[] = []): IDataObject[] {
	const columns = [...new Set([...first, ...rows.flatMap(Object.keys)])];
	return rows.map((row) =>
		Object.fromEntries(columns.map((name) => [name, (has(row, [name]) ? row[name] : null) ?? null])),
	);
}

/** A record with `first` before the rest of its fields; what is null in `first` is what the record has. */
export const withFirst = (first: IDataObject, record: IDataObject): IDataObject => ({
	...first,
	...omit(record, Object.keys(pickBy(first, (value) => value !== null))),
});

/** By their labels: what a record says of each, what is wanted (left out where nothing is), and whether that is known to exist. */
export type Filters = Record<
	string,
	[value: (record: IDataObject) => unknown, wanted: unknown, isKnown?: (wanted: string) => boolean]
>;

export const passes = (filters: Filters, record: IDataObject): boolean =>
	Object.values(filters).every(([value, wanted]) => !wanted || value(record) === wanted);

/** The records that pass all filters. One that doesn't say is left out, with a hint. @throws Failure where none says it */
export function filtered(
	rows: IDataObject[],
	filters: Filters,
	{ hint }: Pick<RequestContext, 'hint'>,
): IDataObject[] {
	return Object.entries(filters).reduce((kept, [label, [value, wanted, isKnown]]) => {
		if (!wanted) return kept;
		const said = kept.map(value);
		const unread = said.filter((one) => one === undefined).length;
		if (unread > 0 && rows.every((row) => value(row) === undefined))
			throw refusal(
				'UNEXPECTED_DATA',
				`Can't filter by '${label}': no result of the service has a value for it that this node can read`,
				'Remove the filter and use a Filter node after this one.',
			).with({ status: 200 });
		const leftOut = `${unread} of ${kept.length} results have no '${label}' that this node can read, so they were left out`;
		if (unread > 0) hint(leftOut);
		const given = textOf(wanted);
		if (isKnown && !isKnown(given) && !said.includes(wanted))
			hint(`No result has the '${label}' '${visible(given)}': check its spelling, and enter only one`);
		return kept.filter((_row, index) => said[index] === wanted);
	}, rows);
}
