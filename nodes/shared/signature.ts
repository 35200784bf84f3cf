import { createHmac } from 'node:crypto';

import { readApiKey } from '../api/address';
import { MIN_SECRET_LENGTH } from '../api/redaction';

/** Spec, "Signature" 1 and 2: the header's value for the exact timestamp header and the raw body. */
export const signatureOf = (secret: string, timestamp: string, body: string | Buffer): string =>
	`sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;

/**
 * The secret that the trigger offers the service (spec: "A caller may supply its own secret instead"), made from key and
 * address, so that it survives the loss of n8n's static data; undefined where there is no key.
 */
export function derivedSecret(apiKey: unknown, url: string): string | undefined {
	const key = typeof apiKey === 'string' || typeof apiKey === 'number' ? readApiKey(apiKey) : '';
	if (key.length < MIN_SECRET_LENGTH || /^(undefined|bearer|\[object .*)$/i.test(key)) return undefined;
	return createHmac('sha256', key).update(`n8n-nodes-social-publishing:webhook-secret:${url}`).digest('hex');
}
