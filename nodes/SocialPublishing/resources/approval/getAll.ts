import { lists } from '../../../api/contract';
import { operation } from '../../engine/operation';
import { limit, returnAll } from '../fields';

/** Spec: `GET /approvals`, page after page until `hasNext` is false. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many approvals',
	description: 'Retrieve batches of posts that await approval or were approved or rejected',
	fields: [returnAll, limit],
	request: () => lists.approvals,
});
