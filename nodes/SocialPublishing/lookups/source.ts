import truncate from 'lodash/truncate';
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { locatorValue } from './locatorValue';

/** The workspace that is chosen in the node; undefined: the credential's. */
export const chosenWorkspace = (context: ILoadOptionsFunctions): string | undefined =>
	locatorValue(context.getCurrentNodeParameter('options.workspaceId')) || undefined;

/** What was given, short enough for a message. */
export const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** What was given, with what can't be seen in it. */
export const visible = (text: string): string =>
	shortened(
		text.replace(/\p{Cf}/gu, (one) => ` U+${one.codePointAt(0)!.toString(16).toUpperCase()} `).trim(),
	);

/** The first 40 characters of a text, in one line. */
export function excerpt(text: unknown): string {
	const line = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : '';
	return truncate(line, { length: 40, omission: '…' }).replace(/ …$/, '…');
}

/** Those of the values that are texts with something in them. */
export const filled = (values: unknown[]): string[] =>
	values.filter((value): value is string => typeof value === 'string' && value.trim() !== '');
