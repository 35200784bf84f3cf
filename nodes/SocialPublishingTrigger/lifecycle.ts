import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { connect, credentialName } from '../api/connect';
import { Failure, refusal } from '../api/errors';
import { toNodeError } from '../api/toNodeError';
import { unreachable } from '../shared/address';
import { derivedSecret } from '../shared/signature';
import { stateIn, type SubscriptionState } from './nodeState';
import { eventsOf, readOptions } from './settings';
import { storedIn, type Stored, Subscription, type Wanted } from './subscription';

/** n8n (up to 2.39) asks at every start, and unsubscribes where asking fails: no reason to give up a healthy one. */
export const startUp = new Set<string>(['init', 'leadershipChange']);

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
	if (!stored) return false;
	try {
		const { wanted, step } = await begin(context);
		const exists = await step.exists(stored, await deriveSecret(context, wanted.url));
		tellLooks(context, { current: exists ? stored : undefined, ...publishedIn(staticData) });
		return exists;
	} catch (error) {
		const isStart = startUp.has(context.getActivationMode());
		tellLooks(context, { current: isStart ? stored : undefined, ...publishedIn(staticData) });
		if (isStart) return true;
		failed.add(staticData);
		throw toNodeError(context.getNode(), error);
	}
}

/** Events from before the workflow was published are none of its business. */
const publishedIn = ({ publishedAt }: IDataObject): Partial<SubscriptionState> =>
	typeof publishedAt === 'number' ? { publishedAt } : {};

/** Looks go by what n8n's life-cycle calls found, and never against one that is under way. A test is none of their business. */
function tellLooks(context: IHookFunctions, change: Partial<SubscriptionState>): void {
	if (context.getMode() === 'manual') return;
	const { subscription } = stateIn(context);
	Object.assign(subscription, change);
	subscription.generation++;
}

/**
 * At a start of n8n, a look reads what an earlier subscription could not deliver before it removes it, and subscribes
 * where the start could not: n8n 2.41 would give up after 15 s.
 */
const leavesToLook = (context: IHookFunctions): boolean => startUp.has(context.getActivationMode());

/** n8n wants a subscription. Static data is written here and in {@link remove}, nowhere else. */
export async function create(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	failed.delete(staticData);
	try {
		const { wanted, step, serviceUrl } = await begin(context);
		const problem = wantedProblem(wanted, serviceUrl);
		if (problem) throw problem;
		const { webhookId: former } = staticData;
		const stored = await subscribe(context, step, wanted).catch((error: unknown) => {
			if (!leavesToLook(context)) throw error as Error;
			logFailedStart(context, error);
		});
		if (!stored) {
			const current = storedIn(staticData) ?? (await noneYet(context, wanted));
			tellLooks(context, { current, ...publishedIn(staticData) });
			return false;
		}
		Object.assign(staticData, { publishedAt: Date.now(), ...publishedIn(staticData) }, stored);
		const told = { current: stored, ...publishedIn(staticData) };
		if (leavesToLook(context))
			tellLooks(context, { ...told, former: typeof former === 'string' ? [former] : [] });
		else {
			await removeLeftovers(context, step, stored.webhookId);
			tellLooks(context, told);
		}
		return true;
	} catch (error) {
		tellLooks(context, { current: undefined });
		failed.add(staticData);
		throw toNodeError(context.getNode(), error);
	}
}

const logFailedStart = (context: IHookFunctions, error: unknown): void =>
	context.logger.warn(`${context.getNode().name}: could not subscribe at the start of n8n, tries again`, {
		reason: (error as Error).message,
	});

/** What a look makes a subscription of, where nothing is stored and the service has none. */
const noneYet = async (context: IHookFunctions, { url, events, workspaceId }: Wanted): Promise<Stored> => {
	const secret = await deriveSecret(context, url);
	return { webhookId: '', secret, url, events, workspaceId, derived: true };
};

/** n8n wants the subscription gone. */
export async function remove(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	tellLooks(context, { current: undefined });
	if (failed.delete(staticData)) return true;
	try {
		const { step } = await begin(context);
		await step.delete(storedIn(staticData));
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
	for (const key of Object.keys(staticData)) delete staticData[key];
	return true;
}

/** In ms: n8n tries to publish five times and gives up after 84 s in all, so this has to be short. */
const TAKE_BACK = 2_000;

/** The service may have subscribed without our hearing of it. What stays goes with the next publishing or unpublishing. */
async function subscribe(context: IHookFunctions, step: Subscription, { url }: Wanted): Promise<Stored> {
	try {
		return await step.create(await deriveSecret(context, url));
	} catch (error) {
		if (!(error instanceof Failure && error.certain)) await takeBack(context);
		throw toNodeError(context.getNode(), error);
	}
}

async function takeBack(context: IHookFunctions): Promise<void> {
	try {
		const { step } = await begin(context, TAKE_BACK);
		await step.delete(undefined);
	} catch (error) {
		context.logger.warn(
			`${context.getNode().name}: could not see whether the service has subscribed anyway`,
			{
				reason: (error as Error).message,
			},
		);
	}
}

/** How often older subscriptions are looked for, and the pause between, in ms. */
const CLEAN_UPS = 3;
const PAUSE = 500;

/** The new subscription is healthy without this; what stays is removed when the workflow is published again. */
async function removeLeftovers(context: IHookFunctions, step: Subscription, keep: string): Promise<void> {
	for (let attempt = 1; attempt <= CLEAN_UPS; attempt++) {
		try {
			return await step.deleteLeftovers(keep);
		} catch (error) {
			context.logger.warn(`${context.getNode().name}: could not remove older subscriptions of this address`, {
				reason: (error as Error).message,
				attempt,
			});
		}
		await sleep(PAUSE);
	}
}

async function begin(
	context: IHookFunctions,
	patience?: number,
): Promise<{ wanted: Wanted; step: Subscription; serviceUrl: string }> {
	const client = await connect(context);
	const wanted = wantedOf(context, context.getNodeWebhookUrl('default') ?? '');
	tellLooks(context, { url: wanted.url });
	return { wanted, step: new Subscription(client, wanted, patience), serviceUrl: client.address.apiUrl };
}

/** What the service should have: at the address of the node, as it is set now. */
export function wantedOf(context: IHookFunctions | ITriggerFunctions, url: string): Wanted {
	const settings = readOptions(context.getNodeParameter('options', {}) as IDataObject);
	const { name } = context.getWorkflow();
	const test = context.getMode() === 'manual' ? ' (test)' : '';
	return {
		url,
		events: eventsOf(context.getNodeParameter('events', []), settings),
		description: settings.description || `n8n: ${name ?? 'workflow'}${test}`,
		workspaceId: settings.workspaceId,
	};
}

function wantedProblem({ url, events }: Wanted, serviceUrl: string) {
	if (events.length === 0)
		return refusal('NO_EVENTS', "'Trigger On' names no event", "Choose at least one event in 'Trigger On'.");
	return unreachable(url, serviceUrl);
}

/** The secret that is offered to the service, from the credential as it is now. */
async function deriveSecret(context: IHookFunctions, url: string): Promise<string> {
	const { apiKey } = await context.getCredentials(credentialName);
	return derivedSecret(String(apiKey), url);
}
