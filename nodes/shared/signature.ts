import { createHmac } from 'node:crypto';

/** Spec, "Signature" 1 and 2: the header's value for the exact timestamp header and the raw body. */
export const signatureOf = (secret: string, timestamp: string, body: string | Buffer): string =>
	`sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;

/**
 * The secret that the trigger offers the service when subscribing (spec: "A caller may supply its own secret
 * instead"): made from key and address, so that it can be made again when n8n has lost what it stored.
 */
export const derivedSecret = (apiKey: string, url: string): string =>
	createHmac('sha256', apiKey).update(`n8n-nodes-social-publishing:webhook-secret:${url}`).digest('hex');
