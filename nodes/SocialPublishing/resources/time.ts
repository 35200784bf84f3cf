import { DateTime } from 'luxon';

import { refusal } from '../../api/errors';

const hasOffset = /\dT?[\d:.,]*\s*(z|[+-]\d{2}(:?\d{2})?)$/i;

/**
 * A time that a user gave, in UTC. A time with no offset is in the workflow's zone; one that the change to daylight
 * saving skips is refused; of one that comes twice the first is meant.
 * @param value ISO 8601 or `YYYY-MM-DD hh:mm[:ss]`
 * @param zone IANA name
 * @param label the parameter's name as the user sees it
 * @returns ISO 8601 in UTC ending in `Z`, with milliseconds only where they are not 0
 * @throws Failure naming the parameter
 */
export function toUtc(value: string, zone: string, label: string): string {
	const text = value.trim();
	const isoText = /^\d{4}-\d{2}-\d{2} \d/.test(text)
		? text.replace(' ', 'T').replace(/ (?=[+-]|z$)/i, '')
		: text;
	const time = DateTime.fromISO(isoText, { zone });
	if (!time.isValid)
		throw refusal(
			'TIME',
			time.invalidReason === 'unsupported zone'
				? `The workflow's time zone '${zone}' is not known`
				: `'${label}' is not a date and time: ${value}`,
			time.invalidReason === 'unsupported zone'
				? "Choose a time zone in the workflow's settings."
				: 'Write it like 2026-03-29T18:30 (in the time zone of the workflow) or 2026-03-29T16:30:00Z.',
		);
	const given = isoText.includes('T') && hasOffset.test(isoText);
	if (!given) refuseSkipped(isoText, time, label);
	// Which of the two luxon takes on its own depends on the zone.
	const first = given ? time : (time.getPossibleOffsets()[0] ?? time);
	return first.toUTC().toISO({ suppressMilliseconds: true })!;
}

/** luxon moves a time that does not exist to one that does: refuse it instead, naming both neighbours. */
function refuseSkipped(text: string, time: DateTime<true>, label: string): void {
	const meant = DateTime.fromISO(text, { zone: 'utc' });
	const wall = time.setZone('utc', { keepLocalTime: true });
	if (wall.toMillis() === meant.toMillis()) return;
	const gap = Math.abs(wall.toMillis() - meant.toMillis());
	const after = time.startOf('minute');
	const change = changeBefore(after, gap);
	const show = (one: DateTime): string => one.toFormat("yyyy-MM-dd'T'HH:mm");
	throw refusal(
		'TIME_SKIPPED',
		`'${label}' does not exist in ${time.zoneName}: at ${text} the clocks are put forward`,
		`The last minute before is ${show(change.minus({ minutes: 1 }))}, the first after is ${show(change)}. Choose one of them or write the time with an offset.`,
	);
}

/** The moment at which the clocks were put forward, at most `within` ms before `time`. */
function changeBefore(time: DateTime<true>, within: number): DateTime<true> {
	let low = time.toMillis() - within - 60_000;
	let high = time.toMillis();
	const offsetAt = (ms: number): number => DateTime.fromMillis(ms, { zone: time.zone }).offset;
	const offset = offsetAt(high);
	while (high - low > 1) {
		const middle = Math.floor((low + high) / 2);
		if (offsetAt(middle) === offset) high = middle;
		else low = middle;
	}
	return DateTime.fromMillis(high, { zone: time.zone }) as DateTime<true>;
}

/** How long ago a time still means now, in ms: a picker's *Now* is a moment ago when it is sent. */
const GRACE = 120_000;
/** How far ahead "now" is where the service has to be told a time, in ms. */
const AHEAD = 10_000;

/** Whether a time is so short ago that now is meant. */
export const meansNow = (utc: string, now: number): boolean =>
	Date.parse(utc) <= now && Date.parse(utc) >= now - GRACE;

/**
 * Refuses a time to publish at that has passed; up to two minutes ago means now.
 * @param utc ISO 8601 in UTC
 * @param now in ms
 */
export function refusePast(utc: string, zone: string, label: string, now: number): void {
	if (Date.parse(utc) >= now - GRACE) return;
	const show = (ms: number): string => DateTime.fromMillis(ms, { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
	throw refusal(
		'TIME_PAST',
		`'${label}' is in the past: ${show(Date.parse(utc))} (${zone})`,
		`Choose a later time: in ${zone} it is ${show(now)} now. If that is the wrong time zone, choose another one in the workflow's settings.`,
	);
}

/**
 * A time to publish at: {@link toUtc}, and not in the past; one that means now is a few seconds ahead.
 * @param now in ms
 */
export function toFutureUtc(value: string, zone: string, label: string, now: number): string {
	const utc = toUtc(value, zone, label);
	refusePast(utc, zone, label, now);
	if (!meansNow(utc, now)) return utc;
	return DateTime.fromMillis(now + AHEAD, { zone: 'utc' }).toISO({ suppressMilliseconds: true })!;
}
