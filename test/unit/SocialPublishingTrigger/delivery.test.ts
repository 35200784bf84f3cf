import fc from 'fast-check';

import {
	isSignedWith,
	notGenuine,
	parseDelivery,
	unknownSecret,
	verify,
	type RawDelivery,
	type ServiceEvent,
} from '../../../nodes/SocialPublishingTrigger/delivery';
import { many, runs } from '../../support/property';
import { forged } from '../../support/forgeries';
import { anEvent, NOW, KNOWN, signed, timestampAt, TOLERANCE } from '../../support/signing';

function check(delivery: RawDelivery, { secrets = [KNOWN], now = NOW, tolerance = TOLERANCE } = {}) {
	const known = { accepted: secrets, isKnown: secrets.length > 0 };
	const { event, refused } = verify(parseDelivery(delivery), known, now, () => tolerance);
	return { event, refused } as
		{ event: ServiceEvent; refused?: undefined } | { event?: undefined; refused: any };
}

const good = signed(JSON.stringify(anEvent()));
const forgery = { refused: notGenuine };
const noEvent = "The body is not a JSON object with 'id' and 'type'";

test.each([
	['an event', good.body, '482741cfe47e0d142a5a3ec640fe219d3582ff8c2627b0c45f51cf076365dd02'],
	[
		'invalid UTF-8',
		Buffer.from('{"id":"\xff\xfe"}', 'latin1'),
		'01ab0872ff63fb4c7a564b085f8fa1f40f3356d985a44b6f4d93b876be37d10b',
	],
])(
	'the known signature of %s fits; one of another length is compared without an error',
	(_name, body, hex) => {
		const delivery = { body, timestamp: '2026-11-20T09:00:00Z', signature: `sha256=${hex}` };
		expect(isSignedWith(KNOWN, parseDelivery(delivery)!)).toBe(true);
		expect(isSignedWith(KNOWN, { ...delivery, signature: `sha256=${hex.slice(1)}` })).toBe(false);
	},
);

test('whatever is genuine is accepted, signed with any of the secrets', () => {
	const events = fc.record({
		id: fc.string({ minLength: 1 }),
		type: fc.string({ minLength: 1 }),
		data: fc.dictionary(fc.string(), fc.jsonValue()),
	});
	const offsets = fc.integer({ min: -TOLERANCE, max: TOLERANCE });
	fc.assert(
		fc.property(events, fc.string({ minLength: 1 }), offsets, (event, secret, off) => {
			const body = JSON.stringify(event);
			const secrets = ['another', secret, 'a third'];
			const verdict = check(signed(body, timestampAt(NOW + off), secret), { secrets });
			// What JSON.parse alone would make of it, `__proto__` aside.
			const isSame = body.includes('__proto__') || JSON.stringify(verdict.event) === body;
			return verdict.event !== undefined && isSame;
		}),
		runs(200),
	);
});

test('nothing forged is accepted, and nothing throws', () => {
	fc.assert(
		fc.property(forged, ({ delivery, secret, now }) => {
			const { event, refused } = check(delivery, { secrets: secret === '' ? [] : [secret], now });
			return event === undefined && [400, 401, 503].includes(refused.status);
		}),
		runs(1000),
	);
});

/** Those that n8n has a say in are in test/e2e/trigger-malformed.test.ts, too. */
describe('a delivery that is malformed, or not genuine', () => {
	const { body, signature, timestamp } = good;
	const hex = signature.slice(7);

	it.each<[string, keyof RawDelivery, unknown[]]>([
		['no signature', 'signature', [undefined, '']],
		['no timestamp', 'timestamp', [undefined, '']],
		['several signatures', 'signature', [`${signature}, ${signature}`, `${signature},${signature}`]],
		['twice the timestamp, as Node joins it', 'timestamp', [`${timestamp}, ${timestamp}`]],
		['a list of signatures', 'signature', [[signature]]],
		['a list of timestamps', 'timestamp', [[timestamp]]],
		['another scheme', 'signature', [`sha1=${hex}`, hex, `SHA256=${hex}`, ` ${signature}`, `${signature}\n`]],
		['too few or too many digits', 'signature', ['sha256=', signature.slice(0, -1), `${signature}0`]],
		['other digits', 'signature', [`sha256=${'z'.repeat(64)}`]],
		['a signature that is not ASCII', 'signature', [signature.replace('=', '\u00ad=')]],
		['a timestamp that is not ASCII', 'timestamp', [`${timestamp}\u0000`, `\u0665${timestamp}`]],
		['a number as timestamp', 'timestamp', ['1795165200', 1795165200000]],
		['another zone', 'timestamp', ['2026-11-20T09:00:00+00:00', '2026-11-20T09:00:00']],
		['another form', 'timestamp', ['garbage', '2026-11-20 09:00:00Z', '+002026-11-20T09:00:00Z']],
		['no such time', 'timestamp', ['2026-11-19T24:00:00Z', '2026-12-31T23:59:60Z']],
		['no such day', 'timestamp', ['2026-02-30T09:00:00Z', '2026-00-20T09:00:00Z']],
		['no body to be had (a form)', 'body', [undefined, body.toString(), anEvent(), new Uint8Array(body)]],
	])('%s: refused before any secret is looked up', (_name, part, values) => {
		for (const value of values) expect(parseDelivery({ ...good, [part]: value })).toBeUndefined();
		expect(check({ ...good, [part]: values[0] })).toEqual(forgery);
	});

	it('a signature in capitals is the same: the spec names no case', () => {
		expect(check({ ...good, signature: `sha256=${hex.toUpperCase()}` })).toEqual({ event: anEvent() });
	});

	it.each([
		['2026-11-20T08:54:59.999Z', false],
		['2026-11-20T08:55:00Z', true],
		['2026-11-20T09:05:00.000Z', true],
		['2026-11-20T09:05:00.001Z', false],
	])('sent at %s, received at 09:00', (at, passes) => {
		expect(check(signed(body, at))).toEqual(passes ? { event: anEvent() } : forgery);
	});

	it.each<[string, Partial<RawDelivery>, Parameters<typeof check>[1]]>([
		['a clock that is no number', {}, { now: NaN }],
		['a tolerance that is no number', {}, { tolerance: NaN }],
		['replayed with another body', { body: Buffer.from('{"id":"evt_2","type":"a"}') }, {}],
		['replayed at another time', { timestamp: timestampAt(NOW + 1000) }, {}],
		['replayed at another workflow', {}, { secrets: ['whsec_of_another_workflow'] }],
	])('%s: not genuine', (_name, change, receiver) => {
		expect(check({ ...good, ...change }, receiver)).toEqual(forgery);
	});

	it('no secret, also where the sender knows that there is none', () => {
		for (const delivery of [good, signed(body, timestamp, '')])
			expect(check(delivery, { secrets: [] })).toEqual({ refused: unknownSecret });
		expect(unknownSecret.status).toBe(503);
	});

	const bom = Buffer.from([0xef, 0xbb, 0xbf]);
	const nested = (depth: number) => `{"id":"a","type":"b","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;

	it.each<[string, string | Buffer, string]>([
		['malformed JSON', '{"id":', 'The body is not JSON'],
		['two byte order marks', Buffer.concat([bom, bom, body]), 'The body is not JSON'],
		['invalid UTF-8', Buffer.from('{"type":"a","id":"\xff"}', 'latin1'), 'The body is not JSON'],
		['a list', '[{"id":"a","type":"b"}]', noEvent],
		['null', 'null', noEvent],
		['a list 64 deep in the event', nested(64), 'The body is nested too deeply'],
		['one a million deep', nested(many(1_000_000)), 'The body is nested too deeply'],
		...['id', 'type'].flatMap((name) =>
			[undefined, 7, ''].map((value): [string, string, string] => [
				`${name} ${value}`,
				JSON.stringify(anEvent({ [name]: value })),
				noEvent,
			]),
		),
	])('a body of %s: 400 and why, but only where its signature fits', (_name, sent, error) => {
		expect(check(signed(sent))).toEqual({ refused: { status: 400, error } });
		expect(check({ ...good, body: Buffer.from(sent as string) })).toEqual(forgery);
	});

	it.each([
		['"constructor" is a name like any other', '{"id":"a","type":"b","constructor":{"prototype":{}}}'],
		['63 lists in the event', nested(63)],
		['brackets in a text', JSON.stringify(anEvent({ text: '[{"\\'.repeat(500) }))],
		['a long ID', JSON.stringify(anEvent({ id: 'x'.repeat(300) }))],
		['an odd ID', JSON.stringify(anEvent({ id: ' \u0000' }))],
		['unknown types and fields', JSON.stringify(anEvent({ type: 'post.archived', x_new: [1, null, 'ß'] }))],
	])('%s: passes as it is, after a byte order mark, too', (_name, sent) => {
		expect(JSON.stringify(check(signed(sent)).event)).toBe(sent);
		expect(JSON.stringify(check(signed(Buffer.concat([bom, Buffer.from(sent)]))).event)).toBe(sent);
	});

	it.each(['__proto__', '\\u005f_proto__'])('the key %s is dropped, at any depth', (key) => {
		const sent = `{"id":"a","type":"b","${key}":{"evil":1},"data":{"ok":[{"${key}":2}]}}`;
		expect(JSON.stringify(check(signed(sent)).event)).toBe('{"id":"a","type":"b","data":{"ok":[{}]}}');
	});

	it('duplicated keys: the last one counts', () => {
		expect(check(signed('{"id":"a","type":"b","id":"c"}')).event).toEqual({ id: 'c', type: 'b' });
	});
});
