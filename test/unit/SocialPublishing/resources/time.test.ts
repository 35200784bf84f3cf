import fc from 'fast-check';
import { DateTime, IANAZone } from 'luxon';

import type { Failure } from '../../../../nodes/api/failure';
import {
	meansNow,
	pastTime,
	publishAt,
	toUtc,
	toUtcRange,
	withUtcTimes,
} from '../../../../nodes/SocialPublishing/resources/time';
import { failureOf } from '../../../support/failure';
import { anyText, runs } from '../../../support/property';

const at = (zone: string) => ({ zone, hint: () => undefined });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const wall = "yyyy-MM-dd'T'HH:mm:ss";
/** Clocks are put forward and back by one hour, half or two of them, at different times of the day; or stay. */
const zones = [
	...['Europe/Berlin', 'America/New_York', 'Europe/Chisinau', 'Africa/Casablanca', 'America/Nuuk'],
	...['America/Santiago', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Antarctica/Troll'],
	'Asia/Kathmandu',
];
const offset = (zone: string, ms: number): number => IANAZone.create(zone).offset(ms) * MINUTE;

/** Moments of 2026 at which a zone's offset changes, found by halving. */
function changesIn(zone: string): number[] {
	const weeks = Array.from({ length: 26 }, (_, i) => Date.UTC(2026, 0, 1 + 14 * i));
	return weeks.flatMap((start) => {
		let [low, high] = [start, start + 14 * 24 * HOUR];
		if (offset(zone, low) === offset(zone, high)) return [];
		while (high - low > MINUTE) {
			const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
			if (offset(zone, middle) === offset(zone, low)) low = middle;
			else high = middle;
		}
		return [high];
	});
}

/** What a wall-clock time means, found without the code under test: every moment around it that reads so. */
function readings(text: string, zone: string): number[] {
	const middle = DateTime.fromISO(text, { zone: 'utc' }).toMillis();
	const offsets = new Set([-26, -14, -2, 0, 2, 14, 26].map((hours) => offset(zone, middle + hours * HOUR)));
	return [...offsets]
		.map((one) => middle - one)
		.filter((ms) => ms + offset(zone, ms) === middle)
		.sort((a, b) => a - b);
}

describe('times in zones', () => {
	test.each(zones)(
		'%s: a time that exists means the first moment that reads so, a skipped one is refused',
		(zone) => {
			const changes = changesIn(zone);
			const seen = { skipped: 0, twice: 0 };
			for (const change of changes) {
				// On both sides of the change, and inside the gap or the repeated hour.
				const before = DateTime.fromMillis(change - 1000, { zone }).plus({ seconds: 1 });
				for (const minutes of [-121, -61, -31, -1, 0, 1, 15, 29, 31, 59, 61, 121]) {
					const asked = before.setZone('utc', { keepLocalTime: true }).plus({ minutes }).toFormat(wall);
					const moments = readings(asked, zone);
					if (moments.length === 0) {
						seen.skipped++;
						const { message, hint } = failureOf(() => toUtc(asked, zone, 'Scheduled At')).details;
						const gap = (offset(zone, change) - offset(zone, change - MINUTE)) / MINUTE;
						expect(message).toMatch(new RegExp(`does not exist .* go forward by ${gap} minutes$`));
						expect(hint).toContain(`${gap} minutes earlier or later`);
					} else {
						if (moments.length > 1) seen.twice++;
						expect([asked, toUtc(asked, zone, 'Scheduled At')]).toEqual([
							asked,
							new Date(moments[0]!).toISOString().replace('.000Z', 'Z'),
						]);
					}
				}
			}
			const isChanging = zone !== 'Asia/Kathmandu';
			expect([changes.length >= 2, seen.skipped > 0, seen.twice > 0]).toEqual(Array(3).fill(isChanging));
		},
	);
});

describe('times as they are written', () => {
	const berlin = (text: string) => toUtc(text, 'Europe/Berlin', 'Scheduled At');

	test.each([
		['2027-06-01', '2027-05-31T22:00:00Z'],
		['20261225', '2026-12-24T23:00:00Z'],
		[' 2027-06-01T10:00 ', '2027-06-01T08:00:00Z'],
		['2027-06-01T10:00-03:00', '2027-06-01T13:00:00Z'],
		['2027-06-01T10:00:00.000+0200', '2027-06-01T08:00:00Z'],
		['20270601T100000Z', '2027-06-01T10:00:00Z'],
		['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
		['2027-W22-2T10:00', '2027-06-01T08:00:00Z'],
		// As databases have them.
		['2027-06-01 10:00:00+00', '2027-06-01T10:00:00Z'],
		['2027-06-01 10:00:00.123-03', '2027-06-01T13:00:00.123Z'],
		['2027-06-01 10:00Z', '2027-06-01T10:00:00Z'],
		// As sheets and people have them.
		['2026-12-24 18:00', '2026-12-24T17:00:00Z'],
		['2026-12-25 9:00', '2026-12-25T08:00:00Z'],
		['2026-12-25 9:00:30', '2026-12-25T08:00:30Z'],
		['2026-12-25 9:00 AM', '2026-12-25T08:00:00Z'],
		['2026-12-25 12:30 am', '2026-12-24T23:30:00Z'],
		['2026-12-25\u00a09:00\u202fPM', '2026-12-25T20:00:00Z'],
		['2027/1/16 11:00', '2027-01-16T10:00:00Z'],
		['2027/01/16', '2027-01-15T23:00:00Z'],
		['2027-1-16', '2027-01-15T23:00:00Z'],
		['2027-1-16 1:05 PM', '2027-01-16T12:05:00Z'],
		// As feeds and mails have them.
		['Sat, 16 Jan 2027 11:00:00 GMT', '2027-01-16T11:00:00Z'],
		['25 Dec 2026 09:00 -0500', '2026-12-25T14:00:00Z'],
	])('%j', (text, utc) => expect(berlin(text)).toBe(utc));

	test.each([
		...['10:30', 'T10:30', '1764000000', '1764000000000', 'null', 'Invalid DateTime', '46508.41'],
		...['2027-06-01 morning', '2027-06-01T10:00 tomorrow', '27-06-01 10:00', 'next friday', '9:00'],
		...['2027', '2026-12', '202612', '2027-W22', '2026-13-01', '2027-02-30'],
		// Which is the day, and which the month?
		...['16.1.2027 11:00', '1/16/2027 11:00', '16/01/2027', '01-16-2027'],
		// Ranges.
		...[
			'2026-12-25 10:00-12:00',
			'2027-01-15 9:00 - 10:00',
			'2027-01-15 9:00 AM-10:00 AM',
			'2027-01-15T18-00',
		],
	])('%j is no date and time, whatever the zone', (text) => {
		const said = new Set(zones.map((zone) => failureOf(() => toUtc(text, zone, 'From')).message));
		expect([...said]).toEqual([`'From' is not a date and time: ${text}`]);
	});

	test.each(['', ' ', '\ufeff\u00a0'])('%j is empty, and the message says so', (text) =>
		expect(failureOf(() => berlin(text)).details).toMatchObject({
			...{ code: 'NODE_PARAMETER_EMPTY', message: "'Scheduled At' is empty" },
			hint: "Fill in 'Scheduled At'.",
		}),
	);

	test.each(['46508.4166666667', '1809165600'])('%s: the hint says what to do about a number', (text) =>
		expect(failureOf(() => berlin(text)).details.hint).toMatch(/Have the sheet .* Unix timestamp/),
	);

	const now = Date.parse('2027-06-01T09:00:00Z');
	const past = (utc: string) => () => {
		throw pastTime(utc, 'Europe/Berlin', 'x', now)!;
	};
	test.each<[() => unknown, RegExp]>([
		[
			() => berlin(' soon '),
			/^NODE_TIME: 'Scheduled At' is not a date and time: soon\n.*2026.*keep only its start\.$/,
		],
		[() => berlin('x'.repeat(101)), /^NODE_TIME: .*: x{100}…\nUse the format/],
		[
			() => toUtc('2027-06-01', 'Mars/Base', 'x'),
			/^NODE_TIME: The .* zone 'Mars\/Base' is not known\n.*settings/,
		],
		[() => toUtc('2027-06-01T10:00', 'local', 'x'), /^NODE_TIME: The .* zone 'local' is not known\n/],
		[
			() => berlin('2027-03-28T02:59:59'),
			/^NODE_TIME_SKIPPED: 'Scheduled At' does not exist in Europe\/Berlin: at 2027-03-28 02:59 the clocks go forward by 60 minutes\nChoose a time that is 60 minutes earlier or later, or add/,
		],
		// What the user's own fields have instead of a time.
		[past('next friday'), /^NODE_TIME: 'x' is not a date and time: next friday\n/],
		[
			past('2027-06-01T08:00:00Z'),
			/^NODE_TIME_PAST: 'x' is in the past: 2027-06-01 10:00 \(Europe\/Berlin\)\n.*in Europe\/Berlin it is 2027-06-01 11:00 now.*workflow's settings/,
		],
	])('is refused, with what to do (%#)', (work, said) => {
		const { code, message, hint } = failureOf(work).details;
		expect(`${code}: ${message}\n${hint}`).toMatch(said);
	});

	test('any text: a time in UTC or a failure that names the parameter, however long', () => {
		const parts = ['2027', '-', '06', ':', 'T', '10', '+02:00', '[', 'Z', ' ', '.', '9'.repeat(50_000), 'W'];
		const pieces = fc.array(fc.constantFrom(...parts)).map((list) => list.join(''));
		fc.assert(
			fc.property(fc.oneof(pieces, anyText()), (text) => {
				try {
					expect(berlin(text)).toMatch(/^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
				} catch (error) {
					expect((error as Failure).message).toMatch(/^'Scheduled At' .{0,230}$/s);
				}
			}),
			runs(300),
		);
	});

	test('up to two minutes ago means now, longer ago is the past', () => {
		const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
		const past = (seconds: number) => pastTime(at(seconds), 'UTC', 'x', now)?.message;
		const isNow = [1, 0, -120, -121].map((seconds) => meansNow(at(seconds), now));
		expect(isNow).toEqual([false, true, true, false]);
		for (const seconds of [1, 0, -1, -120]) expect(past(seconds)).toBeUndefined();
		expect(past(-121)).toMatch(/is in the past/);
	});
});

test.each([
	['2026-11-30', '2026-11-30T22:59:59Z'],
	['20261130', '2026-11-30T22:59:59Z'],
	[' 2026-11-30\u00a0', '2026-11-30T22:59:59Z'],
	// The clocks go forward that day, and back.
	['2026-03-29', '2026-03-29T21:59:59Z'],
	['2026-10-25', '2026-10-25T22:59:59Z'],
	['2026-12-31', '2026-12-31T22:59:59Z'],
	['2028-02-29', '2028-02-29T22:59:59Z'],
	['2026-11-30T00:00:00.0000000', '2026-11-29T23:00:00Z'],
	['2026-11-30T00:00', '2026-11-29T23:00:00Z'],
	['2026-11-30 9:00 AM', '2026-11-30T08:00:00Z'],
	['2026-11-30T00:00Z', '2026-11-30T00:00:00Z'],
])('a range in Berlin that ends on %j ends at %s', (to, end) =>
	expect(toUtcRange(undefined, to, at('Europe/Berlin'), ['Start', 'End']).to).toBe(end),
);

test.each([
	// Clocks skip midnight that day.
	['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T20:59:59Z'],
	['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00Z', '2026-09-07T02:59:59Z'],
	// It comes twice.
	['2026-11-01', 'America/Havana', '2026-11-01T04:00:00Z', '2026-11-02T04:59:59Z'],
])('a range of the day %s in %s has all of it', (day, zone, from, to) => {
	expect(toUtcRange(day, day, at(zone), ['Start', 'End'])).toEqual({ from, to });
	expect(toUtc(day, zone, 'Since')).toBe(from);
});

test('a post on a day whose midnight clocks skip is refused: it has no 00:00', () => {
	const { code } = failureOf(() => publishAt('2026-04-24', at('Africa/Cairo'), 'Scheduled At')).details;
	expect(code).toBe('NODE_TIME_SKIPPED');
});

test.each(['1899-12-30T09:00:00.000Z', '1970-01-01T00:00:00.000Z', '1899-12-30 9:00 AM', '1970-01-01'])(
	'a post at %s is refused: a cell without a date, or an empty value; a filter takes it',
	(text) => {
		for (const refused of [
			() => publishAt(text, at('UTC'), 'Scheduled At'),
			() => withUtcTimes({ schedule_at: text }, at('UTC'), 'Scheduled At'),
		])
			expect(failureOf(refused).message).toBe(`'Scheduled At' has no valid date: ${text}`);
		expect(() => toUtc(text, 'UTC', 'Scheduled After')).not.toThrow();
	},
);

/** What reading a time says. */
function hintsOf(read: (place: { zone: string; hint(text: string): void }) => unknown): string[] {
	const said: string[] = [];
	read({ zone: 'Europe/Berlin', hint: (one) => void said.push(one) });
	return said;
}

test.each([
	['2027-07-16', ["'Scheduled At' has no time of day, so 00:00 is used"]],
	['2027-07-16 00:00:00', ["'Scheduled At' is 00:00, so the post goes out at midnight"]],
	['2027-07-16T00:00:00.000Z', ["'Scheduled At' is 00:00, so the post goes out at midnight"]],
	['2027-07-16 00:01', []],
	['2027-07-16 12:00 PM', []],
])('a post at %j: %j', (text, hints) =>
	expect(hintsOf((place) => publishAt(text, place, 'Scheduled At'))).toEqual(hints),
);

test.each([
	['2026-11-30T00:00:00', ["'To' is 00:00, so 2026-11-30 itself isn't included"]],
	['2026-11-30 00:00', ["'To' is 00:00, so 2026-11-30 itself isn't included"]],
	['2026-11-30', []],
	['2026-11-30T23:59', []],
])('a range that ends at %j: %j', (to, hints) =>
	expect(hintsOf((place) => toUtcRange('2026-11-30T00:00', to, place, ['From', 'To']))).toEqual(hints),
);

test.each([
	['America/New_York', '0001-01-01T04:56:02Z', '9999-12-31T23:59:59Z'],
	['Asia/Tokyo', '0001-01-01T00:00:00Z', '9999-12-31T14:59:59Z'],
])('a range of all years in %s has years that ISO 8601 knows', (zone, from, to) =>
	expect(toUtcRange('0001-01-01', '9999-12-31', at(zone), ['Start', 'End'])).toEqual({ from, to }),
);

test('a range ends after it starts; either end may be missing', () => {
	const range = (from?: string, to?: string) => toUtcRange(from, to, at('Europe/Berlin'), ['Start', 'End']);
	const [from, to] = ['2026-04-30T22:00:00Z', '2026-05-01T21:59:59Z'];
	expect(range('2026-05-01', '2026-05-01')).toEqual({ from, to });
	// In weeks and days of the year, too: a range that ends on a day has it.
	for (const day of ['20260501', '2026/5/1', '2026-W18-5', '2026-121'])
		expect([day, range(day, day)]).toEqual([day, { from, to }]);
	expect(range('2026-05-01')).toEqual({ from });
	expect(range('', '')).toEqual({});
	// In UTC the second one is the other way round.
	for (const to of ['2026-05-01T10:00', '2026-05-01T09:00Z'])
		expect(() => range('2026-05-01T10:00', to)).not.toThrow();
	expect(failureOf(() => range('2026-05-02', '2026-05-01')).details).toMatchObject({
		code: 'NODE_RANGE_REVERSED',
		message: "'Start' is later than 'End': 2026-05-02 00:00 and 2026-05-01 23:59",
		hint: "Set 'End' to a time after 'Start'.",
	});
});

test("of the user's own fields, only texts are read as times", () => {
	const body = { scheduled_at: '2026-06-01T10:00', schedule_at: 1809165600, text: '2026-06-01T10:00' };
	expect(withUtcTimes(body, at('Europe/Berlin'), 'x')).toEqual({
		...body,
		scheduled_at: '2026-06-01T08:00:00Z',
	});
});
