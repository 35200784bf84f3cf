import { randomInt } from 'node:crypto';

import type { IDataObject, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { Failure } from '../api/errors';
import { toNodeError } from '../api/toNodeError';
import { MonitorLog } from './monitorLog';
import { canTell, CatchUp } from './catchUp';
import { connectTrigger, type Connection } from './connection';
import { desiredBy, startModes } from './lifecycle';
import {
	diffSubscription,
	isMadeFor,
	obsoleteFor,
	type DesiredSubscription,
	type SubscriptionDiff,
	type SubscriptionRef,
} from './reconcile';
import { confirmKey, secretsToHide } from './secrets';
import { readOptions, type Settings } from './settings';
import { stateIn, type SubscriptionState } from './state';
import { SubscriptionRequests } from './subscriptions';

const MINUTE = 60_000;
/** How long after a start of n8n the first check is made, in ms: the start itself is busy enough. */
const FIRST_CHECK_MS = 3_000;
/** How long one request of a check is tried again, in ms. */
const REQUEST_MS = 5_000;
/** After so many checks in a row that failed, people are told: by then it is no hiccup. */
const TELL_AFTER = 3;
/** How long an obsolete subscription stays whose deliveries can't be read, in ms: the service gives up after 22 h. */
const LONGEST_HOLD_MS = 24 * 60 * MINUTE;

/**
 * At every start of n8n and every so often its leading process checks the subscription and hands on what never came
 * through. n8n calls this when it publishes and when it starts.
 *
 * Never throws and waits for nothing: publishing must not fail or hang for it. Always gives a response: without one
 * n8n 2.41 would take the trigger for not registered and publish the workflow again every ten seconds.
 */
export function startMonitor(context: ITriggerFunctions): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	const isStart = startModes.has(context.getActivationMode());
	const monitor = new SubscriptionMonitor(context, isStart);
	// n8n's clock leaves out whatever it would do more than 250 ms late: a busy n8n, which has most to catch up, often
	// does. So it is asked every few seconds; whether a check is due is decided there.
	context.helpers.registerCron({ expression: '*/3 * * * * *' }, async () => await monitor.tick());
	if (isStart) void sleep(FIRST_CHECK_MS).then(async () => await monitor.tick());
	return { closeFunction: async () => monitor.close() };
}

/** The checks of one published trigger, one after another. */
export class SubscriptionMonitor {
	/** When the next check is due, in ms. */
	nextAt: number;

	private lastAt = Date.now();

	private isChecking = false;

	private isClosed = false;

	private failures = 0;

	private readonly state: SubscriptionState;

	private readonly catchUp: CatchUp;

	private heldBackSince?: number;

	private readonly log: MonitorLog;

	/** @param isStart whether n8n has just started: the first check comes soon then */
	constructor(
		private readonly context: ITriggerFunctions,
		private isStart: boolean,
	) {
		this.state = stateIn(context).subscription;
		this.log = new MonitorLog(context);
		this.catchUp = new CatchUp(context, this.log);
		this.nextAt = Date.now() + (isStart ? FIRST_CHECK_MS : this.settings.checkEveryMs);
	}

	/**
	 * Checks if it is time; also where the clock was set back. Where nothing is published, as far as n8n's life-cycle calls
	 * have told until now, the next tick asks again.
	 */
	async tick(): Promise<void> {
		const now = Date.now();
		if (now < this.lastAt) this.nextAt = Math.min(this.nextAt, now);
		if (!this.isReady || now < this.nextAt) return;
		if (this.state.group?.takesTurn(this, now, this.isStart) ?? true) await this.check();
	}

	/** One check; whatever goes wrong is logged, and the next one comes sooner. */
	private async check(): Promise<void> {
		this.isChecking = true;
		this.lastAt = Date.now();
		this.nextAt = Infinity;
		let waitMs = this.settings.checkEveryMs;
		try {
			const connection = await this.connect();
			await this.checkNow(connection);
			this.failures = 0;
			this.isStart = false;
		} catch (error) {
			waitMs = Math.min(waitMs, this.failed(error));
		} finally {
			this.isChecking = false;
			// Many workflows, started together, don't check all at once.
			this.nextAt = Date.now() + waitMs - randomInt(MINUTE / 2);
		}
	}

	close(): void {
		this.isClosed = true;
	}

	private get isReady(): boolean {
		const { url, isPublished } = this.state;
		return !this.isChecking && !this.isClosed && isPublished && url !== undefined;
	}

	private get settings(): Settings {
		return readOptions(this.context.getNodeParameter('options', {}) as IDataObject);
	}

	private async connect(): Promise<Connection> {
		const connection = await connectTrigger(this.context, {
			url: this.state.url!,
			workspaceId: this.settings.workspaceId,
			secrets: secretsToHide(this.context),
		});
		this.state.group = connection.group;
		return connection;
	}

	/** First what is missing is created, then what is obsolete is read, then deleted: no gap, and nothing is lost. */
	private async checkNow(connection: Connection): Promise<void> {
		const { state } = this;
		const { generation } = state;
		const isOvertaken = () => this.isClosed || state.generation !== generation;
		const requests = new SubscriptionRequests(connection, REQUEST_MS);
		const desired = desiredBy(this.context, state.url!, connection);
		confirmKey(state, desired.secret);
		const read = async () => await requests.list();
		let remote = await connection.group.list(read, this.settings.checkEveryMs / 2);
		let diff = diffSubscription(remote, state, desired);
		// The listing may be some minutes old, or was empty for a moment.
		if (diff.create !== undefined || diff.obsolete.length > 0) {
			if (isOvertaken()) return;
			remote = await connection.group.listAnew(read);
			diff = diffSubscription(remote, state, desired);
		}
		if (isOvertaken()) return;
		this.tell(diff, connection);
		if (diff.create !== undefined) {
			const { made, listed } = await requests.create(desired, remote);
			if (isOvertaken()) return await requests.delete(made);
			diff.obsolete = obsoleteFor(listed, state, desired);
			this.replace(made, diff.create);
		} else if (diff.listedAs) state.current = { ...state.current!, listedAs: diff.listedAs };
		const obsolete = diff.obsolete.filter(({ webhookId }) => webhookId !== state.current!.webhookId);
		state.former = [...state.former.filter((ref) => !isMadeFor(ref, desired)), ...obsolete];
		await this.recover(connection, { requests, desired, obsolete, isOvertaken, diff });
	}

	/** Hands on what could not be delivered, and deletes what is obsolete once that was read. */
	private async recover(
		connection: Connection,
		{ requests, desired, obsolete, isOvertaken, diff }: Found,
	): Promise<void> {
		const wasGone = diff.create !== undefined || obsolete.length > 0;
		const { events, unread } = this.settings.catchUp
			? await this.catchUp.read(connection, { current: this.state.current!, obsolete, wasGone })
			: { events: [], unread: [] };
		// The key may not reach the workspace any more that an earlier subscription is in.
		const isOutOfReach = (ref: SubscriptionRef, error: unknown): boolean =>
			ref.workspaceId !== desired.workspaceId && error instanceof Failure && error.details.status === 403;
		const relevant = unread.filter(({ ref, error }) => !isOutOfReach(ref, error));
		const troubles = relevant.map(({ error }) => error);
		const held = relevant.filter(({ ref }) => obsolete.includes(ref)).map(({ ref }) => ref);
		this.heldBackSince = held.length > 0 ? (this.heldBackSince ?? Date.now()) : undefined;
		const isHeld = Date.now() - (this.heldBackSince ?? 0) < LONGEST_HOLD_MS;
		for (const ref of obsolete) {
			if (isOvertaken()) return;
			if (isHeld && held.includes(ref)) continue;
			await requests.delete(ref).then(
				() => this.forget(ref),
				(error: unknown) => {
					if (!isOutOfReach(ref, error)) return void troubles.push(error);
					this.forget(ref);
					this.log.warnOnce(
						`the key can't remove the earlier subscription ${ref.webhookId} of the workspace ${ref.workspaceId}: delete it there`,
					);
				},
			);
		}
		if (isOvertaken()) return;
		this.catchUp.emit(events);
		if (troubles.length > 0) throw troubles[0];
		if (obsolete.length > 0 && diff.create === undefined)
			this.log.warn(
				`removed other subscriptions of ${desired.url}: ${obsolete.map(({ webhookId }) => webhookId).join(', ')}`,
			);
	}

	private replace(made: NonNullable<SubscriptionState['current']>, reason: string): void {
		const { current } = this.state;
		if (current && current.secret !== made.secret)
			this.state.replaced = { secret: current.secret, at: Date.now() };
		this.state.current = made;
		this.log.warn(`the subscription was created again: ${reason}`, { webhook_id: made.webhookId });
	}

	private forget({ webhookId, workspaceId }: SubscriptionRef): void {
		this.state.former = this.state.former.filter(
			(one) => one.webhookId !== webhookId || one.workspaceId !== workspaceId,
		);
	}

	/** What the monitor leaves alone, once. */
	private tell({ isUnlisted, elsewhere }: SubscriptionDiff, connection: Connection): void {
		if (isUnlisted)
			this.log.warnOnce(
				`the service does not list the subscription ${this.state.current!.webhookId}, so it can't be checked; it is removed when the workflow is unpublished`,
			);
		for (const { id, url } of elsewhere)
			this.log.warnOnce(
				connection.withoutSecrets(
					`the service also delivers to ${url} (subscription ${id ?? 'without an ID'}), which may be another n8n's. If it is not, delete it with the operation Delete of Webhook.`,
				),
			);
	}

	/** @returns how soon to try again, in ms */
	private failed(error: unknown): number {
		// The limit is shared with the workflows: that is no trouble.
		if (error instanceof Failure && error.details.status === 429) return 2 * MINUTE;
		this.failures++;
		const reason = error instanceof Failure ? error.details.message : (error as Error).message;
		this.log.warn(`could not check the subscription: ${reason}`, { checks: this.failures });
		// A failed execution in the list, and the error workflow; older n8ns have only the log.
		if (this.failures === TELL_AFTER && canTell(this.context))
			this.context.saveFailedExecution(toNodeError(this.context.getNode(), error));
		return MINUTE * 2 ** this.failures;
	}
}

interface Found {
	requests: SubscriptionRequests;
	desired: DesiredSubscription;
	obsolete: SubscriptionRef[];
	isOvertaken: () => boolean;
	diff: SubscriptionDiff;
}
