import { compact, findKey, isEqual, isNil, map, omitBy, partition, pick, pickBy, uniq, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { z, type ZodTypeAny } from 'zod';

import { canonicalPlatform, platforms, shownPlatform, type Platform } from './contract';
import { identity, isRecord, isTooDeep, parseWithoutProto, whole } from './lists';
import { filled, shortened } from './texts';

/**
 * What the service's records mean: the only file that guesses names of fields, each in the row of docs/spec-gaps.md that
 * its comment names. A field of another type than expected counts as missing.
 */

const lenient = <T extends ZodTypeAny>(type: T) => type.optional().catch(undefined);
const text = lenient(z.string().min(1));
/** Some services count; a number too large to be exact names nothing. */
const id = lenient(z.union([z.string().min(1), z.number().max(Number.MAX_SAFE_INTEGER).transform(String)]));

/** The ID of any record; undefined where it has none that names it. */
export const idIn = (record: IDataObject): string | undefined => id.parse(record.id);

const flag = lenient(z.boolean());
/** A status; one that is no text is one that nobody here knows. */
const statusText = z.string().nullish().catch('unknown');
/** ISO 8601, or null for "none". */
const time = z.string().nullish().catch(undefined);

/** Spec, "Post status". */
const finalStatuses = ['completed', 'failed', 'canceled'];
/** Of an open post, or of one that doesn't say; any other word is only shown. */
const underWay =
	/^(unknown|scheduled|accepted|created|submitted|queued?|in.?progress|pending|(post|process|publish|queu|send)ing)$/i;

/** The end of a time of day without an offset: by itself it would be in this computer's zone. */
const withoutOffset = /[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;
/** Earlier times are placeholders, such as the year 1 that Go writes for "none". */
const EARLIEST_MS = Date.UTC(2000, 0);

/** A time in ms, in UTC where it has no offset; undefined where there is none that makes sense. */
export function timeIn(value: unknown): number | undefined {
	const ms = typeof value === 'string' ? Date.parse(value.replace(withoutOffset, '$&Z')) : NaN;
	return ms >= EARLIEST_MS ? ms : undefined;
}

const firstTime = (...values: unknown[]): number | undefined =>
	values.map(timeIn).find((ms) => ms !== undefined);

/** What a time may look like under any name: "Spring 2027", which `Date` reads, too, is a text. */
const timeLike = /^(\w{3}, )?\d.*\d:\d\d|^\d{4}-\d\d-\d\d$/;
/** A number that would be a later one counts something else, or is an ID. */
const LATEST_MS = Date.UTC(2100, 0);

/** A time, in ms, also as a number of seconds or milliseconds since 1970. */
export const anyTime = (value: unknown): number | undefined =>
	typeof value === 'number'
		? [value, value * 1000].find((ms) => ms >= EARLIEST_MS && ms < LATEST_MS)
		: timeIn(timeLike.test(String(value)) ? value : undefined);

const each = <Name extends string, T extends ZodTypeAny>(type: T, ...names: Name[]) =>
	Object.fromEntries(names.map((name) => [name, type])) as Record<Name, T>;

/** Spec, "Post", "Post status". Guesses: row 1 of docs/spec-gaps.md, approval: row 9. */
export const postFields = z.object({
	...each(id, 'id', 'account_id'),
	...each(text, 'status', 'text', 'provider_post_id', 'approval_status', 'approval_state', 'hold_reason'),
	...each(time, 'scheduled_at', 'schedule_at', 'published_at', 'updated_at', 'created_at'),
	platform: lenient(z.string().nullable()),
	content: lenient(z.union([z.string(), z.object({ text }).passthrough()])),
});

/** What a post, or a request for one, says, in either form of the spec ("Post (input on create)"). */
export function readPost(record: IDataObject) {
	const read = postFields.parse(record);
	const { status = 'unknown', platform, scheduled_at, schedule_at, content } = read;
	const perPlatform = partsIn(record.platforms);
	const parts = [record, ...perPlatform];
	const names = platform ? [platform] : perPlatform.map(platformOf);
	const scheduledAt = scheduled_at ?? schedule_at ?? (scheduled_at === null ? null : schedule_at);
	/** The post, or one of its platforms, has the network's own ID (spec: this confirms publication). */
	const hasProviderId = parts.some((part) => text.parse(part.provider_post_id) !== undefined);
	const isFinal = finalStatuses.includes(status);
	const [failed, others] = partition(perPlatform, (part) => hasFailed(part, status));
	const isOpen = !isFinal && status !== 'draft' && !hasProviderId;
	return {
		id: read.id,
		/** `unknown` where the record has none. */
		status,
		text: read.text ?? (typeof content === 'object' ? content.text : content),
		/** As posts know them: `x`, not `twitter`. */
		platforms: names.flatMap((name) => (name ? canonicalPlatform(name) : [])),
		/** The record says so. */
		hasNoPlatform:
			names.length === 0 && isNil(record.platform) && (platform === null || isEqual(record.platforms, [])),
		accountId: read.account_id,
		/** When it goes out, as the service writes it; null where the record says that it has no time. */
		scheduledAt,
		/** In ms, like all that follow but `endedAt`. */
		dueAt: timeIn(scheduledAt),
		/** The time that the service most likely lists it under. */
		listedAt: firstTime(scheduledAt, read.published_at, read.created_at),
		/** All that looks like a time in it, whatever it is called. */
		allTimes: compact(Object.values(record).map(anyTime)),
		/** Of a post that is out. */
		publishedAt: status === 'completed' || hasProviderId ? timeIn(read.published_at) : undefined,
		/** When it was published, failed or was canceled, as the service writes it. */
		endedAt: read.published_at ?? read.updated_at ?? undefined,
		isFinal,
		isOpen,
		/** It says nothing else: other words may mean anything. */
		isUnderWay: isOpen && underWay.test(status),
		hasProviderId,
		awaitsApproval: isOpen && awaitsApproval(read),
		failureReason: parts.map(failureReason).find((reason) => reason !== undefined),
		/** Some of it is out, whatever became of the rest. */
		isOut: parts.some((part) => !isNotOut(part)),
		/** The platforms of it on which it is out. */
		published: perPlatform.filter((part) => !isNotOut(part)).map(platformOf),
		/** Those on which publishing failed. */
		failures: failed.map((part) => ({ platform: platformOf(part), reason: failureReason(part) })),
		/** Those on which it may have failed: a reason may be an earlier attempt's, and another status mean anything. */
		doubts: others.filter(mayHaveFailed).map((part) => ({
			platform: platformOf(part),
			reason: failureReason(part) ?? `its status is '${shortened(statusOf(part))}'`,
		})),
		link: linkOf(record),
	};
}

export type Post = ReturnType<typeof readPost>;

/** What a post's event says of its post, of which it may be about one platform alone, or else what the post says. */
export function postPart({ type, data }: IDataObject, post: IDataObject) {
	// A text in an approval's event is the approver's.
	const own = readPost(/^post\./.test(String(type)) ? (data as IDataObject) : {});
	const whole = readPost(post);
	const inPost = (one: string) =>
		[one, likelyPlatform(one)].find((name) => whole.platforms.includes(name ?? '')) ?? one;
	const named = own.platforms.map(inPost);
	const platforms = named.length > 0 ? named : whole.platforms;
	// An address in the event may be the service's own page.
	return { platforms, text: own.text || whole.text, link: linkOf(post, named) ?? own.link };
}

/** The post that an event is about (spec, "Events"); undefined where it is about none. */
export const postIdIn = ({ data }: IDataObject): string | undefined =>
	isRecord(data) ? id.parse(data.post_id) : undefined;

/** The workspace of an event; undefined where it names none. */
export const workspaceIdIn = ({ workspace_id }: IDataObject): string | undefined => text.parse(workspace_id);

const linkNames = ['permalink', 'post_url', 'published_url', 'provider_url', 'url'];

/** Where a post is out on some of its platforms, by default on any; its own link may be of each of them. */
function linkOf(record: IDataObject, among: string[] = []): string | undefined {
	const parts = partsIn(record.platforms);
	const wanted = parts.filter((part) => among.length === 0 || among.includes(platformOf(part)));
	return [...(wanted.length < parts.length ? [] : [record]), ...wanted]
		.flatMap((part) => linkNames.map((name) => part[name]))
		.find((one): one is string => typeof one === 'string' && /^https?:\/\//i.test(one));
}

/** Row 9: any state or field that speaks of a pending approval counts, none that says it was given or isn't needed. */
function awaitsApproval(read: z.infer<typeof postFields>): boolean {
	const { status, approval_status: approval = read.approval_state, hold_reason: hold } = read;
	return (
		waits(status, /approv|review|\bheld\b|\bon hold\b/) ||
		waits(approval, /approv|review|pending|waiting|required/) ||
		waits(hold, /approv|review/)
	);
}

function waits(word: string | undefined, pattern: RegExp): boolean {
	const plain = (word ?? '').toLowerCase().replace(/[_-]/g, ' ');
	return pattern.test(plain) && !/\b(no|not|none|without|approved|reviewed|rejected)\b/.test(plain);
}

/** The platforms of a post: a list of names or records, or by name, each a record or a status. */
function partsIn(platforms: unknown): IDataObject[] {
	if (isRecord(platforms))
		return Object.entries(platforms).map(([platform, one]) => ({
			platform,
			...(isRecord(one) ? one : { status: one }),
		}));
	return Array.isArray(platforms) ? platforms.map((one) => (isRecord(one) ? one : { platform: one })) : [];
}

/** The platform of a part: its own text, or what else names one of the seven. */
function platformOf({ platform, name, value }: IDataObject): string {
	const own = text.parse(platform);
	const others = isRecord(platform) ? [platform.id, platform.name] : [name, value];
	const known = others.map((one) => canonicalPlatform(text.parse(one) ?? ''));
	return own ? canonicalPlatform(own) : (platforms.find((one) => known.includes(one)) ?? '');
}

/** The platforms of a post that was read, as a list of names, or of records where `areKept`; `{ x: false }` names none. */
export function platformNames(given: unknown, areKept = false): unknown {
	const one: unknown = isRecord(given) && !Object.values(given).every(isRecord) ? [given] : given;
	const parts: unknown = isRecord(one) ? partsIn(one) : one;
	return Array.isArray(parts) && !areKept
		? parts.map((part) => (isRecord(part) ? platformOf(part) || part : part))
		: parts;
}

/** Where a record, written as JSON, is to be posted; its own ID may be a row's: it counts only as one of these accounts'. */
export function placeIn(json: string, accounts: Account[]) {
	const record = objectIn(json) ?? {};
	const platform = platformOf(record);
	const isThere = (one: Account): boolean => !platform || (factOf(one.platform) ?? platform) === platform;
	const { id: own, account_id: named } = postFields.parse(record);
	// A number may as well be that of a cell or of a post.
	const isSame = (one: Account): boolean =>
		!/^\d+$/.test(own ?? '') || readAccount(record).title === one.title;
	const isOwn = (one: Account): boolean => one.id === own && isThere(one) && isSame(one);
	const accountId = named ?? accounts.find(isOwn)?.id;
	return { accountId, place: filled([platform, accountId]).join(':') };
}

const isNotOut = (part: IDataObject): boolean =>
	!/^(completed|published)$/i.test(statusOf(part)) && text.parse(part.provider_post_id) === undefined;

const statusOf = ({ status }: IDataObject): string => text.parse(status) ?? '';

const mayMeanFailed = /fail|error|reject|declin|denied/i;

/** A reason alone doesn't say so: it may be an earlier attempt's. A platform without a status has that of its post. */
const hasFailed = (part: IDataObject, postStatus: string): boolean =>
	isNotOut(part) &&
	(/^(failed|error)$/i.test(statusOf(part)) ||
		(failureReason(part) !== undefined && mayMeanFailed.test(statusOf(part) || postStatus)));

const mayHaveFailed = (part: IDataObject): boolean =>
	isNotOut(part) && (failureReason(part) !== undefined || mayMeanFailed.test(statusOf(part)));

/** Why a post, or a platform of one, failed; without the full stop. */
function failureReason({ error, ...record }: IDataObject): string | undefined {
	const said = isRecord(error) ? (error.message ?? error.code) : error;
	const others = ['error_message', 'errorMessage', 'failure_reason'].map((name) => record[name]);
	const reasons = [said, ...others].map((one) => text.parse(one));
	return reasons.find((reason) => reason !== undefined)?.replace(/\.$/, '');
}

/**
 * What a record says in the words of docs/spec-gaps.md, or the words that it has instead ('' where it has none). Only what
 * it says may refuse, skip or be stated, so `unclear` can't be used in its place.
 */
export type Known<T> = { readonly is: T } | { readonly unclear: string };

export const factOf = <T>(known: Known<T>): T | undefined => ('is' in known ? known.is : undefined);

/** The platform that a text means, or may mean, unless it is the one that is `wanted`; else the text as posts would have it. */
export const likelyPlatform = (value: unknown, wanted?: string): string | undefined => {
	const { platform, mayBe } = platformIn(value);
	const isWanted = canonicalPlatform(text.parse(value) ?? '') === wanted;
	return isWanted ? wanted : (mayBe ?? factOf(platform));
};

/** The platform that a text means, and the one that it may mean: 'linkedin_page' may be LinkedIn, 'threads' is another one. */
function platformIn(value: unknown): { platform: Known<string>; mayBe?: Platform } {
	const said = text.parse(value)?.trim();
	if (!said) return { platform: { unclear: '' } };
	const platform = canonicalPlatform(said);
	const mayBe = platforms.find((one) => platform.match(one === 'x' ? /(?<![a-z])x(?![a-z])|twitter/ : one));
	return mayBe === undefined || mayBe === platform
		? { platform: { is: platform }, mayBe }
		: { platform: { unclear: said }, mayBe };
}

/** Guesses: row 14. */
const accountFields = z.object({
	id,
	...each(text, 'name', 'username', 'handle'),
	...each(flag, 'connected', 'is_connected', 'active', 'deleted'),
	deleted_at: time,
	status: z.unknown().optional(),
});

/** Of a status, its letters. */
const connectedStates = /^(connected|active|ok|valid|enabled|healthy|live|authori[sz]ed|ready)$/;
const lostStates =
	/^((dis|not|un)connected|inactive|(token)?(expired|revoked|invalid)|error|failed|unauthori[sz]ed|suspended|disabled|(needs|requires)?re(auth(ori[sz]ation)?|connect(ion)?)(required|needed)?)$/;

/** Kept in a list although it is gone, whatever else it says. */
const isGone = (status: string, deleted: boolean | undefined, deletedAt: unknown): boolean =>
	/^(deleted|removed)$/i.test(status) || deleted === true || timeIn(deletedAt) !== undefined;

export function readAccount(record: IDataObject) {
	const { id: known, name, ...read } = accountFields.parse(record);
	const { status: said = '' } = read;
	const status = typeof said === 'string' ? said : said === null ? '' : JSON.stringify(said);
	const handle = read.handle ?? read.username;
	const state = (typeof said === 'string' ? said : '').toLowerCase().replace(/[^a-z]/g, '');
	const flags = [read.connected, read.is_connected, read.active];
	const isLost =
		isGone(state, read.deleted, read.deleted_at) || flags.includes(false) || lostStates.test(state);
	const isKnown = isLost || flags.includes(true) || connectedStates.test(state);
	return {
		id: known,
		/** As the service writes it, and may insist on. */
		sentId: record.id,
		/** As posts know it; `mayBe`: one of the seven that its words have in them. */
		...platformIn(record.platform),
		name,
		handle,
		title: name ?? handle ?? known ?? '',
		connected: (isKnown ? { is: !isLost } : { unclear: status }) as Known<boolean>,
	};
}

export type Account = ReturnType<typeof readAccount>;

/** Spec: `GET /accounts`. */
export function readAccounts(list: { records: IDataObject[]; isComplete: boolean; hasMore: boolean }) {
	const { records, isComplete, hasMore } = list;
	// Without a platform beside it, an ID may be several accounts'.
	const all = uniqBy(records, (one) => (one.platform ? identity(one) : whole(one))).map(readAccount);
	/** The words that accounts have in place of what is known; '' for one that has none. */
	const wordsFor = (knownOf: (account: Account) => Known<unknown>): string[] =>
		all.map(knownOf).flatMap((known) => ('is' in known ? [] : known.unclear));
	const states = wordsFor(({ connected }) => connected);
	const doubts = {
		'no ID that this node can read': wordsFor(({ id: is }) => (is === undefined ? { unclear: '' } : { is })),
		"a platform that this node doesn't know": wordsFor(({ platform }) => platform),
		'no status that this node can read': states.filter((word) => word === ''),
		"a status that this node doesn't know": compact(states),
	};
	const unclear = map(pickBy(doubts, 'length'), (words, what) => {
		const quoted = uniq(compact(words)).map((word) => `'${word.slice(0, 50)}'`);
		const named = quoted.length > 0 ? ` (${quoted.slice(0, 3).join(', ')})` : '';
		return `${words.length} of ${all.length} accounts ${words.length === 1 ? 'has' : 'have'} ${what}${named}`;
	});
	if (!isComplete) unclear.push(`the service ${hasMore ? 'has' : 'may have'} more accounts than it listed`);
	return {
		all,
		/** What could not be read: while there is any of it, that no other account is connected is no fact. */
		unclear,
		/** Whose they are is known of all, and that there are no others; whether they are connected may not be. */
		isWhole: isComplete && all.every(({ id: known, platform }) => known !== undefined && 'is' in platform),
		hasMore,
	};
}

export type Accounts = ReturnType<typeof readAccounts>;

/** What to call the accounts that a post goes to, where that is certain. */
export function accountNames(post: IDataObject, { all, isWhole }: Accounts): string {
	const { accountId, platforms: names, isFinal } = readPost(post);
	const named = all.filter((one) => one.id === accountId);
	if (accountId !== undefined && named.length <= 1) return named[0]?.title ?? accountId;
	// What is published may have gone to an account that is no longer there.
	const mayBe = accountId === undefined ? (isWhole && !isFinal ? all : []) : named;
	const onEach = names.map((name) => mayBe.filter(({ platform }) => factOf(platform) === name));
	return uniq(onEach.flatMap(([only, another]) => (only && !another ? only.title : []))).join(', ');
}

/** Guesses: rows 22 and 31. */
export const subscriptionFields = z.object({
	id,
	...each(text, 'url', 'description', 'status'),
	...each(flag, 'active', 'enabled', 'disabled', 'deleted'),
	deleted_at: time,
	events: lenient(z.array(z.coerce.string())),
});

/** A subscription as the service lists it; what the list does not have is undefined. */
export function readSubscription(record: IDataObject) {
	const read = subscriptionFields.parse(record);
	const { status = '', active, enabled, disabled, deleted, deleted_at, ...known } = read;
	/** It delivers nowhere, so it has no address. */
	const isDeleted = isGone(status, deleted, deleted_at);
	const isOff = /^(disabled|inactive|paused)$/i.test(status) || [active, enabled, !disabled].includes(false);
	const isOn = /^(active|enabled)$/i.test(status) || [active, enabled, disabled === false].includes(true);
	return {
		...known,
		/** In words that are known. */
		isDisabled: isDeleted || isOff,
		...(isDeleted || isOff || isOn ? {} : { isStateUnknown: true }),
		...(isDeleted ? { isDeleted, url: undefined } : {}),
	};
}

export type Subscription = ReturnType<typeof readSubscription>;

/** The answer to a subscription (spec, "Webhook"): `webhook.secret`; the ID is beside or in `webhook`. */
export function readCreated(data: unknown) {
	const outer = isRecord(data) ? data : {};
	const webhook = { ...outer, ...(omitBy(outer.webhook as IDataObject, isNil) as IDataObject) };
	return { id: readSubscription(webhook).id, secret: readSecret(webhook) };
}

/** The secret in the answer to a subscription; undefined where there is none, or only something in its place. */
export function readSecret({ secret }: IDataObject): string | undefined {
	const isMasked =
		/([*.•●#])\1\1|([_-])\2{5}|(^|[\W_])x{4}|x{6}|…|^(.)\4+$|^[[<({].*[\])}>]$|^\W*(hidden|masked|redacted|secret|none|null)\W*$/i.test(
			String(secret),
		);
	return isMasked ? undefined : text.parse(secret);
}

/** Guesses: row 4. */
export const deliveryFields = z.object({
	...each(id, 'event_id', 'eventId', 'webhook_id'),
	...each(text, 'status', 'event_type', 'eventType', 'type', 'last_error'),
	...each(time, 'occurred_at', 'created_at', 'updated_at', 'delivered_at'),
	attempts: lenient(z.number()),
	brand_id: z.unknown().optional(),
});

export function readDelivery(record: IDataObject) {
	const parts = [record.event, record.payload, record.body].map(objectIn);
	// Spec, "Events": without `data` it is no event, but a summary of one, or of another type what happened, such as a post.
	const event = parts.find((one) => one?.id && one.type && isRecord(one.data));
	const summary = event
		? undefined
		: parts.find((one) => one?.id && /\w\.\w/.test(text.parse(one.type) ?? ''));
	const named = event ?? summary;
	const read = deliveryFields.parse({
		...record,
		...pickBy(pick(summary, 'occurred_at', 'brand_id'), (_value, name) => isNil(record[name])),
	});
	const { status = 'unknown', created_at, updated_at, occurred_at } = read;
	// A time of delivery in any other state is a placeholder.
	const deliveredAt = status === 'delivered' ? read.delivered_at : undefined;
	return {
		/** Spec, "Webhook delivery": `pending`, `delivered`, `failed`, `dead_letter`; `unknown` where it has none. */
		status,
		eventId: id.parse(named?.id) ?? read.event_id ?? read.eventId,
		eventType:
			text.parse(named?.type) ?? read.event_type ?? read.eventType ?? text.parse(record.event) ?? read.type,
		event,
		/** What the record says of the event instead. */
		summary,
		/** When it was delivered, or last changed, or made, or its event happened, in ms. */
		at: firstTime(deliveredAt, updated_at, created_at, occurred_at, event?.occurred_at),
		/** When the event happened, as the service writes it. */
		occurredAt: occurred_at ?? created_at ?? undefined,
		/** Undefined where the record doesn't name it, null where it has none. */
		brandId: read.brand_id,
		lastError: read.last_error,
		attempts: read.attempts,
		webhookId: read.webhook_id,
	};
}

export type DeliveryRecord = ReturnType<typeof readDelivery>;

/** A record, also one that is written as JSON; none that n8n couldn't store. */
function objectIn(value: unknown): IDataObject | undefined {
	try {
		if (typeof value === 'string') return objectIn(JSON.parse(value));
		const isUsable = isRecord(value) && !isTooDeep(value);
		return isUsable ? (parseWithoutProto(JSON.stringify(value)) as IDataObject) : undefined;
	} catch {
		return undefined;
	}
}

const pendingStates =
	/pending|wait|open|review(?!ed)|partial|(?<!(not|changes).?)requ|undecided|in.?progress/i;
/** Whole words: 'unapproved' is undecided. */
const decidedStates =
	/^(approved|rejected|declined|denied|cancell?ed|expired|completed|closed|done|decided)$/i;

/** Guesses: row 2. */
export function readBatch(record: IDataObject) {
	const { items, posts, post_ids } = record;
	const list: unknown[] = [items, posts, post_ids].find((one) => Array.isArray(one)) ?? [];
	const all = list.map((one): IDataObject => {
		const said: IDataObject = isRecord(one) ? one : { id: one as string };
		// An entry of `items` has an ID of its own.
		return { ...said, id: id.parse(said.post_id ?? (list === items ? undefined : said.id)) };
	});
	const status = text.parse(record.status);
	// Of a batch that is decided in part, its status says nothing of an entry.
	const ofEach = (!/partial|progress/i.test(status ?? '') && status) || 'unknown';
	const stateOf = (one: IDataObject): string => statusText.parse(one.status) ?? ofEach;
	// Of a batch without a status, its items say.
	const states = status ? [status] : all.map(stateOf);
	const isDecided = states.length > 0 && states.every((one) => decidedStates.test(one));
	return {
		id: idIn(record),
		status,
		/** What it says of each post. */
		posts: all,
		/** Whether nobody has decided on it, or on a part of it; undefined where the record doesn't say. */
		isPending: states.some((one) => pendingStates.test(one)) || (isDecided ? false : undefined),
		pendingPostIds: filled(all.map((one) => pendingStates.test(stateOf(one)) && one.id)),
	};
}

/** Guesses: row 25. */
const inboxFields = z.object({
	id,
	...each(text, 'platform', 'text', 'type', 'kind'),
	...each(time, 'created_at', 'received_at'),
	author: lenient(z.union([z.string(), z.object({ name: text, username: text }).passthrough()])),
});

const inboxKinds = { comment: /comment/i, message: /message|dm\b/i };

export function readInboxItem(record: IDataObject) {
	const { author, platform, type, kind, ...read } = inboxFields.parse(record);
	const words = `${type} ${kind}`;
	return {
		id: read.id,
		/** As posts know it. */
		platform: platform && shownPlatform(platform),
		text: read.text,
		author: typeof author === 'object' ? (author.name ?? author.username) : author || undefined,
		kind: findKey(inboxKinds, (pattern) => pattern.test(words)) as keyof typeof inboxKinds | undefined,
		/** When it arrived, in ms. */
		at: timeIn(read.received_at ?? read.created_at),
	};
}
