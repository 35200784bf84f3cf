import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { credentialName } from '../api/connect';
import { derivedSecret } from '../shared/signature';
import { stateIn, type SubscriptionState } from './nodeState';
import { readOptions } from './settings';

/** The secrets that a delivery may be signed with. */
export interface Secrets {
	accepted: string[];
	/** Whether n8n has kept the secret; if not, one that does not fit proves nothing. */
	isKnown: boolean;
}

/** How long the secret made from the credential is used before the credential is asked again, in ms. */
const FRESH = 5_000;
/** How long after the next look deliveries still count that were signed with the secret of a replaced key, in ms. */
const GRACE = 60 * 60_000;

/**
 * The secrets that may be in force: the one that n8n keeps, the one made from the key as it is now, and that of a
 * subscription which a look has made since. The secret of a replaced key counts for a while: the old subscription
 * delivers until a look has put another one in its place.
 */
export async function secretsFor(context: IWebhookFunctions): Promise<Secrets> {
	const { secret, derived } = context.getWorkflowStaticData('node');
	const stored = typeof secret === 'string' && secret !== '' ? secret : undefined;
	// A test has a subscription of its own, which nothing looks after.
	if (context.getMode() === 'manual') {
		const own = stored ?? (await ownSecret(context));
		return {
			accepted: own ? [own] : [],
			isKnown: stored !== undefined,
		};
	}
	const { subscription } = stateIn(context);
	const own = await freshSecret(context, subscription);
	const { current } = subscription;
	const known = [
		...(stored ? [{ secret: stored, derived: derived === true }] : []),
		...(current ? [current] : []),
	];
	const kept = known.filter((one) => !one.derived || one.secret === own || own === undefined);
	const replaced = known.filter((one) => !kept.includes(one));
	const counted = isInGrace(context, subscription, replaced.length > 0) ? known : kept;
	const accepted = [...(own ? [own] : []), ...counted.map((one) => one.secret)];
	return {
		accepted: [...new Set(accepted)],
		isKnown: known.length > 0,
	};
}

/** Whether a key was replaced so lately that its subscription may still deliver. */
function isInGrace(context: IWebhookFunctions, state: SubscriptionState, isReplaced: boolean): boolean {
	if (!isReplaced) {
		delete state.keyReplacedAt;
		return false;
	}
	state.keyReplacedAt ??= Date.now();
	const { checkEvery } = readOptions(context.getNodeParameter('options', {}) as IDataObject);
	return Date.now() - state.keyReplacedAt <= checkEvery + GRACE;
}

async function freshSecret(
	context: IWebhookFunctions,
	state: SubscriptionState,
): Promise<string | undefined> {
	if (state.derived && Date.now() - state.derived.at < FRESH) return state.derived.secret;
	// A credential that can't be read leaves what is stored.
	const secret = await ownSecret(context).catch(() => undefined);
	state.derived = secret ? { secret, at: Date.now() } : undefined;
	return secret;
}

/** The secret that is offered to the service, made from the credential as it is now. */
async function ownSecret(context: IWebhookFunctions): Promise<string | undefined> {
	const url = context.getNodeWebhookUrl('default');
	if (url === undefined) return undefined;
	const { apiKey } = await context.getCredentials(credentialName);
	return derivedSecret(String(apiKey), url);
}
