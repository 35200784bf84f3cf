import { timingSafeEqual } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { isTooDeep, parseWithoutProto } from '../api/lists';
import { signatureOf } from '../shared/signature';

export type RawDelivery = Record<'body' | 'signature' | 'timestamp', unknown>;

/** A delivery whose headers have the right form; not verified yet. */
type SignedDelivery = z.infer<typeof signedDelivery>;
const signedDelivery = z.object({
	body: z.instanceof(Buffer),
	signature: z.string().regex(/^sha256=[0-9a-fA-F]{64}$/),
	timestamp: z.string().datetime(),
});

/** An event as the service sent it (spec, "Events"): unknown fields included. */
export type ServiceEvent = IDataObject & z.infer<typeof eventSchema>;
const eventSchema = z.object({ id: z.string().min(1), type: z.string().min(1) });

/** The secrets that a delivery may be signed with. `isKnown`: n8n has kept one; if not, a wrong one proves nothing. */
export interface Secrets {
	accepted: string[];
	isKnown: boolean;
}

/** An event, or the answer that the sender gets instead; `reason` is for n8n's log, `offMs` how far the clocks are apart. */
type DeliveryVerdict =
	| { event: ServiceEvent; refused?: undefined }
	| { event?: undefined; refused: { status: number; error: string }; reason: string; offMs?: number };

/** One text for everything that may be forged: a stranger learns nothing from it. */
export const notGenuine = { status: 401, error: 'The signature or the timestamp is not valid' };
/** n8n has lost the secret, and the derived one doesn't fit: it may be genuine, so the service is to send it again. */
export const unknownSecret = { status: 503, error: 'This receiver has no secret yet' };
const noEvent = (reason: string): DeliveryVerdict => ({ refused: { status: 400, error: reason }, reason });
const isForged = (reason: string, offMs?: number) => ({ refused: notGenuine, reason, offMs });

/** A delivery, undefined for whatever the service would never send: garbage costs no look-up. */
export const parseDelivery = (delivery: RawDelivery): SignedDelivery | undefined =>
	signedDelivery.safeParse(delivery).data;

/** Spec, "Signature" 1 to 3: the HMAC of the exact timestamp header, a dot and the raw body, in constant time. */
export function isSignedWith(secret: string, { body, signature, timestamp }: SignedDelivery): boolean {
	const expected = Buffer.from(signatureOf(secret, timestamp, body));
	// The spec names no case for the digits.
	const given = Buffer.from(signature.toLowerCase());
	return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * From bytes and headers to an event or a refusal; never throws. `toleranceMs`: how far the send time may be from `now`, both
 * ways, inclusive (spec, "Signature" 4); called once the signature fits, since parameters cost n8n more than that.
 */
export function verify(
	delivery: SignedDelivery | undefined,
	{ accepted, isKnown }: Secrets,
	now: number,
	toleranceMs: () => number,
): DeliveryVerdict {
	if (!delivery) return isForged('it has no signature, time or body, or one of another form');
	// Every secret is tried, so that the time doesn't reveal which one fits.
	const isSigned = accepted.map((secret) => isSignedWith(secret, delivery)).includes(true);
	const lost = 'n8n has lost the secret of the subscription. Unpublish the workflow and publish it again';
	if (!isSigned && !isKnown) return { refused: unknownSecret, reason: lost };
	if (!isSigned) return isForged("its signature doesn't fit the secret of the subscription");
	const offMs = Math.abs(now - Date.parse(delivery.timestamp));
	// Written so that NaN refuses.
	if (offMs <= toleranceMs()) return readEvent(delivery.body);
	return isForged("its time is too far from this computer's clock", offMs);
}

function readEvent(body: Buffer): DeliveryVerdict {
	let event: unknown;
	try {
		// Our own copy: n8n's was decoded by the unsigned content type. A byte order mark goes, invalid UTF-8 is refused.
		const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
		if (isTooDeep(JSON.parse(text))) return noEvent('The body is nested too deeply');
		event = parseWithoutProto(text);
	} catch {
		return noEvent('The body is not JSON');
	}
	return isEvent(event) ? { event } : noEvent("The body is not a JSON object with 'id' and 'type'");
}

const isEvent = (body: unknown): body is ServiceEvent => eventSchema.safeParse(body).success;
