import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { connect } from '../../api/connect';
import { toNodeError } from '../../api/errors';
import { records } from '../../api/paging';
import { locatorValue } from './locatorValue';
import type { LookupSource } from './source';

/** How long a dropdown may keep its user waiting, in ms. */
export const LONGEST_LOOKUP = 10_000;

/** `data` of a GET for a dropdown: in the workspace that is chosen in the node, and not for long. */
export type Ask = (path: string, qs?: IDataObject) => Promise<unknown>;

/** Asks the service for a dropdown. */
export async function askFor(context: ILoadOptionsFunctions, ignoresWorkspace = false): Promise<Ask> {
	const client = await connect(context);
	const chosen = locatorValue(context.getCurrentNodeParameter('options.workspaceId'));
	const workspaceId = ignoresWorkspace ? null : chosen || undefined;
	return async (path, qs) => {
		const until = Date.now() + LONGEST_LOOKUP;
		return (await client.send({ method: 'GET', path, qs, workspaceId }, { until })).data;
	};
}

/** The records of a source. */
export async function recordsOf(
	context: ILoadOptionsFunctions,
	{ path, listNames, ignoresWorkspace }: LookupSource,
): Promise<IDataObject[]> {
	const ask = await askFor(context, ignoresWorkspace);
	return records(await ask(path), listNames);
}

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
		.map((one) => ({ name: label(one), value: String(one.id) }))
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}
