import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../api/address';
import { limits, listNames } from '../api/contract';
import { isRecord, records } from '../api/lists';
import { posts } from '../api/postRange';
import { isText } from '../shared/webhooks';
import type { Get } from './connection';

/** Spec, "Webhook delivery": states of a delivery; `pending` ones are none of our business. */
export type DeliveryStatus = 'delivered' | 'failed' | 'dead_letter';

/** An event as it is handed on: marked, with what became of its delivery. */
export type MissedEvent = IDataObject & { id: string; recovered: true };

/** The deliveries of one webhook in one state (spec: `GET /webhooks/{id}/deliveries`). */
export async function deliveriesOf(
	get: Get,
	{ webhookId, workspaceId }: { webhookId: string; workspaceId: string },
	status: DeliveryStatus,
): Promise<IDataObject[]> {
	const path = `/webhooks/${pathSegment(webhookId, 'Webhook')}/deliveries`;
	const expects = { list: listNames.deliveries };
	const list = records(await get({ path, qs: { status }, workspaceId, expects }), listNames.deliveries);
	return list.map((one) => ({ status, ...one }));
}

/** Why a delivery record tells no event that could be handed on. */
export type Trouble = 'no event ID' | 'no type' | 'no payload yet';

/**
 * The event of a delivery record, whose fields the spec does not show. Where the record names the event but does not
 * hold it, it is handed on as far as it is known once the service has given up: until then the whole one may come.
 */
export function eventOf(delivery: IDataObject): MissedEvent | Trouble {
	const { event_id, event_type, occurred_at, created_at, status, attempts, last_error, webhook_id } =
		delivery;
	const whole = [delivery.event, delivery.payload, delivery.body]
		.map(objectOf)
		.find((one) => one?.id && one.type);
	const id = whole?.id ?? event_id ?? delivery.eventId;
	if (!isText(id)) return 'no event ID';
	if (!whole && (status === 'failed' || status === 'pending')) return 'no payload yet';
	const type = whole?.type ?? [event_type, delivery.eventType, delivery.event, delivery.type].find(isText);
	if (!isText(type)) return 'no type';
	const known = whole ?? {
		type,
		occurred_at: occurred_at ?? created_at ?? null,
		...('brand_id' in delivery ? { brand_id: delivery.brand_id } : {}),
	};
	const became = JSON.parse(JSON.stringify({ status, attempts, last_error, webhook_id })) as IDataObject;
	return { ...known, id, recovered: true, delivery: became };
}

/** When a delivery was made, or else its event happened, in ms; where it does not say, now. */
export const deliveryTime = ({ delivered_at, created_at, occurred_at, event }: IDataObject): number =>
	timeOf(delivered_at ?? created_at ?? occurred_at ?? objectOf(event)?.occurred_at) ?? Date.now();

/** Each event once, as it came last, the oldest first. */
export function eachOnce(events: MissedEvent[]): MissedEvent[] {
	const byId = new Map(events.map((one) => [one.id, one]));
	const time = ({ occurred_at }: MissedEvent) => timeOf(occurred_at) ?? 0;
	return [...byId.values()].sort((a, b) => time(a) - time(b));
}

/** Spec, "Post status": the states that end a post, each with its event. A post ends once, so it has one of them. */
const ENDS: ReadonlyMap<unknown, string> = new Map([
	['post.published', 'completed'],
	['post.failed', 'failed'],
	['post.canceled', 'canceled'],
]);

/** Most posts that are read in each state, the newest: a service of the lowest plan answers 60 reads a minute. */
const MOST_POSTS = 10 * limits.postsPerRequest;

/**
 * What an event about the end of a post has in common with the one that is made from the post itself: its `id`.
 * @returns undefined for an event about anything else
 */
export function postEndOf({ type, data }: IDataObject): string | undefined {
	const postId = isRecord(data) ? data.post_id : undefined;
	return ENDS.has(type) && isText(postId) ? `${String(type)}:${postId}` : undefined;
}

/**
 * Spec, "Delivery and retry rules" 4: "the receiver reconciles by re-fetching the resource". The events of the posts
 * that have ended since a time, made from the posts.
 * @param types the events that are wanted; others than those of a post's end are not made
 * @param since in ms; a post that does not say when it ended counts by the time that the service lists it under
 */
export async function endedPosts(get: Get, types: readonly string[], since: number): Promise<MissedEvent[]> {
	const found: MissedEvent[] = [];
	const from = new Date(since).toISOString();
	for (const type of types) {
		const status = ENDS.get(type);
		if (status === undefined) continue;
		const ask = async (range: IDataObject) =>
			records(await get({ path: '/posts', qs: { ...range, status } }), listNames.posts);
		for (const post of await posts(ask, { from }, Date.now(), MOST_POSTS))
			if (isText(post.id) && post.status === status && (timeOf(endOf(post)) ?? since) >= since)
				found.push(endEvent(type, post));
	}
	return found;
}

function endEvent(type: string, post: IDataObject): MissedEvent {
	const { id, status, provider_post_id, workspace_id = null, brand_id = null } = post;
	return {
		id: `${type}:${String(id)}`,
		type,
		occurred_at: endOf(post),
		workspace_id,
		brand_id,
		data: { post_id: id, status, ...(provider_post_id === undefined ? {} : { provider_post_id }) },
		recovered: true,
		recovered_from: 'post',
	};
}

/** When a post ended, as it says. Its fields are not shown in the spec. */
const endOf = ({ published_at, updated_at }: IDataObject): IDataObject[string] =>
	published_at ?? updated_at ?? null;

/** What a time in a record means, in ms. */
function timeOf(value: unknown): number | undefined {
	const time = Date.parse(String(value));
	return Number.isNaN(time) ? undefined : time;
}

function objectOf(value: unknown): IDataObject | undefined {
	if (typeof value !== 'string') return isRecord(value) ? value : undefined;
	try {
		return objectOf(JSON.parse(value));
	} catch {
		return undefined;
	}
}
