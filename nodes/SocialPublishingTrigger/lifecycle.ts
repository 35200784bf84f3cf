import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { refusal } from '../api/failure';
import { toNodeError } from '../api/toNodeError';
import { unreachable } from '../shared/addresses';
import { connectTrigger, type Connection } from './connection';
import { reasonOf, warn } from './log';
import { MAX_LISTING_AGE_MS } from './readBudget';
import { isInForce, reconcile, settingChanged, type Left, type RecoveryScope } from './reconcile';
import { recent } from './recover';
import { secretsToHide } from './secrets';
import { settingsOf } from './settings';
import { readStored, setStored, stateIn, writeStored, type NodeState } from './state';
import { refOf, type Desired } from './subscription';

/** How long one request of a call is retried, and how long all of them may take. */
const LIFE_CYCLE_LIMITS = { requestMs: 10_000, totalMs: 60_000 };

/** Whether n8n itself starts: no reason to unsubscribe if the service is away, as n8n up to 2.39 does on an error. */
export const isStart = (context: IHookFunctions | ITriggerFunctions): boolean =>
	['init', 'leadershipChange'].includes(context.getActivationMode());

/** n8n asks whether the subscription is there. While it runs, {@link publish} finds out; at a start, its data are what there is. */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	if (!isStart(context)) return false;
	const state = begin(context);
	const stored = readStored(context.getWorkflowStaticData('node'));
	if (!stored.current) return false;
	setStored(state, stored);
	state.isPublished = true;
	try {
		const { connection, desired } = await open(context, LIFE_CYCLE_LIMITS);
		// All workflows of a key ask when n8n starts: the monitor looks at the rest.
		if (connection.budget.left() < 1)
			return settingChanged(stored.current, desired, connection) === undefined;
		return await isInForce({ connection, desired, stored, maxAgeMs: MAX_LISTING_AGE_MS });
	} catch {
		return true;
	}
}

/** n8n wants a subscription. Static data is written here and in {@link unpublish}, nowhere else. */
export async function publish(context: IHookFunctions): Promise<boolean> {
	const state = begin(context);
	try {
		const { connection, desired } = await open(context, LIFE_CYCLE_LIMITS);
		if (desired.events.length === 0)
			throw refusal('NO_EVENTS', "'Trigger On' is empty", "Choose at least one event in 'Trigger On'.");
		const problem = unreachable(connection.url, connection.serviceUrl);
		if (problem) throw problem;
		const result = await reconcile({
			connection,
			desired,
			stored: state.stored,
			onCreate: (stored) => setStored(state, stored),
			recover: async (scope) => await holdBack(context, connection, scope),
		}).catch((error: unknown) => {
			// n8n 2.41 stops trying after 15 s: at a start, the monitor goes on.
			if (!isStart(context)) throw error;
			warn(context, 'could not subscribe at the start of n8n, tries again', reasonOf(error));
		});
		state.isPublished = true;
		if (!result) return false;
		for (const { ref, error } of result.left)
			if (error !== undefined)
				warn(context, `could not delete the earlier subscription ${ref.webhookId}`, reasonOf(error));
		setStored(state, result.stored);
		writeStored(context.getWorkflowStaticData('node'), state.stored);
		return true;
	} catch (error) {
		Object.assign(state, { isPublished: false, hasFailed: true });
		throw toNodeError(context.getNode(), error);
	}
}

/** n8n wants the subscription gone. */
export async function unpublish(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	const { hasFailed } = stateIn(context);
	const state = begin(context);
	// If n8n's `delete` failed after a publication that failed, publishing again would show success and subscribe nothing.
	if (hasFailed) return true;
	try {
		const { connection } = await open(context, LIFE_CYCLE_LIMITS);
		const { left, deleted } = await reconcile({ connection, stored: state.stored });
		if (state.stored.current?.webhookId === '' && deleted.length === 0)
			warn(
				context,
				`the service lists no subscription of ${connection.url}: if there is one, delete it there`,
			);
		for (const { ref, error, isOutOfReach } of left) {
			// n8n then tries again.
			if (!isOutOfReach) throw error;
			warn(context, `the service refuses to delete the subscription ${ref.webhookId}`, reasonOf(error));
		}
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
	for (const key of Object.keys(staticData)) delete staticData[key];
	state.stored = { former: [] };
	return true;
}

/** The way to the service, and what it should have at the address of the node, as it is set now. */
export async function open(
	context: IHookFunctions | ITriggerFunctions,
	limits: { requestMs: number; totalMs?: number },
	{ workspaceId, events, description } = settingsOf(context),
): Promise<{ connection: Connection; desired: Desired }> {
	const state = stateIn(context);
	const setup = { url: state.url ?? '', workspaceId, secrets: secretsToHide(context), ...limits };
	const connection = await connectTrigger(context, setup);
	state.budget = connection.budget;
	if (connection.ownSecret === undefined)
		throw refusal(
			'NO_API_KEY',
			'The credential has no API key, so no delivery could be verified',
			"Open the credential and enter 'API Key'; if it is an expression, check that it has a value.",
		);
	const suffix = context.getMode() === 'manual' ? ' (test)' : '';
	const name = description || `n8n: ${context.getWorkflow().name ?? 'workflow'}${suffix}`;
	return { connection, desired: { events, description: name, secret: connection.ownSecret } };
}

/** A life-cycle call begins: what a check has under way is stale, and the credential may be another one. */
function begin(context: IHookFunctions): NodeState {
	const state = stateIn(context);
	Object.assign(state, { isPublished: false, hasFailed: false, derived: undefined });
	state.url = context.getNodeWebhookUrl('default') ?? '';
	state.version++;
	const { stored } = state;
	const kept = readStored(context.getWorkflowStaticData('node'));
	const refs = [...(kept.current ? [kept.current] : []), ...kept.former, ...stored.former];
	// What n8n has kept, and what this process has made since.
	state.stored = { ...kept, ...stored, current: stored.current ?? kept.current, former: refs.map(refOf) };
	return state;
}

/** Nothing can be emitted here: the monitor recovers and deletes what still has to deliver, unless it has to go first. */
async function holdBack(
	context: IHookFunctions,
	connection: Connection,
	{ current, obsolete }: RecoveryScope,
): Promise<Left[]> {
	const left: Left[] = [];
	const { catchUp, catchUpFromPosts } = settingsOf(context);
	for (const ref of current && catchUp ? obsolete : []) {
		// The check also learns from it that posts may have ended while nothing was delivered.
		const isHeld = isStart(context) || catchUpFromPosts;
		const failed = isHeld ? [ref] : await recent(connection, ref, 'failed').catch(() => [ref]);
		if (failed?.length) left.push({ ref });
	}
	return left;
}
