import type { ICredentialDataDecryptedObject, IDataObject, IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { connect, credentialName } from '../api/connect';
import { refusal, toNodeError } from '../api/errors';
import { unreachable } from './address';
import { eventsOf, readOptions } from './settings';
import { derivedSecret, storedIn, Subscription, type Wanted } from './subscription';

/** n8n (up to 2.39) asks at every start, and unsubscribes where asking fails: no reason to give up a healthy one. */
const startUp = new Set<string>(['init', 'leadershipChange']);

/** n8n asks whether the subscription is there. */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	const stored = storedIn(context.getWorkflowStaticData('node'));
	if (!stored) return false;
	try {
		const { step } = await begin(context);
		return await step.exists(stored);
	} catch (error) {
		if (startUp.has(context.getActivationMode())) return true;
		throw toNodeError(context.getNode(), error);
	}
}

/** n8n wants a subscription. Static data is written here and in {@link remove}, nowhere else. */
export async function create(context: IHookFunctions): Promise<boolean> {
	try {
		const { wanted, step, serviceUrl } = await begin(context);
		const problem = wantedProblem(wanted, serviceUrl);
		if (problem) throw toNodeError(context.getNode(), problem);
		const stored = await step.create(await deriveSecret(context, wanted.url));
		Object.assign(context.getWorkflowStaticData('node'), stored);
		await removeLeftovers(context, step, stored.webhookId);
		return true;
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/** n8n wants the subscription gone. */
export async function remove(context: IHookFunctions): Promise<boolean> {
	const staticData = context.getWorkflowStaticData('node');
	try {
		const { step } = await begin(context);
		await step.delete(storedIn(staticData));
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
	for (const key of Object.keys(staticData)) delete staticData[key];
	return true;
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
): Promise<{ wanted: Wanted; step: Subscription; serviceUrl: string }> {
	const client = await connect(context);
	const wanted = wantedOf(context);
	return { wanted, step: new Subscription(client, wanted), serviceUrl: client.address.apiUrl };
}

function wantedOf(context: IHookFunctions): Wanted {
	const settings = readOptions(context.getNodeParameter('options', {}) as IDataObject);
	const { name } = context.getWorkflow();
	const test = context.getMode() === 'manual' ? ' (test)' : '';
	return {
		url: context.getNodeWebhookUrl('default') ?? '',
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
export async function deriveSecret(
	context: { getCredentials(type: string): Promise<ICredentialDataDecryptedObject> },
	url: string,
): Promise<string> {
	const { apiKey } = await context.getCredentials(credentialName);
	return derivedSecret(String(apiKey), url);
}
