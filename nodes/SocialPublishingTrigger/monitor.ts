import { map } from 'lodash';
import { sleep, type ITriggerFunctions, type ITriggerResponse } from 'n8n-workflow';

import { hasStatus, toNodeError } from '../api/failure';
import { LruMap } from '../shared/lruMap';
import { clean, ensure } from './ensure';
import { reasonOf, warn, warnOnce } from './log';
import { canSaveFailedExecution, Recovery } from './recover';
import { settingsOf, type Settings } from './settings';
import { stateIn, type NodeState } from './state';
import { open, type Work } from './work';

/** Delay after a check that is not complete; it doubles with each failure. */
const RETRY_MS = 60_000;
/** When the first check is due: n8n is busy enough as it starts. */
const FIRST_CHECK_MS = 3_000;
/** Between the checks of triggers with the same key: twelve a minute, each with one to four reads. */
const GAP_MS = 5_000;
const RATE_LIMIT_DELAY_MS = 2 * 60_000;
const CHECK_REQUEST_MS = 5_000;
/** Listings are shared by all triggers of a key for so long. */
const SHARED_MS = 60_000;
const LIMIT_LOGGED_MS = 60 * 60_000;
const FAILURES_BEFORE_SAVED = 3;

/** When the next check of a key may begin. */
const freeAt = new LruMap<string, number>(200);

/** n8n has called for something else meanwhile: the check ends. */
class Overtaken extends Error {}

/** Never throws or waits: publishing must not fail for it. Without a response, n8n 2.41 publishes again every ten seconds. */
export function startMonitor(context: ITriggerFunctions): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	stateIn(context).logged.clear();
	try {
		// Here, since n8n 2.41 can't evaluate expressions after this call.
		const monitor = new SubscriptionMonitor(context, settingsOf(context));
		// Often, since n8n's clock leaves out whatever it would do more than 250 ms late.
		context.helpers.registerCron({ expression: '*/3 * * * * *' }, async () => await monitor.tick());
		return { closeFunction: async () => void (monitor.isClosed = true) };
	} catch (error) {
		warn(context, "the subscription isn't checked until the workflow is published again", reasonOf(error));
		return {};
	}
}

/** The checks of one published trigger, one after another. Times are of `performance.now()`: nobody sets that clock. */
class SubscriptionMonitor {
	/** Infinity during a check. */
	private nextAt = performance.now() + FIRST_CHECK_MS;
	isClosed = false;
	private failures = 0;
	private readonly state: NodeState;
	private readonly recovery: Recovery;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly settings: Settings,
	) {
		this.state = stateIn(context);
		this.recovery = new Recovery(context, this.state, settings);
	}

	private get isOver(): boolean {
		return this.isClosed || this.state.phase !== 'published';
	}

	async tick(): Promise<void> {
		if (this.isOver || performance.now() < this.nextAt) return;
		this.nextAt = Infinity;
		const waitMs = await this.checkInTurn().catch((error: unknown) => this.failed(error));
		this.nextAt = performance.now() + Math.min(this.settings.checkEveryMs, waitMs);
	}

	/** @returns how soon to check again, in ms */
	private async checkInTurn(): Promise<number> {
		const { context, settings } = this;
		const guard = () => {
			if (this.isOver || this.state.calls > 0) throw new Overtaken();
		};
		const work = await open(context, { requestMs: CHECK_REQUEST_MS, guard }, settings);
		const { keyAndService } = work.connection;
		const now = performance.now();
		const at = Math.max(now, freeAt.get(keyAndService) ?? now);
		freeAt.set(keyAndService, at + GAP_MS);
		await sleep(at - now);
		const isDone = await this.check(work);
		this.failures = 0;
		return isDone ? settings.checkEveryMs : RETRY_MS;
	}

	/** @returns false if something obsolete stays until n8n has stored its events */
	private async check(work: Work): Promise<boolean> {
		const { context, state, recovery } = this;
		const { created, obsolete } = await state.inTurn(async () => await ensure(work, SHARED_MS));
		this.log(created);
		const { going, error } = await recovery.run(work, obsolete);
		if (going.length > 0) {
			const { deleted, errors } = await state.inTurn(async () => await clean(work, going));
			const ids = map(deleted, 'webhookId').join(', ');
			if (created === undefined && ids) warn(context, `deleted other subscriptions of ${state.url}: ${ids}`);
			if (errors.length > 0) throw errors[0];
		}
		if (error) throw error;
		return going.length === obsolete.length;
	}

	private log(created?: string): void {
		const { context } = this;
		const { webhookId, seen } = this.state.mine ?? {};
		if (created !== undefined)
			warn(context, `the subscription was created again: ${created}`, { webhook_id: webhookId });
		if (!seen)
			warnOnce(
				context,
				`the service doesn't list the subscription ${webhookId || 'of this workflow'}, so it can't be checked further`,
			);
	}

	/** @returns how soon to try again, in ms */
	private failed(error: unknown): number {
		const { context } = this;
		if (error instanceof Overtaken) return 0;
		const message = `could not complete the check of the subscription: ${reasonOf(error).reason}`;
		// The limit is shared with the workflows: that is no failure.
		if (hasStatus(error, 429)) {
			warnOnce(context, message, LIMIT_LOGGED_MS);
			return RATE_LIMIT_DELAY_MS;
		}
		const failures = ++this.failures;
		warn(context, message, { checks: failures });
		// A failed execution in the list, and the error workflow; older n8ns have only the log.
		if (failures === FAILURES_BEFORE_SAVED && canSaveFailedExecution(context))
			context.saveFailedExecution(toNodeError(context.getNode(), error));
		return RETRY_MS * 2 ** failures;
	}
}
