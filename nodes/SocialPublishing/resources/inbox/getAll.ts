import { listNames } from '../../../api/contract';
import { limit, query, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** Spec: `GET /inbox`: comments and direct messages. Parameters and answer are not shown. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many inbox items',
	description: 'Retrieve comments and direct messages',
	method: 'GET',
	fields: [returnAll, limit],
	options: [query],
	request: ({ options: { query: qs } }) => ({ path: '/inbox', qs }),
	list: listNames.inbox,
});
