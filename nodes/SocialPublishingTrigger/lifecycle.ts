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
import { readStored, stateIn, writeStored, type NodeState } from './state';
import type { Desired } from './subscription';

/** How long one request of a call is retried, and how long all of them may take. */
const LIFE_CYCLE_LIMITS = { requestMs: 10_000, totalMs: 60_000 };
/** … for what is not worth more waiting. */
const KEEP_LIMITS = { requestMs: 3_000, totalMs: 3_000 };
/** States in which a delivery has not arrived, in the order in which it passes through them. */
const UNDELIVERED = ['pending', 'failed', 'dead_letter'];

/** Whether n8n itself starts: no reason to unsubscribe if the service is away, as n8n up to 2.39 does on an error. */
export const isStart = (context: IHookFunctions | ITriggerFunctions): boolean =>
	['init', 'leadershipChange'].includes(context.getActivationMode());

/** n8n asks whether the subscription is there. While it runs, {@link publish} finds out; at a start, its data are what there is. */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	if (!isStart(context)) return false;
	const { state } = begin(context);
	const stored = readStored(context.getWorkflowStaticData('node'));
	if (!stored.current) return false;
	state.replaced(stored);
	state.published();
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
	const { state } = begin(context);
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
			onChange: (stored) => state.replaced(stored),
			recover: async (scope) =>
				scope.current ? await held(context, connection, scope) : await keepUndelivered(context, scope),
		}).catch((error: unknown) => {
			// n8n 2.41 stops trying after 15 s: at a start, the monitor goes on.
			if (!isStart(context)) throw error;
			warn(context, 'could not subscribe at the start of n8n, tries again', reasonOf(error));
		});
		state.published();
		if (!result) return false;
		warnLeftBehind(context, result.left);
		for (const { ref, error, isOutOfReach } of result.left)
			if (error !== undefined && !isOutOfReach)
				warn(context, `could not delete the earlier subscription ${ref.webhookId}`, reasonOf(error));
		state.replaced(result.stored);
		writeStored(context.getWorkflowStaticData('node'), state.stored);
		return true;
	} catch (error) {
		state.failed();
		throw toNodeError(context.getNode(), error);
	}
}

/** n8n wants the subscription gone; up to 2.39, and for a change, too. */
export async function unpublish(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	const { state, hasFailed } = begin(context);
	// If n8n's `delete` failed after a publication that failed, publishing again would show success and subscribe nothing.
	if (hasFailed) return true;
	try {
		const { connection } = await open(context, LIFE_CYCLE_LIMITS);
		const recover = async (scope: RecoveryScope) => await keepUndelivered(context, scope);
		const { left, deleted } = await reconcile({ connection, stored: state.stored, recover });
		// It has no ID, or is listed at another address, where it may be somebody else's.
		const isUnfound = deleted.length + left.length === 0 && state.stored.current?.url === connection.url;
		if (isUnfound)
			warn(
				context,
				`the service lists no subscription of ${connection.url}: if there is one, delete it there`,
			);
		warnLeftBehind(context, left);
		// n8n then tries again.
		const trouble = left.find(({ isOutOfReach }) => !isOutOfReach);
		if (trouble) throw trouble.error;
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
	for (const key of Object.keys(staticData)) delete staticData[key];
	state.unpublished();
	return true;
}

/** Names subscriptions that stay for good: no check will see to them. */
export function warnLeftBehind(context: IHookFunctions | ITriggerFunctions, left: Left[]): void {
	for (const { ref, error, isOutOfReach } of left) {
		const where = ref.workspaceId && ` of the workspace ${ref.workspaceId}`;
		const message = `the key can't delete the subscription ${ref.webhookId}${where}: if it is still there, delete it at the service`;
		if (isOutOfReach) warn(context, message, reasonOf(error));
	}
}

/** The way to the service, and what it should have at the address of the node, as it is set now. */
export async function open(
	context: IHookFunctions | ITriggerFunctions,
	limits: { requestMs: number; totalMs?: number },
	{ workspaceId, events, description } = settingsOf(context),
): Promise<{ connection: Connection; desired: Desired }> {
	const state = stateIn(context);
	const setup = { url: state.url, workspaceId, secrets: secretsToHide(context), ...limits };
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

function begin(context: IHookFunctions): { state: NodeState; hasFailed: boolean } {
	const state = stateIn(context);
	const kept = readStored(context.getWorkflowStaticData('node'));
	return { state, hasFailed: state.begin(context.getNodeWebhookUrl('default') ?? '', kept) };
}

/** Obsolete subscriptions that still have to deliver: the monitor recovers that and deletes them. */
async function held(context: IHookFunctions, connection: Connection, { obsolete }: RecoveryScope) {
	const left: Left[] = [];
	const { catchUp, catchUpFromPosts } = settingsOf(context);
	for (const ref of catchUp ? obsolete : []) {
		// The check also learns from it that posts may have ended while nothing was delivered.
		let isHeld = isStart(context) || catchUpFromPosts;
		for (const status of ['pending', 'failed'])
			isHeld ||= ((await recent(connection, ref, status).catch(() => [ref])) ?? []).length > 0;
		if (isHeld) left.push({ ref });
	}
	return left;
}

/** What subscriptions had not delivered that go before anything can be emitted: the next check passes it on. */
async function keepUndelivered(context: IHookFunctions, { obsolete }: RecoveryScope): Promise<Left[]> {
	if (context.getMode() === 'manual' || !settingsOf(context).catchUp) return [];
	try {
		const { connection } = await open(context, KEEP_LIMITS);
		for (const ref of obsolete)
			for (const status of UNDELIVERED) stateIn(context).keep((await recent(connection, ref, status)) ?? []);
	} catch (error) {
		warn(context, 'could not read what the service has not delivered: it is lost', reasonOf(error));
	}
	return [];
}
