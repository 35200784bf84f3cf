import { randomInt } from 'node:crypto';

import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { toNodeError } from '../api/toNodeError';
import { canTell, CatchUp } from './catchUp';
import { hasStatus, type Connection } from './connection';
import { open, startModes } from './lifecycle';
import { reasonOf, warn, warnOnce } from './log';
import {
	diffSubscription,
	isMadeFor,
	isSame,
	type DesiredSubscription,
	type StoredSubscription,
	type SubscriptionDiff,
	type SubscriptionRef,
} from './reconcile';
import { settingsOf } from './settings';
import { stateIn, type SubscriptionState } from './state';
import { createSubscription, deleteSubscription, listSubscriptions } from './subscriptions';

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
	stateIn(context).said.clear();
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

	/** Since when an obsolete subscription stays whose deliveries can't be read, in ms. */
	private heldBackSince?: number;

	/** @param isStart whether n8n has just started: the first check comes soon then */
	constructor(
		private readonly context: ITriggerFunctions,
		private isStart: boolean,
	) {
		this.state = stateIn(context).subscription;
		this.catchUp = new CatchUp(context);
		this.nextAt = Date.now() + (isStart ? FIRST_CHECK_MS : settingsOf(context).checkEveryMs);
	}

	/**
	 * Checks if it is time; also where the clock was set back. Where nothing is published, as far as n8n's life-cycle calls
	 * have told until now, the next tick asks again.
	 */
	async tick(): Promise<void> {
		const now = Date.now();
		const { url, isPublished, group } = this.state;
		if (now < this.lastAt) this.nextAt = Math.min(this.nextAt, now);
		if (this.isChecking || this.isClosed || !isPublished || url === undefined || now < this.nextAt) return;
		if (group?.takesTurn(this, now, this.isStart) ?? true) await this.checkAndPlan(url);
	}

	close(): void {
		this.isClosed = true;
	}

	/** One check; whatever goes wrong is logged, and the next one comes sooner. */
	private async checkAndPlan(url: string): Promise<void> {
		this.isChecking = true;
		this.lastAt = Date.now();
		let waitMs = Infinity;
		try {
			waitMs = settingsOf(this.context).checkEveryMs;
			await this.check(url, waitMs / 2);
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

	/** First what is missing is created, then what is obsolete is read, then deleted: no gap, and nothing is lost. */
	private async check(url: string, maxAgeMs: number): Promise<void> {
		const { state } = this;
		const { generation } = state;
		const isOvertaken = () => this.isClosed || state.generation !== generation;
		const { connection, desired } = await open(this.context, url, { requestMs: REQUEST_MS });
		let remote = await listSubscriptions(connection, maxAgeMs);
		let diff = diffSubscription(remote, state, desired);
		// The listing may be some minutes old, or was empty for a moment.
		if (diff.create !== undefined || diff.obsolete.length > 0) {
			remote = await listSubscriptions(connection);
			diff = diffSubscription(remote, state, desired);
		}
		if (isOvertaken()) return;
		this.tell(diff);
		let { obsolete } = diff;
		if (diff.create !== undefined) {
			const made = await createSubscription(connection, desired, state, remote);
			if (isOvertaken()) return await deleteSubscription(connection, made.current);
			obsolete = made.obsolete;
			this.replace(made.current, diff.create);
		} else if (diff.listedAs) state.current = { ...state.current!, listedAs: diff.listedAs };
		const current = state.current!;
		state.former = [...state.former.filter((ref) => !isMadeFor(ref, desired)), ...obsolete];

		const wasGone = diff.create !== undefined || obsolete.length > 0;
		const found = settingsOf(this.context).catchUp
			? await this.catchUp.read(connection, { current, obsolete, wasGone })
			: { events: [], unread: [] };
		const troubles = found.unread.filter(({ ref, error }) => !isOutOfReach(ref, desired, error));
		const isHeld = this.holdsBack(troubles.some(({ ref }) => ref !== current));
		for (const ref of obsolete) {
			if (isOvertaken()) return;
			if (isHeld && troubles.some((one) => one.ref === ref)) continue;
			await this.remove(connection, desired, ref).catch((error: unknown) => troubles.push({ ref, error }));
		}
		if (isOvertaken()) return;
		this.catchUp.emit(found);
		if (troubles.length > 0) throw troubles[0]!.error;
		if (obsolete.length > 0 && diff.create === undefined)
			warn(
				this.context,
				`removed other subscriptions of ${desired.url}: ${obsolete.map(({ webhookId }) => webhookId).join(', ')}`,
			);
	}

	/** Whether obsolete subscriptions stay whose deliveries can't be read: for a day. */
	private holdsBack(isUnread: boolean): boolean {
		this.heldBackSince = isUnread ? (this.heldBackSince ?? Date.now()) : undefined;
		return Date.now() - (this.heldBackSince ?? 0) < LONGEST_HOLD_MS;
	}

	private async remove(
		connection: Connection,
		desired: DesiredSubscription,
		ref: SubscriptionRef,
	): Promise<void> {
		await deleteSubscription(connection, ref).catch((error: unknown) => {
			if (!isOutOfReach(ref, desired, error)) throw error;
			warnOnce(
				this.context,
				`the key can't remove the earlier subscription ${ref.webhookId} of the workspace ${ref.workspaceId}: delete it there`,
			);
		});
		this.state.former = this.state.former.filter((one) => !isSame(one, ref));
	}

	private replace(made: StoredSubscription, reason: string): void {
		const { current } = this.state;
		if (current && current.secret !== made.secret)
			this.state.replaced = { secret: current.secret, at: Date.now() };
		this.state.current = made;
		warn(this.context, `the subscription was created again: ${reason}`, { webhook_id: made.webhookId });
	}

	/** What the monitor leaves alone, once. */
	private tell({ isUnlisted, elsewhere }: SubscriptionDiff): void {
		if (isUnlisted)
			warnOnce(
				this.context,
				`the service does not list the subscription ${this.state.current!.webhookId}, so it can't be checked; it is removed when the workflow is unpublished`,
			);
		for (const { id, url } of elsewhere)
			warnOnce(
				this.context,
				`the service also delivers to ${url} (subscription ${id ?? 'without an ID'}), which may be another n8n's. If it is not, delete it with the operation Delete of Webhook.`,
			);
	}

	/** @returns how soon to try again, in ms */
	private failed(error: unknown): number {
		// The limit is shared with the workflows: that is no trouble.
		if (hasStatus(error, 429)) return 2 * MINUTE;
		this.failures++;
		const { reason } = reasonOf(error);
		warn(this.context, `could not check the subscription: ${reason}`, { checks: this.failures });
		// A failed execution in the list, and the error workflow; older n8ns have only the log.
		if (this.failures === TELL_AFTER && canTell(this.context))
			this.context.saveFailedExecution(toNodeError(this.context.getNode(), error));
		return MINUTE * 2 ** this.failures;
	}
}

/** The key may not reach the workspace any more that an earlier subscription is in. */
const isOutOfReach = (ref: SubscriptionRef, { workspaceId }: DesiredSubscription, error: unknown): boolean =>
	ref.workspaceId !== workspaceId && hasStatus(error, 403);
