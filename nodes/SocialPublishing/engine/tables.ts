import { has, omit, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

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
