import { isNil, omitBy, orderBy } from 'lodash';

import type { RecoveredEvent } from './postEnds';
import type { DeliveryRecord } from './records';

/** How long a delivery may take: the service tries for 22 hours (spec, "Delivery and retry rules" 3). */
export const MAX_DELIVERY_MS = 86_400_000;

/** Whether no page after this one counts: the newest are first, and not by chance; a delivery takes a day at most. */
export function isTooOld(times: Array<number | undefined>, since: number): boolean {
	const newest = times[0]!;
	const isNewestFirst = newest > times.at(-1)! && times.join() === orderBy(times, undefined, 'desc').join();
	return isNewestFirst && times.length >= 10 && newest < since - MAX_DELIVERY_MS;
}

/** The event of a delivery, or what its record lacks. Undefined while the service may still send one that it only names. */
export function eventOf(delivery: DeliveryRecord, isObsolete = false) {
	const { event, brandId, status, eventId: id, eventType: type, occurredAt, ...rest } = delivery;
	if (id === undefined) return 'event ID';
	const isOld = Date.now() - (rest.at ?? Infinity) >= MAX_DELIVERY_MS;
	if (!event && !isObsolete && !isOld && !['delivered', 'dead_letter'].includes(status)) return undefined;
	if (type === undefined) return 'type';
	const brand = brandId === undefined ? {} : { brand_id: brandId };
	const known = event ?? { type, occurred_at: occurredAt ?? null, ...brand };
	const became = { status, attempts: rest.attempts, last_error: rest.lastError, webhook_id: rest.webhookId };
	return { ...known, id, recovered: true, delivery: omitBy(became, isNil) } as RecoveredEvent;
}
