import {
	parseSlots,
	shortOf,
	slotsBetween,
	weekdays,
} from '../../../../../nodes/SocialPublishing/resources/post/slots';
import { failureOf } from '../../../../support/failure';

const DAY = 86_400_000;
const everyDay = weekdays.map(shortOf);

describe('the slots that a user gives', () => {
	test('days in any case, short or in full, times in any order', () => {
		expect(parseSlots(['Monday', ' tuesday'], '9:00').days).toEqual([1, 2]);
		expect(parseSlots(['mon', ' Sun ', 'MON', 'wed'], '18:30, 9:00;12:15\n')).toEqual({
			days: [1, 7, 1, 3],
			times: [9 * 60, 12 * 60 + 15, 18 * 60 + 30],
		});
		expect(parseSlots(['mon'], '["09:00","18:30"]').times).toEqual([540, 1110]);
		expect(parseSlots(everyDay, '00:00 23:59')).toEqual({ days: [1, 2, 3, 4, 5, 6, 7], times: [0, 1439] });
	});

	const wrong = ['24:00', '9', '09.00', '9:60', '9:0', '-1:00', '09:00:00', ' , '].map((time) => [
		time,
		time,
	]);
	test.each([...wrong, ['9'.repeat(150), `${'9'.repeat(100)}…`]])(
		'the time %s is refused',
		(times, named) => {
			expect(failureOf(() => parseSlots(['mon'], times!)).details).toMatchObject({
				...{ code: 'NODE_SLOT_TIME', message: `'${named}' in 'Slot Times' isn't a time` },
				hint: expect.stringMatching(/^Enter times like 09:00, 18:30/),
			});
		},
	);

	test.each(['m', 'mond', 'Mondays', ''])("the day '%s' is refused", (day) => {
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
		// Half an hour is skipped there.
		['Australia/Lord_Howe', '2026-10-03T00:00Z', '02:15', ['2026-10-04T15:15']],
		// Midnight is skipped.
		['America/Santiago', '2026-09-05T12:00Z', '00:30', ['2026-09-07T03:30']],
		// The whole of 30 December was skipped.
		['Pacific/Apia', '2011-12-29T20:00Z', '12:00', ['2011-12-29T22:00', '2011-12-30T22:00']],
		// Of a time that comes twice, the first is the slot.
		['America/Havana', '2026-10-31T12:00Z', '00:30', ['2026-11-01T04:30', '2026-11-02T05:30']],
		['America/Havana', '2026-11-01T05:10Z', '00:30', ['2026-11-02T05:30']],
		['Australia/Lord_Howe', '2026-04-04T00:00Z', '01:45', ['2026-04-04T14:45', '2026-04-05T15:15']],
		// The second is no slot, once the first has passed.
		['Europe/Berlin', '2026-10-25T00:45Z', '02:30', ['2026-10-26T01:30']],
	])('when clocks change in %s, from %s, %s: %j', (zone, from, times, expected) => {
		expect(slots(zone, from, 2, times)).toEqual(expected);
	});

	test('only on the days that were chosen', () => {
		const week = slots('UTC', '2026-06-01T00:00Z', 7, '09:00, 18:00', ['sun', 'tue']);
		expect(week).toEqual(['02T09', '02T18', '07T09', '07T18'].map((one) => `2026-06-${one}:00`));
	});

	test('only after the beginning, and up to the end, by the dates of the zone', () => {
		expect(slots('Asia/Kathmandu', '2026-06-01T20:00Z', 1, '01:00')).toEqual(['2026-06-02T19:15']);
		expect(slots('UTC', '2026-06-01T09:00Z', 1, '09:00')).toEqual(['2026-06-02T09:00']);
		expect(slots('UTC', '2026-06-01T00:00Z', 1, '00:00')).toEqual(['2026-06-02T00:00']);
		expect(slots('UTC', '2026-06-01T08:59Z', 1, '09:00')).toEqual(['2026-06-01T09:00']);
	});
});
