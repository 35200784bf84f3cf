import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { connect } from '../../api/connect';
import { toNodeError } from '../../api/toNodeError';
import { records } from '../../api/lists';
import { locatorValue } from './locatorValue';
import type { LookupSource } from './source';

/** How long a dropdown may keep its user waiting, in ms. */
export const LONGEST_LOOKUP = 10_000;

/** A list for a dropdown: in the workspace that is chosen in the node, and not for long. */
export type Ask = (
	source: Pick<LookupSource, 'path' | 'listNames'>,
	qs?: IDataObject,
) => Promise<IDataObject[]>;

/** Asks the service for a dropdown. */
export async function askFor(context: ILoadOptionsFunctions): Promise<Ask> {
	const client = await connect(context);
	const chosen = locatorValue(context.getCurrentNodeParameter('options.workspaceId'));
	return async ({ path, listNames }, qs) => {
		const workspaceId = chosen || undefined;
		const request = { method: 'GET' as const, path, qs, workspaceId, expects: { list: listNames } };
		const { data } = await client.send(request, { until: Date.now() + LONGEST_LOOKUP });
		return records(data, listNames).filter(hasId);
	};
}

/** A record without an ID can't be picked. */
const hasId = ({ id }: IDataObject): boolean =>
	(typeof id === 'string' && id !== '') || typeof id === 'number';

/** The records of a source. */
export const recordsOf = async (
	context: ILoadOptionsFunctions,
	source: LookupSource,
): Promise<IDataObject[]> => await (await askFor(context))(source);

/** Runs a look-up; what fails shows the service's own message and never becomes an option. */
export async function asNodeError<T>(context: ILoadOptionsFunctions, act: () => Promise<T>): Promise<T> {
	try {
		return await act();
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/** The search of a locator that picks from a list which the service gives in one piece. */
export const searchIn = (source: LookupSource) =>
	async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		return await asNodeError(this, async () => ({
			results: matching(await recordsOf(this, source), source.label, filter),
		}));
	};

/** The records that a person may mean who typed `filter`. */
export function matching(
	list: IDataObject[],
	label: (record: IDataObject) => string,
	filter: string,
): INodeListSearchItems[] {
	const wanted = filter.trim().toLowerCase();
	return list
		.map((one) => ({ name: label(one).trim() || String(one.id), value: String(one.id) }))
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}
