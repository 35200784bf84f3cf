import { lists } from '../../../api/contract';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** Spec: `GET /workspaces`. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many workspaces',
	description: 'Retrieve the workspaces that the API key can access',
	fields: [returnAll, limit],
	request: () => lists.workspaces,
});
