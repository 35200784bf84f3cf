import { pathSegment } from '../../../api/address';
import { deliveriesOf } from '../../../api/contract';
import { refusal } from '../../../api/failure';
import { falls } from '../../../api/postRange';
import { readDelivery, timeIn, type DeliveryRecord } from '../../../api/records';
import { withoutSecretFields, withoutSignedQueries } from '../../../api/redaction';
import type { Item } from '../../engine/item';
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
	request: ({ webhookId: id, filters: { status } }) => requestFor(id, status),
	rows: (list) => withoutSecretFields(withoutSignedQueries(list)),
});

const requestFor = (id: string, status: string | undefined) => ({
	...deliveriesOf(pathSegment(id, 'Webhook')),
	qs: { status },
});

/** Spec, "Webhook delivery". */
const knownStatuses = ['pending', 'delivered', 'failed', 'dead_letter'];
const lookThere = "Check its deliveries in the service's dashboard.";

/** How many of a webhook's deliveries in any state are read, where the latest come first. */
const MAX_LATEST = 500;

/**
 * The latest deliveries of a webhook, or all in one state; `isPart`: there may be others.
 * @param since in ms: older ones don't count
 * @throws Failure where the latest can't be told, or the service has more, or a state isn't known
 */
export async function listedDeliveries(
	item: Item,
	id: string | undefined,
	status?: string,
	since = NaN,
): Promise<{ deliveries: DeliveryRecord[]; isPart: boolean }> {
	if (id === undefined) throw refusal('WEBHOOK_ID', 'The service lists the webhook without an ID', lookThere);
	const most = status ? undefined : MAX_LATEST;
	const { records, hasMore, isComplete } = await item.list({ ...requestFor(id, status), most });
	const deliveries = records.map(readDelivery);
	const times = deliveries.map(({ occurredAt }) => timeIn(occurredAt) ?? NaN);
	const [first, last] = [times[0]!, times.at(-1)!];
	const isEnough = falls(times) && first > last && (!status || last < since);
	const isPart = !isComplete && !isEnough;
	const more = `The service ${hasMore ? 'has' : 'may have'} more deliveries than were read`;
	if (isPart && (hasMore || !status)) throw refusal('MORE_DELIVERIES', more, lookThere);
	if (deliveries.every((one) => knownStatuses.includes(one.status))) return { deliveries, isPart };
	throw refusal('DELIVERY_STATUS', "The deliveries have a status that this node doesn't know", lookThere);
}
