import { limits, listNames } from '../../../api/contract';
import type { ListRequest } from '../../engine/item';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** The batches of the workspace. */
export const approvals: ListRequest = {
	path: '/approvals',
	listNames: listNames.approvals,
	pageSize: limits.approvalsPerPage,
};

/** Spec: `GET /approvals`, page after page until `hasNext` is false. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many approvals',
	description: 'Retrieve batches of posts that await approval or were decided on',
	method: 'GET',
	fields: [returnAll, limit],
	request: () => approvals,
	list: listNames.approvals,
});
