import { isNil, omitBy } from 'lodash';

import type { RecoveredEvent } from './postEnds';
import type { DeliveryRecord } from './records';

/** The event of a delivery; undefined where its record names none, or while the service may still send it as a whole. */
export function eventOf(delivery: DeliveryRecord, isObsolete = false): RecoveredEvent | undefined {
	const { event, brandId, status, eventId: id, eventType: type, occurredAt, ...rest } = delivery;
	if (id === undefined || type === undefined) return undefined;
	if (!event && !isObsolete && status === 'failed') return undefined;
	const brand = brandId === undefined ? {} : { brand_id: brandId };
	const known = event ?? { type, occurred_at: occurredAt ?? null, ...brand };
	const became = { status, attempts: rest.attempts, last_error: rest.lastError, webhook_id: rest.webhookId };
	return { ...known, id, recovered: true, delivery: omitBy(became, isNil) };
}
