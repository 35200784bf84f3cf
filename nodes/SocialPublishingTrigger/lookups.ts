import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { connect } from '../api/connect';
import { listNames } from '../api/contract';
import { toNodeError } from '../api/errors';
import { records } from '../api/paging';

/** How long a dropdown may keep its user waiting, in ms. */
const PATIENCE = 10_000;

/** The workspaces of the key; a failed look-up shows the service's message, it never becomes an option. */
export async function searchWorkspaces(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	try {
		const client = await connect(this);
		const { data } = await client.send(
			{ method: 'GET', path: '/workspaces', workspaceId: null },
			{ until: Date.now() + PATIENCE },
		);
		const results = records(data, listNames.workspaces)
			.map(({ id, name }) => ({ name: String(name ?? id), value: String(id) }))
			.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(filter.toLowerCase()));
		return { results };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}
