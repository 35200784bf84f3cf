import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { refusal, toFailure } from '../api/failure';
import { toNodeError } from '../api/toNodeError';
import { unreachable } from '../shared/addresses';
import { connectTrigger, hasStatus, type Connection } from './connection';
import { LISTING_MS } from './keyGroup';
import { reasonOf, warn } from './log';
import {
	diffSubscription,
	isMadeFor,
	obsoleteFor,
	type DesiredSubscription,
	type Stored,
	type StoredSubscription,
	type SubscriptionRef,
} from './reconcile';
import { confirmKey, secretsToHide } from './secrets';
import { settingsOf } from './settings';
import { keepStored, stateIn, storedIn, type SubscriptionState } from './state';
import { createSubscription, deleteNew, deleteSubscription, listSubscriptions } from './subscriptions';

/** How long one request of a call is tried again, in ms. */
const REQUEST_MS = 10_000;
/** The same for taking back what may have been made: n8n tries to publish five times and gives up after 84 s in all. */
const TAKE_BACK_MS = 2_000;
/** How long a whole call may take, in ms. */
const TOTAL_MS = 60_000;

/** n8n (up to 2.39) asks at every start, and unsubscribes where asking fails: no reason to give up a healthy one. */
export const startModes = new Set<string>(['init', 'leadershipChange']);

/**
 * Static data of a publication in which asking or subscribing has just failed. n8n calls `delete` after that, and if
 * `delete` fails too, keeps the address: publishing once more then shows the workflow as published and subscribes
 * nothing. So whatever can be taken back is taken back here, and that `delete` has nothing left to do.
 */
const failed = new WeakSet<IDataObject>();

/** n8n asks whether the subscription is there. */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	failed.delete(staticData);
	const stored = storedIn(staticData);
	if (!stored.current) return false;
	updateSharedState(context, { ...stored, isPublished: isStart(context) });
	try {
		const { connection, desired } = await openHere(context, stored);
		// All workflows of a key ask when n8n starts.
		const remote = await listSubscriptions(connection, isStart(context) ? LISTING_MS : 0);
		const isPublished = diffSubscription(remote, stored, desired).create === undefined;
		updateSharedState(context, { isPublished });
		return isPublished;
	} catch (error) {
		if (isStart(context)) return true;
		failed.add(staticData);
		throw toNodeError(context.getNode(), error);
	}
}

/** n8n wants a subscription. Static data is written here and in {@link remove}, nowhere else. */
export async function create(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	failed.delete(staticData);
	const stored = storedIn(staticData);
	try {
		const step = await openHere(context, stored);
		refuseUnusable(step.desired);
		const made = await subscribe(context, step, stored).catch((error: unknown) => {
			// n8n 2.41 would give up after 15 s: at a start, the monitor tries again.
			if (!isStart(context)) throw error;
			warn(context, 'could not subscribe at the start of n8n, tries again', reasonOf(error));
		});
		if (!made) {
			updateSharedState(context, { ...stored, isPublished: true });
			return false;
		}
		const { current, obsolete } = made;
		// At a start, the monitor deletes them, once it has read what they could not deliver.
		const left = isStart(context) ? obsolete : await deleteAll(context, step.connection, obsolete);
		const former = [...elsewhere(stored, step.desired), ...left];
		const kept = { current, former, publishedAt: stored.publishedAt ?? Date.now() };
		keepStored(staticData, kept);
		updateSharedState(context, { ...kept, isPublished: true });
		return true;
	} catch (error) {
		updateSharedState(context, { isPublished: false });
		failed.add(staticData);
		throw toNodeError(context.getNode(), error);
	}
}

/** n8n wants the subscription gone. */
export async function remove(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	updateSharedState(context, { isPublished: false });
	if (failed.delete(staticData)) return true;
	const stored = storedIn(staticData);
	// A test has an address of its own: of the live one, nothing is made for that.
	const known = [stored, stateIn(context).subscription];
	try {
		const { connection, desired } = await openHere(context, stored);
		for (const ref of obsoleteFor([], { former: known.flatMap(refsIn) }, desired))
			await deleteSubscription(connection, ref).catch((error: unknown) => {
				if (!isRefusal(error)) throw error;
				// It may be somebody else's by now. If it is ours, the service lists it under our address.
				warn(context, `the service refuses to remove the subscription ${ref.webhookId}`, reasonOf(error));
			});
		// What stays that is ours is an error: n8n then tries again.
		for (const ref of obsoleteFor(await listSubscriptions(connection), { former: [] }, desired))
			await deleteSubscription(connection, ref);
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
	for (const key of Object.keys(staticData)) delete staticData[key];
	updateSharedState(context, { current: undefined, former: [] });
	return true;
}

/** What a life-cycle call or a check works with. */
interface Step {
	connection: Connection;
	desired: DesiredSubscription;
}

async function openHere(context: IHookFunctions, stored: Stored): Promise<Step> {
	const url = context.getNodeWebhookUrl('default') ?? '';
	updateSharedState(context, { url });
	return await open(context, url, { requestMs: REQUEST_MS, totalMs: TOTAL_MS }, stored);
}

/** The way to the service, and what it should have: at the address of the node, as it is set now. */
export async function open(
	context: IHookFunctions | ITriggerFunctions,
	url: string,
	times: { requestMs: number; totalMs?: number },
	stored?: Stored,
): Promise<Step> {
	const { workspaceId, events, description } = settingsOf(context);
	const secrets = secretsToHide(context, stored);
	const connection = await connectTrigger(context, { url, workspaceId, secrets, ...times });
	const isTest = context.getMode() === 'manual';
	const { subscription } = stateIn(context);
	subscription.group = connection.group;
	confirmKey(subscription, connection.ownSecret);
	if (connection.ownSecret === undefined)
		throw refusal(
			'NO_API_KEY',
			'The credential has no API key, so no delivery could be verified',
			"Open the credential and enter 'API Key'; if it is an expression, check that it has a value.",
		);
	const desired = {
		url,
		serviceUrl: connection.serviceUrl,
		workspaceId: connection.workspaceId,
		events,
		description: description || `n8n: ${context.getWorkflow().name ?? 'workflow'}${isTest ? ' (test)' : ''}`,
		secret: connection.ownSecret,
	};
	return { connection, desired };
}

function refuseUnusable({ url, events, serviceUrl }: DesiredSubscription): void {
	if (events.length === 0)
		throw refusal('NO_EVENTS', "'Trigger On' is empty", "Choose at least one event in 'Trigger On'.");
	const problem = unreachable(url, serviceUrl);
	if (problem) throw problem;
}

/** @returns the new subscription, and those that it takes the place of */
async function subscribe(
	context: IHookFunctions,
	{ connection, desired }: Step,
	stored: Stored,
): Promise<{ current: StoredSubscription; obsolete: SubscriptionRef[] }> {
	const before = await listSubscriptions(connection);
	return await createSubscription(connection, desired, stored, before).catch(async (error: unknown) => {
		// The service may have subscribed without our hearing of it. What stays goes with the next publishing.
		connection.requestMs = TAKE_BACK_MS;
		if (!toFailure(error).notProcessed)
			await deleteNew(connection, desired, before).catch((reason: unknown) =>
				warn(context, 'could not see whether the service has subscribed anyway', reasonOf(reason)),
			);
		throw error;
	});
}

const refsIn = ({ current, former }: Stored): SubscriptionRef[] => [...(current ? [current] : []), ...former];

/** What was made for another address or service stays: another n8n may live there. */
const elsewhere = (stored: Stored, desired: DesiredSubscription): SubscriptionRef[] =>
	refsIn(stored).filter((ref) => !isMadeFor(ref, desired));

/** The new subscription is healthy without this; what stays is deleted by the monitor, or when n8n publishes again. */
async function deleteAll(
	context: IHookFunctions,
	connection: Connection,
	obsolete: SubscriptionRef[],
): Promise<SubscriptionRef[]> {
	const left: SubscriptionRef[] = [];
	for (const ref of obsolete) {
		const deleteIt = async () => await deleteSubscription(connection, ref);
		await deleteIt()
			.catch(deleteIt)
			.catch((error: unknown) => {
				left.push(ref);
				warn(context, `could not remove the earlier subscription ${ref.webhookId}`, reasonOf(error));
			});
	}
	return left;
}

const isStart = (context: IHookFunctions): boolean => startModes.has(context.getActivationMode());

/** Whether the service, or what an ID looks like, keeps it from being done. */
const isRefusal = (error: unknown): boolean =>
	hasStatus(error, 403) || toFailure(error).details.code === 'NODE_ID';

/** The monitor goes by what n8n's life-cycle calls found, and never against one that is under way. A test is none of its business. */
function updateSharedState(context: IHookFunctions, change: Partial<SubscriptionState>): void {
	if (context.getMode() === 'manual') return;
	const { subscription } = stateIn(context);
	const { current } = subscription;
	// At a start the earlier one delivers until the monitor has deleted it.
	if (isStart(context) && change.current && current && change.current.secret !== current.secret)
		subscription.replaced = { secret: current.secret, at: Date.now() };
	// The credential may be another one now.
	Object.assign(subscription, change, { derived: undefined });
	subscription.generation++;
}
