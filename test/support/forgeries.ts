import fc from 'fast-check';

import type { RawDelivery } from '../../nodes/SocialPublishingTrigger/delivery';
import { anEvent, NOW, KNOWN, signatureOf, signed, timestampAt, TOLERANCE, type Signed } from './signing';

/** Deliveries that are not genuine, and what the receiver knows. */
export interface Forged {
	delivery: RawDelivery;
	secret: string;
	now: number;
	kind: string;
}

const genuine: fc.Arbitrary<Signed> = fc
	.tuple(
		fc.oneof(fc.constant(anEvent()), fc.record({ id: fc.string(), type: fc.string() })),
		fc.integer({ min: -TOLERANCE, max: TOLERANCE }),
	)
	.map(([event, off]) => signed(JSON.stringify(event), timestampAt(NOW + off)));

type Change = (delivery: Signed) => fc.Arbitrary<Partial<RawDelivery> | undefined>;

const constant = (value: Partial<RawDelivery> | undefined) => fc.constant(value);

const flipBit: Change = ({ body }) =>
	fc.nat({ max: body.length * 8 - 1 }).map((bit) => {
		const changed = Buffer.from(body);
		changed[bit >> 3]! ^= 1 << (bit & 7);
		return { body: changed };
	});

const spliceBody: Change = ({ body }) =>
	fc
		.tuple(fc.nat({ max: body.length }), fc.nat({ max: 8 }), fc.uint8Array({ maxLength: 8 }))
		.map(([at, cut, insert]) => {
			const changed = Buffer.concat([body.subarray(0, at), insert, body.subarray(at + cut)]);
			return changed.equals(body) ? undefined : { body: changed };
		});

const reserialise: Change = ({ body }) => constant({ body: Buffer.from(` ${body.toString()}`) });

const digit: Change = ({ signature }) =>
	fc.tuple(fc.integer({ min: 7, max: 70 }), fc.constantFrom(...'0123456789abcdef')).map(([at, to]) => {
		const changed = signature.slice(0, at) + to + signature.slice(at + 1);
		return changed === signature ? undefined : { signature: changed };
	});

const signatureShape: Change = ({ signature }) => {
	const hex = signature.slice(7);
	return fc
		.constantFrom<unknown>(
			undefined,
			null,
			'',
			hex,
			`sha1=${hex}`,
			`v1=${hex}`,
			`SHA256=${hex}`,
			`sha256 =${hex}`,
			` ${signature}`,
			`${signature} `,
			`${signature}\n`,
			`${signature},${signature}`,
			`${signature}, ${signature}`,
			signature.slice(0, -1),
			`${signature}0`,
			`sha256=`,
			signature.toUpperCase(),
			[signature],
			{ toString: () => signature },
			Buffer.from(signature),
			`sha256=${Buffer.from(hex, 'hex').toString('base64')}`,
			'x'.repeat(10_000),
			42,
		)
		.map((changed) => (changed === signature ? undefined : { signature: changed }));
};

const cutSignature: Change = ({ signature }) =>
	fc.nat({ max: signature.length - 1 }).map((length) => ({ signature: signature.slice(0, length) }));

/** The right form, another time: the signature no longer fits. */
const otherTime: Change = ({ timestamp }) =>
	fc.integer({ min: -TOLERANCE, max: TOLERANCE }).map((off) => {
		const changed = timestampAt(NOW + off);
		return changed === timestamp ? undefined : { timestamp: changed };
	});

/** Signed as it should be, but the time is malformed or too far off. */
const signedWrongTime: Change = ({ body }) =>
	fc
		.oneof(
			fc.integer({ min: TOLERANCE + 1, max: 10 * 365 * 86_400_000 }).map((off) => timestampAt(NOW + off)),
			fc.integer({ min: TOLERANCE + 1, max: 10 * 365 * 86_400_000 }).map((off) => timestampAt(NOW - off)),
			fc.constantFrom(
				'',
				'now',
				String(NOW),
				String(NOW / 1000),
				'2026-11-20T09:00:00+00:00',
				'2026-11-20T09:00:00z',
				'2026-11-20 09:00:00Z',
				'2026-11-20T09:00Z',
				'+002026-11-20T09:00:00Z',
				'2026-11-19T24:00:00Z',
				'2026-11-31T09:00:00Z',
				'2026-11-20T09:00:00.Z',
				'2026-11-20T09:00:00.1234567890Z',
				' 2026-11-20T09:00:00Z',
				'2026-11-20T09:00:00Z, 2026-11-20T09:00:00Z',
				'Fri, 20 Nov 2026 09:00:00 GMT',
			),
			fc.string(),
		)
		.map((timestamp) => ({ timestamp, signature: signatureOf(KNOWN, timestamp, body) }));

const timestampShape: Change = ({ timestamp }) =>
	fc
		.constantFrom<unknown>(undefined, null, [timestamp], NOW, new Date(NOW))
		.map((changed) => ({ timestamp: changed }));

const otherSecret: Change = ({ body, timestamp }) =>
	fc
		.oneof(
			fc.string(),
			fc.constantFrom(`${KNOWN} `, KNOWN.slice(1), KNOWN.toUpperCase(), 'undefined', 'null'),
		)
		.map((secret) => (secret === KNOWN ? undefined : { signature: signatureOf(secret, timestamp, body) }));

const bodyShape: Change = ({ body }) =>
	fc
		.constantFrom<unknown>(
			undefined,
			null,
			'',
			body.toString(),
			JSON.parse(body.toString()),
			new Uint8Array(body),
			[body],
			0,
		)
		.map((changed) => ({ body: changed }));

const garbage: Change = () =>
	fc.record({
		body: fc.oneof(fc.anything(), fc.uint8Array().map(Buffer.from)),
		signature: fc.anything(),
		timestamp: fc.anything(),
	});

const changes: Record<string, Change> = {
	flipBit,
	spliceBody,
	reserialise,
	digit,
	signatureShape,
	cutSignature,
	otherTime,
	signedWrongTime,
	timestampShape,
	otherSecret,
	bodyShape,
	garbage,
};

const changed: fc.Arbitrary<Forged> = genuine.chain((delivery) =>
	fc
		.constantFrom(...Object.entries(changes))
		.chain(([kind, change]) => change(delivery).map((difference) => ({ kind, difference })))
		.filter(({ difference }) => difference !== undefined)
		.map(({ kind, difference }) => ({
			kind,
			delivery: { ...delivery, ...difference },
			secret: KNOWN,
			now: NOW,
		})),
);

/** A receiver without a usable secret, with a clock that failed, or with other secrets: nothing is genuine for it. */
const blind: fc.Arbitrary<Forged> = genuine.chain((delivery) =>
	fc.oneof(
		fc
			.constantFrom('', 'other', `${KNOWN} `, KNOWN.slice(1))
			.map((secret) => ({ kind: 'secret', delivery, secret, now: NOW })),
		fc.constantFrom(NaN, Infinity, -Infinity).map((now) => ({ kind: 'clock', delivery, secret: KNOWN, now })),
	),
);

/** An empty secret must not be usable by whoever knows that it is empty. */
const emptySecret: fc.Arbitrary<Forged> = fc.constantFrom('', 'undefined').map((secret) => ({
	kind: 'emptySecret',
	delivery: signed(JSON.stringify(anEvent()), timestampAt(NOW), secret),
	secret: '',
	now: NOW,
}));

export const forged: fc.Arbitrary<Forged> = fc.oneof(
	{ arbitrary: changed, weight: 20 },
	{ arbitrary: blind, weight: 2 },
	{ arbitrary: emptySecret, weight: 1 },
);
