import compact from 'lodash/compact';
import uniq from 'lodash/uniq';
import type { IWebhookFunctions } from 'n8n-workflow';

import { credentialName } from '../api/connect';
import { derivedSecret } from '../shared/signature';
import { readStored, stateIn, type NodeContext, type NodeState } from './state';
import type { Stored } from './subscription';

/** The secrets that a delivery may be signed with. `isKnown`: n8n has kept one; if not, a wrong one proves nothing. */
export interface Secrets {
	accepted: string[];
	isKnown: boolean;
}

/** How long the secret made from the credential is used before the credential is read again. */
const FRESH_MS = 5_000;
/** How long a secret counts after it was replaced: what was being transferred then has arrived by now. */
const GRACE_MS = 60 * 60_000;

/** The secrets that may be in force: the stored one, the one made from today's key, a check's; a replaced one for an hour. */
export async function secretsFor(context: IWebhookFunctions): Promise<Secrets> {
	const kept = readStored(context.getWorkflowStaticData('node')).current;
	// A test has a subscription of its own, which nothing checks.
	if (context.getMode() === 'manual')
		return { accepted: kept ? [kept.secret] : await ownSecrets(context), isKnown: kept !== undefined };
	const state = stateIn(context);
	const { stored, replaced } = state;
	const known = compact([kept, stored.current]);
	// A subscription from before n8n's address changed has a secret that was made with the former address.
	const ofKey = await freshSecrets(context, state, kept?.url);
	if (known.some((one) => one.isDerived && ofKey.includes(one.secret)))
		state.keyConfirmedAt = performance.now();
	// A process without checks can't know when the leading one has replaced it: the hour starts with the last sign of the key.
	const isKeyCurrent = (secret: string) =>
		ofKey.length === 0 || ofKey.includes(secret) || isInGrace(state.keyConfirmedAt);
	// Until it is replaced, the service signs with it, whatever became of the key.
	const isInForce = ({ secret, isDerived }: NonNullable<Stored['current']>) =>
		secret === stored.current?.secret || (!replaced.has(secret) && (!isDerived || isKeyCurrent(secret)));
	const inForce = known.filter(isInForce).map(({ secret }) => secret);
	const late = [...replaced].flatMap(([secret, since]) => (isInGrace(since) ? [secret] : []));
	return { accepted: uniq([...ofKey.slice(0, 1), ...inForce, ...late]), isKnown: known.length > 0 };
}

/** The secrets of a trigger's subscriptions, to redact them in every text. */
export function secretsToHide(context: NodeContext): string[] {
	const { stored, replaced } = stateIn(context);
	return compact([stored.current?.secret, ...replaced.keys()]);
}

const isInGrace = (since = -Infinity): boolean => performance.now() - since <= GRACE_MS;

/** {@link ownSecrets}, read again after a while. A credential that can't be read leaves what is stored. */
async function freshSecrets(
	context: IWebhookFunctions,
	state: NodeState,
	storedUrl?: string,
): Promise<string[]> {
	const { derived } = state;
	if (derived && derived.storedUrl === storedUrl && performance.now() - derived.at < FRESH_MS)
		return derived.secrets;
	const secrets = await ownSecrets(context, storedUrl).catch(() => []);
	state.derived = secrets.length > 0 ? { secrets, storedUrl, at: performance.now() } : undefined;
	return secrets;
}

/** The secrets made from the credential as it is now: the one offered to the service, and with the stored address. */
async function ownSecrets(context: IWebhookFunctions, storedUrl?: string): Promise<string[]> {
	const url = context.getNodeWebhookUrl('default');
	if (url === undefined) return [];
	const { apiKey } = await context.getCredentials(credentialName);
	return uniq(compact([url, storedUrl ?? url].map((one) => derivedSecret(apiKey, one))));
}
