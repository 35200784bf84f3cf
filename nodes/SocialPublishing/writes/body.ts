import { mergeWith } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

/** Fields of the user's own merged into a body: lists stand instead of the node's, objects are merged. */
export const withFields = (body: IDataObject | undefined, added: IDataObject): IDataObject =>
	mergeWith({}, body, added, (_mine: unknown, theirs: unknown) =>
		Array.isArray(theirs) ? theirs : undefined,
	) as IDataObject;
