import { compact, uniq } from 'lodash';
import type { IWebhookFunctions } from 'n8n-workflow';

import { credentialName } from '../api/connect';
import { derivedSecret } from '../shared/signature';
import { readStored, stateIn, type NodeContext } from './state';

/** The secrets that a delivery may be signed with. `isKnown`: n8n has kept one; if not, a wrong one proves nothing. */
export interface Secrets {
	accepted: string[];
	isKnown: boolean;
}

/** The secrets that may be in force, the likeliest first. */
export async function secretsFor(context: IWebhookFunctions): Promise<Secrets> {
	const kept = readStored(context.getWorkflowStaticData('node')).current;
	// A test has a subscription of its own, which nothing checks.
	if (context.getMode() === 'manual')
		return { accepted: kept ? [kept.secret] : await ownSecrets(context), isKnown: kept !== undefined };
	const state = stateIn(context);
	const { current } = state.stored;
	// A subscription from before n8n's address changed has a secret that was made with the former address.
	const ofKey = await state.secretsOfKey(kept?.url, async () => await ownSecrets(context, kept?.url));
	const accepted = compact([
		// Made from today's key.
		ofKey[0],
		// What this process subscribed with: until it is replaced, whatever became of the key.
		current?.secret,
		// What n8n keeps.
		kept && state.mayBeInForce(kept, ofKey) && kept.secret,
		// Replaced within the last hour.
		...state.replacedSecrets('late'),
	]);
	return { accepted: uniq(accepted), isKnown: kept !== undefined || current !== undefined };
}

/** The secrets of a trigger's subscriptions, to redact them in every text. */
export function secretsToHide(context: NodeContext): string[] {
	const state = stateIn(context);
	return compact([state.stored.current?.secret, ...state.replacedSecrets('all')]);
}

/** The secrets made from the credential as it is now: the one offered to the service, and with the stored address. */
async function ownSecrets(context: IWebhookFunctions, storedUrl?: string): Promise<string[]> {
	const url = context.getNodeWebhookUrl('default');
	if (url === undefined) return [];
	const { apiKey } = await context.getCredentials(credentialName);
	return uniq(compact([url, storedUrl ?? url].map((one) => derivedSecret(apiKey, one))));
}
