import omit from 'lodash/omit';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** What a workflow stores of a field: everything that must not change within a type version. */
export interface StoredField {
	name: string;
	type: string;
	default: unknown;
	/** Of a choice: the values. */
	values?: unknown[];
	/** Of a collection: its entries. */
	entries?: StoredField[];
	/** On which values of other fields it depends. */
	show?: Record<string, unknown>;
}

export function storedField(field: INodeProperties): StoredField {
	const { name, type, default: missing, options = [], displayOptions } = field;
	const show = omit(displayOptions?.show ?? {}, '@version');
	const nested = options.flatMap((one) => ('values' in one ? (one.values as INodeProperties[]) : []));
	return {
		name,
		type,
		// Entries of a collection have no default until somebody adds them.
		default: missing,
		...(type === 'options' || type === 'multiOptions'
			? { values: options.map((one) => (one as INodePropertyOptions).value).sort() }
			: {}),
		...(type === 'collection' ? { entries: sorted((options as INodeProperties[]).map(storedField)) } : {}),
		...(type === 'fixedCollection' ? { entries: sorted(nested.map(storedField)) } : {}),
		...(Object.keys(show).length > 0 ? { show } : {}),
	};
}

export const sorted = (fields: StoredField[]): StoredField[] =>
	[...fields].sort((a, b) => (a.name < b.name ? -1 : 1));
