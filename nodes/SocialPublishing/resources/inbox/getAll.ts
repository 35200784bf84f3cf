import { lists } from '../../../api/contract';
import { operation } from '../../engine/operation';
import { withColumns } from '../../engine/tables';
import { limit, query, queryFrom, returnAll } from '../fields';

/** Spec: `GET /inbox`: comments and direct messages. Its parameters aren't in the spec. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many inbox items',
	description: 'Retrieve comments and direct messages',
	fields: [returnAll, limit],
	options: [query],
	request: ({ options }) => ({ ...lists.inbox, qs: queryFrom(options.query) }),
	rows: (items) => withColumns(items, ['platform', 'author', 'text', 'id']),
});
