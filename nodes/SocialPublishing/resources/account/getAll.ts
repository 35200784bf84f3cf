import { listNames } from '../../../api/contract';
import { records } from '../../../api/lists';
import { limit, platformFilter, returnAll } from '../fields';
import { operation } from '../../engine/operation';
import { canonicalPlatform } from '../../../api/platforms';

/** Spec: `GET /accounts`. It shows no query, so the platform is picked out here. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many accounts',
	description: 'Retrieve the connected social accounts of the workspace',
	method: 'GET',
	fields: [
		returnAll,
		limit,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [platformFilter],
		},
	],
	request: () => ({ path: '/accounts' }),
	shape: (data, { filters: { platform } }) =>
		records(data, listNames.accounts).filter(
			(one) => !platform || canonicalPlatform(String(one.platform)) === canonicalPlatform(platform),
		),
	list: listNames.accounts,
});
