import type { IDataObject } from 'n8n-workflow';

import { pages } from '../../../api/lists';
import { listNames } from '../../../api/contract';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';

const expects = { list: listNames.approvals };

/** Spec: `GET /approvals`, page after page until `hasNext` is false. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many approvals',
	description: 'Retrieve batches of posts that await approval or were decided on',
	method: 'GET',
	fields: [returnAll, limit],
	run: async (item, { returnAll: all, limit: most }) => {
		const ask = async (qs: IDataObject) => (await item.get({ path: '/approvals', qs, expects })).data;
		return await pages(ask, all ? Infinity : most);
	},
});
