import { createHash } from 'node:crypto';

import chunk from 'lodash/chunk';
import isNil from 'lodash/isNil';
import omitBy from 'lodash/omitBy';
import orderBy from 'lodash/orderBy';
import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';

import { limits, listNames } from '../api/contract';
import { isRecord, records } from '../api/lists';
import { posts } from '../api/postRange';
import { readDelivery, readPost, timeIn, type Delivery } from '../api/records';
import { hasStatus, type Connection, type Get } from './connection';
import { reasonOf, warn, warnOnce } from './log';
import type { Left } from './reconcile';
import { isAskedFor, settingsOf, type Settings } from './settings';
import { stateIn } from './state';
import { deliveriesPath, type Ref } from './subscription';
import type { Acceptance, Outcome } from './tracker';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** How far back delivered events are read: n8n itself answers 200 while it starts. */
const DELIVERED_BACK_MS = DAY_MS;
/** How far back undelivered events are read: n8n's list of processed events, which tells them apart, has a bound. */
const FAILED_BACK_MS = 7 * DAY_MS;
/** How often dead letters are read: each has been a failed delivery for 22 hours, which every check reads. */
const DEAD_LETTERS_EVERY_MS = 6 * HOUR_MS;
/** How long an obsolete subscription stays whose deliveries can't be read: the service gives up after 22 h. */
const MAX_HOLD_MS = DAY_MS;
/** The part of n8n's list that may be used: new events push out the oldest meanwhile. */
const USABLE_SHARE = 0.9;
const MAX_EVENTS_PER_EXECUTION = 500;
/** In each state, the newest: a service of the lowest plan answers 60 reads a minute. */
const MAX_POSTS = 10 * limits.postsPerRequest;

/** An event as it is recovered: marked, with what became of its delivery. */
type RecoveredEvent = IDataObject & { id: string; recovered: true };

/** What the service has of a delivery, and of which subscription. */
type Found = Delivery & { ref: Ref; event: RecoveredEvent };

/** Which subscriptions are looked at. */
interface Scope {
	/** Undefined where the obsolete ones have to go first. */
	current?: Ref;
	obsolete: Ref[];
	/** Whether the service may have had none for a while, and so delivered nothing. */
	wasGone: boolean;
}

/**
 * Recovers what the service could not deliver (spec, "Delivery and retry rules"). In the execution, `execute()` asks n8n's
 * list for each event, as for every other: what came through the webhook stops there.
 */
export class Recovery {
	/** Reads delivered events only until the first recovery succeeds; later ones this process saw itself. */
	private isFirst = true;

	private deadLettersAt = -Infinity;

	/** Since when the deliveries of an obsolete subscription can't be read. */
	private unreadSince?: number;

	/** The time of the oldest delivery that n8n's list can recognize, in ms. */
	private horizon = -Infinity;

	/** The deliveries that named no event when the posts were last read. */
	private unnamedBefore?: string;

	constructor(private readonly context: ITriggerFunctions) {}

	/**
	 * Starts executions for the events that this process doesn't know, oldest first.
	 * @param isStale whether nothing may be started any more
	 * @returns what could not be read; and the obsolete subscriptions whose events n8n has not stored yet
	 */
	async run(connection: Connection, scope: Scope, isStale: () => boolean): Promise<Left[]> {
		const settings = settingsOf(this.context);
		const { current, obsolete } = scope;
		const withDeadLetters = this.isFirst || performance.now() - this.deadLettersAt >= DEAD_LETTERS_EVERY_MS;
		const deliveries: Array<Delivery & { ref: Ref; record: IDataObject }> = [];
		const unread: Left[] = [];
		for (const ref of [...(current ? [current] : []), ...obsolete])
			try {
				if (withDeadLetters || ref !== current)
					deliveries.push(...(await recent(connection, ref, 'dead_letter')));
				deliveries.push(...(await recent(connection, ref, 'failed')));
				if (this.isFirst) deliveries.push(...(await recent(connection, ref, 'delivered')));
			} catch (error) {
				unread.push({ ref, error });
			}
		const found = this.recognizable(
			deliveries.flatMap((one) => this.found(one, settings)),
			settings,
		);
		const unnamed = deliveries.filter((one) => one.eventId === undefined);
		const fromPosts = settings.catchUpFromPosts
			? await this.fromPosts(connection, settings, unnamed, scope.wasGone)
			: [];
		if (isStale()) return obsolete.map((ref) => ({ ref }));

		if (withDeadLetters && unread.length === 0) this.deadLettersAt = performance.now();
		const { tracker } = stateIn(this.context);
		const waiting = obsolete.filter((ref) =>
			found.some((one) => one.ref === ref && !tracker.isTaken(one.event.id)),
		);
		const ends = new Set(found.map(({ event }) => postEndOf(event)));
		this.emit([...found.map(({ event }) => event), ...fromPosts.filter(({ id }) => !ends.has(id))]);
		if (unread.length === 0) this.isFirst = false;
		return [...this.hold(unread, current, connection), ...waiting.map((ref) => ({ ref }))];
	}

	/** Obsolete subscriptions that can't be read stay for a day; where the key doesn't reach them, not at all. */
	private hold(unread: Left[], current: Ref | undefined, { workspaceId }: Connection): Left[] {
		const left = unread.filter(({ ref, error }) => ref.workspaceId === workspaceId || !hasStatus(error, 403));
		const isObsolete = ({ ref }: Left) => ref !== current;
		this.unreadSince = left.some(isObsolete) ? (this.unreadSince ?? performance.now()) : undefined;
		const isOver = performance.now() - (this.unreadSince ?? Infinity) >= MAX_HOLD_MS;
		return left.filter((one) => !isOver || !isObsolete(one));
	}

	private emit(events: RecoveredEvent[]): void {
		const { tracker } = stateIn(this.context);
		const wasFirst = this.isFirst;
		const byId = new Map(events.map((event) => [event.id, event]));
		const time = ({ occurred_at }: RecoveredEvent) => timeIn(occurred_at) ?? 0;
		const reserved = orderBy([...byId.values()], time).flatMap((event) => {
			const acceptance = tracker.reserve(event.id);
			return acceptance ? [{ event, acceptance }] : [];
		});
		for (const some of chunk(reserved, MAX_EVENTS_PER_EXECUTION)) {
			const items = some.map(({ event }) => ({ json: event }));
			const done = this.follow(
				some.map(({ acceptance }) => acceptance),
				wasFirst,
			);
			this.context.emit([items], undefined, done, this.keyOf(some.map(({ event }) => event.id)));
		}
	}

	/** The event of a delivery if it was asked for; logs why others hold none. */
	private found(delivery: Delivery & { ref: Ref; record: IDataObject }, settings: Settings): Found[] {
		const event = eventOf(delivery);
		const isUnknown = settings.brandIds.length > 0 && typeof event !== 'string' && !('brand_id' in event);
		const trouble = typeof event === 'string' ? event : isUnknown ? 'no brand' : undefined;
		// Without the payload, the service sends it again, whole; without an ID, the posts have it.
		const isFine = trouble === 'no payload yet' || (trouble === 'no event ID' && settings.catchUpFromPosts);
		if (trouble && !isFine)
			warnOnce(
				this.context,
				trouble === 'no event ID'
					? "the service's delivery records don't name their events, so missed ones are not recovered. Turn on 'Recover From Posts' to recover how posts ended."
					: `missed events are not recovered where the service's delivery records have ${trouble}`,
			);
		return typeof event !== 'string' && isAskedFor(event, settings) ? [{ ...delivery, event }] : [];
	}

	/** Those that n8n's list can recognize: at first the latest, after that none that is older than those were. */
	private recognizable(found: Found[], { rememberEvents }: Settings): Found[] {
		const most = Math.max(1, Math.floor(rememberEvents * USABLE_SHARE));
		const time = ({ at }: Found) => at ?? Date.now();
		const latest = orderBy(found, time, 'desc');
		if (this.isFirst && latest.length > most) this.horizon = time(latest[most - 1]!);
		const recent = latest.filter((one) => time(one) >= this.horizon);
		const lost = latest.slice(recent.length).filter(({ status }) => status !== 'delivered').length;
		if (lost > 0)
			warnOnce(
				this.context,
				`${lost} undelivered events are older than the last ${most}, so n8n can't recognize whether they are new: they are not recovered. Raise 'Events to Remember'.`,
			);
		return recent.slice(0, this.isFirst ? most : undefined);
	}

	/** The ends of posts, where deliveries don't name what was missed; trouble with that holds nothing else up. */
	private async fromPosts(
		{ get }: Connection,
		settings: Settings,
		unnamed: Array<Delivery & { record: IDataObject }>,
		wasGone: boolean,
	): Promise<RecoveredEvent[]> {
		const { publishedAt } = stateIn(this.context).stored;
		const now = JSON.stringify(unnamed.map(({ record }) => record));
		const isNews = wasGone || (unnamed.length > 0 && now !== this.unnamedBefore);
		if (publishedAt === undefined || !isNews) return [];
		const isUndelivered = wasGone || unnamed.some(({ status }) => status !== 'delivered');
		const since = Date.now() - (isUndelivered ? FAILED_BACK_MS : DELIVERED_BACK_MS);
		try {
			const found = await endedPosts(get, settings.events, Math.max(publishedAt, since));
			this.unnamedBefore = now;
			return found.filter((event) => isAskedFor(event, settings));
		} catch (error) {
			warn(this.context, `could not read the posts: ${reasonOf(error).reason}`);
			return [];
		}
	}

	/** The outcome of the execution, from n8n. If it was not run, the next check tries again, as the first one does. */
	private follow(accepted: Acceptance[], wasFirst: boolean): Parameters<ITriggerFunctions['emit']>[2] {
		const end = (outcome: Outcome) => {
			if (outcome === 'failed') this.isFirst ||= wasFirst;
			for (const acceptance of accepted) acceptance.end(outcome);
		};
		// n8n 1 leaves a failed start as an unhandled rejection if it is asked for the outcome: the next start makes up for it.
		if (!canSaveFailedExecution(this.context)) return void end('taken');
		const done = this.context.helpers.createDeferredPromise<IRun>();
		done.promise.then(
			// Nothing where n8n has an execution with that key, of another process: it may have died with that.
			(run: IRun | undefined) => end(run ? 'taken' : 'failed'),
			() => end('failed'),
		);
		return done;
	}

	/**
	 * Two processes that check at the same moment start one execution: the key is unique among n8n's executions (2.20 and
	 * later). Not for longer than a minute: an execution that died before it claimed its events has to be made up for.
	 */
	private keyOf(eventIds: string[]): string {
		const ids = JSON.stringify([...eventIds].sort());
		const hash = createHash('sha256').update(ids).digest('hex').slice(0, 32);
		const minute = new Date(Date.now()).toISOString().slice(0, 16);
		return `social-publishing:${this.context.getNode().id}:${minute}:${hash}`;
	}
}

/** The deliveries of a subscription in one state (spec: `GET /webhooks/{id}/deliveries`); none of one that is gone. */
export async function deliveriesIn({ get }: Connection, ref: Ref, status: string): Promise<IDataObject[]> {
	const { webhookId, workspaceId } = ref;
	const request = { path: deliveriesPath(webhookId), qs: { status }, workspaceId };
	const data = await get({ ...request, expects: { list: listNames.deliveries } }).catch((error: unknown) => {
		if (hasStatus(error, 404)) return [];
		throw error;
	});
	return records(data, listNames.deliveries).map((record) => ({ status, ...record }));
}

/** Those that are not too old. */
async function recent(connection: Connection, ref: Ref, status: string) {
	const since = Date.now() - (status === 'delivered' ? DELIVERED_BACK_MS : FAILED_BACK_MS);
	return (await deliveriesIn(connection, ref, status))
		.map((record) => ({ ...readDelivery(record), ref, record }))
		.filter(({ at = since }) => at >= since);
}

/**
 * The event of a delivery, or why it can't be recovered. A record that names the event but doesn't hold it is used once the
 * service has given up: until then the whole one may come.
 */
export function eventOf({ event, brandId, ...delivery }: Delivery): RecoveredEvent | string {
	const { status, eventId: id, eventType: type, occurredAt, attempts, lastError, webhookId } = delivery;
	if (id === undefined) return 'no event ID';
	if (!event && (status === 'failed' || status === 'pending')) return 'no payload yet';
	if (type === undefined) return 'no type';
	const brand = brandId === undefined ? {} : { brand_id: brandId as null };
	const known = event ?? { type, occurred_at: occurredAt ?? null, ...brand };
	const became = { status, attempts, last_error: lastError, webhook_id: webhookId };
	return { ...known, id, recovered: true, delivery: omitBy(became, isNil) };
}

/** Spec, "Post status": the states that end a post, each with its event. A post ends once, so it has one of them. */
const endStates: ReadonlyMap<unknown, string> = new Map([
	['post.published', 'completed'],
	['post.failed', 'failed'],
	['post.canceled', 'canceled'],
]);

/** The ID of the event that is made from the post whose end an event is about; undefined for any other event. */
export function postEndOf({ type, data }: IDataObject): string | undefined {
	const postId = isRecord(data) ? data.post_id : undefined;
	return endStates.has(type) && typeof postId === 'string' && postId !== ''
		? `${String(type)}:${postId}`
		: undefined;
}

/**
 * Spec, "Delivery and retry rules" 4: "the receiver reconciles by re-fetching the resource". The events of posts that ended.
 * @param since in ms; a post without a time of its end counts by the time that the service lists it under
 */
export async function endedPosts(
	get: Get,
	types: readonly string[],
	since: number,
): Promise<RecoveredEvent[]> {
	const found: RecoveredEvent[] = [];
	for (const type of types) {
		const status = endStates.get(type);
		if (status === undefined) continue;
		const ask = async (range: IDataObject) =>
			records(await get({ path: '/posts', qs: { ...range, status } }), listNames.posts);
		const range = { from: new Date(since).toISOString() };
		for (const record of await posts(ask, range, Date.now(), MAX_POSTS)) {
			const post = readPost(record);
			if (post.id === undefined || post.status !== status || (timeIn(post.endedAt) ?? since) < since)
				continue;
			const { provider_post_id, workspace_id = null, brand_id = null } = record;
			found.push({
				id: `${type}:${post.id}`,
				type,
				occurred_at: post.endedAt ?? null,
				workspace_id,
				brand_id,
				data: { post_id: post.id, status, ...(provider_post_id === undefined ? {} : { provider_post_id }) },
				recovered: true,
				recovered_from: 'post',
			});
		}
	}
	return found;
}

/** It came with n8n 2, and with it the outcome of an execution that could not be started. */
export const canSaveFailedExecution = (context: ITriggerFunctions): boolean =>
	typeof (context as Partial<ITriggerFunctions>).saveFailedExecution === 'function';
