import { compact, sortBy } from 'lodash';
import { DateTime } from 'luxon';

import { refusal } from '../../../api/failure';
import { shortened } from '../../../api/texts';
import { DAY_MS } from '../time';

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

/** The slots that a user gave: days as `mon`, times as `09:00, 12:30`. @throws Failure naming the parameter */
export function parseSlots(days: readonly string[], times: string): WeeklySlots {
	// An expression may give a list, which is JSON by now.
	if (days.length === 0)
		throw refusal('PARAMETER_EMPTY', "'Slot Days' is empty", 'Choose at least one day of the week.');
	const given = compact(times.split(/[\s,;"[\]]+/));
	return { days: days.map(weekdayOf), times: sortBy((given.length > 0 ? given : [times]).map(minuteOf)) };
}

function weekdayOf(day: string): number {
	const given = day.trim().toLowerCase();
	const index = weekdays.findIndex((name) => [name.toLowerCase(), shortOf(name)].includes(given));
	if (index >= 0) return index + 1;
	throw refusal(
		'SLOT_DAY',
		`'${shortened(day)}' in 'Slot Days' isn't a day of the week`,
		`Choose from: ${weekdays.map(shortOf).join(', ')}.`,
	);
}

function minuteOf(time: string): number {
	const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
	if (hour !== undefined) return Number(hour) * 60 + Number(minute);
	throw refusal(
		'SLOT_TIME',
		`'${shortened(time)}' in 'Slot Times' isn't a time`,
		'Enter times like 09:00, 18:30: hours and minutes in 24-hour format, separated by commas.',
	);
}

/** The slots after `from` and up to `to`, all in ms, ascending. */
export function slotsBetween({ days, times }: WeeklySlots, zone: string, from: number, to: number): number[] {
	const slots: number[] = [];
	// From the day before, since a day that begins twice (clocks go back at midnight) would begin at its second midnight.
	let date = DateTime.fromMillis(from, { zone }).minus({ days: 1 }).startOf('day');
	while (date.toMillis() <= to) {
		const [day, start] = [date, date.toMillis()];
		date = day.plus({ days: 1 }).startOf('day');
		// Without a change of clocks, minutes of the day are minutes since its start.
		const isPlain = date.toMillis() - start === DAY_MS;
		const slotAt = (minutes: number) => (isPlain ? start + minutes * 60_000 : instantOf(day, minutes));
		if (days.includes(day.weekday)) slots.push(...times.flatMap((minutes) => slotAt(minutes) ?? []));
	}
	return slots.filter((slot) => slot > from && slot <= to);
}

/** When clocks first show a time on a day, in ms; undefined where they skip it: that is no slot. */
function instantOf(date: DateTime, minutes: number): number | undefined {
	const wall = { hour: Math.floor(minutes / 60), minute: minutes % 60 };
	const local = date.set(wall);
	if (local.hour !== wall.hour || local.minute !== wall.minute || local.day !== date.day) return undefined;
	return (local.getPossibleOffsets()[0] ?? local).toMillis();
}
