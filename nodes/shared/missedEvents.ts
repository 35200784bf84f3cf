import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../api/address';
import type { Expected } from '../api/answers';
import { listNames } from '../api/contract';
import { records } from '../api/lists';

/** Spec, "Webhook delivery": states of a delivery. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'dead_letter';

/** An event out of a delivery record, as it is handed on: marked, with what became of the delivery. */
export type MissedEvent = IDataObject & { id: string; recovered: true };

/** `data` of a GET. */
type Get = (request: { path: string; qs?: IDataObject; expects: Expected }) => Promise<unknown>;

/** The deliveries of one webhook in one state (spec: `GET /webhooks/{id}/deliveries`). */
export const deliveriesOf = async (
	get: Get,
	webhookId: string,
	status?: DeliveryStatus,
): Promise<IDataObject[]> =>
	records(
		await get({
			path: `/webhooks/${pathSegment(webhookId, 'Webhook')}/deliveries`,
			expects: { list: listNames.deliveries },
			...(status ? { qs: { status } } : {}),
		}),
		listNames.deliveries,
	);

/** The event of a delivery record, whose fields the spec does not show; undefined where it does not even name one. */
export function missedEvent(delivery: IDataObject): MissedEvent | undefined {
	const whole = [delivery.event, delivery.payload, delivery.body]
		.map(objectOf)
		.find((one) => one?.id && one.type);
	const { event_id, event_type, occurred_at, created_at, status, attempts, last_error, webhook_id } =
		delivery;
	const id = whole?.id ?? event_id ?? delivery.eventId;
	if (typeof id !== 'string' || id === '') return undefined;
	const type = whole?.type ?? event_type ?? delivery.event ?? null;
	return {
		...(whole ?? { type, occurred_at: occurred_at ?? created_at ?? null }),
		id,
		recovered: true,
		delivery: JSON.parse(JSON.stringify({ status, attempts, last_error, webhook_id })) as IDataObject,
	};
}

/** Each event once, oldest first. */
export function eachOnce(events: MissedEvent[]): MissedEvent[] {
	const byId = new Map(events.map((one) => [one.id, one]));
	return [...byId.values()].sort((a, b) => (occurredAt(a) < occurredAt(b) ? -1 : 1));
}

const occurredAt = ({ occurred_at }: IDataObject): string => String(occurred_at ?? '');

function objectOf(value: unknown): IDataObject | undefined {
	if (typeof value !== 'string')
		return typeof value === 'object' ? ((value ?? undefined) as IDataObject | undefined) : undefined;
	try {
		return objectOf(JSON.parse(value));
	} catch {
		return undefined;
	}
}
