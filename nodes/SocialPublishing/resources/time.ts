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
/** A cell without a date becomes one of 1899, an empty value one of 1970. */
const EARLIEST_YEAR = 1971;
/** Longer texts are no times. */
const MAX_LENGTH = 100;

/** ISO 8601 with a whole date and, where it has a time, its minutes. Databases write a space for the `T`. */
const ISO_TIME =
	/^\d{4}(-?\d{2}-?\d{2}|-W\d{2}-\d|-\d{3})(T\d{2}:?\d{2}(:?\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/i;
/** ` 10:00-12:00` is a range: an offset to the west is one only behind seconds. */
const WITH_SPACE =
	/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}(?:(?::\d{2}(?:\.\d+)?)(?:-\d{2}(?::?\d{2})?)?)?(?:\+\d{2}(?::?\d{2})?|Z)?)$/i;
const HAS_OFFSET = /T.*(Z|[+-]\d{2}(:?\d{2})?)$/i;

/** How sheets and people write a time, besides; a slash in the date counts as a hyphen. */
const FORMATS = ['yyyy-M-d', 'yyyy-M-d H:mm', 'yyyy-M-d H:mm:ss', 'yyyy-M-d h:mm a', 'yyyy-M-d h:mm:ss a'];

/** A time as it is written; in `zone` unless it has an offset. */
interface Written {
	time: DateTime<true>;
	hasOffset: boolean;
	isDateOnly: boolean;
}

/** What a text says, its wall-clock time in UTC where it has no offset; undefined for what is no time. */
function written(value: string): Written | undefined {
	const given = value
		.replace(/\p{Cf}/gu, '')
		.replace(/\s+/g, ' ')
		.trim();
	if (given.length > MAX_LENGTH) return undefined;
	const text = given.replace(WITH_SPACE, '$1T$2');
	const feed = DateTime.fromRFC2822(text, { setZone: true });
	if (feed.isValid) return { time: feed, hasOffset: true, isDateOnly: false };
	const options = { zone: 'utc', setZone: true, locale: 'en' };
	const dashed = text.replace(/^(\d{4})\/(\d{1,2})\/(\d{1,2})(?=$| )/, '$1-$2-$3');
	const read = ISO_TIME.test(text)
		? [DateTime.fromISO(text, options)]
		: FORMATS.map((format) => DateTime.fromFormat(dashed, format, options));
	const time = read.find((one): one is DateTime<true> => one.isValid);
	return time && { time, hasOffset: HAS_OFFSET.test(text), isDateOnly: !/[T ]/i.test(dashed) };
}

/**
 * A time that a user gave. Without an offset it is in `zone`; one that clocks skip is refused, of one that comes twice the
 * first is meant. A date begins later where clocks skip midnight, unless `isExact`.
 * @throws Failure naming the parameter by its label
 */
function timeOf(value: string, zone: string, label: string, isExact = false): DateTime<true> {
	requireZone(zone);
	const said = written(value);
	if (!said) throw noTime(label, value);
	if (said.hasOffset) return said.time;
	const local = said.time.setZone(zone, { keepLocalTime: true }) as DateTime<true>;
	const moved = local.setZone('utc', { keepLocalTime: true }).diff(said.time, 'minutes').minutes;
	if (moved === 0 || (said.isDateOnly && !isExact)) return local.getPossibleOffsets()[0] ?? local;
	const minutes = Math.abs(moved);
	throw refusal(
		'TIME_SKIPPED',
		`'${label}' does not exist in ${zone}: at ${said.time.toFormat('yyyy-MM-dd HH:mm')} the clocks go forward by ${minutes} minutes`,
		`Choose a time that is ${minutes} minutes earlier or later, or add an offset to the time.`,
	);
}

/** As the service takes a time: ending in `Z`, its year with four digits, also where it is the year 0 or 10000 in UTC. */
function inUtc(time: DateTime<true>): string {
	const utc = time.toUTC();
	if (utc.year > 9999) return '9999-12-31T23:59:59Z';
	return utc.year < 1 ? '0001-01-01T00:00:00Z' : utc.toISO({ suppressMilliseconds: true });
}

export const toUtc = (value: string, zone: string, label: string): string =>
	inUtc(timeOf(value, zone, label));

/** @throws Failure for a zone that is none; luxon would take `local` and `system` for that of n8n's computer */
export function requireZone(zone: string): void {
	if (IANAZone.create(zone).isValid) return;
	throw refusal(
		'TIME',
		`The workflow's time zone '${zone}' is not known`,
		"Choose a time zone in the workflow's settings.",
	);
}

/** A time in ms as people read it in `zone`: `2026-11-28 17:09`; null where there is none. */
export const localTime = (ms = NaN, zone: string): string | null =>
	Number.isNaN(ms) ? null : DateTime.fromMillis(ms, { zone }).toFormat('yyyy-MM-dd HH:mm');

type TimeContext = Pick<RequestContext, 'zone' | 'hint'>;

const isMidnight = ({ time }: Written): boolean => time.toMillis() === time.startOf('day').toMillis();

/** A time to publish at, in UTC. @throws Failure naming the parameter by its label */
export function publishAt(value: string, { zone, hint }: TimeContext, label: string): string {
	const time = timeOf(value, zone, label, true);
	if (time.year < EARLIEST_YEAR)
		throw refusal(
			'TIME',
			`'${label}' has no valid date: ${shortened(value.trim())}`,
			'Spreadsheets have a time without a date as one of 1899, and an empty value may become 1970. Enter a date and a time, such as 2026-12-24 18:00:00.',
		);
	const said = written(value)!;
	if (said.isDateOnly) hint(`'${label}' has no time of day, so 00:00 is used`);
	else if (isMidnight(said)) hint(`'${label}' is 00:00, so the post goes out at midnight`);
	return inUtc(time);
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
	{ zone, hint }: TimeContext,
	labels: readonly [string, string],
): { from?: string; to?: string } {
	const start = from ? timeOf(from, zone, labels[0]) : undefined;
	const given = to ? timeOf(to, zone, labels[1]) : undefined;
	const said = to ? written(to) : undefined;
	// A range that ends on a date has that day.
	const end = said?.isDateOnly ? given?.endOf('day').startOf('second') : given;
	if (said && !said.isDateOnly && isMidnight(said))
		hint(`'${labels[1]}' is 00:00, so ${said.time.toFormat('yyyy-MM-dd')} itself isn't included`, 'info');
	if (start && end && start > end)
		throw refusal(
			'RANGE_REVERSED',
			`'${labels[0]}' is later than '${labels[1]}': ${[start, end].map((one) => localTime(one.toMillis(), zone)).join(' and ')}`,
			`Set '${labels[1]}' to a time after '${labels[0]}'.`,
		);
	return { from: start && inUtc(start), to: end && inUtc(end) };
}

function noTime(label: string, value: string): Failure {
	const given = value.trim();
	if (given === '') return refusal('PARAMETER_EMPTY', `'${label}' is empty`, `Fill in '${label}'.`);
	const more =
		Number.isFinite(Number(given)) && Number(given) > 9999
			? ' The value is a number. Have the sheet return dates as text, or convert the Unix timestamp to this format.'
			: ' Of a range, keep only its start.';
	return refusal(
		'TIME',
		`'${label}' is not a date and time: ${shortened(given)}`,
		`Use the format 2026-12-24 18:00:00 (in the workflow's time zone) or 2026-12-24T17:00:00Z.${more}`,
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
	return refusal(
		'TIME_PAST',
		`'${label}' is in the past: ${localTime(at, zone)} (${zone})`,
		`Choose a later time: in ${zone} it is ${localTime(now, zone)} now. If that is the wrong time zone, choose another one in the workflow's settings.`,
	);
}
