import { DateTime } from 'luxon';

import { refusal, type Failure } from '../../api/failure';

export const DAY_MS = 86_400_000;
/** Longer than any way to write a time. */
const MAX_LENGTH = 100;
/** How long ago still means "now": a time picked as now has just passed when it is sent. */
const JUST_NOW_MS = 120_000;

const hasOffset = /T.*(z|[+-]\d{2}(:?\d{2})?)$/i;

/**
 * A time that a user gave (ISO 8601 or `YYYY-MM-DD hh:mm[:ss]`) in UTC, ending in `Z`. Without an offset it is in `zone`, or
 * in the one behind it in brackets; one that clocks skip is refused, of one that comes twice the first is meant.
 * @throws Failure naming the parameter by its label
 */
export function toUtc(value: string, zone: string, label: string): string {
	if (value.length > MAX_LENGTH) throw noTime(label, `${value.slice(0, 20)}…`);
	const [, given = '', named] = /^([^[\]]*?)\s*(?:\[!?([\w/+-]+)\])?$/.exec(value.trim()) ?? [];
	const text = /^\d{4}-\d{2}-\d{2} \d/.test(given)
		? given.replace(' ', 'T').replace(/ (?=[+-]|z$)/i, '')
		: given;
	// luxon would take a time of day alone for one of today.
	const time = /^[+-]?\d{4}/.test(text) ? DateTime.fromISO(text, { zone: named ?? zone }) : undefined;
	const isZoneWrong = time?.invalidReason === 'unsupported zone';
	if (isZoneWrong && named)
		throw refusal(
			'TIME',
			`'${label}' has an unknown time zone: ${named}`,
			'Use a name like Europe/Berlin, or an offset like +02:00.',
		);
	if (isZoneWrong) throw unknownZone(zone);
	if (!time?.isValid) throw noTime(label, value);
	const utc = (hasOffset.test(text) ? time : firstOf(time, text, label)).toUTC();
	if (utc.year < 1000 || utc.year > 9999) throw noTime(label, value);
	return utc.toISO({ suppressMilliseconds: true })!;
}

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
	const start = from ? toUtc(from, zone, labels[0]) : undefined;
	const end = to ? toUtc(to, zone, labels[1]) : undefined;
	if (start && end && Date.parse(start) > Date.parse(end))
		throw refusal(
			'RANGE_REVERSED',
			`'${labels[0]}' is later than '${labels[1]}': ${start} and ${end}`,
			`Set '${labels[1]}' to a time after '${labels[0]}'.`,
		);
	return { from: start, to: end };
}

const noTime = (label: string, value: string): Failure =>
	refusal(
		'TIME',
		`'${label}' is not a date and time: ${value}`,
		"Use the format 2026-03-29T18:30 (in the workflow's time zone) or 2026-03-29T16:30:00Z.",
	);

/** The workflow's. */
export const unknownZone = (zone: string): Failure =>
	refusal(
		'TIME',
		`The workflow's time zone '${zone}' is not known`,
		"Choose a time zone in the workflow's settings.",
	);

/**
 * Of a time that comes twice the first: which of them luxon takes on its own depends on the zone.
 * @throws Failure for one that doesn't exist, which luxon moves to one that does
 */
function firstOf(time: DateTime<true>, text: string, label: string): DateTime<true> {
	const meant = DateTime.fromISO(text, { zone: 'utc' });
	const wall = time.setZone('utc', { keepLocalTime: true });
	const minutes = Math.abs(wall.diff(meant, 'minutes').minutes);
	if (minutes === 0) return time.getPossibleOffsets()[0] ?? time;
	throw refusal(
		'TIME_SKIPPED',
		`'${label}' does not exist in ${time.zoneName}: at ${text} the clocks go forward by ${minutes} minutes`,
		`Choose a time that is ${minutes} minutes earlier or later, or add an offset to the time.`,
	);
}

/** Whether a time to publish at means at once: it has come, but not long ago. */
export const meansNow = (utc: string, now: number): boolean =>
	Date.parse(utc) <= now && Date.parse(utc) >= now - JUST_NOW_MS;

/** Refuses a time to publish at, in UTC, that has passed at `now` (ms); up to two minutes ago means now. */
export function refusePast(utc: string, zone: string, label: string, now: number): void {
	if (Number.isNaN(Date.parse(utc))) throw noTime(label, utc);
	if (Date.parse(utc) > now || meansNow(utc, now)) return;
	const local = (ms: number): string => DateTime.fromMillis(ms, { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
	throw refusal(
		'TIME_PAST',
		`'${label}' is in the past: ${local(Date.parse(utc))} (${zone})`,
		`Choose a later time: in ${zone} it is ${local(now)} now. If that is the wrong time zone, choose another one in the workflow's settings.`,
	);
}
