import { map, uniq } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { canonicalPlatform } from './contract';
import { isRecord, recordIn, textIn } from './lists';

/**
 * What the service's records say, as far as the spec shows it or docs/spec-gaps.md names it. What is missing, or of another
 * type, is undefined and proves nothing.
 */

/** The ID of a record; some services count. */
export const idIn = ({ id }: IDataObject): string | undefined =>
	typeof id === 'number' ? String(id) : textIn(id);

/** A time of the service (ISO 8601) in ms. */
export function timeIn(value: unknown): number | undefined {
	const time = DateTime.fromISO(textIn(value) ?? '', { zone: 'utc' });
	return time.isValid ? time.toMillis() : undefined;
}

/** Spec, "Post status". */
const finalStatuses = ['completed', 'failed', 'canceled'];

/** A post, or the body of a request for one, in either form of the spec ("Post (input on create)"). */
export function readPost(record: IDataObject) {
	const { content, published_at: publishedAt } = record;
	const status = textIn(record.status, 'unknown')!;
	const parts = partsIn(record);
	const all = [record, ...parts];
	const scheduledAt = textIn(record.scheduled_at, record.schedule_at);
	const hasProviderId = all.some((one) => textIn(one.provider_post_id) !== undefined);
	return {
		id: idIn(record),
		/** `unknown` where the record has none. */
		status,
		text: textIn(record.text, content, recordIn(content).text),
		platforms: uniq(all.flatMap(platformsIn)),
		accountId: textIn(record.account_id),
		/** When it goes out, as the service writes it. */
		scheduledAt,
		/** In ms, like the next two. */
		dueAt: timeIn(scheduledAt),
		/** The time that the service most likely lists it under. */
		listedAt: timeIn(textIn(scheduledAt, publishedAt, record.created_at)),
		publishedAt: timeIn(publishedAt),
		/** When it was published, failed or was canceled, as the service writes it. */
		endedAt: textIn(publishedAt, record.updated_at),
		isFinal: finalStatuses.includes(status),
		/** The network has given it an ID (spec: this confirms publication). */
		hasProviderId,
		/** Why it failed, or one of its platforms did. */
		failureReason: all.map(reasonIn).find((reason) => reason !== undefined),
		/** The platforms on which it failed, where it has several. */
		failures: parts
			.filter((part) => part.status === 'failed')
			.map((part) => ({ platform: platformsIn(part).join(), reason: reasonIn(part) })),
		link: textIn(record.permalink),
	};
}

export type Post = ReturnType<typeof readPost>;

/** As posts know it: `x`, not `twitter`. */
const platformsIn = ({ platform }: IDataObject): string[] =>
	[platform].filter((one) => typeof one === 'string').map(canonicalPlatform);

/** The platforms of a post: a list of names, or of records (spec: "per-platform status when a single post is fetched"). */
const partsIn = ({ platforms }: IDataObject): IDataObject[] =>
	Array.isArray(platforms) ? platforms.map((one) => (isRecord(one) ? one : { platform: one })) : [];

/** `error` as the envelope has it, or a text; without the full stop. */
const reasonIn = ({ error }: IDataObject): string | undefined =>
	textIn(error, recordIn(error).message)?.replace(/\.$/, '');

/** The post that an event is about (spec, "Events"); undefined where it is about none. */
export const postIdIn = ({ data }: IDataObject): string | undefined => textIn(recordIn(data).post_id);

/** The workspace of an event; undefined where it names none. */
export const workspaceIdIn = ({ workspace_id }: IDataObject): string | undefined => textIn(workspace_id);

/** Whether an account should be connected again: never a reason to refuse anything. */
const isLost = ({ connected, status }: IDataObject): boolean =>
	connected === false || /disconnected|expired|revoked/i.test(String(status));

/** An account (spec: `GET /accounts`); undefined for a record without an ID or a platform. */
function readAccount(record: IDataObject) {
	const [id, platform] = [idIn(record), textIn(record.platform)];
	if (id === undefined || platform === undefined) return undefined;
	const name = textIn(record.name);
	const handle = textIn(record.username, record.handle);
	return {
		id,
		platform: canonicalPlatform(platform),
		name,
		handle,
		/** What a person sees of it. */
		title: textIn(name, handle, id)!,
		/** As the service writes it. */
		status: record.status,
		isDisconnected: isLost(record),
	};
}

export type Account = NonNullable<ReturnType<typeof readAccount>>;

export const readAccounts = (records: IDataObject[]): Account[] =>
	records.flatMap((record) => readAccount(record) ?? []);

/** What to call the accounts of a post: the one that it names, or the only one of each of its platforms. */
export function accountNames(post: IDataObject, accounts: Account[]): string {
	const { accountId, platforms } = readPost(post);
	const onEach = platforms.map((name) => accounts.filter(({ platform }) => platform === name));
	if (accountId !== undefined) return onEach.flat().find(({ id }) => id === accountId)?.title ?? accountId;
	const known = onEach.filter(({ length }) => length === 1).flat();
	return uniq(map(known, 'title')).join(', ');
}

/** A subscription as the service lists it (spec, "Webhook"). */
export function readSubscription(record: IDataObject) {
	const { active, enabled } = record;
	return {
		id: idIn(record),
		url: textIn(record.url),
		description: textIn(record.description),
		events: Array.isArray(record.events) ? record.events.map(String) : undefined,
		isDisabled: record.status === 'disabled' || active === false || enabled === false,
	};
}

export type Subscription = ReturnType<typeof readSubscription>;

/** The answer to a subscription (spec, "Webhook"): `webhook.secret`, and the ID in `webhook` or beside it. */
export function readCreated(data: unknown) {
	const outer = recordIn(data);
	const webhook = recordIn(outer.webhook);
	return { id: idIn(webhook) ?? idIn(outer), secret: textIn(webhook.secret) };
}

/** A delivery (spec, "Webhook delivery"; names of its fields: docs/spec-gaps.md). */
export function readDelivery(record: IDataObject) {
	const event = [record.event, record.payload].find(isRecord);
	const { id, type, occurred_at: occurredAt } = recordIn(event);
	return {
		/** Spec, "Webhook delivery": `pending`, `delivered`, `failed`, `dead_letter`; `unknown` where it has none. */
		status: textIn(record.status, 'unknown')!,
		eventId: textIn(id, record.event_id),
		eventType: textIn(type, record.event_type),
		event,
		/** When it last changed, or its event happened, in ms. */
		at: timeIn(textIn(record.updated_at, record.created_at, occurredAt)),
		/** When the event happened, as the service writes it. */
		occurredAt: textIn(occurredAt, record.created_at),
		brandId: record.brand_id,
		webhookId: textIn(record.webhook_id),
		lastError: textIn(record.last_error),
		attempts: typeof record.attempts === 'number' ? record.attempts : undefined,
	};
}

export type DeliveryRecord = ReturnType<typeof readDelivery>;
