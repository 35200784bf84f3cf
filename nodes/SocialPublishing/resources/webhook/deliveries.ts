import sortBy from 'lodash/sortBy';

import { pathSegment } from '../../../api/address';
import { listNames } from '../../../api/contract';
import { refusal } from '../../../api/failure';
import { readDelivery, type Delivery } from '../../../api/records';
import type { Item } from '../../engine/item';

export const DAY_MS = 24 * 60 * 60_000;

/**
 * The deliveries of a webhook (spec: `GET /webhooks/{id}/deliveries`), all or those in one state.
 * @param id undefined where the service lists the webhook without one
 * @throws Failure where they can't be read
 */
export async function readDeliveries(
	item: Item,
	id: string | undefined,
	status?: string,
): Promise<Delivery[]> {
	if (id === undefined)
		throw refusal(
			'WEBHOOK_ID',
			'The service lists the webhook without an ID',
			"Check its deliveries in the service's dashboard.",
		);
	const path = `/webhooks/${pathSegment(id, 'Webhook')}/deliveries`;
	const request = { path, ...(status ? { qs: { status } } : {}), listNames: listNames.deliveries };
	return (await item.list(request)).map(readDelivery);
}

/** The latest last; of the same time, or where the records have none, those that failed. */
export const byTime = (deliveries: readonly Delivery[]): Delivery[] =>
	sortBy(deliveries, [({ at }) => at ?? 0, ({ status }) => status !== 'delivered']);
