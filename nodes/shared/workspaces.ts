import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';

import { connect } from '../api/connect';
import { listNames } from '../api/contract';
import { toNodeError } from '../api/toNodeError';
import { records } from '../api/lists';

/** How long a dropdown may keep its user waiting. */
const LOOKUP_TIMEOUT_MS = 10_000;

/** The locator of a workspace, an entry of the Options collection. */
export const workspaceId = {
	displayName: 'Workspace',
	name: 'workspaceId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: "Workspace to use instead of the credential's",
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchWorkspaces', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. ws_main' },
	],
} as const satisfies INodeProperties;

/**
 * The workspaces of the key (spec: `GET /workspaces`), within ten seconds.
 * @throws NodeApiError with the service's message; a failed look-up never becomes an option
 */
export async function searchWorkspaces(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	try {
		const client = await connect(this);
		const expects = { list: listNames.workspaces };
		const request = { method: 'GET' as const, path: '/workspaces', workspaceId: null, expects };
		const { data } = await client.send(request, { until: Date.now() + LOOKUP_TIMEOUT_MS });
		const results = records(data, listNames.workspaces)
			.map(({ id, name }) => ({
				name: typeof name === 'string' && name.trim() !== '' ? name : String(id ?? ''),
				value: String(id ?? ''),
			}))
			.filter(
				({ name, value }) => value !== '' && `${name} ${value}`.toLowerCase().includes(filter.toLowerCase()),
			);
		return { results };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}
