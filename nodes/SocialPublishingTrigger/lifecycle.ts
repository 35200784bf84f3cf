import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { refusal, toNodeError } from '../api/failure';
import { doubtOfAddress } from '../shared/addresses';
import { connectTrigger } from './connection';
import { reasonOf, warn } from './log';
import { MAX_LISTING_AGE_MS } from './readBudget';
import { isInForce, reconcile, settingChanged, type Undeleted, type Work } from './reconcile';
import { readDeliveries, UNDELIVERED } from './recover';
import { settingsOf } from './settings';
import { readStored, stateIn, writeStored, type NodeState } from './state';
import type { Desired, Ref } from './subscription';

/** How long one request of a call is retried, and how long all of them may take. */
const LIFE_CYCLE_LIMITS = { requestMs: 10_000, totalMs: 60_000 };
/** … for what is not worth more waiting. */
const KEEP_LIMITS = { requestMs: 3_000, totalMs: 3_000 };

/** Whether n8n itself starts: no reason to unsubscribe if the service is away, as n8n up to 2.39 does on an error. */
export const isStart = (context: IHookFunctions | ITriggerFunctions): boolean =>
	['init', 'leadershipChange'].includes(context.getActivationMode());

/** n8n asks whether the subscription is there. While it runs, {@link publish} finds out; at a start, its data are what there is. */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	if (!isStart(context)) return false;
	const state = begin(context);
	const { current: kept } = readStored(context.getWorkflowStaticData('node'));
	// Another process may have replaced what this one remembers, or this one what n8n keeps, and deleted that.
	if (kept && !state.hasDeleted(kept)) state.replaced({ ...state.remembered, current: kept });
	const { remembered } = state;
	if (!kept || !remembered.current) return false;
	state.ended('published');
	try {
		const { connection, desired } = await open(context, LIFE_CYCLE_LIMITS);
		// All workflows of a key ask when n8n starts: the monitor looks at the rest.
		if (connection.budget.left() < 1)
			return settingChanged(remembered.current, desired, connection) === undefined;
		return await isInForce({ connection, desired, remembered, maxAgeMs: MAX_LISTING_AGE_MS });
	} catch {
		return true;
	}
}

/** n8n wants a subscription. Static data is written here and in {@link unpublish}, nowhere else. */
export async function publish(context: IHookFunctions): Promise<boolean> {
	const state = begin(context, 'publishing');
	try {
		const { connection, desired } = await open(context, LIFE_CYCLE_LIMITS);
		if (desired.events.length === 0)
			throw refusal('NO_EVENTS', "'Trigger On' is empty", "Choose at least one event in 'Trigger On'.");
		const doubt = doubtOfAddress(connection.url, connection.serviceUrl);
		if (doubt) warn(context, doubt);
		const result = await reconcile({
			connection,
			desired,
			remembered: state.remembered,
			state,
			// The first check recovers what obsolete ones had not delivered, and deletes them. A test has no checks.
			recover: async (obsolete, current) =>
				current && !state.isTest
					? obsolete.map((ref) => ({ ref }))
					: await keepUndelivered(context, obsolete),
		}).catch((error: unknown) => {
			// n8n 2.41 stops trying after 15 s: at a start, the monitor goes on.
			if (!isStart(context)) throw error;
			warn(context, 'could not subscribe at the start of n8n and will try again', reasonOf(error));
		});
		state.ended('published');
		if (!result) return false;
		state.replaced(result.remembered);
		writeStored(context.getWorkflowStaticData('node'), state.remembered);
		return true;
	} catch (error) {
		state.ended('failed');
		throw toNodeError(context.getNode(), error);
	}
}

/** n8n wants the subscription gone; up to 2.39, and for a change, too. */
export async function unpublish(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	const { life, url } = stateIn(context);
	const state = begin(context);
	const { current, former, unanswered } = state.remembered;
	// n8n 1.123 also deletes for a copy that it refuses, since another workflow has its address: what is there is that one's.
	const isRefused = url !== state.url || (life === 'failed' && !unanswered);
	const neverSubscribed = isRefused && !current && former.length === 0;
	if (neverSubscribed) state.url = url === state.url ? '' : url;
	// If n8n's `delete` failed after a publication that failed, publishing again would show success and subscribe nothing.
	if (life === 'failed' || neverSubscribed) return true;
	try {
		const { connection } = await open(context, LIFE_CYCLE_LIMITS);
		const recover = async (obsolete: Ref[]) => await keepUndelivered(context, obsolete);
		const done = await reconcile({ connection, remembered: state.remembered, recover, state });
		const { gone, remaining, outOfReach } = done;
		// It has no ID, or is listed at another address, where it may be somebody else's.
		const unfound = `the service lists no subscription of ${connection.url}: if there is one, delete it there`;
		const isFound = gone.length + remaining.length + outOfReach.length > 0;
		if (!isFound && state.remembered.current?.url === connection.url) warn(context, unfound);
		warnOutOfReach(context, done);
		// n8n then tries again.
		if (remaining.length > 0) throw remaining[0]!.error;
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
	for (const key of Object.keys(staticData)) delete staticData[key];
	state.unpublished();
	return true;
}

/** Names subscriptions that stay for good: no check will see to them. */
export function warnOutOfReach(context: IHookFunctions | ITriggerFunctions, { outOfReach }: Work): void {
	for (const { ref, error } of outOfReach) {
		const where = ref.workspaceId && ` of the workspace ${ref.workspaceId}`;
		const message = `the key can't delete the subscription ${ref.webhookId}${where}: if it is still there, delete it at the service`;
		warn(context, message, reasonOf(error));
	}
}

/** The way to the service, and what it should have at the address of the node, as it is set now. */
export type Opened = Pick<Work, 'connection'> & { desired: Desired };

export async function open(
	context: IHookFunctions | ITriggerFunctions,
	limits: { requestMs: number; totalMs?: number },
	{ workspaceId, events, description } = settingsOf(context),
): Promise<Opened> {
	const state = stateIn(context);
	const setup = { url: state.url, workspaceId, secrets: state.knownSecrets, ...limits };
	const connection = await connectTrigger(context, setup);
	const noKey = 'The credential has no API key, so no delivery could be verified';
	const hint = "Enter 'API Key' in the credential; if it is an expression, check that it has a value.";
	if (connection.ownSecret === undefined) throw refusal('NO_API_KEY', noKey, hint);
	const suffix = state.isTest ? ' (test)' : '';
	const name = description || `n8n: ${context.getWorkflow().name ?? 'workflow'}${suffix}`;
	return { connection, desired: { events, description: name } };
}

function begin(context: IHookFunctions, life?: NodeState['life']): NodeState {
	const state = stateIn(context);
	const kept = readStored(context.getWorkflowStaticData('node'));
	state.begin(context.getNodeWebhookUrl('default') ?? '', kept, life);
	return state;
}

/** What subscriptions had not delivered that go before anything can be emitted: the next check passes it on. */
async function keepUndelivered(context: IHookFunctions, obsolete: Ref[]): Promise<Undeleted[]> {
	const state = stateIn(context);
	if (state.isTest || !settingsOf(context).catchUp) return [];
	const { connection } = await open(context, KEEP_LIMITS);
	const { deliveries, unread } = await readDeliveries(context, connection, obsolete, () => UNDELIVERED);
	state.undelivered = [...state.undelivered, ...deliveries];
	const message = 'could not read whether the service had something left to deliver; if so, it is lost';
	for (const { error } of unread.slice(0, 1)) warn(context, message, reasonOf(error));
	return [];
}
