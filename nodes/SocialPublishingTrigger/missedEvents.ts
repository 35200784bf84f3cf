import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../api/address';
import { listNames } from '../api/contract';
import type { Expected } from '../api/answers';
import { records } from '../api/lists';

/** Spec, "Webhook delivery": states of a delivery. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'dead_letter';

/** An event out of a delivery record, as it is handed on: marked, with what became of the delivery. */
export type MissedEvent = IDataObject & { id: string; recovered: true };

/** `data` of a GET. */
export type Get = (request: { path: string; qs?: IDataObject; expects?: Expected }) => Promise<unknown>;

/** The deliveries of one webhook in one state (spec: `GET /webhooks/{id}/deliveries`). */
export const deliveriesOf = async (
	get: Get,
	webhookId: string,
	status: DeliveryStatus,
): Promise<IDataObject[]> =>
	records(
		await get({
			path: `/webhooks/${pathSegment(webhookId, 'Webhook')}/deliveries`,
			qs: { status },
			expects: { list: listNames.deliveries },
		}),
		listNames.deliveries,
	);

/** What a delivery record tells: its event, or why there is none to hand on. */
export type Told =
	| { event: MissedEvent; trouble?: undefined }
	| { event?: undefined; trouble: 'no event ID' | 'no event type' | 'no payload yet' };

/**
 * The event of a delivery record, whose fields the spec does not show. Where the record names the event but does not
 * hold it, it is handed on as far as it is known once the service has given up: until then the whole one may come.
 */
export function eventOf(delivery: IDataObject): Told {
	const { event_id, event_type, occurred_at, created_at, status, attempts, last_error, webhook_id } =
		delivery;
	const whole = [delivery.event, delivery.payload, delivery.body]
		.map(objectOf)
		.find((one) => one?.id && one.type);
	const id = whole?.id ?? event_id ?? delivery.eventId;
	if (!isText(id)) return { trouble: 'no event ID' };
	if (!whole && (status === 'failed' || status === 'pending')) return { trouble: 'no payload yet' };
	const type = whole?.type ?? [event_type, delivery.eventType, delivery.event, delivery.type].find(isText);
	if (!isText(type)) return { trouble: 'no event type' };
	const known = whole ?? {
		type,
		occurred_at: occurred_at ?? created_at ?? null,
		...('brand_id' in delivery ? { brand_id: delivery.brand_id } : {}),
	};
	const became = JSON.parse(JSON.stringify({ status, attempts, last_error, webhook_id })) as IDataObject;
	return { event: { ...known, id, recovered: true, delivery: became } };
}

/** When a delivery was made, or else its event happened, in ms; undefined where it does not say. */
export function deliveryTime({ delivered_at, created_at, occurred_at, event }: IDataObject) {
	return timeOf(delivered_at ?? created_at ?? occurred_at ?? objectOf(event)?.occurred_at);
}

/** Each event once, the oldest first. */
export function eachOnce(events: MissedEvent[]): MissedEvent[] {
	const byId = new Map(events.map((one) => [one.id, one]));
	const time = ({ occurred_at }: MissedEvent) => timeOf(occurred_at) ?? -Infinity;
	return [...byId.values()].sort((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
}

function timeOf(value: unknown): number | undefined {
	const time = Date.parse(String(value));
	return Number.isNaN(time) ? undefined : time;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function objectOf(value: unknown): IDataObject | undefined {
	if (typeof value !== 'string')
		return typeof value === 'object' ? ((value ?? undefined) as IDataObject | undefined) : undefined;
	try {
		return objectOf(JSON.parse(value));
	} catch {
		return undefined;
	}
}
