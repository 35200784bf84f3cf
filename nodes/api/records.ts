import { uniq } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { canonicalPlatform } from './contract';
import { isRecord, isTooDeep } from './lists';

/**
 * What the service's records say, as far as the spec shows it or docs/spec-gaps.md names it. What is missing, or of another
 * type, is undefined and proves nothing.
 */

const textIn = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;

const textsIn = (value: unknown): string[] | undefined =>
	Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : undefined;

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
	const status = textIn(record.status);
	const parts = partsIn(record.platforms);
	const scheduledAt = textIn(record.scheduled_at) ?? textIn(record.schedule_at);
	const hasProviderId = [record, ...parts].some((one) => textIn(one.provider_post_id) !== undefined);
	const platform = textIn(record.platform);
	const platforms = platform ? [platform] : parts.flatMap((part) => part.platform ?? []);
	return {
		id: idIn(record),
		/** `unknown` where the record has none. */
		status: status ?? 'unknown',
		text: textIn(record.text) ?? textIn(isRecord(content) ? content.text : content),
		/** As posts know them: `x`, not `twitter`. */
		platforms: platforms.map(canonicalPlatform),
		accountId: textIn(record.account_id),
		/** When it goes out, as the service writes it. */
		scheduledAt,
		/** In ms, like the next two. */
		dueAt: timeIn(scheduledAt),
		/** The time that the service most likely lists it under. */
		listedAt: timeIn(scheduledAt) ?? timeIn(publishedAt) ?? timeIn(record.created_at),
		publishedAt: timeIn(publishedAt),
		/** When it was published, failed or was canceled, as the service writes it. */
		endedAt: textIn(publishedAt) ?? textIn(record.updated_at),
		isFinal: finalStatuses.includes(status ?? ''),
		/** The network has given it an ID (spec: this confirms publication). */
		hasProviderId,
		/** On one of its platforms at least. */
		isOut: hasProviderId || [record, ...parts].some((one) => one.status === 'completed'),
		/** Why it failed, or one of its platforms did. */
		failureReason: [record, ...parts].map(reasonIn).find((reason) => reason !== undefined),
		/** The platforms on which it failed, where it has several. */
		failures: parts
			.filter((part) => part.status === 'failed')
			.map((part) => ({ platform: canonicalPlatform(part.platform ?? ''), reason: reasonIn(part) })),
		link: textIn(record.permalink) ?? textIn(record.url),
	};
}

export type Post = ReturnType<typeof readPost>;

/** The platforms of a post: a list of names, or of records (spec: "per-platform status when a single post is fetched"). */
const partsIn = (platforms: unknown): Array<IDataObject & { platform?: string }> =>
	Array.isArray(platforms)
		? platforms.map((one: unknown) =>
				isRecord(one) ? { ...one, platform: textIn(one.platform) } : { platform: textIn(one) },
			)
		: [];

/** `error` as the envelope has it, or a text; without the full stop. */
function reasonIn({ error }: IDataObject): string | undefined {
	return textIn(isRecord(error) ? (error.message ?? error.code) : error)?.replace(/\.$/, '');
}

/** The post that an event is about (spec, "Events"); undefined where it is about none. */
export const postIdIn = ({ data }: IDataObject): string | undefined =>
	isRecord(data) ? textIn(data.post_id) : undefined;

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
	const handle = textIn(record.username) ?? textIn(record.handle);
	return {
		id,
		platform: canonicalPlatform(platform),
		name,
		handle,
		/** What a person sees of it. */
		title: name ?? handle ?? id,
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
	if (accountId !== undefined) return accounts.find(({ id }) => id === accountId)?.title ?? accountId;
	const onEach = platforms.map((name) => accounts.filter(({ platform }) => platform === name));
	return uniq(onEach.flatMap(([only, another]) => (only && !another ? only.title : []))).join(', ');
}

/** A subscription as the service lists it (spec, "Webhook"). */
export function readSubscription(record: IDataObject) {
	const { active, enabled } = record;
	return {
		id: idIn(record),
		url: textIn(record.url),
		description: textIn(record.description),
		events: textsIn(record.events),
		isDisabled: record.status === 'disabled' || active === false || enabled === false,
	};
}

export type Subscription = ReturnType<typeof readSubscription>;

/** The answer to a subscription (spec, "Webhook"): `webhook.secret`, and the ID in `webhook` or beside it. */
export function readCreated(data: unknown) {
	const outer = isRecord(data) ? data : {};
	const webhook = isRecord(outer.webhook) ? outer.webhook : {};
	return { id: idIn(webhook) ?? idIn(outer), secret: textIn(webhook.secret) };
}

/** A delivery (spec, "Webhook delivery"; names of its fields: docs/spec-gaps.md). */
export function readDelivery(record: IDataObject) {
	const event = [record.event, record.payload].filter(isRecord).find((one) => !isTooDeep(one));
	const occurredAt = textIn(event?.occurred_at);
	const changedAt = textIn(record.updated_at) ?? textIn(record.created_at);
	return {
		/** Spec, "Webhook delivery": `pending`, `delivered`, `failed`, `dead_letter`; `unknown` where it has none. */
		status: textIn(record.status) ?? 'unknown',
		eventId: textIn(event?.id) ?? textIn(record.event_id),
		eventType: textIn(event?.type) ?? textIn(record.event_type),
		event,
		/** When it last changed, or its event happened, in ms. */
		at: timeIn(changedAt ?? occurredAt),
		/** When the event happened, as the service writes it. */
		occurredAt: occurredAt ?? textIn(record.created_at),
		brandId: record.brand_id,
		webhookId: textIn(record.webhook_id),
		lastError: textIn(record.last_error),
		attempts: typeof record.attempts === 'number' ? record.attempts : undefined,
	};
}

export type DeliveryRecord = ReturnType<typeof readDelivery>;
