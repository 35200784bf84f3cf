import type { IDataObject } from 'n8n-workflow';

import { pages } from '../../../api/lists';
import { listNames } from '../../../api/contract';
import type { Item } from '../../engine/item';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** Spec: `GET /approvals`, page after page until `hasNext` is false. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many approvals',
	description: 'Retrieve batches of posts that await approval or were decided on',
	method: 'GET',
	fields: [returnAll, limit],
	run: async (item, { returnAll: all, limit: most }) => await readApprovals(item, all ? Infinity : most),
});

/** The batches of the workspace, `most` of them. */
export async function readApprovals(item: Item, most: number): Promise<IDataObject[]> {
	const expects = { list: listNames.approvals };
	return await pages(async (qs) => (await item.get({ path: '/approvals', qs, expects })).data, most);
}
