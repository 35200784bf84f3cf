import fc from 'fast-check';

import {
	isSignedWith,
	noSecret,
	notGenuine,
	parseDelivery,
	sendTime,
	verify,
	type RawDelivery,
} from '../../../nodes/SocialPublishingTrigger/delivery';
import { runs } from '../../support/property';
import { forged } from '../../support/forgeries';
import { anEvent, NOW, KNOWN, signatureOf, signed, timestampAt, TOLERANCE } from '../../support/signing';

const check = (delivery: RawDelivery, { secret = KNOWN, now = NOW, tolerance = TOLERANCE } = {}) =>
	verify(parseDelivery(delivery), secret === '' ? [] : [secret], now, () => tolerance);

const good = signed(JSON.stringify(anEvent()));
const refusedAsForged = { refused: notGenuine };
const statusOf = (delivery: RawDelivery): number | undefined => check(delivery).refused?.status;

/** A delivery whose signature fits the header values that it comes with. */
const resigned = (change: { body?: string | Buffer; timestamp?: string; secret?: string }) =>
	signed(change.body ?? good.body, change.timestamp ?? good.timestamp, change.secret);

describe('known-answer vectors', () => {
	const bytes = (...parts: Array<string | number[]>) =>
		Buffer.concat(parts.map((part) => Buffer.from(part as string)));
	const T = '2026-11-20T09:00:00Z';
	const vectors: Array<[name: string, timestamp: string, body: Buffer, hex: string, status: number]> = [
		[
			'an event',
			T,
			bytes(
				'{"id":"evt_1","type":"post.published","occurred_at":"2026-11-20T08:59:59Z","workspace_id":"ws_1","brand_id":"br_1","data":{"post_id":"p_1","status":"completed"}}',
			),
			'482741cfe47e0d142a5a3ec640fe219d3582ff8c2627b0c45f51cf076365dd02',
			200,
		],
		[
			'fractions of a second',
			'2026-11-20T09:00:00.123Z',
			bytes('{}'),
			'4601b1ddae0e4045d07d94e659baabe1b687897b3bc762bbfca02c91b2507edb',
			400,
		],
		[
			'UTF-8',
			T,
			bytes('{"id":"é","e":"😀"}'),
			'9005d1d5a6db7d78186ab7fa9f6bde2ba38e672e2821b965ed39b18819820c08',
			400,
		],
		[
			'a byte order mark',
			T,
			bytes([0xef, 0xbb, 0xbf], '{"id":"bom"}'),
			'a3f91546f8156d442274df96e41138bd0fef4240213f9bb0e492695e2c69c6f7',
			400,
		],
		[
			'invalid UTF-8',
			T,
			bytes('{"id":"', [0xff, 0xfe], '"}'),
			'01ab0872ff63fb4c7a564b085f8fa1f40f3356d985a44b6f4d93b876be37d10b',
			400,
		],
		['an empty body', T, bytes(''), '84e13a3f4e9446c34c988f0a8e0dd221d462b2c49d57a1289ca6f8393bab9c04', 400],
	];

	it.each(vectors)('%s', (_name, timestamp, body, hex, status) => {
		const delivery = { body, timestamp, signature: `sha256=${hex}` };
		expect(isSignedWith(KNOWN, parseDelivery(delivery)!)).toBe(true);
		const verdict = check(delivery);
		expect(verdict.event ? 200 : verdict.refused?.status).toBe(status);
	});
});

describe('the form of a delivery, before any secret is looked up', () => {
	it('a good one', () => {
		expect(parseDelivery(good)).toEqual({ ...good, sentAt: NOW });
	});

	it.each<[string, Partial<RawDelivery>]>([
		['a body that is no Buffer', { body: good.body.toString() }],
		['no signature', { signature: undefined }],
		['a signature in a list', { signature: [good.signature] }],
		['a signature in another form', { signature: `${good.signature}0` }],
		['no timestamp', { timestamp: undefined }],
		['a timestamp in a list', { timestamp: [good.timestamp] }],
		['a timestamp in another form', { timestamp: 'soon' }],
		['a time that does not exist', { timestamp: '2026-02-30T09:00:00Z' }],
	])('%s: refused', (_name, change) => {
		expect(parseDelivery({ ...good, ...change })).toBeUndefined();
	});

	it('a signature of another length is compared without an error', () => {
		const delivery = parseDelivery(good)!;
		expect(isSignedWith(KNOWN, { ...delivery, signature: delivery.signature.slice(0, -1) })).toBe(false);
	});
});

describe('the malformed-input table, by row', () => {
	it.each([
		['missing', undefined],
		['empty', ''],
	])('1: signature %s', (_name, signature) => {
		expect(check({ ...good, signature })).toEqual(refusedAsForged);
	});

	it.each([
		['missing', undefined],
		['empty', ''],
	])('2: timestamp %s', (_name, timestamp) => {
		expect(check({ ...good, timestamp })).toEqual(refusedAsForged);
	});

	it('3: duplicated headers, as Node joins them', () => {
		expect(check({ ...good, signature: `${good.signature}, ${good.signature}` })).toEqual(refusedAsForged);
		const twice = `${good.timestamp}, ${good.timestamp}`;
		expect(check(resigned({ timestamp: twice }))).toEqual(refusedAsForged);
	});

	it('4: a header value that is an array', () => {
		expect(check({ ...good, signature: [good.signature] })).toEqual(refusedAsForged);
		expect(check({ ...good, timestamp: [good.timestamp] })).toEqual(refusedAsForged);
	});

	const hex = good.signature.slice(7);
	it.each([
		['sha1', `sha1=${hex}`],
		['v1', `v1=${hex}`],
		['none', hex],
		['upper case', `SHA256=${hex}`],
		['leading space', ` ${good.signature}`],
		['trailing space', `${good.signature} `],
		['trailing line end', `${good.signature}\n`],
	])('5: scheme: %s', (_name, signature) => {
		expect(check({ ...good, signature })).toEqual(refusedAsForged);
	});

	it.each([
		['63 digits', good.signature.slice(0, -1)],
		['65 digits', `${good.signature}0`],
		['none', 'sha256='],
		['no hex digits', `sha256=${'z'.repeat(64)}`],
		['cut at the first bad digit', `${good.signature.slice(0, -2)}zz`],
		['10 kB', `sha256=${'a'.repeat(10_000)}`],
	])('6: hex: %s', (_name, signature) => {
		expect(check({ ...good, signature })).toEqual(refusedAsForged);
	});

	it('7: upper-case hex', () => {
		expect(check({ ...good, signature: `sha256=${hex.toUpperCase()}` })).toEqual(refusedAsForged);
	});

	it('8: non-ASCII and control characters in headers', () => {
		expect(check({ ...good, signature: good.signature.replace('=', '\u00ad=') })).toEqual(refusedAsForged);
		expect(check({ ...good, timestamp: `${good.timestamp}\u0000` })).toEqual(refusedAsForged);
		expect(check(resigned({ timestamp: `\u0665${good.timestamp}` }))).toEqual(refusedAsForged);
	});

	it('9: several signatures', () => {
		expect(check({ ...good, signature: `${good.signature},${good.signature}` })).toEqual(refusedAsForged);
	});

	it.each([
		'garbage',
		'1795165200',
		'1795165200000',
		'2026-11-20T09:00:00+00:00',
		'2026-11-20T09:00:00z',
		'2026-11-20T09:00Z',
		'2026-11-20 09:00:00Z',
		'+002026-11-20T09:00:00Z',
		'2026-11-20T09:00:00',
		'2026-11-20T09:00:00.1234567890Z',
		'2026-13-20T09:00:00Z',
	])('10: timestamp %s, correctly signed', (timestamp) => {
		expect(check(resigned({ timestamp }))).toEqual(refusedAsForged);
	});

	// Near "now", so that nothing but the calendar can refuse them.
	it.each([
		['24:00:00', '2026-11-19T24:00:00Z', '2026-11-20T00:00:00Z'],
		['30 February', '2026-02-30T09:00:00Z', '2026-03-02T09:00:00Z'],
		['29 February of no leap year', '2026-02-29T00:00:00Z', '2026-03-01T00:00:00Z'],
		['a leap second', '2026-12-31T23:59:60Z', '2027-01-01T00:00:00Z'],
		['minute 60', '2026-11-20T09:60:00Z', '2026-11-20T10:00:00Z'],
		['day 0', '2026-11-00T09:00:00Z', '2026-10-31T09:00:00Z'],
		['month 0', '2026-00-20T09:00:00Z', '2025-12-20T09:00:00Z'],
		['month 13', '2026-13-20T09:00:00Z', '2027-01-20T09:00:00Z'],
	])('10: a time that does not exist: %s', (_name, timestamp, meant) => {
		const now = Date.parse(meant);
		expect(check(resigned({ timestamp: meant }), { now }).event).toBeDefined();
		expect(check(resigned({ timestamp }), { now })).toEqual(refusedAsForged);
	});

	it.each([
		[-300_001, false],
		[-300_000, true],
		[0, true],
		[300_000, true],
		[300_001, false],
	])('11: %d ms off', (off, passes) => {
		expect(check(resigned({ timestamp: timestampAt(NOW + off) })).event !== undefined).toBe(passes);
	});

	it('11: fractions below a millisecond count', () => {
		expect(check(resigned({ timestamp: '2026-11-20T09:05:00.000001Z' }))).toEqual(refusedAsForged);
		expect(check(resigned({ timestamp: '2026-11-20T08:55:00.000001Z' })).event).toBeDefined();
	});

	it('11: 29 February and the years 0 to 99', () => {
		expect(sendTime('2028-02-29T00:00:00Z')).toBe(Date.UTC(2028, 1, 29));
		expect(sendTime('0099-01-01T00:00:00Z')).toBe(Date.parse('0099-01-01T00:00:00Z'));
	});

	it('12: a clock or a tolerance that is no number', () => {
		expect(check(good, { now: NaN })).toEqual(refusedAsForged);
		expect(check(good, { tolerance: NaN })).toEqual(refusedAsForged);
	});

	it("13: replayed with another body, another time, or another workflow's secret", () => {
		expect(check({ ...good, body: Buffer.from(JSON.stringify(anEvent({ id: 'evt_2' }))) })).toEqual(
			refusedAsForged,
		);
		expect(check({ ...good, timestamp: timestampAt(NOW + 1000) })).toEqual(refusedAsForged);
		expect(check(resigned({ secret: 'whsec_of_another_workflow' }))).toEqual(refusedAsForged);
	});

	it('14: an exact replay passes here (tracker.test.ts: it starts nothing)', () => {
		expect(check(good)).toEqual(check(good));
		expect(check(good).event).toEqual(anEvent());
	});

	it('15: no secret', () => {
		expect(check(good, { secret: '' })).toEqual({ refused: noSecret });
		expect(noSecret.status).toBe(503);
		// Node signs with an empty key without a word.
		expect(check(resigned({ secret: '' }), { secret: '' })).toEqual({ refused: noSecret });
	});

	it('17: malformed JSON with a good signature', () => {
		expect(statusOf(resigned({ body: '{"id":' }))).toBe(400);
		expect(statusOf({ ...resigned({ body: '{"id":' }), signature: good.signature })).toBe(401);
	});

	it('18: an empty body', () => {
		expect(statusOf(resigned({ body: '' }))).toBe(400);
		expect(statusOf({ ...good, body: Buffer.alloc(0) })).toBe(401);
	});

	it('19: a byte order mark: signed as it came, dropped once', () => {
		const bom = Buffer.from([0xef, 0xbb, 0xbf]);
		const body = Buffer.concat([bom, good.body]);
		expect(check(resigned({ body })).event).toEqual(anEvent());
		expect(check({ ...resigned({ body }), body: good.body })).toEqual(refusedAsForged);
		expect(statusOf(resigned({ body: Buffer.concat([bom, body]) }))).toBe(400);
	});

	it('21: what the content type says about the characters is not asked', () => {
		const body = JSON.stringify(anEvent({ id: 'évt_ß' }));
		expect(check(resigned({ body })).event?.id).toBe('évt_ß');
	});

	it('22: invalid UTF-8: 400 after a good signature, else 401', () => {
		const body = Buffer.concat([Buffer.from('{"type":"a","id":"'), Buffer.from([0xff]), Buffer.from('"}')]);
		expect(statusOf(resigned({ body }))).toBe(400);
		expect(statusOf({ ...good, body })).toBe(401);
	});

	it('28: no body to be had (a form)', () => {
		for (const body of [undefined, null, good.body.toString(), anEvent(), new Uint8Array(good.body)])
			expect(check({ ...good, body })).toEqual(refusedAsForged);
	});

	it('29: XML and form bodies with a good signature', () => {
		expect(statusOf(resigned({ body: '<id>evt_1</id>' }))).toBe(400);
		expect(statusOf(resigned({ body: 'id=evt_1&type=post.published' }))).toBe(400);
	});

	it.each(['__proto__', '\\u005f_proto__', '\\u005F\\u005Fproto__'])(
		'30: the key %s is dropped, at any depth',
		(key) => {
			const body = `{"id":"a","type":"b","${key}":{"evil":1},"data":{"${key}":{"evil":1},"ok":[{"${key}":2}]}}`;
			const { event } = check(resigned({ body }));
			expect(JSON.stringify(event)).toBe('{"id":"a","type":"b","data":{"ok":[{}]}}');
			expect(({} as { evil?: number }).evil).toBeUndefined();
		},
	);

	it('30: "constructor" is a name like any other', () => {
		const body = '{"id":"a","type":"b","constructor":{"prototype":{"evil":1}}}';
		expect(JSON.stringify(check(resigned({ body })).event)).toBe(body);
		expect(({} as { evil?: number }).evil).toBeUndefined();
	});

	it('31: duplicated keys: the last one counts', () => {
		expect(check(resigned({ body: '{"id":"a","type":"b","id":"c"}' })).event?.id).toBe('c');
	});

	it.each(['[]', '[{"id":"a","type":"b"}]', '"text"', '42', 'null', 'true'])('32: root %s', (body) => {
		expect(statusOf(resigned({ body }))).toBe(400);
	});

	it('33: nesting', () => {
		const nested = (depth: number) => `{"id":"a","type":"b","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;
		expect(check(resigned({ body: nested(63) })).event).toBeDefined();
		expect(statusOf(resigned({ body: nested(64) }))).toBe(400);
		expect(statusOf(resigned({ body: nested(1_000_000) }))).toBe(400);
		expect(statusOf({ ...good, body: Buffer.from(nested(1_000_000)) })).toBe(401);
		const brackets = JSON.stringify(anEvent({ text: '[{"\\'.repeat(500) }));
		expect(check(resigned({ body: brackets })).event?.text).toBe('[{"\\'.repeat(500));
		const sideBySide = `{"id":"a","type":"b","data":[${'[],{},'.repeat(500)}1]}`;
		expect(check(resigned({ body: sideBySide })).event).toBeDefined();
	});

	it.each([
		['no id', { id: undefined }],
		['a number as id', { id: 7 }],
		['null as id', { id: null }],
		['an empty id', { id: '' }],
		['no type', { type: undefined }],
		['a number as type', { type: 7 }],
		['an empty type', { type: '' }],
	])('34: %s', (_name, change) => {
		expect(statusOf(resigned({ body: JSON.stringify(anEvent(change)) }))).toBe(400);
	});

	it.each(['x'.repeat(300), 'a\u0000b', ' '])('34: an odd text counts as an id', (id) => {
		expect(check(resigned({ body: JSON.stringify(anEvent({ id })) })).event?.id).toBe(id);
	});

	it.each([
		['nesting', `${'['.repeat(65)}${']'.repeat(65)}`, 'The body is nested too deeply'],
		['no JSON', '{', 'The body is not JSON'],
		['a text', '"text"', 'The body is not a JSON object'],
		['a list', '[]', 'The body is not a JSON object'],
		['no ID', '{"type":"b"}', "The event has no 'id' or no 'type'"],
	])('a refusal says why: %s', (_name, body, error) => {
		expect(check(resigned({ body }))).toEqual({ refused: { status: 400, error } });
	});

	it('36: unknown types and fields pass through', () => {
		const event = anEvent({ type: 'post.archived', x_new: { deep: [1, null] } });
		expect(check(resigned({ body: JSON.stringify(event) })).event).toEqual(event);
	});
});

describe('properties', () => {
	it('accepts nothing forged and never throws (4,000; a million in npm run soak)', () => {
		fc.assert(
			fc.property(forged, ({ delivery, secret, now }) => {
				const verdict = verify(parseDelivery(delivery), secret === '' ? [] : [secret], now, () => TOLERANCE);
				return verdict.event === undefined && [400, 401, 503].includes(verdict.refused.status);
			}),
			runs(4_000),
		);
	});

	it('accepts everything genuine, whatever it says', () => {
		const events = fc.record({
			id: fc.string({ minLength: 1 }),
			type: fc.string({ minLength: 1 }),
			data: fc.dictionary(fc.string(), fc.jsonValue()),
		});
		fc.assert(
			fc.property(
				events,
				fc.string({ minLength: 1 }),
				fc.integer({ min: -TOLERANCE, max: TOLERANCE }),
				(event, secret, off) => {
					const body = JSON.stringify(event);
					const delivery = parseDelivery(signed(body, timestampAt(NOW + off), secret));
					const verdict = verify(delivery, [secret], NOW, () => TOLERANCE);
					// What JSON.parse alone would make of it, `__proto__` aside.
					return (
						verdict.event !== undefined &&
						(body.includes('__proto__') || JSON.stringify(verdict.event) === body)
					);
				},
			),
			runs(1000),
		);
	});

	it('verifies any bytes up to 1 MiB', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 1024 }), fc.nat({ max: 1024 }), (bytes, times) => {
				const body = Buffer.concat(Array.from({ length: times }, () => bytes));
				const delivery = {
					body,
					timestamp: good.timestamp,
					signature: signatureOf(KNOWN, good.timestamp, body),
				};
				return isSignedWith(KNOWN, parseDelivery(delivery)!) && check(delivery).refused?.status !== 401;
			}),
			runs(200),
		);
	});
});
