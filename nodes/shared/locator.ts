import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodeProperties,
} from 'n8n-workflow';

import { connect, credentialName } from '../api/client';
import { lists } from '../api/contract';
import type { Listed } from '../api/pages';
import { idIn } from '../api/records';
import { textOf } from '../api/texts';
import { Failure, hasStatus, refusal, toNodeError } from '../api/failure';

/** The field that picks one record of the service: from a list with search, or by ID. */
export const locator = <const Name extends string>({
	label,
	searchListMethod,
	exampleId,
	...more
}: Record<'label' | 'description' | 'searchListMethod' | 'exampleId', string> & { name: Name }) =>
	({
		displayName: label,
		...more,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: `e.g. ${exampleId}`,
			},
		],
	}) as const satisfies INodeProperties;

/** The ID in a locator, typed or from an expression. */
export function locatorValue(raw: unknown): string {
	const inner = typeof raw === 'object' && raw !== null && 'value' in raw ? raw.value : raw;
	return textOf(inner).trim();
}

export const LOOKUP_TIMEOUT_MS = 10_000;
/** How many records one search reads: workflows that run need the rate limit, too. */
export const MAX_SEARCHED = 1_000;

/** The last entry of a list that isn't all. */
export const moreInService = 'The service has more: enter the ID of another one';

/** A list of the service from which a record can be picked in the editor. */
export interface LookupSource {
	path: string;
	expects: 'list';
	/** Asked for without a workspace. */
	workspaceId?: null;
	label: (record: IDataObject) => string;
}

type Ask = (list: Omit<LookupSource, 'label'> & { qs?: IDataObject; most?: number }) => Promise<Listed>;

/**
 * Asks the service for a dropdown, in the workspace that is chosen in the node, ten seconds for each page at most. What fails
 * shows the service's own message and never becomes an option.
 */
export async function lookUp<T>(context: ILoadOptionsFunctions, act: (ask: Ask) => Promise<T>): Promise<T> {
	try {
		// n8n fetches the first list that one opens before it has selected the node's only credential.
		if (!context.getNode().credentials?.[credentialName])
			throw refusal(
				'NO_API_KEY',
				"n8n hasn't passed on the credential yet: close this panel and open it again",
				'If no credential is selected, select one.',
			);
		const client = await connect(context);
		const workspaceId = locatorValue(context.getCurrentNodeParameter('options.workspaceId')) || undefined;
		const budget = { withinMs: LOOKUP_TIMEOUT_MS };
		return await act(async (list) => await client.list({ method: 'GET', workspaceId, ...list }, budget));
	} catch (error) {
		// The general hint names an option that only runs wait by.
		const hint = hasStatus(error, 429) ? { hint: 'Wait a minute, then try again.' } : {};
		throw toNodeError(context.getNode(), error instanceof Failure ? error.with(hint) : error);
	}
}

/** The search of a locator that picks from a list which the service gives in one piece. */
export const searchIn = (source: LookupSource) =>
	async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const read = await lookUp(this, async (ask) => await ask({ ...source, most: MAX_SEARCHED }));
		const results = matching(read.records, source.label, filter);
		return { results: read.hasMore ? [...results, { name: moreInService, value: '' }] : results };
	};

/** The records that a person may mean who typed `filter`; one without an ID can't be picked. */
export function matching(
	list: IDataObject[],
	label: (record: IDataObject) => string,
	filter: string,
): INodeListSearchItems[] {
	const wanted = filter.trim().toLowerCase();
	return list
		.map((one) => ({ one, value: idIn(one) ?? '' }))
		.filter(({ value }) => value !== '')
		.map(({ one, value }) => ({ name: label(one).trim() || value, value }))
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}

export const workspaceId = {
	...locator({
		label: 'Workspace',
		name: 'workspaceId',
		description: "Workspace to use instead of the credential's",
		searchListMethod: 'searchWorkspaces',
		exampleId: 'ws_main',
	}),
	required: false,
} as const;

export const searchWorkspaces = searchIn({
	...lists.workspaces,
	label: ({ name }) => (typeof name === 'string' ? name : ''),
});
