import { createHash } from 'node:crypto';

import type { IDataObject, INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';

import type { Client } from '../api/client';
import { Failure } from '../api/errors';
import {
	deliveriesOf,
	eachOnce,
	missedEvent,
	type DeliveryStatus,
	type MissedEvent,
} from '../shared/missedEvents';
import { isAskedFor } from './filter';
import { stateIn } from './nodeState';
import { endedPosts, postEndOf } from './postEnds';
import { eventsOf, readOptions } from './settings';
import type { Acceptance, Outcome } from './tracker';

const DAY = 24 * 60 * 60_000;
/** How far back deliveries are looked at that the service counts as made, in ms: n8n itself answers 200 while it starts. */
const DELIVERED_BACK = DAY;
/** … and those that it gave up or still tries: n8n's list of processed values, which tells them, has a bound. */
const FAILED_BACK = 7 * DAY;
/** Most events of one execution; the others wait for the next look. */
const MOST_EVENTS = 500;
/** How long one read is tried again, in ms. */
const PATIENCE = 5_000;

/**
 * Hands on what the service could not deliver (spec, "Delivery and retry rules"), as one execution. In it `execute()`
 * asks n8n's list for each event, as it does for every other: what came through the webhook stops there.
 */
export class CatchUp {
	/** What the service counts as delivered is looked at until it was handed on: after that this process knows what it takes. */
	private isFirst = true;

	constructor(private readonly context: ITriggerFunctions) {}

	/** The deliveries that named no event when the posts were last looked at. */
	private unnamedBefore = '';

	/**
	 * The events of these webhooks that this process does not know, oldest first.
	 * @param wasGone whether the service may have had no subscription for a while, and so sent to nobody
	 */
	async read(client: Client, webhookIds: string[], wasGone: boolean): Promise<MissedEvent[]> {
		const { workspaceId, catchUpFromPosts } = this.settings;
		const get: Get = async (request: { path: string; qs?: IDataObject }) =>
			(
				await client.send(
					{ method: 'GET', ...request, ...(workspaceId ? { workspaceId } : {}) },
					{ until: Date.now() + PATIENCE },
				)
			).data;
		const statuses: DeliveryStatus[] = this.isFirst
			? ['dead_letter', 'failed', 'delivered']
			: ['dead_letter', 'failed'];
		const deliveries: IDataObject[] = [];
		for (const id of webhookIds)
			for (const status of statuses) deliveries.push(...(await this.recent(get, id, status)));
		const named = deliveries.map(missedEvent).filter((event) => event !== undefined);
		const unnamed = deliveries.filter((delivery) => !missedEvent(delivery));
		const fromPosts = catchUpFromPosts ? await this.fromPosts(get, unnamed, wasGone) : [];
		const ends = new Set(named.map(postEndOf));
		const all = [...named, ...fromPosts.filter(({ id }) => !ends.has(id))];
		return eachOnce(all.filter((event) => isAskedFor(event, this.events, this.settings)));
	}

	/** The ends of posts, where deliveries can't tell what was missed; a trouble with that keeps nothing else from being done. */
	private async fromPosts(get: Get, unnamed: IDataObject[], wasGone: boolean): Promise<MissedEvent[]> {
		const { publishedAt } = stateIn(this.context).subscription;
		const now = JSON.stringify(unnamed);
		const isNews = wasGone || (unnamed.length > 0 && now !== this.unnamedBefore);
		if (publishedAt === undefined || !isNews) return [];
		const isUndelivered = unnamed.some(({ status }) => status !== 'delivered');
		const back = Date.now() - (wasGone || isUndelivered ? FAILED_BACK : DELIVERED_BACK);
		try {
			const found = await endedPosts(get, eventsOf(this.events, this.settings), Math.max(publishedAt, back));
			this.unnamedBefore = now;
			return found;
		} catch (error) {
			const { name } = this.context.getNode();
			this.context.logger.warn(`${name}: could not read the posts: ${(error as Error).message}`);
			return [];
		}
	}

	/** Starts an execution for those events, unless there is nothing to hand on. */
	emit(events: MissedEvent[]): void {
		const { tracker } = stateIn(this.context);
		const items: INodeExecutionData[] = [];
		const accepted: Acceptance[] = [];
		let isAll = true;
		for (const json of events) {
			if (items.length === MOST_EVENTS) {
				isAll = false;
				break;
			}
			const acceptance = tracker.begin(json.id);
			if (!acceptance) continue;
			accepted.push(acceptance);
			items.push({ json });
		}
		const wasFirst = this.isFirst;
		this.isFirst &&= !isAll;
		if (items.length === 0) return;
		this.context.emit([items], undefined, this.follow(accepted, wasFirst), this.keyOf(items));
	}

	/** What n8n tells of the execution. If it was not run, the next look tries again, as the first one does. */
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
	 * Two processes that look at the same moment start one execution: the key is unique among n8n's executions (2.20 and
	 * later). Not for longer than that: an execution that died before it asked for its events has to be made up for.
	 */
	private keyOf(items: INodeExecutionData[]): string {
		const ids = items.map(({ json }) => json.id).sort();
		const hash = createHash('sha256').update(JSON.stringify(ids)).digest('hex');
		const minute = new Date(Date.now()).toISOString().slice(0, 16);
		return `social-publishing:${this.context.getNode().id}:${minute}:${hash.slice(0, 32)}`;
	}

	private async recent(get: Get, webhookId: string, status: DeliveryStatus): Promise<IDataObject[]> {
		const records = await deliveriesOf(get, webhookId, status).catch((error: unknown) => {
			// Gone since it was listed.
			if (error instanceof Failure && error.details.status === 404) return [];
			throw error;
		});
		const since = Date.now() - (status === 'delivered' ? DELIVERED_BACK : FAILED_BACK);
		return records.filter((record) => timeOf(record) >= since);
	}

	private get events(): unknown {
		return this.context.getNodeParameter('events', []);
	}

	private get settings() {
		return readOptions(this.context.getNodeParameter('options', {}) as IDataObject);
	}
}

/** When a delivery was made, or else its event happened, in ms; one that does not say counts as recent. */
function timeOf(record: IDataObject): number {
	const { delivered_at, created_at } = record;
	const time = Date.parse(String(delivered_at ?? created_at ?? missedEvent(record)?.occurred_at));
	return Number.isNaN(time) ? Date.now() : time;
}

type Get = (request: { path: string; qs?: IDataObject }) => Promise<unknown>;

type Done = Parameters<ITriggerFunctions['emit']>[2];

/** `saveFailedExecution` came with n8n 2, and with it the outcome of a start that failed. */
export const canTell = (context: ITriggerFunctions): boolean =>
	typeof (context as Partial<ITriggerFunctions>).saveFailedExecution === 'function';
