import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

import type { IDataObject, IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { networkCode } from '../api/connectionFailure';
import { credentialName } from '../api/connect';
import { headers } from '../api/contract';
import { derivedSecret, signatureOf } from './signature';

/**
 * A probe looks like a delivery, but for a token in the query of the address. The token proves that whoever asks holds
 * the API key; only then the trigger tells what arrived, and it never takes a probe for an event. In the query, since
 * a proxy that drops headers or changes bodies, which a probe is to find out, leaves that alone.
 */
export const PROBE_QUERY = 'social-publishing-probe';

/** How long a token is good for, in ms: long, since a wrong clock is one of the troubles that a probe finds out. */
const GOOD_FOR = 24 * 60 * 60_000;

/** How long the address may take to answer, in ms (spec, "Delivery and retry rules" 1). */
const LONGEST_ANSWER = 15_000;

const macOf = (apiKey: string, stamp: string): string =>
	createHmac('sha256', apiKey).update(`n8n-nodes-social-publishing:probe:${stamp}`).digest('hex');

/** `<time in ms>.<random>.<HMAC>`, made from the API key. */
export function probeToken(apiKey: string, now: number): string {
	const stamp = `${now}.${randomUUID()}`;
	return `${stamp}.${macOf(apiKey, stamp)}`;
}

/** Whether a token was made with this API key, not too long ago. */
export function isProbeToken(token: unknown, apiKey: string, now: number): boolean {
	const parts =
		typeof token === 'string' ? /^((\d{1,16})\.[0-9a-f-]{36})\.([0-9a-f]{64})$/.exec(token) : null;
	if (!parts) return false;
	const [, stamp, time, mac] = parts as unknown as [string, string, string, string];
	const expected = Buffer.from(macOf(apiKey, stamp));
	return timingSafeEqual(Buffer.from(mac), expected) && Math.abs(now - Number(time)) <= GOOD_FOR;
}

/** What the trigger tells whoever holds the key. */
export interface ProbeReport {
	status: 'probe';
	/** Where this n8n says that it is. */
	address: string;
	/** Hex SHA-256 of the body as it arrived; null where none could be read. */
	body_sha256: string | null;
	/** The signed headers as they arrived. */
	signature: string | null;
	timestamp: string | null;
	/** ISO 8601. */
	now: string;
	workflow_id: string;
}

export const sha256 = (body: string | Buffer): string => createHash('sha256').update(body).digest('hex');

/** What became of a probe: the answer of whoever answered, or the network's code. */
export interface ProbeResult {
	url: string;
	/** What was sent. */
	sent: { body_sha256: string; signature: string; timestamp: string };
	error?: string;
	status?: number;
	headers?: IDataObject;
	body?: unknown;
}

/** Sends a probe to an address, as the service would deliver an event; never throws for what the address does. */
export async function sendProbe(context: IExecuteFunctions, url: string): Promise<ProbeResult> {
	const { apiKey } = await context.getCredentials(credentialName);
	const key = String(apiKey);
	// Spaces, an umlaut and a number that a proxy which writes JSON anew would write otherwise.
	const body = `{ "id": "probe_${randomUUID()}", "type": "probe", "data": { "text": "\\u00fcber", "number": 1.0 } }`;
	const timestamp = new Date().toISOString();
	const signature = signatureOf(derivedSecret(key, url), timestamp, body);
	const sent = { body_sha256: sha256(body), signature, timestamp };
	const address = new URL(url);
	address.searchParams.set(PROBE_QUERY, probeToken(key, Date.now()));
	const signed = { [headers.signature]: signature, [headers.timestamp]: timestamp };
	return { url, sent, ...(await post(context, address.href, Buffer.from(body), signed)) };
}

async function post(
	{ helpers }: IExecuteFunctions,
	url: string,
	body: Buffer,
	signed: IDataObject,
): Promise<Partial<ProbeResult>> {
	const options: IHttpRequestOptions = {
		method: 'POST',
		url,
		body,
		headers: { 'Content-Type': 'application/json', ...signed },
		timeout: LONGEST_ANSWER,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	try {
		const answer = (await helpers.httpRequest(options)) as IN8nHttpFullResponse;
		return { status: answer.statusCode, headers: answer.headers, body: parsed(answer.body) };
	} catch (error) {
		return { error: networkCode(error) || 'UNKNOWN' };
	}
}

/** n8n parses JSON by its content type; a text is kept as it came. */
function parsed(body: unknown): unknown {
	const text = Buffer.isBuffer(body) ? body.toString() : body;
	if (typeof text !== 'string') return text;
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
