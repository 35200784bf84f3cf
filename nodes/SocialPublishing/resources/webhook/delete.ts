import { pathSegment } from '../../../api/address';
import { withoutSecretFields } from '../../../api/redaction';
import { webhookId } from '../../lookups';
import { operation } from '../../engine/operation';
import { onlyRetries } from '../../engine/options';

/** Spec: `DELETE /webhooks/{id}`: deliveries that wait to be tried again become dead letters. */
export const remove = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete webhook',
	description: 'Delete a webhook, including events that it has not delivered',
	method: 'DELETE',
	duplicates: onlyRetries,
	fields: [webhookId],
	request: ({ webhookId: id }) => ({ path: `/webhooks/${pathSegment(id, 'Webhook')}` }),
	shape: (data, { webhookId: id }) => ({ deleted: true, id, ...withoutSecretFields(data) }),
});
