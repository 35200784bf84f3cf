import type { IWebhookFunctions } from 'n8n-workflow';

import { credentialName } from '../api/connect';
import { derivedSecret } from '../shared/signature';
import type { Stored } from './reconcile';
import { stateIn, storedIn, type NodeContext, type SubscriptionState } from './state';

/** The secrets that a delivery may be signed with. */
export interface Secrets {
	accepted: string[];
	/** Whether n8n has kept the secret; if not, one that does not fit proves nothing. */
	isKnown: boolean;
}

/** How long the secret made from the credential is used before the credential is asked again, in ms. */
const FRESH_MS = 5_000;
/** How long a secret counts after it was replaced, in ms: what was being transferred then has arrived by now. */
const GRACE_MS = 60 * 60_000;

/**
 * The secrets that may be in force: the one that n8n keeps, the one made from the key as it is now, and that of a
 * subscription which a check has made since. One that was replaced counts for an hour.
 */
export async function secretsFor(context: IWebhookFunctions): Promise<Secrets> {
	const stored = storedIn(context.getWorkflowStaticData('node')).current;
	// A test has a subscription of its own, which nothing looks after.
	if (context.getMode() === 'manual') {
		const own = stored ? [stored.secret] : await ownSecrets(context);
		return { accepted: own, isKnown: stored !== undefined };
	}
	const { subscription } = stateIn(context);
	const { current, replaced } = subscription;
	const known = [stored, current].filter((one) => one !== undefined);
	// A subscription from before n8n's address changed has a secret that was made with the former address.
	const ofKey = await freshSecrets(context, subscription, stored?.url);
	if (known.some((one) => one.isDerived && ofKey.includes(one.secret)))
		subscription.keyConfirmedAt = Date.now();
	const inForce = known.filter((one) => isInForce(one, ofKey, subscription)).map(({ secret }) => secret);
	const late = replaced && isInGrace(replaced.at) ? [replaced.secret] : [];
	return {
		accepted: [...new Set([...ofKey.slice(0, 1), ...inForce, ...late])],
		isKnown: known.length > 0,
	};
}

/** Remembers that the key has not been replaced until now. */
export function confirmKey(state: SubscriptionState, own: string | undefined): void {
	if (state.current?.isDerived && state.current.secret === own) state.keyConfirmedAt = Date.now();
}

/** What may not stand in any text: secrets of the subscription, as far as n8n and this process know them. */
export function secretsToHide(context: NodeContext, stored?: Stored): string[] {
	const { current, replaced } = stateIn(context).subscription;
	return [stored?.current, current, replaced].flatMap((one) => one?.secret ?? []);
}

function isInForce(
	{ secret, isDerived }: { secret: string; isDerived: boolean },
	ofKey: readonly string[],
	{ replaced, keyConfirmedAt }: SubscriptionState,
): boolean {
	if (secret === replaced?.secret) return isInGrace(replaced.at);
	// A credential that can't be read, or has no key, leaves what is stored.
	if (!isDerived || ofKey.length === 0 || ofKey.includes(secret)) return true;
	// The key was replaced after this process had last seen it.
	return isInGrace(keyConfirmedAt);
}

/** Also where the clock was set back; not where there is no such time. */
const isInGrace = (since = NaN): boolean => Math.abs(Date.now() - since) <= GRACE_MS;

async function freshSecrets(
	context: IWebhookFunctions,
	state: SubscriptionState,
	storedUrl: string | undefined,
): Promise<string[]> {
	const { derived } = state;
	if (derived && derived.storedUrl === storedUrl && Math.abs(Date.now() - derived.at) < FRESH_MS)
		return derived.secrets;
	// A credential that can't be read leaves what is stored.
	const secrets = await ownSecrets(context, storedUrl).catch(() => []);
	state.derived = secrets.length > 0 ? { secrets, storedUrl, at: Date.now() } : undefined;
	return secrets;
}

/** The secrets made from the credential as it is now: the one that is offered to the service, and with the stored address. */
async function ownSecrets(context: IWebhookFunctions, storedUrl?: string): Promise<string[]> {
	const url = context.getNodeWebhookUrl('default');
	if (url === undefined) return [];
	const { apiKey } = await context.getCredentials(credentialName);
	const secrets = [url, storedUrl ?? url].flatMap((one) => derivedSecret(apiKey, one) ?? []);
	return [...new Set(secrets)];
}
