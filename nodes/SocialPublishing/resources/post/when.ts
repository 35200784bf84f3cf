import { DateTime, type DurationLikeObject } from 'luxon';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { refusal } from '../../../api/failure';
import type { RequestContext } from '../../engine/item';
import { toUtc } from '../time';

/** When a post goes out: at a fixed time, after a delay, or each item some time after the one before. */

const spacingLabel = 'Time Between Posts';
const delayLabel = 'Delay Amount';

/** How much later, as a user enters it: with {@link unit}, the fields of a section. */
export const amount = {
	displayName: 'Amount',
	name: 'amount',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1,
	description: 'How many of the units',
} as const satisfies INodeProperties;

export const unit = {
	displayName: 'Unit',
	name: 'unit',
	type: 'options',
	default: 'hours',
	description: 'Unit of the amount. Days keep the time of day when the clocks change.',
	options: [
		{ name: 'Days', value: 'days' },
		{ name: 'Hours', value: 'hours' },
		{ name: 'Minutes', value: 'minutes' },
	],
} as const satisfies INodeProperties;

interface Given {
	amount?: unknown;
	unit?: unknown;
}

export interface ScheduleParams {
	when: 'now' | 'at' | 'delay' | 'nextSlot';
	/** Of `at`. */
	scheduledAt?: string;
	/** Of `delay`. */
	delayAmount?: unknown;
	delayUnit?: unknown;
	spacing?: Given;
}

export interface Schedule {
	/** ISO 8601 in UTC, ending in `Z`; it may have passed. */
	utc: string;
	/** For a time that only counts from now: what it was made from. */
	relativeTo?: IDataObject;
	/** The parameter that it comes from, as the user sees it. */
	label: string;
}

/**
 * The time of one item; undefined for "at once", and for a slot, which is chosen at the moment of sending.
 * @throws Failure naming the parameter
 */
export function scheduleOf(
	{ when, scheduledAt: time, delayAmount, delayUnit, spacing }: ScheduleParams,
	{ zone, now, index }: Pick<RequestContext, 'zone' | 'now'> & { index: number },
): Schedule | undefined {
	if (when === 'nextSlot') return undefined;
	const scheduledAt = when === 'at' ? time : undefined;
	const later = when === 'delay' ? duration({ amount: delayAmount, unit: delayUnit }, delayLabel) : undefined;
	const apart = spacing && duration(spacing, spacingLabel);
	if (!scheduledAt && !later && !(apart && index > 0)) return undefined;
	let at = scheduledAt
		? DateTime.fromISO(toUtc(scheduledAt, zone, 'Scheduled At'), { zone })
		: DateTime.fromMillis(now, { zone });
	if (later) at = at.plus({ [later.unit]: later.amount });
	if (apart) at = at.plus({ [apart.unit]: apart.amount * index });
	const label = later ? delayLabel : scheduledAt ? 'Scheduled At' : spacingLabel;
	if (!at.isValid || at.year > 9999)
		throw refusal('TIME', `'${label}' is too far in the future`, 'Enter a smaller number.');
	const utc = at.toUTC().toISO({ suppressMilliseconds: true });
	return scheduledAt
		? { utc, label }
		: { utc, label, relativeTo: { ...later, ...(apart ? { apart, index } : {}) } };
}

function duration(
	{ amount: given, unit: counted }: Given,
	label: string,
): { amount: number; unit: keyof DurationLikeObject } {
	const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
	if (typeof number !== 'number' || !Number.isFinite(number) || number < 0)
		throw refusal(
			'PARAMETER_NUMBER',
			`'${label}' is not a number`,
			"Enter a number of 0 or more in 'Amount'.",
		);
	if (counted !== 'minutes' && counted !== 'hours' && counted !== 'days')
		throw refusal(
			'PARAMETER_CHOICE',
			`'${label}' has an unknown unit: ${String(counted)}`,
			'Choose minutes, hours or days.',
		);
	return { amount: number, unit: counted };
}

/** A post's time for the output: as the service says it, and in the workflow's zone, to the second. */
export function times(value: unknown, zone: string): IDataObject {
	if (typeof value !== 'string') return {};
	const time = DateTime.fromISO(value, { zone });
	if (!time.isValid) return {};
	return {
		scheduled_at: value,
		scheduled_at_local: time.startOf('second').toISO({ suppressMilliseconds: true }),
		time_zone: zone,
	};
}
