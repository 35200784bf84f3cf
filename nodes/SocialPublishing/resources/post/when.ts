import { compact } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { refusal, type Failure } from '../../../api/failure';
import { timeIn } from '../../../api/records';
import type { RequestContext } from '../../engine/item';
import { localTime, publishAt, requireZone } from '../time';
import type { CreateParams } from './createFields';

export interface Schedule {
	/** ISO 8601 in UTC, ending in `Z`; it may have passed. */
	utc: string;
	/** It counts from now, so it is another time in each try. */
	isRelative: boolean;
	/** The parameter that it comes from, as the user sees it. */
	label: string;
}

/** When a post goes out; undefined for at once, and for a slot. @throws Failure naming the parameter */
export function scheduleOf(
	{ when, scheduledAt, delayAmount, delayUnit, options }: CreateParams,
	item: Pick<RequestContext, 'zone' | 'now' | 'hint'> & { index: number },
): Schedule | undefined {
	const { zone, now, index } = item;
	const later = when === 'delay' ? { amount: delayAmount, unit: delayUnit } : undefined;
	const apart = index > 0 ? options.spacing?.time : undefined;
	if (when === 'now' && !apart) return undefined;
	const durations = compact([later, apart && { ...apart, amount: apart.amount * index }]);
	requireZone(zone);
	if (when === 'nextSlot') return undefined;
	const start = when === 'at' ? Date.parse(publishAt(scheduledAt, item, 'Scheduled At')) : now;
	const at = durations.reduce(
		(time, { amount, unit }) => time.plus({ [unit]: amount }),
		DateTime.fromMillis(start, { zone }),
	);
	const label = later ? 'Delay Amount' : when === 'at' ? 'Scheduled At' : 'Time Between Posts';
	// More minutes than there are until the year 9999; luxon leaves out far too many.
	const isTooMuch = durations.some(({ amount }) => amount > 1e10);
	if (isTooMuch || !at.isValid || at.year > 9999)
		throw refusal('TIME', `'${label}' is too far in the future`, 'Enter a smaller number.');
	const isRelative = when !== 'at';
	return { utc: at.toUTC().toISO({ suppressMilliseconds: true }), label, isRelative };
}

export const isPast = (failure: Failure | undefined): boolean => failure?.details.code === 'NODE_TIME_PAST';

/** What is wrong with a wait for a post that is due only after it: that would fail although the post is sent. */
export function longWait(
	{ options }: CreateParams,
	dueAt: string | undefined,
	{ now, zone }: Pick<RequestContext, 'zone' | 'now'>,
): Failure | undefined {
	const { waitForPublication: seconds } = options;
	if (!seconds || !dueAt || Date.parse(dueAt) <= now + seconds * 1000) return undefined;
	const due = DateTime.fromISO(dueAt, { zone }).toFormat('yyyy-MM-dd HH:mm');
	return refusal(
		'WAIT_TOO_SHORT',
		`'Wait for Publication (Seconds)' is ${seconds}, but the post is due at ${due} (${zone})`,
		"Set 'When' to 'Publish Now', or remove the option and start a second workflow from the Social Publishing Trigger.",
	);
}

/** A post's time for the output: as the service says it, and in the workflow's zone, to the second. */
export function times(value: unknown, zone: string): IDataObject {
	const local = localTime(timeIn(value), zone);
	return local ? { scheduled_at: value as string, scheduled_at_local: local, time_zone: zone } : {};
}
