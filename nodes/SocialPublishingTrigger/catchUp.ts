import { createHash } from 'node:crypto';

import chunk from 'lodash/chunk';
import orderBy from 'lodash/orderBy';
import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';

import { hasStatus, type Connection } from './connection';
import type { Acceptance, Outcome } from './dedupe';
import { reasonOf, warn, warnOnce } from './log';
import {
	deliveriesOf,
	deliveryTime,
	eachOnce,
	endedPosts,
	eventOf,
	postEndOf,
	type DeliveryStatus,
	type MissedEvent,
	type Trouble,
} from './missedEvents';
import type { SubscriptionRef } from './reconcile';
import { isAskedFor, settingsOf, type Settings } from './settings';
import { stateIn } from './state';

const HOUR = 60 * 60_000;
/** How far back deliveries are looked at that the service counts as made, in ms: n8n itself answers 200 while it starts. */
const DELIVERED_BACK_MS = 24 * HOUR;
/** … and those that it gave up or still tries: n8n's list of processed events, which tells them, has a bound. */
const FAILED_BACK_MS = 7 * 24 * HOUR;
/** How often dead letters are read, in ms: each has been a failed delivery for 22 hours, which every check reads. */
const DEAD_LETTERS_EVERY_MS = 6 * HOUR;
/** Part of n8n's list that may be asked for: meanwhile new events push out the oldest. */
const ASKED_FOR = 0.9;
/** Most events of one execution. */
const MOST_EVENTS = 500;

interface Subscriptions {
	current: SubscriptionRef;
	/** Those that are about to be deleted. */
	obsolete: SubscriptionRef[];
	/** Whether the service may have had none for a while, and so sent to nobody. */
	wasGone: boolean;
}

interface Found {
	events: MissedEvent[];
	/** Whose deliveries could not be read, and why. */
	unread: Array<{ ref: SubscriptionRef; error: unknown }>;
}

/**
 * Hands on what the service could not deliver (spec, "Delivery and retry rules"). In the execution `execute()` asks
 * n8n's list for each event, as it does for every other: what came through the webhook stops there.
 */
export class CatchUp {
	/** What the service counts as delivered is looked at until it was handed on: after that this process knows what it takes. */
	private isFirst = true;

	/** When dead letters were last read, in ms. */
	private deadLettersAt = 0;

	/** The time of the oldest delivery that n8n's list can tell, in ms. */
	private horizon = -Infinity;

	/** The deliveries that named no event when the posts were last looked at. */
	private unnamedBefore?: string;

	constructor(private readonly context: ITriggerFunctions) {}

	/** The events that this process does not know, oldest first. */
	async read(connection: Connection, { current, obsolete, wasGone }: Subscriptions): Promise<Found> {
		const settings = settingsOf(this.context);
		const now = Date.now();
		const withDeadLetters = this.isFirst || Math.abs(now - this.deadLettersAt) >= DEAD_LETTERS_EVERY_MS;
		const deliveries: IDataObject[] = [];
		const unread: Found['unread'] = [];
		for (const ref of [current, ...obsolete])
			try {
				if (withDeadLetters || ref !== current)
					deliveries.push(...(await recent(connection, ref, 'dead_letter')));
				deliveries.push(...(await recent(connection, ref, 'failed')));
				if (this.isFirst) deliveries.push(...(await recent(connection, ref, 'delivered')));
			} catch (error) {
				unread.push({ ref, error });
			}
		if (withDeadLetters && unread.length === 0) this.deadLettersAt = now;
		const named = this.newEnough(this.named(deliveries, settings), settings);
		const unnamed = deliveries.filter((one) => typeof eventOf(one) === 'string');
		const fromPosts = settings.catchUpFromPosts
			? await this.fromPosts(connection, settings, unnamed, wasGone)
			: [];
		const ends = new Set(named.map(postEndOf));
		return { events: eachOnce([...named, ...fromPosts.filter(({ id }) => !ends.has(id))]), unread };
	}

	/** Starts executions for the events, unless there is nothing to hand on. */
	emit({ events, unread }: Found): void {
		const { tracker } = stateIn(this.context);
		const wasFirst = this.isFirst;
		if (unread.length === 0) this.isFirst = false;
		const reserved = events.flatMap((event) => {
			const acceptance = tracker.reserve(event.id);
			return acceptance ? [{ event, acceptance }] : [];
		});
		for (const some of chunk(reserved, MOST_EVENTS)) {
			const items = some.map(({ event }) => ({ json: event }));
			const accepted = some.map(({ acceptance }) => acceptance);
			const key = this.keyOf(some.map(({ event }) => event.id));
			this.context.emit([items], undefined, this.follow(accepted, wasFirst), key);
		}
	}

	/** Deliveries with the events that they hold, as far as they were asked for; says why others hold none. */
	private named(deliveries: IDataObject[], settings: Settings): Named[] {
		return deliveries.flatMap((delivery) => {
			const event = eventOf(delivery);
			if (typeof event === 'string') {
				this.tell(event, settings);
				return [];
			}
			if (settings.brandIds.length > 0 && !('brand_id' in event)) this.tell('no brand', settings);
			return isAskedFor(event, settings) ? [{ event, delivery, time: deliveryTime(delivery) }] : [];
		});
	}

	/** Those that n8n's list can tell: at first the latest, after that whatever is not older than those were. */
	private newEnough(named: Named[], { rememberEvents }: Settings): MissedEvent[] {
		const most = Math.max(1, Math.floor(rememberEvents * ASKED_FOR));
		const latest = orderBy(named, 'time', 'desc');
		if (this.isFirst && latest.length > most) this.horizon = latest[most - 1]!.time;
		const older = latest.filter(({ time }) => time < this.horizon);
		const left = older.filter(({ delivery }) => delivery.status !== 'delivered').length;
		if (left > 0)
			warnOnce(
				this.context,
				`${left} undelivered events are older than the last ${most}, so n8n can't tell whether they are new: they are not recovered. Raise 'Events to Remember'.`,
			);
		const known = latest.slice(0, latest.length - older.length);
		return known.slice(0, this.isFirst ? most : undefined).map(({ event }) => event);
	}

	/** The ends of posts, where deliveries can't tell what was missed; a trouble with that keeps nothing else from being done. */
	private async fromPosts(
		{ get }: Connection,
		settings: Settings,
		unnamed: IDataObject[],
		wasGone: boolean,
	): Promise<MissedEvent[]> {
		const { publishedAt } = stateIn(this.context).subscription;
		const now = JSON.stringify(unnamed);
		const isNews = wasGone || (unnamed.length > 0 && now !== this.unnamedBefore);
		if (publishedAt === undefined || !isNews) return [];
		const isUndelivered = unnamed.some(({ status }) => status !== 'delivered');
		const back = Date.now() - (wasGone || isUndelivered ? FAILED_BACK_MS : DELIVERED_BACK_MS);
		try {
			const found = await endedPosts(get, settings.events, Math.max(publishedAt, back));
			this.unnamedBefore = now;
			return found.filter((event) => isAskedFor(event, settings));
		} catch (error) {
			warn(this.context, `could not read the posts: ${reasonOf(error).reason}`);
			return [];
		}
	}

	/** What n8n tells of the execution. If it was not run, the next check tries again, as the first one does. */
	private follow(accepted: Acceptance[], wasFirst: boolean): Done {
		const end = (outcome: Outcome) => {
			if (outcome === 'failed') this.isFirst ||= wasFirst;
			for (const acceptance of accepted) acceptance.end(outcome);
		};
		// n8n 1 leaves a failed start as an unhandled rejection where it is asked to tell: the next start makes up for it.
		if (!canTell(this.context)) return void end('taken');
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
	 * later). Not for longer than that: an execution that died before it asked for its events has to be made up for.
	 */
	private keyOf(eventIds: string[]): string {
		const ids = JSON.stringify([...eventIds].sort());
		const hash = createHash('sha256').update(ids).digest('hex');
		const minute = new Date(Date.now()).toISOString().slice(0, 16);
		return `social-publishing:${this.context.getNode().id}:${minute}:${hash.slice(0, 32)}`;
	}

	/** Says why a delivery is not handed on. */
	private tell(trouble: Trouble | 'no brand', { catchUpFromPosts }: Settings): void {
		// The service sends it again, whole, or the posts tell.
		if (trouble === 'no payload yet' || (trouble === 'no event ID' && catchUpFromPosts)) return;
		warnOnce(
			this.context,
			trouble === 'no event ID'
				? "the service's delivery records don't name their events, so missed ones are not recovered. Turn on 'Recover From Posts' to recover how posts ended."
				: `missed events are not recovered where the service's delivery records show ${trouble}`,
		);
	}
}

/** A delivery, the event that it holds, and when it was made, in ms. */
interface Named {
	event: MissedEvent;
	delivery: IDataObject;
	time: number;
}

type Done = Parameters<ITriggerFunctions['emit']>[2];

/** The deliveries in one state that are not too old. */
async function recent(
	{ get }: Connection,
	ref: SubscriptionRef,
	status: DeliveryStatus,
): Promise<IDataObject[]> {
	const since = Date.now() - (status === 'delivered' ? DELIVERED_BACK_MS : FAILED_BACK_MS);
	const all = await deliveriesOf(get, ref, status).catch((error: unknown) => {
		// Gone since it was listed.
		if (hasStatus(error, 404)) return [];
		throw error;
	});
	return all.filter((one) => deliveryTime(one) >= since);
}

/** `saveFailedExecution` came with n8n 2, and with it the outcome of a start that failed. */
export const canTell = (context: ITriggerFunctions): boolean =>
	typeof (context as Partial<ITriggerFunctions>).saveFailedExecution === 'function';
