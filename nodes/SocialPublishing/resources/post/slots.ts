import range from 'lodash/range';
import uniq from 'lodash/uniq';
import { DateTime } from 'luxon';

import { refusal } from '../../../api/failure';
import { noZone } from '../time';

/** The times of the week at which posts may go out, and the first of them that is free. */

/** A post that is at most this far from a slot takes it. */
export const SLOT_REACH_MS = 10 * 60_000;

/** In ISO order. */
export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A day's name as it is stored. */
export const shortOf = (weekday: string): string => weekday.slice(0, 3).toLowerCase();

export interface WeeklySlots {
	/** ISO weekdays: Monday is 1. */
	days: number[];
	/** Minutes since midnight, ascending. */
	times: number[];
}

/**
 * The slots that a user gave.
 * @param days `mon` to `sun`, or whole names
 * @param times such as `09:00, 12:30`, in 24-hour format
 * @throws Failure naming the parameter
 */
export function parseSlots(days: readonly string[], times: string): WeeklySlots {
	const minutes = times.split(/[\s,;]+/).filter((one) => one !== '');
	if (minutes.length === 0)
		throw refusal('SLOT_TIME', "'Slot Times' has no time", 'Enter times like 09:00, 18:30.');
	return {
		days: uniq(days.map(weekdayOf)),
		times: uniq(minutes.map(minuteOf)).sort((a, b) => a - b),
	};
}

function weekdayOf(day: string): number {
	const word = day.trim().toLowerCase();
	const index = weekdays.findIndex((name) => word === shortOf(name) || word === name.toLowerCase());
	if (index >= 0) return index + 1;
	throw refusal(
		'SLOT_DAY',
		`'${day.slice(0, 20)}' in 'Slot Days' isn't a day of the week`,
		`Choose from: ${weekdays.map(shortOf).join(', ')}.`,
	);
}

function minuteOf(time: string): number {
	const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
	if (hour !== undefined) return Number(hour) * 60 + Number(minute);
	throw refusal(
		'SLOT_TIME',
		`'${time.slice(0, 20)}' in 'Slot Times' isn't a time`,
		'Enter times like 09:00, 18:30: hours and minutes in 24-hour format, separated by commas.',
	);
}

/**
 * The slots after `from` and up to `to`, ascending. A time that clocks skip is no slot; of one that comes twice, the first is.
 * @param zone IANA name
 * @param from in ms, like `to` and the slots
 * @throws Failure where the zone isn't known
 */
export function slotsBetween({ days, times }: WeeklySlots, zone: string, from: number, to: number): number[] {
	const first = DateTime.fromMillis(from, { zone });
	if (!first.isValid) throw noZone('Slot Times', zone, undefined);
	// The zone's dates, counted in UTC: there, each has 24 hours.
	const dateOf = (time: DateTime): DateTime => time.setZone('utc', { keepLocalTime: true }).startOf('day');
	const date = dateOf(first);
	const count = dateOf(DateTime.fromMillis(to, { zone })).diff(date, 'days').days + 1;
	return range(count)
		.map((day) => date.plus({ days: day }))
		.filter(({ weekday }) => days.includes(weekday))
		.flatMap((day) => times.map((minutes) => instantOf(day.plus({ minutes }), zone)))
		.filter((slot) => slot !== undefined && slot > from && slot <= to) as number[];
}

/** When clocks in the zone first show a time of day, in ms; undefined where they skip it. */
function instantOf(wall: DateTime, zone: string): number | undefined {
	const local = wall.setZone(zone, { keepLocalTime: true });
	if (local.setZone('utc', { keepLocalTime: true }).toMillis() !== wall.toMillis()) return undefined;
	return (local.getPossibleOffsets()[0] ?? local).toMillis();
}

/**
 * The first slot that no post has taken.
 * @param slots in ms, ascending
 * @param posts when posts go out, in ms
 */
export const earliestFree = (slots: readonly number[], posts: readonly number[]): number | undefined =>
	slots.find((slot) => posts.every((post) => Math.abs(post - slot) > SLOT_REACH_MS));
