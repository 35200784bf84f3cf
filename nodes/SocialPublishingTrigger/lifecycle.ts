import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { Failure, refusal } from '../api/errors';
import { toNodeError } from '../api/toNodeError';
import { unreachable } from '../shared/addresses';
import { connectTrigger, type Connection } from './connection';
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
import { eventsOf, readOptions } from './settings';
import { keepStored, publishedIn, stateIn, storedIn, type SubscriptionState } from './state';
import { SubscriptionRequests } from './subscriptions';

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
	const known = { ...stored, ...publishedIn(staticData) };
	try {
		const { connection, requests, desired } = await open(context, staticData);
		const read = async () => await requests.list();
		// All workflows of a key ask when n8n starts.
		const remote = isStart(context) ? await connection.group.list(read) : await read();
		const isPublished = diffSubscription(remote, stored, desired).create === undefined;
		updateSharedState(context, { ...known, isPublished });
		if (context.getMode() !== 'manual') confirmKey(stateIn(context).subscription, desired.secret);
		return isPublished;
	} catch (error) {
		updateSharedState(context, { ...known, isPublished: isStart(context) });
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
		const step = await open(context, staticData);
		refuseUnusable(step.desired);
		const made = await subscribe(context, step, stored).catch((error: unknown) => {
			// n8n 2.41 would give up after 15 s: at a start, the monitor tries again.
			if (!isStart(context)) throw error;
			warn(context, 'could not subscribe at the start of n8n, tries again', error);
		});
		if (!made) {
			updateSharedState(context, { ...stored, isPublished: true, ...publishedIn(staticData) });
			return false;
		}
		const { current, obsolete } = made;
		// At a start, the monitor deletes them, once it has read what they could not deliver.
		const left = isStart(context) ? obsolete : await deleteAll(context, step, obsolete);
		const former = [...elsewhere(stored, step.desired), ...left];
		keepStored(staticData, { current, former });
		staticData.publishedAt ??= Date.now();
		updateSharedState(context, { current, former, isPublished: true, ...publishedIn(staticData) });
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
	const known = [storedIn(staticData)];
	if (context.getMode() !== 'manual') known.push(stateIn(context).subscription);
	const refs = known.flatMap(({ current, former }) => [...(current ? [current] : []), ...former]);
	try {
		await unsubscribe(context, await open(context, staticData), refs);
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
	for (const key of Object.keys(staticData)) delete staticData[key];
	updateSharedState(context, { current: undefined, former: [] });
	return true;
}

interface Step {
	connection: Connection;
	requests: SubscriptionRequests;
	desired: DesiredSubscription;
}

async function open(context: IHookFunctions, staticData: IDataObject): Promise<Step> {
	const url = context.getNodeWebhookUrl('default') ?? '';
	updateSharedState(context, { url });
	const connection = await connectTrigger(context, {
		url,
		workspaceId: readOptions(context.getNodeParameter('options', {}) as IDataObject).workspaceId,
		secrets: secretsToHide(context, staticData),
	});
	updateSharedState(context, { group: connection.group });
	return {
		connection,
		requests: new SubscriptionRequests(connection),
		desired: desiredBy(context, url, connection),
	};
}

/** What the service should have: at the address of the node, as it is set now. */
export function desiredBy(
	context: IHookFunctions | ITriggerFunctions,
	url: string,
	{ serviceUrl, workspaceId, ownSecret }: Connection,
): DesiredSubscription {
	if (ownSecret === undefined)
		throw refusal(
			'NO_API_KEY',
			'The credential has no API key, so no delivery could be verified',
			"Open the credential and enter 'API Key'; if it is an expression, check that it has a value.",
		);
	const settings = readOptions(context.getNodeParameter('options', {}) as IDataObject);
	const { name } = context.getWorkflow();
	const test = context.getMode() === 'manual' ? ' (test)' : '';
	return {
		url,
		serviceUrl,
		workspaceId,
		events: eventsOf(context.getNodeParameter('events', []), settings),
		description: settings.description || `n8n: ${name ?? 'workflow'}${test}`,
		secret: ownSecret,
	};
}

function refuseUnusable({ url, events, serviceUrl }: DesiredSubscription): void {
	if (events.length === 0)
		throw refusal('NO_EVENTS', "'Trigger On' is empty", "Choose at least one event in 'Trigger On'.");
	const problem = unreachable(url, serviceUrl);
	if (problem) throw problem;
}

/** In ms: n8n tries to publish five times and gives up after 84 s in all, so this has to be short. */
const TAKE_BACK_MS = 2_000;

/** @returns the new subscription, and those that it takes the place of */
async function subscribe(
	context: IHookFunctions,
	{ requests, desired, connection }: Step,
	stored: Stored,
): Promise<{ current: StoredSubscription; obsolete: SubscriptionRef[] }> {
	const before = await requests.list();
	const created = requests.create(desired, before).catch(async (error: unknown) => {
		// The service may have subscribed without our hearing of it. What stays goes with the next publishing.
		if (!(error instanceof Failure && error.notProcessed))
			await new SubscriptionRequests(connection, TAKE_BACK_MS)
				.deleteNew(desired.url, before)
				.catch((reason: unknown) =>
					warn(context, 'could not see whether the service has subscribed anyway', reason),
				);
		throw error;
	});
	const { made: current, listed } = await created;
	const obsolete = obsoleteFor(listed, stored, desired);
	return { current, obsolete: obsolete.filter(({ webhookId }) => webhookId !== current.webhookId) };
}

/** What was made for another address or service stays: another n8n may live there. */
const elsewhere = ({ current, former }: Stored, desired: DesiredSubscription): SubscriptionRef[] =>
	[...former, ...(current ? [current] : [])].filter((ref) => !isMadeFor(ref, desired));

/** The new subscription is healthy without this; what stays is deleted by the monitor, or when n8n publishes again. */
async function deleteAll(
	context: IHookFunctions,
	{ requests }: Step,
	obsolete: SubscriptionRef[],
): Promise<SubscriptionRef[]> {
	const left: SubscriptionRef[] = [];
	for (const ref of obsolete) {
		const deleteIt = async () => await requests.delete(ref);
		await deleteIt()
			.catch(deleteIt)
			.catch((error: unknown) => {
				left.push(ref);
				warn(context, `could not remove the earlier subscription ${ref.webhookId}`, error);
			});
	}
	return left;
}

/**
 * Those that we have made, by ID; then whatever else delivers to this address.
 * @throws Failure where one stays that is ours: n8n then tries again
 */
async function unsubscribe(
	context: IHookFunctions,
	{ requests, desired }: Step,
	refs: SubscriptionRef[],
): Promise<void> {
	for (const ref of obsoleteFor([], { former: refs }, desired))
		await requests.delete(ref).catch((error: unknown) => {
			if (!isRefusal(error)) throw error;
			// It may be somebody else's by now. If it is ours, the service lists it under our address.
			warn(context, `the service refuses to remove the subscription ${ref.webhookId}`, error);
		});
	for (const ref of obsoleteFor(await requests.list(), { former: [] }, desired)) await requests.delete(ref);
}

const isStart = (context: IHookFunctions): boolean => startModes.has(context.getActivationMode());

/** Whether the service, or what an ID looks like, keeps it from being done. */
const isRefusal = (error: unknown): boolean =>
	error instanceof Failure && (error.details.status === 403 || /^NODE_ID/.test(error.details.code));

/** The monitor goes by what n8n's life-cycle calls found, and never against one that is under way. A test is none of its business. */
function updateSharedState(context: IHookFunctions, change: Partial<SubscriptionState>): void {
	if (context.getMode() === 'manual') return;
	const { subscription } = stateIn(context);
	const { current } = subscription;
	// At a start the earlier one delivers until the monitor has deleted it.
	if (isStart(context) && change.current && current && change.current.secret !== current.secret)
		subscription.replaced = { secret: current.secret, at: Date.now() };
	Object.assign(subscription, change);
	subscription.generation++;
}

function warn(context: IHookFunctions, what: string, error: unknown): void {
	const reason = (error as Error).message;
	context.logger.warn(`${context.getNode().name}: ${what}`, { reason });
}
