import type { IDataObject } from 'n8n-workflow';

/** A list of the service from which a record can be picked in the editor. */
export interface LookupSource {
	path: string;
	/** Under which the list stands in the answer. */
	listNames: readonly string[];
	/** What a person sees of a record. */
	label: (record: IDataObject) => string;
}

/** A list whose records may be given by name instead of by ID. */
export interface NamedSource extends LookupSource {
	names: (record: IDataObject) => string[];
}

const EXCERPT = 40;

/** The beginning of a text, in one line. */
export function excerpt(text: unknown): string {
	const line = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : '';
	return line.length > EXCERPT ? `${line.slice(0, EXCERPT - 1).trimEnd()}…` : line;
}

/** Those of the values that are texts with something in them. */
export const filled = (values: unknown[]): string[] =>
	values.filter((value): value is string => typeof value === 'string' && value.trim() !== '');
