import fc from 'fast-check';
import { isEqual } from 'lodash';

import type { RawDelivery } from '../../nodes/SocialPublishingTrigger/delivery';
import { anEvent, NOW, KNOWN, signatureOf, signed, timestampAt, TOLERANCE, type Signed } from './signing';

/** A delivery that is not genuine, and what the receiver knows. */
interface Forged {
	delivery: RawDelivery;
	secret: string;
	now: number;
}

const genuine: fc.Arbitrary<Signed> = fc
	.tuple(
		fc.oneof(fc.constant(anEvent()), fc.record({ id: fc.string(), type: fc.string() })),
		fc.integer({ min: -TOLERANCE, max: TOLERANCE }),
	)
	.map(([event, off]) => signed(JSON.stringify(event), timestampAt(NOW + off)));

const hexDigit = fc.constantFrom(...'0123456789abcdef');
const tooFarOff = fc.integer({ min: TOLERANCE + 1, max: 10 * 365 * 86_400_000 });

const garbage = fc.record({
	body: fc.oneof(fc.anything(), fc.uint8Array().map(Buffer.from)),
	signature: fc.anything(),
	timestamp: fc.anything(),
});

/** What is changed of a genuine delivery; what the change leaves as it was is no forgery. */
const changes: Array<(delivery: Signed) => fc.Arbitrary<Partial<RawDelivery>>> = [
	// A few bytes of the body.
	({ body }) =>
		fc
			.tuple(fc.nat({ max: body.length }), fc.nat({ max: 8 }), fc.uint8Array({ maxLength: 8 }))
			.map(([at, cut, insert]) => ({
				body: Buffer.concat([body.subarray(0, at), insert, body.subarray(at + cut)]),
			})),
	// A body that n8n has decoded, or lost.
	({ body }) =>
		fc
			.constantFrom<unknown>(undefined, body.toString(), JSON.parse(body.toString()), new Uint8Array(body))
			.map((changed) => ({ body: changed })),
	// A digit of the signature, a part of it, or another form.
	({ signature }) =>
		fc
			.tuple(fc.integer({ min: 7, max: 70 }), hexDigit)
			.map(([at, to]) => ({ signature: signature.slice(0, at) + to + signature.slice(at + 1) })),
	({ signature }) =>
		fc.nat({ max: signature.length - 1 }).map((length) => ({ signature: signature.slice(0, length) })),
	({ signature }) =>
		fc
			.constantFrom<unknown>(
				undefined,
				signature.slice(7),
				signature.replace('sha256', 'sha1'),
				signature.toUpperCase(),
				` ${signature}`,
				`${signature}\n`,
				`${signature}, ${signature}`,
				[signature],
				{ toString: () => signature },
				`sha256=${Buffer.from(signature.slice(7), 'hex').toString('base64')}`,
			)
			.map((changed) => ({ signature: changed })),
	// Signed with another secret.
	({ body, timestamp }) =>
		fc
			.oneof(fc.string(), fc.constantFrom(`${KNOWN} `, KNOWN.slice(1), KNOWN.toUpperCase(), 'undefined'))
			.map((secret) => ({ signature: signatureOf(secret, timestamp, body) })),
	// Another time, which the signature does not fit.
	({ timestamp }) =>
		fc
			.oneof(
				fc.integer({ min: -TOLERANCE, max: TOLERANCE }).map((off) => timestampAt(NOW + off)),
				fc.constantFrom(undefined, [timestamp], NOW),
			)
			.map((changed) => ({ timestamp: changed })),
	// A time that it does fit, but that is malformed or too far off.
	({ body }) =>
		fc
			.oneof(
				tooFarOff.map((off) => timestampAt(NOW + off)),
				tooFarOff.map((off) => timestampAt(NOW - off)),
				fc.constantFrom('2026-11-20T09:00:00+00:00', '2026-11-19T24:00:00Z', String(NOW)),
				fc.string(),
			)
			.map((timestamp) => ({ timestamp, signature: signatureOf(KNOWN, timestamp, body) })),
	() => garbage,
];

const changed: fc.Arbitrary<Forged> = genuine.chain((delivery) =>
	fc
		.constantFrom(...changes)
		.chain((change) => change(delivery))
		.map((difference) => ({ delivery: { ...delivery, ...difference }, secret: KNOWN, now: NOW }))
		.filter((one) => !isEqual(one.delivery, delivery)),
);

/** A receiver without a usable secret, with a clock that failed, or with other secrets: nothing is genuine for it. */
const blind: fc.Arbitrary<Forged> = genuine.chain((delivery) =>
	fc.oneof(
		fc
			.constantFrom('', 'other', `${KNOWN} `, KNOWN.slice(1))
			.map((secret) => ({ delivery, secret, now: NOW })),
		fc.constantFrom(NaN, Infinity, -Infinity).map((now) => ({ delivery, secret: KNOWN, now })),
		// An empty secret must not be usable by whoever knows that it is empty.
		fc.constantFrom('', 'undefined').map((guess) => ({
			delivery: signed(delivery.body, delivery.timestamp, guess),
			secret: '',
			now: NOW,
		})),
	),
);

export const forged: fc.Arbitrary<Forged> = fc.oneof(
	{ arbitrary: changed, weight: 20 },
	{ arbitrary: blind, weight: 3 },
);
