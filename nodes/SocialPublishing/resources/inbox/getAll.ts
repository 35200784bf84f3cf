import { listNames } from '../../../api/contract';
import { inboxItem } from '../../../api/schema';
import { limit, query, queryOption, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** Spec: `GET /inbox`: comments and direct messages. Parameters and answer are not shown. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many inbox items',
	description: 'Retrieve many comments and direct messages',
	method: 'GET',
	fields: [returnAll, limit, query],
	options: [queryOption],
	request: ({ query: qs, options }) => ({ path: '/inbox', qs: options.query ?? qs }),
	list: listNames.inbox,
	output: inboxItem,
});
