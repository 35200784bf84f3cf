import { DateTime } from 'luxon';

/** Time frames in days; all time is ten years, as for posts. */
export const timeframeDays = { all_time: 3652, last_30_days: 30, last_7_days: 7, last_90_days: 90 } as const;

/** The range that ends now, ten years at most, for endpoints that take no time frame. */
export function rangeOfDays(days: number, nowMs: number): { from: string; to: string } {
	const to = DateTime.fromMillis(nowMs, { zone: 'utc' }).startOf('second');
	const from = to.minus({ days: Math.min(days, timeframeDays.all_time) });
	const iso = (time: DateTime): string => time.toISO({ suppressMilliseconds: true })!;
	return { from: iso(from), to: iso(to) };
}
