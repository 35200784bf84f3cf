import type { IDataObject, IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import { credentialName } from '../api/connect';
import { derivedSecret } from '../shared/signature';
import { stateIn, storedIn, type SubscriptionState } from './state';

/** The secrets that a delivery may be signed with. */
export interface Secrets {
	accepted: string[];
	/** Whether n8n has kept the secret; if not, one that does not fit proves nothing. */
	isKnown: boolean;
}

/** How long the secret made from the credential is used before the credential is asked again, in ms. */
const FRESH_MS = 5_000;
/** How long a secret counts after it was replaced, in ms: what was on its way then has arrived by now. */
const GRACE_MS = 60 * 60_000;

/**
 * The secrets that may be in force: the one that n8n keeps, the one made from the key as it is now, and that of a
 * subscription which a check has made since. One that was replaced counts for an hour.
 */
export async function secretsFor(context: IWebhookFunctions): Promise<Secrets> {
	const staticData = context.getWorkflowStaticData('node');
	const stored = keptSecret(staticData);
	// A test has a subscription of its own, which nothing looks after.
	if (context.getMode() === 'manual') {
		const own = stored?.secret ?? (await ownSecret(context));
		return { accepted: own ? [own] : [], isKnown: stored !== undefined };
	}
	const { subscription } = stateIn(context);
	const own = await freshSecret(context, subscription);
	const { current } = subscription;
	const known = [...(stored ? [stored] : []), ...(current ? [current] : [])];
	confirmKey(subscription, own);
	if (known.some((one) => one.isDerived && one.secret === own)) subscription.keyConfirmedAt = Date.now();
	const inForce = known.filter((one) => isInForce(one, own, subscription)).map(({ secret }) => secret);
	const { replaced } = subscription;
	const late = replaced && isInGrace(replaced.at) ? [replaced.secret] : [];
	return {
		accepted: [...new Set([...(own ? [own] : []), ...inForce, ...late])],
		isKnown: known.length > 0,
	};
}

/** Remembers that the key has not been replaced until now. */
export function confirmKey(state: SubscriptionState, own: string | undefined): void {
	if (own !== undefined && state.current?.isDerived && state.current.secret === own)
		state.keyConfirmedAt = Date.now();
}

/** What may not stand in any text: secrets of the subscription, as far as n8n and this process know them. */
export function secretsToHide(
	context: Pick<IHookFunctions | ITriggerFunctions, 'getWorkflow' | 'getNode'>,
	staticData: IDataObject = {},
): string[] {
	const { current, replaced } = stateIn(context).subscription;
	return [storedIn(staticData).current, current, replaced].flatMap((one) => (one ? [one.secret] : []));
}

function isInForce(
	{ secret, isDerived }: { secret: string; isDerived: boolean },
	own: string | undefined,
	{ replaced, keyConfirmedAt }: SubscriptionState,
): boolean {
	if (secret === replaced?.secret) return isInGrace(replaced.at);
	// A credential that can't be read, or has no key, leaves what is stored.
	if (!isDerived || own === undefined || secret === own) return true;
	// The key was replaced after this process had last seen it.
	return keyConfirmedAt !== undefined && isInGrace(keyConfirmedAt);
}

/** Also where the clock was set back. */
const isInGrace = (since: number): boolean => Math.abs(Date.now() - since) <= GRACE_MS;

const keptSecret = ({ secret, isDerived }: IDataObject) =>
	typeof secret === 'string' && secret !== '' ? { secret, isDerived: isDerived === true } : undefined;

async function freshSecret(
	context: IWebhookFunctions,
	state: SubscriptionState,
): Promise<string | undefined> {
	if (state.derived && Math.abs(Date.now() - state.derived.at) < FRESH_MS) return state.derived.secret;
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
	return derivedSecret(apiKey, url);
}
