import { truncate } from 'lodash';
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { locatorValue } from '../../shared/locator';

/** The workspace that is chosen in the node; undefined: the credential's. */
export const chosenWorkspace = (context: ILoadOptionsFunctions): string | undefined =>
	locatorValue(context.getCurrentNodeParameter('options.workspaceId')) || undefined;

/** The first 40 characters of a text, in one line. */
export function excerpt(text: unknown): string {
	const line = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : '';
	return truncate(line, { length: 40, omission: '…' }).replace(/ …$/, '…');
}
