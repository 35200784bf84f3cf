import { listNames } from '../../../api/contract';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';
import { withoutSecrets } from './withoutSecrets';

/** Spec: `GET /webhooks`. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many webhooks',
	description: 'Retrieve the webhooks of the workspace',
	method: 'GET',
	fields: [returnAll, limit],
	request: () => ({ path: '/webhooks' }),
	shape: withoutSecrets,
	list: listNames.webhooks,
});
