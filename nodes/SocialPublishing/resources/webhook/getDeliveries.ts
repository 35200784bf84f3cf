import { pathSegment } from '../../../api/address';
import { deliveriesOf } from '../../../api/contract';
import { withoutSecretFields, withoutSignedQueries } from '../../../api/redaction';
import { operation } from '../../engine/operation';
import { webhookId } from '../../lookups';
import { filtersField, limit, returnAll } from '../fields';

/** Spec: `GET /webhooks/{id}/deliveries`. */
export const getDeliveries = operation({
	name: 'Get Deliveries',
	value: 'getDeliveries',
	action: 'Get webhook deliveries',
	description: 'Retrieve the deliveries of a webhook, with status, attempts and last error',
	fields: [
		webhookId,
		returnAll,
		limit,
		{
			...filtersField,
			options: [
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					default: 'failed',
					allowArbitraryValues: true,
					description: 'Status of the deliveries',
					options: [
						{ name: 'Dead Letter', value: 'dead_letter', description: 'No longer retried' },
						{ name: 'Delivered', value: 'delivered' },
						{ name: 'Failed', value: 'failed', description: 'Will be retried' },
						{ name: 'Pending', value: 'pending' },
					],
				},
			],
		},
	],
	request: ({ webhookId: id, filters: { status } }) => ({
		...deliveriesOf(pathSegment(id, 'Webhook')),
		qs: { status },
	}),
	rows: (list) => withoutSecretFields(withoutSignedQueries(list)),
});
