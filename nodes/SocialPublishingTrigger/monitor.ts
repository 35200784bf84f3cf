import { attempt, map, memoize } from 'lodash';
import { sleep, type ITriggerFunctions, type ITriggerResponse } from 'n8n-workflow';

import { withoutSignedQueries } from '../api/redaction';
import { hasStatus, toNodeError } from '../api/failure';
import { isStart, open, warnOutOfReach, type Opened } from './lifecycle';
import { reasonOf, warn, warnOnce } from './log';
import { reconcile, type Recover, type Stale, type Work } from './reconcile';
import { canSaveFailedExecution, Recovery } from './recover';
import { settingsOf, type Settings } from './settings';
import { stateIn, type NodeState } from './state';

/** Delay after a check that is not complete; it doubles with each failure. */
const RETRY_MS = 60_000;
/** When the first check after a start of n8n is due: the start itself is busy enough. */
const FIRST_CHECK_MS = 3_000;
/** Many triggers, started together, don't check at the same moment. */
const MAX_JITTER_MS = 30_000;
/** Longest delay of a later check for which the budget of reads has no room: so that all get their turn. */
const MAX_DELAY_MS = 3 * 60_000;
const RATE_LIMIT_DELAY_MS = 2 * 60_000;
const CHECK_REQUEST_MS = 5_000;
const LIMIT_LOGGED_MS = 60 * 60_000;
const FAILURES_BEFORE_SAVED = 3;

/** Never throws or waits: publishing must not fail for it. Without a response, n8n 2.41 publishes again every ten seconds. */
export function startMonitor(context: ITriggerFunctions): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	stateIn(context).logged.clear();
	const monitor = new SubscriptionMonitor(context);
	// Often, since n8n's clock leaves out whatever it would do more than 250 ms late.
	context.helpers.registerCron({ expression: '*/3 * * * * *' }, async () => await monitor.tick());
	if (isStart(context)) void sleep(FIRST_CHECK_MS).then(async () => await monitor.tick());
	return { closeFunction: async () => void (monitor.isClosed = true) };
}

/** The checks of one published trigger, one after another. Times are of `performance.now()`: nobody sets that clock. */
class SubscriptionMonitor {
	/** Infinity during a check. */
	private nextAt: number;
	/** When the first one is due if an earlier subscription has left something. */
	private soonAt = performance.now() + FIRST_CHECK_MS;
	isClosed = false;
	private failures = 0;
	private limitedSince?: number;
	/** No check has succeeded yet, or an obsolete subscription stays until its events are stored. */
	private isUrgent = true;
	private readonly state: NodeState;
	private readonly recovery: Recovery;
	/** Kept from when n8n calls `trigger`: after that call, n8n 2.41 can't evaluate expressions. */
	private readonly settings = memoize(() => settingsOf(this.context));

	constructor(private readonly context: ITriggerFunctions) {
		this.state = stateIn(context);
		this.recovery = new Recovery(context, this.state, this.settings);
		const { checkEveryMs = 0 } = attempt(this.settings) as Partial<Settings>;
		// At random, so that triggers that are published together don't check together.
		this.nextAt = isStart(context) ? this.soonAt : performance.now() + Math.random() * checkEveryMs;
	}

	async tick(): Promise<void> {
		const { life, undelivered, remembered } = this.state;
		// Only here, since n8n 2.41 subscribes while it calls `trigger`.
		const isSoon = undelivered.length + remembered.former.length > 0;
		const dueAt = isSoon ? Math.min(this.soonAt, this.nextAt) : this.nextAt;
		if (this.isClosed || life !== 'published' || performance.now() < dueAt) return;
		this.nextAt = this.soonAt = Infinity;
		this.nextAt =
			(await this.checkIfRoom().catch((error: unknown) => this.failed(error))) + performance.now();
	}

	/** Checks if the budget of the key that the credential has now leaves room. @returns how soon to check again, in ms */
	private async checkIfRoom(): Promise<number> {
		const { version } = this.state;
		const settings = this.settings();
		const opened = await open(this.context, { requestMs: CHECK_REQUEST_MS }, settings);
		const check = async () => void (this.isUrgent = !(await this.check(opened, settings, version)));
		if (!(await opened.connection.budget.runCheck(check, this.isUrgent)))
			return Math.random() * (this.isUrgent ? MAX_JITTER_MS : MAX_DELAY_MS);
		this.failures = 0;
		this.limitedSince = undefined;
		return jittered(Math.min(settings.checkEveryMs, this.isUrgent ? RETRY_MS : Infinity));
	}

	/** @returns false if an obsolete subscription stays until n8n has stored its events */
	private async check(opened: Opened, settings: Settings, version: number): Promise<boolean> {
		const { state, recovery } = this;
		const isStale = (): Stale =>
			(this.isClosed || state.version !== version) &&
			(/^publish/.test(state.life) ? 'published' : 'unpublished');
		const recover: Recover = async (...refs) => await recovery.run(opened.connection, isStale, ...refs);
		const result = await reconcile({
			...opened,
			remembered: state.remembered,
			maxAgeMs: settings.checkEveryMs / 2,
			isStale,
			state,
			recover: settings.catchUp ? recover : undefined,
		});
		if (isStale()) return true;
		state.replaced(result.remembered);
		this.log(result);
		const trouble = result.remaining.find(({ error }) => error !== undefined);
		if (trouble) throw trouble.error;
		return result.remaining.length === 0;
	}

	private log(done: Work): void {
		const { context, state } = this;
		const { create: created, remembered, gone, isUnlisted, isContested, elsewhere } = done;
		const { webhookId, listedAs } = remembered.current ?? {};
		if (created !== undefined)
			warn(context, `the subscription was created again: ${created}`, { webhook_id: webhookId });
		else if (gone.length > 0)
			warn(context, `deleted other subscriptions of ${state.url}: ${map(gone, 'webhookId').join(', ')}`);
		warnOutOfReach(context, done);
		const contested = `another n8n, or a copy of this node, uses the address ${state.url} with the same API key: its subscription has replaced this workflow's twice within an hour, so it is left alone. Set WEBHOOK_URL of one n8n to an address of its own, or delete the copied node and add a new one, then publish the workflow again.`;
		if (isContested) warnOnce(context, contested);
		const unlisted = `the service doesn't list the subscription ${webhookId || 'of this workflow'}, so it can't be checked further; it is deleted when the workflow is unpublished${webhookId ? '' : ', if the service lists its address by then'}`;
		if (isUnlisted) warnOnce(context, unlisted);
		const inactive = `the service has listed the subscription ${webhookId} as not active ever since it was created. If no events arrive, activate it in the service, or unpublish the workflow and publish it again.`;
		if (listedAs?.isDisabled) warnOnce(context, inactive);
		for (const { webhookId: id, url } of withoutSignedQueries(elsewhere)) {
			const how = id === undefined ? 'at the service' : `with Webhook: Delete (ID ${id})`;
			const also = `the service also delivers to ${url}. Unless another n8n uses that address, delete the subscription`;
			warnOnce(context, `${also} ${how}.`);
		}
	}

	/** @returns how soon to try again, in ms */
	private failed(error: unknown): number {
		const { context } = this;
		// Where the settings can't be read, too.
		const { checkEveryMs = 15 * RETRY_MS } = attempt(this.settings) as Partial<Settings>;
		// The limit is shared with the workflows: that is no trouble, unless it lasts.
		if (hasStatus(error, 429)) {
			this.limitedSince ??= performance.now();
			const message = `for more than an hour, the service's rate limit has left no room to check the subscription`;
			if (performance.now() - this.limitedSince > LIMIT_LOGGED_MS)
				warnOnce(context, message, LIMIT_LOGGED_MS);
			return jittered(Math.min(checkEveryMs, RATE_LIMIT_DELAY_MS));
		}
		this.limitedSince = undefined;
		const failures = ++this.failures;
		const message = `could not complete the check of the subscription: ${reasonOf(error).reason}`;
		warn(context, message, { checks: failures });
		// A failed execution in the list, and the error workflow; older n8ns have only the log.
		if (failures === FAILURES_BEFORE_SAVED && canSaveFailedExecution(context))
			context.saveFailedExecution(toNodeError(context.getNode(), error));
		return jittered(Math.min(checkEveryMs, RETRY_MS * 2 ** failures));
	}
}

/** Some seconds less: triggers that have checked together don't do so again. */
const jittered = (waitMs: number): number => waitMs - Math.random() * MAX_JITTER_MS;
