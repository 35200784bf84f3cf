import { mapValues } from 'lodash';
import { DateTime, IANAZone } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { refusal, type Failure } from '../../api/failure';
import { shortened } from '../../api/texts';
import type { RequestContext } from '../engine/item';
import { timeFields } from '../writes/key';

export const DAY_MS = 86_400_000;
/** How long ago still means "now": a time picked as now has just passed when it is sent. */
const JUST_NOW_MS = 120_000;
/** Earlier times are what a cell without a date, or without a value, becomes. */
const EARLIEST_MS = Date.UTC(2000, 0);

const hasOffset = /T.*(z|[+-]\d{2}(:?\d{2})?)$/i;
/** More than 14 hours from UTC. */
const beyondZones = /T.*[+-](1[5-9]|[2-9]\d)(:?\d{2})?$/i;

/** What may be an offset from UTC, but also a range: `9:00-10:00`, `10:00 -12`, `18-00`; ` -05:00` is how moment writes one. */
const mayBeRange =
	/^[\dW-]+(T\d{1,2}-00$| \d{1,2}(:?\d{2})?(?!(?<=:\d{2}) -\d{2}:?\d{2}$) ?[\u2010-\u2014-])/i;

/** A time as sheets have it, in ISO 8601: with one kind of space, 9:00 AM as 09:00, and one kind of hyphen in its date. */
const readable = (value: string): string =>
	value
		.replace(/\p{Cf}/gu, '')
		.replace(/\s+/g, ' ')
		.trim()
		.replace(/^[\dW\u2010-\u2013\u2212-]+/i, (day) => day.replace(/[\u2010-\u2013\u2212]/g, '-'))
		.replace(/ ?(utc|gmt)$/i, ' Z')
		.replace(
			/^(\d{4}-\d{2}-\d{2})([T ])(\d{1,2})(:\d{2}(?::\d{2})?)(?: ?([ap])\.?m\.?)?(?=$|[ z+\u2010-\u2014\u2212-])/i,
			(all, day: string, mark: string, hour: string, rest: string, half?: string) => {
				if (half && (Number(hour) < 1 || Number(hour) > 12)) return all;
				const hours = half ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : hour;
				return `${day}${half ? ' ' : mark}${String(hours).padStart(2, '0')}${rest}`;
			},
		);

/** Whether a time that a user gave is a day alone: of a month, a week or a year. */
const isDateOnly = (value: string): boolean =>
	/^\d{4}(-?\d{2}-?\d{2}|-?W\d{2}-?\d|-?\d{3})$/i.test(readable(value));

/** As the service takes a time: ending in `Z`, its year with four digits, also where it is the year 0 or 10000 in UTC. */
function inUtc(time: DateTime<true>): string {
	const utc = time.toUTC();
	if (utc.year > 9999) return '9999-12-31T23:59:59Z';
	return utc.year < 1 ? '0001-01-01T00:00:00Z' : utc.toISO({ suppressMilliseconds: true });
}

export const toUtc = (value: string, zone: string, label: string): string =>
	inUtc(timeOf(value, zone, label));

/**
 * A time that a user gave: ISO 8601, RFC 2822 or `YYYY-MM-DD hh:mm[:ss]`. Without an offset it is in `zone`; one that clocks
 * skip is refused, of one that comes twice the first is meant. A date begins later where clocks skip midnight, unless `isExact`.
 * @throws Failure naming the parameter by its label
 */
function timeOf(value: string, zone: string, label: string, isExact = false): DateTime<true> {
	const given = readable(value);
	// The patterns would take too long for a long text.
	if (given.length > 100 || mayBeRange.test(given)) throw noTime(label, value);
	// A feed's `Fri, 15 Jan 2027 09:00:00 GMT`.
	const text = (DateTime.fromRFC2822(given, { setZone: true }).toISO() ?? given)
		.replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T')
		.replace(/[\u2010\u2011\u2212]/, '-')
		.replace(/ (?=[+-]|z$)/i, '');
	requireZone(zone);
	// luxon would take a time of day alone for one of today, another zone in brackets, and offsets that no zone has.
	const time =
		/^\d{4}[^[]*$/.test(text) && !/^\d{4}(-?W?\d{2})?$/i.test(text) && !beyondZones.test(text)
			? DateTime.fromISO(text, { zone })
			: undefined;
	if (!time?.isValid) throw noTime(label, value);
	return hasOffset.test(text) ? time : firstOf(time, text, label, !isExact && isDateOnly(value));
}

/** @throws Failure for a zone that is none; luxon would take `local` and `system` for that of n8n's computer */
export function requireZone(zone: string): void {
	if (IANAZone.create(zone).isValid) return;
	throw refusal(
		'TIME',
		`The workflow's time zone '${zone}' is not known`,
		"Choose a time zone in the workflow's settings.",
	);
}

/** A time in ms as it is in `zone`, to the second; null where there is none. */
export const localTime = (ms = NaN, zone: string): string | null =>
	DateTime.fromMillis(ms, { zone }).startOf('second').toISO({ suppressMilliseconds: true });

type TimeContext = Pick<RequestContext, 'zone' | 'hint'>;

/** A time to publish at, in UTC. @throws Failure naming the parameter by its label */
export function publishAt(value: string, place: TimeContext, label: string): string {
	if (isDateOnly(value)) place.hint(`'${label}' has no time of day, so 00:00 is used`);
	const utc = inUtc(timeOf(value, place.zone, label, true));
	if (Date.parse(utc) >= EARLIEST_MS) return utc;
	throw refusal(
		'TIME',
		`'${label}' has no valid date: ${shortened(value.trim())}`,
		'Spreadsheets have a time without a date as one of 1899, and an empty value may become 1970. Enter a date and a time, such as 2026-03-29T18:30.',
	);
}

/** A post's body with times in UTC: those of the user's own fields are in the workflow's zone, too. */
export const withUtcTimes = (body: IDataObject, place: TimeContext, label: string): IDataObject =>
	mapValues(body, (value, name) =>
		(timeFields as readonly string[]).includes(name) && value && typeof value === 'string'
			? publishAt(value, place, label)
			: value,
	);

/**
 * Both ends of a range in UTC; either may be missing.
 * @throws Failure naming the parameter by its label, or both where the range ends before it starts
 */
export function toUtcRange(
	from: string | undefined,
	to: string | undefined,
	zone: string,
	labels: readonly [string, string],
): { from?: string; to?: string } {
	const start = from ? timeOf(from, zone, labels[0]) : undefined;
	const given = to ? timeOf(to, zone, labels[1]) : undefined;
	// A range that ends on a date has that day.
	const end = to && isDateOnly(to) ? given?.endOf('day').startOf('second') : given;
	if (start && end && start > end)
		throw refusal(
			'RANGE_REVERSED',
			`'${labels[0]}' is later than '${labels[1]}': ${[start, end].map((one) => localTime(one.toMillis(), zone)).join(' and ')}`,
			`Set '${labels[1]}' to a time after '${labels[0]}'.`,
		);
	return { from: start && inUtc(start), to: end && inUtc(end) };
}

function noTime(label: string, value: string): Failure {
	if (readable(value) === '') return refusal('PARAMETER_EMPTY', `'${label}' is empty`, `Fill in '${label}'.`);
	const offset = mayBeRange.test(readable(value))
		? ' If it is a range, keep only its start. If it ends in an offset from UTC, write it as 2026-03-29T18:30-05:00.'
		: '';
	const isNumber = Number.isFinite(Number(value)) && !/^\d{4}(\d{2})?$/.test(value);
	return refusal(
		'TIME',
		`'${label}' is not a date and time: ${shortened(value.trim())}`,
		`Use the format 2026-03-29T18:30 (in the workflow's time zone) or 2026-03-29T16:30:00Z.${isNumber ? ' The value is a number. Have the sheet return dates as text, or convert the Unix timestamp to this format.' : offset}`,
	);
}

/**
 * Of a time that comes twice the first: which of them luxon takes on its own depends on the zone.
 * @throws Failure for one that doesn't exist, which luxon moves to one that does
 */
function firstOf(time: DateTime<true>, text: string, label: string, isDay: boolean): DateTime<true> {
	const meant = DateTime.fromISO(text, { zone: 'utc' });
	const wall = time.setZone('utc', { keepLocalTime: true });
	const minutes = Math.abs(wall.diff(meant, 'minutes').minutes);
	if (minutes === 0 || isDay) return time.getPossibleOffsets()[0] ?? time;
	throw refusal(
		'TIME_SKIPPED',
		`'${label}' does not exist in ${time.zoneName}: at ${text} the clocks go forward by ${minutes} minutes`,
		`Choose a time that is ${minutes} minutes earlier or later, or add an offset to the time.`,
	);
}

/** Whether a time to publish at means at once: it has come, but not long ago. */
export const meansNow = (utc: string, now: number): boolean =>
	Date.parse(utc) <= now && Date.parse(utc) >= now - JUST_NOW_MS;

/** What is wrong with a time to publish at, in UTC, that has passed at `now` (ms); up to two minutes ago means now. */
export function pastTime(utc: string, zone: string, label: string, now: number): Failure | undefined {
	const at = Date.parse(utc);
	if (Number.isNaN(at)) return noTime(label, utc);
	if (at >= now - JUST_NOW_MS) return undefined;
	const local = (ms: number): string => DateTime.fromMillis(ms, { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
	return refusal(
		'TIME_PAST',
		`'${label}' is in the past: ${local(at)} (${zone})`,
		`Choose a later time: in ${zone} it is ${local(now)} now. If that is the wrong time zone, choose another one in the workflow's settings.`,
	);
}
