import { createHash } from 'node:crypto';

import { chunk, compact, difference, intersectionBy, map, orderBy, partition } from 'lodash';
import type { IDataObject, IHookFunctions, IRun, ITriggerFunctions } from 'n8n-workflow';

import { eventOf, isTooOld, MAX_DELIVERY_MS } from '../api/deliveries';
import { serviceSays } from '../api/failure';
import { endedPosts, postEndOf, type RecoveredEvent } from '../api/postEnds';
import { readDelivery, timeIn } from '../api/records';
import { eventOptions } from '../shared/events';
import { failureIn, LIMIT_WINDOW_MS, type Connection, type IsLast } from './connection';
import { warn, warnOnce } from './log';
import { isAskedFor, lacksBrand, type Settings } from './settings';
import type { NodeState } from './state';
import { listDeliveries, type Ref, type Undelivered } from './subscription';
import type { EndAcceptance } from './tracker';

/** The states in which a delivery has not arrived, in the order in which it passes through them: none is missed. */
export const UNDELIVERED = ['pending', 'failed', 'dead_letter'];
/** How far back deliveries are read, since n8n's list has a bound; delivered ones, since n8n answers 200 while it starts. */
const FAILED_BACK_MS = 7 * 86_400_000;
const DELIVERED_BACK_MS = 86_400_000;
/** How often dead letters are read: each has been a failed delivery for 22 hours, which every check reads. */
const DEAD_LETTERS_EVERY_MS = 6 * 3_600_000;
/** How long an obsolete subscription stays that is delivering something; one that can't be read stays a day. */
const MAX_PENDING_MS = 5 * 60_000;
/** The part of n8n's list that may be used: new events push out the oldest meanwhile. */
const USABLE_SHARE = 0.9;
const MAX_EVENTS_PER_EXECUTION = 500;

/** A subscription whose deliveries can't be read. */
export interface Unread {
	ref: Ref;
	error: unknown;
}

/** Recovers what the service could not deliver (spec, "Delivery and retry rules"); `execute()` drops what came meanwhile. */
export class Recovery {
	/** When dead letters were last read; -Infinity: no recovery has succeeded, so all is read. */
	private deadLettersAt = -Infinity;
	/** Since when the deliveries of an obsolete subscription can't be read. */
	private unreadSince?: number;
	/** Since when an obsolete subscription has been delivering something. */
	private pendingSince?: number;
	/** The time of the oldest delivery that n8n's list can recognize, in ms. */
	private horizon = -Infinity;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly state: NodeState,
		private readonly settings: () => Settings,
	) {}

	/**
	 * Starts executions for the events that this process doesn't know, oldest first.
	 * @param guard throws once nothing may be started any more
	 * @returns the obsolete subscriptions that have to stay, since n8n has not stored their events yet; what went wrong
	 */
	async run(
		connection: Connection,
		guard: () => void,
		obsolete: Ref[],
	): Promise<{ held: Ref[]; error?: unknown }> {
		const { state } = this;
		const { mine } = state;
		const isFirst = this.deadLettersAt === -Infinity;
		const areDeadDue = performance.now() - this.deadLettersAt >= DEAD_LETTERS_EVERY_MS;
		const ofMine = areDeadDue ? ['failed', 'dead_letter'] : ['failed'];
		// Later ones this process saw itself.
		const delivered = isFirst ? ['delivered'] : [];
		const statesOf = (ref: Ref) => [...(ref === mine ? ofMine : UNDELIVERED), ...delivered];
		// A list may take more reads than a minute's: it goes on in the next one.
		const read = await readDeliveries(
			this.context,
			connection,
			compact([mine, ...obsolete]),
			statesOf,
			LIMIT_WINDOW_MS,
		);
		const deliveries = [...state.undelivered, ...read.deliveries];
		const pending = this.pendingOf(deliveries, obsolete);
		const named = difference(deliveries, pending).flatMap((one) => this.withEvent(one, one.ref !== mine));
		const found = this.recognizable(named, isFirst);
		const fromPosts = await this.fromPosts(connection, deliveries);
		guard();

		const waiting = found.filter(({ recovered }) => !state.tracker.isTaken(recovered.id));
		// Only they have it.
		state.undelivered = intersectionBy(state.undelivered, waiting, 'eventId');
		const ends = new Set(found.map(({ recovered }) => postEndOf(recovered)));
		this.emit([...map(found, 'recovered'), ...fromPosts.filter(({ id }) => !ends.has(id))]);
		if (read.unread.length === 0 && areDeadDue) this.deadLettersAt = performance.now();
		const unread = this.unreadIn(read.unread, obsolete, connection);
		return {
			held: [...map(unread, 'ref'), ...map([...waiting, ...pending], 'ref')],
			error: unread[0]?.error,
		};
	}

	/** The deliveries of obsolete subscriptions that may still arrive: for a while, they are left to the service. */
	private pendingOf(deliveries: Undelivered[], obsolete: Ref[]): Undelivered[] {
		const pending = deliveries.filter(({ status, ref }) => status === 'pending' && obsolete.includes(ref));
		this.pendingSince = pending.length > 0 ? (this.pendingSince ?? performance.now()) : undefined;
		return performance.now() - (this.pendingSince ?? Infinity) >= MAX_PENDING_MS ? [] : pending;
	}

	/** Obsolete subscriptions that can't be read stay for a day; where the key doesn't reach them, not at all. */
	private unreadIn(unread: Unread[], obsolete: Ref[], { workspaceId }: Connection): Unread[] {
		const isReachable = ({ ref, error }: Unread) =>
			ref.workspaceId === workspaceId || !serviceSays(error, 400, 403, 422);
		const [held, others] = partition(unread.filter(isReachable), ({ ref }) => obsolete.includes(ref));
		this.unreadSince = held.length > 0 ? (this.unreadSince ?? performance.now()) : undefined;
		const isOver = performance.now() - (this.unreadSince ?? Infinity) >= MAX_DELIVERY_MS;
		return isOver ? others : [...held, ...others];
	}

	private emit(events: RecoveredEvent[]): void {
		const { tracker } = this.state;
		const reserved = orderBy(events, ({ occurred_at }) => timeIn(occurred_at) ?? 0).flatMap((json) => {
			const end = tracker.reserve(json.id);
			return end ? [{ json, end }] : [];
		});
		for (const some of chunk(reserved, MAX_EVENTS_PER_EXECUTION)) {
			// With the address, since a copy of the workflow may have kept the node's ID.
			const content = [this.state.url, ...some.map(({ json }) => json.id).sort()].join('\n');
			const hash = createHash('sha256').update(content).digest('hex').slice(0, 32);
			// Unique among n8n's executions (2.20 and later), so that of two processes one starts it; for a minute, as it may die.
			const minute = new Date(Date.now()).toISOString().slice(0, 16);
			const key = `social-publishing:${this.context.getNode().id}:${minute}:${hash}`;
			this.context.emit([some.map(({ json }) => ({ json }))], undefined, this.follow(map(some, 'end')), key);
		}
	}

	/** A delivery with its event if that was asked for; logs what others lack. */
	private withEvent(delivery: Undelivered, isObsolete: boolean) {
		const settings = this.settings();
		const read = eventOf(delivery, isObsolete);
		const recovered = typeof read === 'object' && lacksBrand(read, settings) ? 'brand' : read;
		if (typeof recovered === 'object') {
			const type = String(recovered.type);
			const isKnown = [...map(eventOptions, 'value'), ...settings.events].includes(type);
			const left = `events of the type '${type}' in the service's delivery records are not recovered. If they should be, enter it in 'Additional Events'.`;
			if (!isKnown) warnOnce(this.context, left);
			return isAskedFor(recovered, settings) ? [{ ...delivery, recovered }] : [];
		}
		const hints = {
			'event ID': "Turn on 'Recover From Posts' to recover published, failed and canceled posts.",
			brand: "Clear 'Brand IDs' to recover them.",
			type: "Contact the service's support.",
		};
		const message = `missed events are not recovered where the service's delivery records have no ${recovered}. ${recovered && hints[recovered]}`;
		if (recovered && !(recovered === 'event ID' && settings.catchUpFromPosts))
			warnOnce(this.context, message);
		return [];
	}

	/** Those that n8n's list can recognize: at first the latest, after that none that is older than those were. */
	private recognizable<T extends Undelivered>(found: T[], isFirst: boolean): T[] {
		const most = Math.max(1, Math.floor(this.settings().rememberEvents * USABLE_SHARE));
		const time = ({ at }: Undelivered) => at ?? Date.now();
		const latest = orderBy(found, time, 'desc');
		if (isFirst && latest.length > most) this.horizon = time(latest[most - 1]!);
		const [recent, older] = partition(latest, (one) => time(one) >= this.horizon);
		const lost = older.filter(({ status }) => status !== 'delivered').length;
		const message = `${lost} undelivered events are older than the last ${most}, so n8n can't recognize whether they are new: they are not recovered. Raise 'Events to Remember'.`;
		if (lost > 0) warnOnce(this.context, message, Infinity, 'older than n8n recognizes');
		return recent.slice(0, isFirst ? most : undefined);
	}

	/** The ends of posts, where deliveries don't name what was missed; trouble with that holds nothing else up. */
	private async fromPosts({ list }: Connection, deliveries: Undelivered[]): Promise<RecoveredEvent[]> {
		const { context, state } = this;
		const settings = this.settings();
		const unnamed = deliveries.filter(({ eventId }) => eventId === undefined);
		const isDue = state.wasWithout || unnamed.length > 0;
		if (!settings.catchUpFromPosts || state.publishedAt === undefined || !isDue) return [];
		const isUndelivered = state.wasWithout || unnamed.some(({ status }) => status !== 'delivered');
		const since = Date.now() - (isUndelivered ? FAILED_BACK_MS : DELIVERED_BACK_MS);
		try {
			const found = await endedPosts(list, settings.events, Math.max(state.publishedAt, since));
			state.wasWithout = false;
			const unnamed = "posts whose record has no brand are not recovered. Clear 'Brand IDs' to recover them.";
			if (found.some((event) => lacksBrand(event, settings))) warnOnce(context, unnamed);
			return found.filter((event) => isAskedFor(event, settings));
		} catch (error) {
			warn(context, `could not read the posts: ${failureIn(error).message}`);
			return [];
		}
	}

	/** The outcome of the execution, from n8n. If it was not run, the next check reads all that the first one does. */
	private follow(ends: EndAcceptance[]): Parameters<ITriggerFunctions['emit']>[2] {
		const end: EndAcceptance = (outcome) => {
			if (outcome === 'failed') {
				this.deadLettersAt = -Infinity;
				this.state.wasWithout = true;
			}
			for (const each of ends) each(outcome);
		};
		// Asked for the outcome, n8n 1 leaves a failed start as an unhandled rejection, and Engine 2.0 of n8n 2.41 starts nothing.
		const { engineType } = (this.context as Partial<ITriggerFunctions>).getWorkflowSettings?.() ?? {};
		if (engineType === 'v2' || !canSaveFailedExecution(this.context)) return void end('taken');
		const done = this.context.helpers.createDeferredPromise<IRun>();
		// Undefined where n8n has an execution with that key, of another process: it may have died with that.
		void done.promise.catch(() => undefined).then((run) => end(run ? 'taken' : 'failed'));
		return done;
	}
}

/** Deliveries in some states that are not too old, and the subscriptions whose can't be read. */
export async function readDeliveries(
	context: IHookFunctions | ITriggerFunctions,
	connection: Connection,
	refs: Ref[],
	statesOf: (ref: Ref) => string[],
	withinMs?: number,
) {
	const read = { deliveries: [] as Undelivered[], unread: [] as Unread[] };
	for (const ref of refs)
		try {
			for (const status of statesOf(ref)) {
				const since = Date.now() - (status === 'delivered' ? DELIVERED_BACK_MS : FAILED_BACK_MS);
				const reading = (one: IDataObject) => ({ ref, ...readDelivery({ status, ...one }) });
				const isLast: IsLast = (page) => isTooOld(map(page.map(reading), 'at'), since);
				const list = await listDeliveries(connection, ref, status, { isLast, withinMs });
				// Gone: its other deliveries are, too.
				if (!list) break;
				const unfinished = `the service has more deliveries in the state '${status}' than could be read: the events of the others are not recovered`;
				if (list.hasMore) warnOnce(context, unfinished);
				read.deliveries.push(...list.records.map(reading).filter(({ at = since }) => at >= since));
			}
		} catch (error) {
			read.unread.push({ ref, error: failureIn(error) });
		}
	return read;
}

/** It came with n8n 2, and with it the outcome of an execution that could not be started. */
export const canSaveFailedExecution = (context: object): boolean => 'saveFailedExecution' in context;
