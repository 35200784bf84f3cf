import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { connect } from '../api/connect';
import type { Listed } from '../api/pages';
import { toNodeError } from '../api/toNodeError';

export const LOOKUP_TIMEOUT_MS = 10_000;

/** A list of the service from which a record can be picked in the editor. */
export interface LookupSource {
	path: string;
	/** Under which the list stands in the answer. */
	listNames: readonly string[];
	label: (record: IDataObject) => string;
}

/** Asks for a list of the service, ten seconds for each page at most. */
export type Ask = (list: Pick<LookupSource, 'path' | 'listNames'> & { qs?: IDataObject }) => Promise<Listed>;

/** Asks the service for a dropdown. Workspace: undefined for the credential's, null for none. */
export async function askFor(context: ILoadOptionsFunctions, workspaceId?: string | null): Promise<Ask> {
	const client = await connect(context);
	return async (list) =>
		await client.list({ method: 'GET', workspaceId, ...list }, { withinMs: LOOKUP_TIMEOUT_MS });
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
export const searchIn = (
	source: LookupSource,
	workspaceIn: (context: ILoadOptionsFunctions) => string | null | undefined,
) =>
	async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		return await asNodeError(this, async () => {
			const ask = await askFor(this, workspaceIn(this));
			return { results: matching((await ask(source)).records, source.label, filter) };
		});
	};

/** A record without an ID can't be picked. */
const canBePicked = ({ id }: IDataObject): boolean =>
	typeof id === 'string' ? id !== '' : typeof id === 'number';

/** The records that a person may mean who typed `filter`. */
export function matching(
	list: IDataObject[],
	label: (record: IDataObject) => string,
	filter: string,
): INodeListSearchItems[] {
	const wanted = filter.trim().toLowerCase();
	return list
		.filter(canBePicked)
		.map((one) => ({ name: label(one).trim() || String(one.id), value: String(one.id) }))
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}
