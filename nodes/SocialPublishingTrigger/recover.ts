import { createHash } from 'node:crypto';

import { chunk, compact, differenceBy, intersectionBy, map, orderBy } from 'lodash';
import type { IRun, ITriggerFunctions } from 'n8n-workflow';

import { eventOf } from '../api/deliveries';
import { serviceSays, type Failure } from '../api/failure';
import { endedPosts, postEndOf, type RecoveredEvent } from '../api/postEnds';
import { readDelivery, timeIn } from '../api/records';
import { failureIn, LIMIT_WINDOW_MS, type Connection } from './connection';
import { reasonOf, warn, warnOnce } from './log';
import { isAskedFor, type Settings } from './settings';
import type { NodeState } from './state';
import { listDeliveries, type Ref, type Undelivered } from './subscription';
import type { EndAcceptance } from './tracker';
import type { Work } from './work';

/** The states in which a delivery has not arrived, in the order in which it passes through them: none is missed. */
const UNDELIVERED = ['pending', 'failed', 'dead_letter'];
/** How far back deliveries are read, since n8n's list has a bound; delivered ones, since n8n answers 200 while it starts. */
const FAILED_BACK_MS = 7 * 86_400_000;
const DELIVERED_BACK_MS = 86_400_000;
/** Of a subscription in one state: a check has to end on the lowest plan, too. */
const MAX_DELIVERIES = 5_000;
/** … of those that arrived: what n8n had in hand as it died is among the latest. */
const MAX_DELIVERED = 2_000;
/** How often dead letters are read: each has been a failed delivery for 22 hours, which every check reads. */
const DEAD_LETTERS_EVERY_MS = 6 * 3_600_000;
const MAX_EVENTS_PER_EXECUTION = 500;
/** How long one request may take for what has to go at once. */
const KEEP_MS = 3_000;
const UNREAD = 'could not read whether the service had something left to deliver; if so, it is lost';

/** Recovers what the service could not deliver (spec, "Delivery and retry rules"); `execute()` drops what came meanwhile. */
export class Recovery {
	/** When dead letters were last read; -Infinity: no recovery has succeeded, so all is read. */
	private deadLettersAt = -Infinity;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly state: NodeState,
		private readonly settings: Settings,
	) {}

	/**
	 * Starts executions for the events that this process doesn't know, oldest first.
	 * @returns the obsolete subscriptions that may go: n8n has stored the events of these; what went wrong
	 */
	async run(work: Work, obsolete: Ref[]): Promise<{ going: Ref[]; error?: unknown }> {
		const { connection, state } = work;
		if (!this.settings.catchUp) return { going: obsolete };
		const { mine } = state;
		const isFirst = this.deadLettersAt === -Infinity;
		const areDeadDue = performance.now() - this.deadLettersAt >= DEAD_LETTERS_EVERY_MS;
		const ofMine = areDeadDue ? ['failed', 'dead_letter'] : ['failed'];
		// Later ones this process saw itself.
		const delivered = isFirst ? ['delivered'] : [];
		const statesOf = (ref: Ref) => [...(ref === mine ? ofMine : UNDELIVERED), ...delivered];
		const refs = compact([mine, ...obsolete]);
		// A list may take more reads than a minute's: it goes on in the next one.
		const read = await readDeliveries(work, refs, statesOf, LIMIT_WINDOW_MS);
		const deliveries = [...state.undelivered, ...read.deliveries];
		const found = deliveries.flatMap((one) => this.withEvent(one));
		const fromPosts = await this.fromPosts(connection, deliveries);
		connection.guard?.();

		const waiting = found.filter(({ recovered }) => !state.tracker.isTaken(recovered.id));
		// Only they have it.
		state.undelivered = intersectionBy(state.undelivered, waiting, 'eventId');
		const ends = new Set(found.map(({ recovered }) => postEndOf(recovered)));
		this.emit([...map(found, 'recovered'), ...fromPosts.filter(({ id }) => !ends.has(id))]);
		if (read.unread.length === 0 && areDeadDue) this.deadLettersAt = performance.now();
		// Those of an obsolete subscription that the key may not read are given up.
		const unread = read.unread.filter(({ ref, error }) => ref === mine || !serviceSays(error, 400, 403, 422));
		const held = map([...unread, ...waiting], 'ref');
		return { going: differenceBy(obsolete, held, 'webhookId'), error: unread[0]?.error };
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

	/** A delivery with its event, if that was asked for and the service no longer sends it itself. */
	private withEvent(delivery: Undelivered) {
		const recovered = eventOf(delivery, delivery.ref !== this.state.mine);
		return recovered && isAskedFor(recovered, this.settings) ? [{ ...delivery, recovered }] : [];
	}

	/** The ends of posts, where deliveries don't name what was missed; trouble with that holds nothing else up. */
	private async fromPosts({ list }: Connection, deliveries: Undelivered[]): Promise<RecoveredEvent[]> {
		const { context, state, settings } = this;
		const isUnnamed = deliveries.some((one) => one.eventId === undefined && one.status !== 'delivered');
		if (!settings.catchUpFromPosts || !(state.wasWithout || isUnnamed)) return [];
		const since = Math.max(state.publishedAt ?? Date.now(), Date.now() - FAILED_BACK_MS);
		try {
			const found = await endedPosts(list, settings.events, since);
			state.wasWithout = false;
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
		const workflow = (this.context as Partial<ITriggerFunctions>).getWorkflowSettings?.();
		if (workflow?.engineType === 'v2' || !canSaveFailedExecution(this.context)) return void end('taken');
		const done = this.context.helpers.createDeferredPromise<IRun>();
		// Undefined where n8n has an execution with that key, of another process: it may have died with that.
		void done.promise.catch(() => undefined).then((run) => end(run ? 'taken' : 'failed'));
		return done;
	}
}

/** Before anything can be emitted, reads what subscriptions had not delivered that have to go at once: a check passes it on. */
export async function keepUndelivered(work: Work, refs: Ref[]): Promise<void> {
	const { context, connection, state, settings } = work;
	if (state.isTest || !settings.catchUp) return;
	const { deliveries, unread } = await readDeliveries(work, refs, () => UNDELIVERED, KEEP_MS);
	state.undelivered.push(...deliveries);
	const trouble = unread[0]?.error;
	// A check comes again.
	if (trouble && connection.guard) throw trouble;
	if (trouble) warn(context, UNREAD, reasonOf(trouble));
}

/** Deliveries in some states that are not too old, and the subscriptions whose can't be read. */
async function readDeliveries(
	{ context, connection, settings }: Work,
	refs: Ref[],
	statesOf: (ref: Ref) => string[],
	withinMs: number,
) {
	const read = { deliveries: [] as Undelivered[], unread: [] as Array<{ ref: Ref; error: Failure }> };
	for (const ref of refs)
		try {
			for (const status of statesOf(ref)) {
				const isDelivered = status === 'delivered';
				const most = isDelivered ? MAX_DELIVERED : MAX_DELIVERIES;
				const list = await listDeliveries(connection, ref, status, { most, withinMs });
				// Gone: its other deliveries are, too.
				if (!list) break;
				const since = Date.now() - (isDelivered ? DELIVERED_BACK_MS : FAILED_BACK_MS);
				const records = list.records.map((one) => readDelivery({ status, ...one }));
				const recent = records.map(({ at = Date.now(), ...one }) => ({ ...one, ref, at }));
				const latest = orderBy(recent, 'at', 'desc').filter(({ at }) => at >= since);
				// Of more, n8n's list could not recognize whether they are new.
				const known = latest.slice(0, settings.rememberEvents);
				const unfinished = `the service has more deliveries in the state '${status}' than can be recovered: only the latest are. Raise 'Events to Remember' if it is lower than ${MAX_DELIVERIES}.`;
				if (!isDelivered && (list.hasMore || latest.length > known.length)) warnOnce(context, unfinished);
				read.deliveries.push(...known);
			}
		} catch (error) {
			read.unread.push({ ref, error: failureIn(error) });
		}
	return read;
}

/** It came with n8n 2, and with it the outcome of an execution that could not be started. */
export const canSaveFailedExecution = (context: object): boolean => 'saveFailedExecution' in context;
