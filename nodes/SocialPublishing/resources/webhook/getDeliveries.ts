import { pathSegment } from '../../../api/address';
import { listNames } from '../../../api/contract';
import { withoutSignedQueries } from '../../../api/redaction';
import { webhookId } from '../../lookups/webhooks';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** Spec: `GET /webhooks/{id}/deliveries`. */
export const getDeliveries = operation({
	name: 'Get Deliveries',
	value: 'getDeliveries',
	action: 'Get webhook deliveries',
	description: 'Retrieve the deliveries of a webhook, with status, attempts and last error',
	method: 'GET',
	fields: [
		webhookId,
		returnAll,
		limit,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					default: 'failed',
					allowArbitraryValues: true,
					description: 'Status of the deliveries',
					options: [
						{ name: 'Dead Letter', value: 'dead_letter', description: 'Not retried any more' },
						{ name: 'Delivered', value: 'delivered' },
						{ name: 'Failed', value: 'failed', description: 'To be tried again' },
						{ name: 'Pending', value: 'pending' },
					],
				},
			],
		},
	],
	request: ({ webhookId: id, filters: { status } }) => ({
		path: `/webhooks/${pathSegment(id, 'Webhook')}/deliveries`,
		...(status ? { qs: { status } } : {}),
	}),
	shape: withoutSignedQueries,
	list: listNames.deliveries,
});
