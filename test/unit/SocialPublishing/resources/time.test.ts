import fc from 'fast-check';
import { memoize, uniqBy } from 'lodash';
import { DateTime, IANAZone, Settings } from 'luxon';

import type { Failure } from '../../../../nodes/api/errors';
import { meansNow, refusePast, toUtc, toUtcRange } from '../../../../nodes/SocialPublishing/resources/time';
import { failureOf } from '../../../support/failure';
import { anyText, runs, sample } from '../../../support/property';

/** Every zone of the tz database that this Node knows. */
const zones = sample(
	(Intl as unknown as { supportedValuesOf: (key: string) => string[] }).supportedValuesOf('timeZone'),
	20,
);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const offsetsOf = memoize((zone: string) => (ms: number) => IANAZone.create(zone).offset(ms));
const wall = "yyyy-MM-dd'T'HH:mm:ss";

/** Moments at which a zone's offset changes (whole minutes), found by halving; from 2024 to 2027. */
const changes = memoize((zone: string): number[] => {
	const offset = offsetsOf(zone);
	const found: number[] = [];
	const end = Date.UTC(2027, 0, 1) / MINUTE;
	const step = (28 * 24 * HOUR) / MINUTE;
	let last = offset(Date.UTC(2024, 0, 1));
	for (let low = Date.UTC(2024, 0, 1) / MINUTE; low < end; low += step) {
		const next = offset((low + step) * MINUTE);
		if (next === last) continue;
		let [a, b] = [low, low + step];
		while (b - a > 1) {
			const middle = Math.floor((a + b) / 2);
			if (offset(middle * MINUTE) === last) a = middle;
			else b = middle;
		}
		found.push(b * MINUTE);
		last = next;
	}
	return found;
});

/** What a wall-clock time means, found without the code under test: every moment around it that reads so. */
function readings(text: string, zone: string): number[] {
	const middle = DateTime.fromISO(text, { zone: 'utc' }).toMillis();
	const offsets = new Set(
		[-26, -14, -2, 0, 2, 14, 26].map((hours) => offsetsOf(zone)(middle + hours * HOUR)),
	);
	return [...offsets]
		.map((offset) => middle - offset * 60_000)
		.filter((ms) => ms + offsetsOf(zone)(ms) * 60_000 === middle)
		.sort((a, b) => a - b);
}

describe('times, over all zones of the tz database', () => {
	test('there are zones, with and without changes', () => {
		expect(zones.length).toBeGreaterThan(sample(Array(400), 20).length);
		expect(zones.filter((zone) => changes(zone).length > 0).length).toBeGreaterThan(
			sample(Array(100), 20).length,
		);
	});

	test('around every kind of change: a time that exists means the first moment that reads so, a skipped one is refused', () => {
		// One of those with the same offsets before and after, at the same time of day.
		const kinds = uniqBy(
			zones.flatMap((zone) => changes(zone).map((change) => ({ zone, change }))),
			({ zone, change }) => [change % (24 * HOUR), ...[change - 1, change].map(offsetsOf(zone))].join(),
		);
		let skipped = 0;
		let twice = 0;
		for (const { zone, change } of kinds) {
			// On both sides of the change, and inside the gap or the repeated hour.
			const before = DateTime.fromMillis(change - 1000, { zone });
			for (const minutes of [-121, -61, -31, -1, 0, 1, 15, 29, 31, 59, 61, 121]) {
				const text = before.plus({ seconds: 1 }).setZone('utc', { keepLocalTime: true });
				const asked = text.plus({ minutes }).toFormat(wall);
				const moments = readings(asked, zone);
				if (moments.length === 0) {
					skipped++;
					const { message, hint } = failureOf(() => toUtc(asked, zone, 'Scheduled At')).details;
					expect(message).toMatch(/does not exist/);
					const [last, first] = hint.match(/\d{4}-\d\d-\d\dT\d\d:\d\d/g)!;
					expect(Date.parse(toUtc(first!, zone, 'x')) - Date.parse(toUtc(last!, zone, 'x'))).toBe(60_000);
					expect(Date.parse(toUtc(first!, zone, 'x'))).toBe(change);
				} else {
					if (moments.length > 1) twice++;
					const utc = toUtc(asked, zone, 'Scheduled At');
					expect(utc).toMatch(/Z$/);
					expect([zone, asked, Date.parse(utc)]).toEqual([zone, asked, moments[0]]);
				}
			}
		}
		expect(skipped).toBeGreaterThan(sample(Array(50), 20).length);
		expect(twice).toBeGreaterThan(sample(Array(50), 20).length);
	});

	test('any time in any zone: there and back again', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...zones),
				fc.integer({ min: Date.UTC(2020, 0, 1) / 1000, max: Date.UTC(2040, 0, 1) / 1000 }),
				(zone, second) => {
					const time = DateTime.fromSeconds(second, { zone });
					const utc = toUtc(time.toFormat(wall), zone, 'x');
					expect(DateTime.fromISO(utc, { zone }).toFormat(wall)).toBe(time.toFormat(wall));
					// With an offset there is nothing to choose.
					expect(Date.parse(toUtc(time.toISO()!, 'Asia/Tokyo', 'x'))).toBe(second * 1000);
				},
			),
			runs(300),
		);
	});
});

describe('times as they are written', () => {
	const berlin = (text: string) => toUtc(text, 'Europe/Berlin', 'Scheduled At');

	test.each([
		['2027-06-01T10:00+02:00[Europe/Berlin]', '2027-06-01T08:00:00Z'],
		['2027-06-01T10:00[America/New_York]', '2027-06-01T14:00:00Z'],
		['2027-06-01T10:00Z[Asia/Tokyo]', '2027-06-01T10:00:00Z'],
		['2027-06-01T10:00:00.000+02:00[!Europe/Berlin]', '2027-06-01T08:00:00Z'],
		['2027-10-31T02:30+01:00[Europe/Berlin]', '2027-10-31T01:30:00Z'],
		['2027-06-01', '2027-05-31T22:00:00Z'],
		[' 2027-06-01T10:00 ', '2027-06-01T08:00:00Z'],
		['2027-06-01 10:00', '2027-06-01T08:00:00Z'],
		['2027-06-01 10:00:30', '2027-06-01T08:00:30Z'],
		['2027-06-01 10:00:30 +05:00', '2027-06-01T05:00:30Z'],
		['2027-06-01 10:00 Z', '2027-06-01T10:00:00Z'],
		['2027-06-01 10:00 -03', '2027-06-01T13:00:00Z'],
		['2027-06-01 10:00 [Asia/Tokyo]', '2027-06-01T01:00:00Z'],
		['1000-01-01T00:00:00Z', '1000-01-01T00:00:00Z'],
		['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
		['+002027-06-01T10:00Z', '2027-06-01T10:00:00Z'],
		['2027-W22-2T10:00', '2027-06-01T08:00:00Z'],
	])('%s', (text, utc) => expect(berlin(text)).toBe(utc));

	test.each([
		'10:30',
		'T10:30',
		'1764000000',
		'1764000000000',
		'null',
		'Invalid DateTime',
		'2027-06-01T10:00[Europe',
		'[UTC]',
		'',
		'at 2027-06-01T10:00',
		'at 2027-06-01 10:00',
		'2027-06-01T10:00 tomorrow',
		'27-06-01 10:00',
		'2027-6-01 10:00',
		'2027-06-1 10:00',
		'2027-06-01 morning',
		'0999-12-31T00:00Z',
		'+010000-01-02T00:00Z',
	])('%j is no date and time, in every zone', (text) => {
		// Not one `expect` a zone: jest traces each error back to its source.
		const said = new Set(zones.map((zone) => failureOf(() => toUtc(text, zone, 'From')).message));
		expect([...said]).toEqual([expect.stringMatching(/^'From' is not a date and time: /)]);
	});

	test("n8n's own zone, which luxon takes where none is named, plays no part", () => {
		const { defaultZone } = Settings;
		try {
			for (const zone of ['Asia/Tokyo', 'America/New_York']) {
				Settings.defaultZone = zone;
				expect(berlin('2027-06-01T10:00')).toBe('2027-06-01T08:00:00Z');
				expect(() => berlin('2027-03-28T02:30')).toThrow(/does not exist in Europe\/Berlin/);
				expect(berlin('2027-03-14T02:30')).toBe('2027-03-14T01:30:00Z');
			}
		} finally {
			Settings.defaultZone = defaultZone;
		}
	});

	const now = Date.parse('2027-06-01T09:00:00Z');
	test.each<[string, () => unknown, string, RegExp, RegExp]>([
		['no time', () => berlin('soon'), 'NODE_TIME', /^'Scheduled At' is not a date and time: soon$/, /2026/],
		['as long as a time may be', () => berlin('x'.repeat(100)), 'NODE_TIME', /: x{100}$/, /Use the format/],
		['longer', () => berlin('x'.repeat(101)), 'NODE_TIME', /: x{20}…$/, /Use the format/],
		[
			'a zone in brackets',
			() => berlin('2027-06-01T10:00[Mars/Base]'),
			'NODE_TIME',
			/^'Scheduled At' has an unknown time zone: Mars\/Base$/,
			/like Europe\/Berlin/,
		],
		[
			"the workflow's zone",
			() => toUtc('2027-06-01T10:00', 'Mars/Base', 'x'),
			'NODE_TIME',
			/^The workflow's time zone 'Mars\/Base' is not known$/,
			/settings/,
		],
		[
			'a time that is skipped',
			() => berlin('2027-03-28T02:59:59'),
			'NODE_TIME_SKIPPED',
			/^'Scheduled At' does not exist in Europe\/Berlin: at 2027-03-28T02:59:59 /,
			/before is 2027-03-28T01:59, the first after is 2027-03-28T03:00\. Choose/,
		],
		[
			'a time that a zone in brackets skips',
			() => toUtc('2027-03-28T02:30[Europe/Berlin]', 'UTC', 'x'),
			'NODE_TIME_SKIPPED',
			/does not exist in Europe\/Berlin/,
			/Choose/,
		],
		[
			'the past',
			() => refusePast('2027-06-01T08:00:00Z', 'Europe/Berlin', 'x', now),
			'NODE_TIME_PAST',
			/^'x' is in the past: 2027-06-01 10:00:00 \(Europe\/Berlin\)$/,
			/in Europe\/Berlin it is 2027-06-01 11:00:00 now.*workflow's settings/,
		],
	])('%s is refused, with what to do', (_name, work, code, message, hint) => {
		const { details } = failureOf(work);
		expect(details.code).toBe(code);
		expect(details.message).toMatch(message);
		expect(details.hint).toMatch(hint);
	});

	test('any text: a time in UTC or a failure that names the parameter, however long', () => {
		const pieces = fc.array(
			fc.constantFrom(
				'2027',
				'-',
				'06',
				':',
				'T',
				'10',
				'+02:00',
				'[',
				']',
				'Europe/Berlin',
				'Z',
				' ',
				'.',
				'9'.repeat(50_000),
				'W',
				'\ud800',
			),
		);
		fc.assert(
			fc.property(
				fc.oneof(
					pieces.map((list) => list.join('')),
					anyText(),
				),
				(text) => {
					try {
						expect(berlin(text)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
					} catch (error) {
						expect((error as Failure).message).toMatch(/^'Scheduled At' /);
						expect((error as Failure).message.length).toBeLessThan(250);
					}
				},
			),
			runs(300),
		);
	});

	test('up to two minutes ago means now, longer ago is the past', () => {
		const now = Date.parse('2027-06-01T10:00:00Z');
		const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
		const refuse = (seconds: number) => refusePast(at(seconds), 'UTC', 'x', now);
		expect([1, 0, -120, -121].map((seconds) => meansNow(at(seconds), now))).toEqual([
			false,
			true,
			true,
			false,
		]);
		for (const seconds of [1, 0, -1, -120]) expect(() => refuse(seconds)).not.toThrow();
		expect(() => refuse(-121)).toThrow(/is in the past/);
	});
});

test('a range ends after it starts; either end may be missing', () => {
	const range = (from?: string, to?: string) => toUtcRange(from, to, 'Europe/Berlin', ['Start', 'End']);
	expect(range('2026-05-01', '2026-05-01')).toEqual({
		from: '2026-04-30T22:00:00Z',
		to: '2026-04-30T22:00:00Z',
	});
	expect([range('2026-05-01'), range(undefined, '2026-05-01'), range('', '')]).toEqual([
		{ from: '2026-04-30T22:00:00Z' },
		{ to: '2026-04-30T22:00:00Z' },
		{},
	]);
	// In UTC it is the other way round.
	expect(() => range('2026-05-01T10:00', '2026-05-01T09:00Z')).not.toThrow();
	expect(failureOf(() => range('2026-05-02', '2026-05-01')).details).toMatchObject({
		code: 'NODE_RANGE_REVERSED',
		message: expect.stringMatching(/^'Start' is later than 'End'/),
	});
});
