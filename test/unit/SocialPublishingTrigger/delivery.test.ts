import fc from 'fast-check';

import {
	isSignedWith,
	notGenuine,
	parseDelivery,
	sendTime,
	unknownSecret,
	verify,
	type RawDelivery,
} from '../../../nodes/SocialPublishingTrigger/delivery';
import { runs } from '../../support/property';
import { forged } from '../../support/forgeries';
import { anEvent, NOW, KNOWN, signed, timestampAt, TOLERANCE } from '../../support/signing';

const check = (delivery: RawDelivery, { secrets = [KNOWN], now = NOW, tolerance = TOLERANCE } = {}) =>
	verify(parseDelivery(delivery), { accepted: secrets, isKnown: secrets.length > 0 }, now, () => tolerance);

const good = signed(JSON.stringify(anEvent()));
const forgery = { refused: notGenuine };

/** A genuine delivery of a body, or at a time. */
const genuine = (body: unknown, timestamp = good.timestamp) =>
	signed(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body), timestamp);
/** Refused before any secret is looked up. */
const isMalformed = (change: Partial<RawDelivery>) =>
	expect(parseDelivery({ ...good, ...change })).toBeUndefined();

describe('a genuine delivery', () => {
	it.each([
		['an event', good.body, '482741cfe47e0d142a5a3ec640fe219d3582ff8c2627b0c45f51cf076365dd02'],
		[
			'invalid UTF-8',
			Buffer.from('{"id":"\xff\xfe"}', 'latin1'),
			'01ab0872ff63fb4c7a564b085f8fa1f40f3356d985a44b6f4d93b876be37d10b',
		],
	])('has the known signature of %s', (_name, body, hex) => {
		const delivery = { body, timestamp: '2026-11-20T09:00:00Z', signature: `sha256=${hex}` };
		expect(isSignedWith(KNOWN, parseDelivery(delivery)!)).toBe(true);
	});

	it('is parsed, and gives its event each time (that a replay starts nothing: webhook.test.ts)', () => {
		expect(parseDelivery(good)).toEqual({ ...good, sentAt: NOW });
		for (let i = 0; i < 2; i++) expect(check(good)).toEqual({ event: anEvent() });
	});

	it('may be signed with any of the secrets', () => {
		expect(check(good, { secrets: ['another', KNOWN, 'a third'] }).event).toBeDefined();
	});

	it('is accepted whatever it says', () => {
		const events = fc.record({
			id: fc.string({ minLength: 1 }),
			type: fc.string({ minLength: 1 }),
			data: fc.dictionary(fc.string(), fc.jsonValue()),
		});
		const offsets = fc.integer({ min: -TOLERANCE, max: TOLERANCE });
		fc.assert(
			fc.property(events, fc.string({ minLength: 1 }), offsets, (event, secret, off) => {
				const body = JSON.stringify(event);
				const verdict = check(signed(body, timestampAt(NOW + off), secret), { secrets: [secret] });
				// What JSON.parse alone would make of it, `__proto__` aside.
				return (
					verdict.event !== undefined &&
					(body.includes('__proto__') || JSON.stringify(verdict.event) === body)
				);
			}),
			runs(200),
		);
	});
});

it('accepts nothing forged and never throws (a million in npm run soak)', () => {
	fc.assert(
		fc.property(forged, ({ delivery, secret, now }) => {
			const { event, refused } = check(delivery, { secrets: secret === '' ? [] : [secret], now });
			return event === undefined && [400, 401, 503].includes(refused.status);
		}),
		runs(1000),
	);
});

it('a signature of another length is compared without an error', () => {
	const delivery = parseDelivery(good)!;
	expect(isSignedWith(KNOWN, { ...delivery, signature: delivery.signature.slice(0, -1) })).toBe(false);
});

/** Rows that n8n has a say in are in test/e2e/trigger-malformed.test.ts, too. */
describe('the malformed-input table, by row', () => {
	const { signature, timestamp } = good;
	const hex = signature.slice(7);
	const schemed = (digits: string) => `sha256=${digits}`;

	const signatures: Array<[string, unknown[]]> = [
		['1: none', [undefined, '']],
		['3: twice, as Node joins them', [`${signature}, ${signature}`]],
		['4: a list', [[signature]]],
		['5: of another scheme', [`sha1=${hex}`, `v1=${hex}`, hex, `SHA256=${hex}`]],
		['5: with white space', [` ${signature}`, `${signature} `, `${signature}\n`]],
		['6: of too few or too many digits', ['', hex.slice(1), `${hex}0`, 'a'.repeat(10_000)].map(schemed)],
		['6: of other digits', ['z'.repeat(64), `${hex.slice(0, -2)}zz`].map(schemed)],
		['7: in upper case', [schemed(hex.toUpperCase())]],
		['8: not ASCII', [signature.replace('=', '\u00ad=')]],
		['9: several', [`${signature},${signature}`]],
	];
	it.each(signatures)('a signature, %s', (_name, values) => {
		for (const value of values) isMalformed({ signature: value });
		expect(check({ ...good, signature: values[0] })).toEqual(forgery);
	});

	const timestamps: Array<[string, unknown[]]> = [
		['2: none', [undefined, '']],
		['3: twice, as Node joins them', [`${timestamp}, ${timestamp}`]],
		['4: a list', [[timestamp]]],
		['8: with others than ASCII and control characters', [`${timestamp}\u0000`, `\u0665${timestamp}`]],
		['10: a number', ['1795165200', '1795165200000']],
		['10: of another zone', ['2026-11-20T09:00:00+00:00', '2026-11-20T09:00:00z', '2026-11-20T09:00:00']],
		[
			'10: of another form',
			['garbage', '2026-11-20T09:00Z', '2026-11-20 09:00:00Z', '+002026-11-20T09:00:00Z'],
		],
		['10: of another fraction', ['2026-11-20T09:00:00.Z', '2026-11-20T09:00:00.1234567890Z']],
		['10: no such time', ['2026-11-19T24:00:00Z', '2026-12-31T23:59:60Z', '2026-11-20T09:60:00Z']],
		['10: no such day', ['2026-02-30T09:00:00Z', '2026-02-29T00:00:00Z', '2026-11-00T09:00:00Z']],
		['10: no such month', ['2026-00-20T09:00:00Z', '2026-13-20T09:00:00Z']],
	];
	it.each(timestamps)('a timestamp, %s', (_name, values) => {
		for (const value of values) isMalformed({ timestamp: value });
	});

	it.each([
		['2026-11-20T08:54:59.999Z', false],
		['2026-11-20T08:55:00Z', true],
		['2026-11-20T08:55:00.000001Z', true],
		['2026-11-20T09:05:00.000Z', true],
		['2026-11-20T09:05:00.000001Z', false],
		['2026-11-20T09:05:00.001Z', false],
	])('11: sent at %s, received at 09:00', (at, passes) => {
		const verdict = check(genuine(anEvent(), at));
		expect(verdict).toEqual(passes ? { event: anEvent() } : forgery);
	});

	it('11: 29 February and the years 0 to 99', () => {
		expect(sendTime('2028-02-29T00:00:00Z')).toBe(Date.UTC(2028, 1, 29));
		expect(sendTime('0099-01-01T00:00:00Z')).toBe(Date.parse('0099-01-01T00:00:00Z'));
	});

	it('12: a clock or a tolerance that is no number', () => {
		expect(check(good, { now: NaN })).toEqual(forgery);
		expect(check(good, { tolerance: NaN })).toEqual(forgery);
	});

	it("13: replayed with another body, another time, or another workflow's secret", () => {
		const body = Buffer.from(JSON.stringify(anEvent({ id: 'evt_2' })));
		expect(check({ ...good, body })).toEqual(forgery);
		expect(check({ ...good, timestamp: timestampAt(NOW + 1000) })).toEqual(forgery);
		expect(check(good, { secrets: ['whsec_of_another_workflow'] })).toEqual(forgery);
	});

	it('15: no secret, also where the sender knows that there is none', () => {
		expect(check(good, { secrets: [] })).toEqual({ refused: unknownSecret });
		expect(unknownSecret.status).toBe(503);
		expect(check(signed(good.body, timestamp, ''), { secrets: [] })).toEqual({ refused: unknownSecret });
	});

	it('28: no body to be had (a form)', () => {
		for (const body of [undefined, null, good.body.toString(), anEvent(), new Uint8Array(good.body)])
			isMalformed({ body });
	});

	const bom = Buffer.from([0xef, 0xbb, 0xbf]);
	const nested = (depth: number) => `{"id":"a","type":"b","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;

	it.each<[string, string | Buffer, string]>([
		['17: malformed JSON', '{"id":', 'The body is not JSON'],
		['18: nothing', '', 'The body is not JSON'],
		['19: two byte order marks', Buffer.concat([bom, bom, good.body]), 'The body is not JSON'],
		['22: invalid UTF-8', Buffer.from('{"type":"a","id":"\xff"}', 'latin1'), 'The body is not JSON'],
		['29: XML', '<id>evt_1</id>', 'The body is not JSON'],
		['29: a form', 'id=evt_1&type=post.published', 'The body is not JSON'],
		['33: a list 64 deep in the event', nested(64), 'The body is nested too deeply'],
		['33: one a million deep', nested(1_000_000), 'The body is nested too deeply'],
		['33: nesting that is no JSON', '['.repeat(65), 'The body is not JSON'],
	])('a body of %s: 400 and why, but only where its signature fits', (_name, body, error) => {
		expect(check(genuine(body))).toEqual({ refused: { status: 400, error } });
		expect(check({ ...good, body: Buffer.from(body as string) })).toEqual(forgery);
	});

	it('19: a byte order mark is signed as it came, and dropped', () => {
		expect(check(genuine(Buffer.concat([bom, good.body])))).toEqual({ event: anEvent() });
	});

	it.each(['__proto__', '\\u005f_proto__', '\\u005F\\u005Fproto__'])(
		'30: the key %s is dropped, at any depth',
		(key) => {
			const body = `{"id":"a","type":"b","${key}":{"evil":1},"data":{"${key}":{"evil":1},"ok":[{"${key}":2}]}}`;
			expect(JSON.stringify(check(genuine(body)).event)).toBe('{"id":"a","type":"b","data":{"ok":[{}]}}');
		},
	);

	it.each([
		['30: "constructor" is a name like any other', '{"id":"a","type":"b","constructor":{"prototype":{}}}'],
		['33: 63 lists in the event', nested(63)],
		['33: many side by side', `{"id":"a","type":"b","data":[${'[],{},'.repeat(500)}1]}`],
		['33: brackets in a text', JSON.stringify(anEvent({ text: '[{"\\'.repeat(500) }))],
		['34: a long ID', JSON.stringify(anEvent({ id: 'x'.repeat(300) }))],
		['34: an odd ID', JSON.stringify(anEvent({ id: 'a\u0000b' }))],
		['34: a blank as ID', JSON.stringify(anEvent({ id: ' ' }))],
	])('%s: passes as it is', (_name, body) => {
		expect(JSON.stringify(check(genuine(body)).event)).toBe(body);
	});

	it('31: duplicated keys: the last one counts', () => {
		expect(check(genuine('{"id":"a","type":"b","id":"c"}')).event).toEqual({ id: 'c', type: 'b' });
	});

	it.each(['[]', '[{"id":"a","type":"b"}]', '"text"', '42', 'null', 'true'])('32: root %s', (body) => {
		expect(check(genuine(body))).toEqual({
			refused: { status: 400, error: 'The body is not a JSON object' },
		});
	});

	it.each(['id', 'type'])('34: no %s, or one that is no text', (name) => {
		for (const value of [undefined, 7, null, ''])
			expect(check(genuine(anEvent({ [name]: value })))).toEqual({
				refused: { status: 400, error: "The event has no 'id' or no 'type'" },
			});
	});

	it('36: unknown types and fields pass', () => {
		const event = anEvent({ type: 'post.archived', x_new: { deep: [1, null, 'ß'] } });
		expect(check(genuine(event))).toEqual({ event });
	});
});
