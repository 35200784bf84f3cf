import fc from 'fast-check';
import memoize from 'lodash/memoize';

import {
	parseSlots,
	shortOf,
	slotsBetween,
	weekdays,
} from '../../../../../nodes/SocialPublishing/resources/post/slots';
import { failureOf } from '../../../../support/failure';
import { runs } from '../../../../support/property';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const everyDay = weekdays.map(shortOf);

describe('the slots that a user gives', () => {
	test('days in any case, times in any order', () => {
		expect(parseSlots(['mon', ' Sun ', 'MON', 'wed'], '18:30, 9:00;12:15\n')).toEqual({
			days: [1, 7, 1, 3],
			times: [9 * 60, 12 * 60 + 15, 18 * 60 + 30],
		});
		expect(parseSlots(everyDay, '00:00 23:59')).toEqual({ days: [1, 2, 3, 4, 5, 6, 7], times: [0, 1439] });
	});

	test.each([
		...['25:00', '24:00', '9', '09.00', '9:60', '9:0', '-1:00', 'noon', '09:00:00', '[]'].map((time) => [
			time,
			`NODE_SLOT_TIME: '${time}' in 'Slot Times' isn't a time`,
		]),
		['9am and a very long text', "NODE_SLOT_TIME: '9am' in 'Slot Times' isn't a time"],
		[`${'9'.repeat(50)}`, `NODE_SLOT_TIME: '${'9'.repeat(20)}' in 'Slot Times' isn't a time`],
	])('times %j are refused', (times, message) => {
		const { details } = failureOf(() => parseSlots(['mon'], times));
		expect(`${details.code}: ${details.message}`).toBe(message);
		expect(details.hint).toMatch(/^Enter times like 09:00, 18:30/);
	});

	test.each(['m', 'moon', 'mond', '1', ''])("the day '%s' is refused", (day) => {
		expect(failureOf(() => parseSlots(['tue', day], '09:00')).details).toMatchObject({
			code: 'NODE_SLOT_DAY',
			message: `'${day}' in 'Slot Days' isn't a day of the week`,
			hint: 'Choose from: mon, tue, wed, thu, fri, sat, sun.',
		});
	});
});

describe('when slots are', () => {
	const slots = (zone: string, from: string, days: number, times: string, weekdays = everyDay) => {
		const start = Date.parse(from);
		return slotsBetween(parseSlots(weekdays, times), zone, start, start + days * DAY).map((ms) =>
			new Date(ms).toISOString().slice(0, 16),
		);
	};

	test.each([
		// A time that clocks skip is no slot.
		['Europe/Berlin', '2026-03-28T12:00Z', '02:30', ['2026-03-30T00:30']],
		// Half an hour is skipped there.
		['Australia/Lord_Howe', '2026-10-03T00:00Z', '02:15', ['2026-10-04T15:15']],
		// Clocks there are put forward at midnight.
		['America/Santiago', '2026-09-05T12:00Z', '00:30', ['2026-09-07T03:30']],
		// The whole of 30 December was skipped.
		['Pacific/Apia', '2011-12-29T20:00Z', '12:00', ['2011-12-29T22:00', '2011-12-30T22:00']],
		// Of a time that comes twice, the first is the slot.
		['America/New_York', '2026-10-31T12:00Z', '01:30', ['2026-11-01T05:30', '2026-11-02T06:30']],
		['Australia/Lord_Howe', '2026-04-04T00:00Z', '01:45', ['2026-04-04T14:45', '2026-04-05T15:15']],
	])('when clocks change in %s, from %s, %s: %j', (zone, from, times, expected) => {
		expect(slots(zone, from, 2, times)).toEqual(expected);
	});

	test('of a time that comes twice, the second is no slot once the first has passed', () => {
		expect(slots('Europe/Berlin', '2026-10-25T00:45Z', 1, '02:30')).toEqual([]);
	});

	test('only after the beginning, and up to the end, by the dates of the zone', () => {
		expect(slots('Asia/Kathmandu', '2026-06-01T20:00Z', 1, '01:00')).toEqual(['2026-06-02T19:15']);
		expect(slots('UTC', '2026-06-01T09:00Z', 1, '09:00')).toEqual(['2026-06-02T09:00']);
		expect(slots('UTC', '2026-06-01T08:59Z', 1, '09:00')).toEqual(['2026-06-01T09:00']);
	});

	const clocks = memoize(
		(timeZone: string) =>
			new Intl.DateTimeFormat('en-US', {
				...{ timeZone, hourCycle: 'h23', weekday: 'short', hour: '2-digit', minute: '2-digit' },
				...{ year: 'numeric', month: '2-digit', day: '2-digit' },
			}),
	);

	/** The same in another way: what clocks show at each minute, the first time that they do. */
	function shownAt(zone: string, fromMs: number, toMs: number, isSlot: (text: string) => boolean): number[] {
		const clock = clocks(zone);
		const seen = new Set<string>();
		const found: number[] = [];
		// From three hours earlier on, to know what comes for the second time.
		for (let ms = Math.ceil(fromMs / MINUTE - 180) * MINUTE; ms <= toMs; ms += MINUTE) {
			const text = clock.format(ms);
			if (!seen.has(text) && ms > fromMs && isSlot(text)) found.push(ms);
			seen.add(text);
		}
		return found;
	}

	test('any days and times, around changes of clocks: each minute at which clocks first show a slot', () => {
		const changes = fc.constantFrom<[string, string]>(
			['America/New_York', '2026-03-08T07:00Z'],
			['America/New_York', '2026-11-01T06:00Z'],
			['Europe/Berlin', '2026-03-29T01:00Z'],
			['Europe/Berlin', '2026-10-25T01:00Z'],
			['Australia/Lord_Howe', '2026-04-04T15:00Z'],
			['Australia/Lord_Howe', '2026-10-03T15:30Z'],
			['Pacific/Apia', '2011-12-30T10:00Z'],
			['America/Santiago', '2026-09-06T04:00Z'],
			['Africa/Casablanca', '2026-02-15T02:00Z'],
			['Asia/Kathmandu', '2026-06-01T00:00Z'],
		);
		// Most clocks change in the small hours.
		const minute = fc.oneof(fc.nat(1439), fc.nat(239));
		const property = fc.property(
			changes,
			fc.nat(1440),
			fc.nat(59_999),
			fc.subarray(everyDay, { minLength: 1 }),
			fc.uniqueArray(minute, { minLength: 1, maxLength: 5 }),
			([zone, change], before, ms, days, times) => {
				const from = Date.parse(change) - before * MINUTE + ms;
				const texts = times.map((one) =>
					[Math.floor(one / 60), one % 60].map((part) => String(part).padStart(2, '0')).join(':'),
				);
				const isSlot = (text: string): boolean =>
					days.includes(text.slice(0, 3).toLowerCase()) && texts.includes(text.slice(-5));
				const to = from + DAY + DAY / 4;
				const found = slotsBetween(parseSlots(days, texts.join()), zone, from, to);
				expect(found).toEqual(shownAt(zone, from, to, isSlot));
			},
		);
		fc.assert(property, runs(50));
	});
});
