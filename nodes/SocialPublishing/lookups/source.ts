import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';

import type { LookupSource } from '../../shared/search';
import { locatorValue } from './locatorValue';

/** A list whose records may be given by name instead of by ID. */
export interface NamedSource extends LookupSource {
	names: (record: IDataObject) => string[];
}

/** The workspace that is chosen in the node; undefined: the credential's. */
export const chosenWorkspace = (context: ILoadOptionsFunctions): string | undefined =>
	locatorValue(context.getCurrentNodeParameter('options.workspaceId')) || undefined;

const EXCERPT = 40;

/** The beginning of a text, in one line. */
export function excerpt(text: unknown): string {
	const line = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : '';
	return line.length > EXCERPT ? `${line.slice(0, EXCERPT - 1).trimEnd()}…` : line;
}

/** Those of the values that are texts with something in them. */
export const filled = (values: unknown[]): string[] =>
	values.filter((value): value is string => typeof value === 'string' && value.trim() !== '');
