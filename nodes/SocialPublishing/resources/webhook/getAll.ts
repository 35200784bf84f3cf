import { lists } from '../../../api/contract';
import { withoutSecretFields } from '../../../api/redaction';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** Spec: `GET /webhooks`. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many webhooks',
	description: 'Retrieve the webhooks of the workspace',
	fields: [returnAll, limit],
	request: () => lists.webhooks,
	rows: withoutSecretFields,
});
