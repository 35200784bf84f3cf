import { lists } from '../../../api/contract';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** Spec: `GET /social-connections`. Its fields aren't in the spec. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many social connections',
	description: 'Retrieve the connections to social platforms',
	fields: [returnAll, limit],
	request: () => lists.connections,
});
