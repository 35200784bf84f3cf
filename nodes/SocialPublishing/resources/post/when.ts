import { DateTime } from 'luxon';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { refusal } from '../../../api/failure';
import { timeIn } from '../../../api/records';
import type { RequestContext } from '../../engine/item';
import { toUtc } from '../time';

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

interface Duration {
	amount: number;
	unit: (typeof unit.options)[number]['value'];
}

export interface ScheduleParams {
	when: 'now' | 'at' | 'delay' | 'nextSlot';
	/** Of `at`. */
	scheduledAt?: string;
	/** Of `delay`. */
	delayAmount?: Duration['amount'];
	delayUnit?: Duration['unit'];
	/** As it stands in the node: entries of a fixed collection aren't checked. */
	spacing?: { amount?: unknown; unit?: unknown };
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
 * When the post of an item goes out; undefined for "at once", and for a slot, which is chosen at the moment of sending.
 * @throws Failure naming the parameter
 */
export function scheduleOf(
	{ when, scheduledAt, delayAmount = 0, delayUnit = 'hours', spacing }: ScheduleParams,
	{ zone, now, index }: Pick<RequestContext, 'zone' | 'now'> & { index: number },
): Schedule | undefined {
	if (when === 'nextSlot') return undefined;
	const fixed = when === 'at' ? scheduledAt : undefined;
	const later = when === 'delay' ? { amount: delayAmount, unit: delayUnit } : undefined;
	const apart = spacing && spacingOf(spacing);
	if (!fixed && !later && !(apart && index > 0)) return undefined;
	let at = DateTime.fromMillis(fixed ? Date.parse(toUtc(fixed, zone, 'Scheduled At')) : now, { zone });
	if (later) at = at.plus({ [later.unit]: later.amount });
	if (apart) at = at.plus({ [apart.unit]: apart.amount * index });
	const label = later ? 'Delay Amount' : fixed ? 'Scheduled At' : 'Time Between Posts';
	// More minutes than there are until the year 9999; luxon leaves out far too many.
	const most = Math.max(later?.amount ?? 0, (apart?.amount ?? 0) * index);
	if (most > 1e10 || !at.isValid || at.year > 9999)
		throw refusal('TIME', `'${label}' is too far in the future`, 'Enter a smaller number.');
	const utc = at.toUTC().toISO({ suppressMilliseconds: true });
	const relativeTo = { ...later, ...(apart ? { apart, index } : {}) };
	return { utc, label, ...(fixed ? {} : { relativeTo }) };
}

function spacingOf({ amount: given, unit: counted }: NonNullable<ScheduleParams['spacing']>): Duration {
	const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
	if (typeof number !== 'number' || !Number.isFinite(number) || number < 0)
		throw refusal(
			'PARAMETER_NUMBER',
			"'Time Between Posts' is not a number",
			"Enter a number of 0 or more in 'Amount'.",
		);
	const known = unit.options.find(({ value }) => value === counted);
	if (known) return { amount: number, unit: known.value };
	throw refusal(
		'PARAMETER_CHOICE',
		`'Time Between Posts' has an unknown unit: ${String(counted)}`,
		'Choose minutes, hours or days.',
	);
}

/** A post's time for the output: as the service says it, and in the workflow's zone, to the second. */
export function times(value: unknown, zone: string): IDataObject {
	const time = DateTime.fromMillis(timeIn(value) ?? NaN, { zone });
	if (!time.isValid) return {};
	return {
		scheduled_at: value as string,
		scheduled_at_local: time.startOf('second').toISO({ suppressMilliseconds: true }),
		time_zone: zone,
	};
}
