import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import {
	scheduleOf,
	times,
	type ScheduleParams,
} from '../../../../../nodes/SocialPublishing/resources/post/when';
import { failureOf } from '../../../../support/failure';
import { paramsOf } from '../operations';

const zone = 'Europe/Berlin';
const scheduled = (params: ScheduleParams, index = 0, now = '2026-05-01T10:00:00Z') =>
	scheduleOf(params, { zone, index, now: Date.parse(now) });
const later = (delayAmount: number, delayUnit: ScheduleParams['delayUnit']) =>
	({ when: 'delay', delayAmount, delayUnit }) as const;
const at = (scheduledAt: string, more: object = {}) => ({ when: 'at', scheduledAt, ...more }) as const;
const apart = (amount: unknown, unit = 'hours') => ({ spacing: { amount, unit } });

describe('when a post goes out', () => {
	test.each<[NonNullable<ScheduleParams['delayUnit']>, number, string]>([
		['minutes', 30, '2026-03-28T12:30:00Z'],
		['hours', 24, '2026-03-29T12:00:00Z'],
		// A day over the change to summer time keeps the time of day: 13:00 stays 13:00.
		['days', 1, '2026-03-29T11:00:00Z'],
	])('after a delay in %s, which counts from now', (unit, amount, utc) => {
		expect(scheduled(later(amount, unit), 0, '2026-03-28T12:00:00Z')).toEqual({
			utc,
			relativeTo: { amount, unit },
			label: 'Delay Amount',
		});
	});

	test.each<[ScheduleParams, number, string, boolean]>([
		[at('2026-05-02T12:00', apart(2)), 3, '2026-05-02T16:00:00Z', false],
		[{ ...later(1, 'days'), ...apart(2) }, 1, '2026-05-02T12:00:00Z', true],
		[{ when: 'now', ...apart(2) }, 2, '2026-05-01T14:00:00Z', true],
		// The day after the clocks go back: counted in the workflow's zone.
		[at('2026-10-24T12:00', apart(1, 'days')), 1, '2026-10-25T11:00:00Z', false],
		[at('9999-12-31T12:00', apart(3)), 1, '9999-12-31T14:00:00Z', false],
	])('item by item: %j, the one at %d', (params, index, utc, isRelative) => {
		const schedule = scheduled(params, index)!;
		expect([schedule.utc, schedule.relativeTo !== undefined]).toEqual([utc, isRelative]);
	});

	test.each<[ScheduleParams, number]>([
		[{ when: 'now' }, 5],
		[{ when: 'now', ...apart(2) }, 0],
		[{ when: 'now', scheduledAt: '2026-05-02T12:00', ...apart(2) }, 0],
		[{ when: 'nextSlot', scheduledAt: '2026-05-02T12:00', ...apart(2) }, 1],
	])('now is now, and a slot is found later, whatever stands in Scheduled At: %j', (params, index) => {
		expect(scheduled(params, index)).toBeUndefined();
	});

	test.each([0, '0', 1, '1', ' 1 ', 1.5])('a spacing of %j is taken', (amount) => {
		const expected = Date.parse('2026-05-01T10:00:00Z') + Number(amount) * 3_600_000;
		expect(Date.parse(scheduled({ when: 'now', ...apart(amount) }, 1)!.utc)).toBe(expected);
	});
});

test.each([
	['delayAmount', -1, "'Delay Amount' is -1"],
	['delayAmount', '', "'Delay Amount' is not a number"],
	['delayUnit', 'weeks', "'Delay Unit' has no option 'weeks'"],
])('a delay is refused where its fields are read: %s %j', (name, value, message) => {
	expect(() => paramsOf(create, { platforms: ['x'], when: 'delay', [name]: value })).toThrow(message);
});

const numbers = [-1, '-1', '', ' ', 'soon', null, undefined, true, NaN, Infinity, [1]];
test.each<[ScheduleParams, RegExp]>([
	...numbers.map((amount): [ScheduleParams, RegExp] => [
		{ when: 'now', ...apart(amount) },
		/^NODE_PARAMETER_NUMBER: 'Time Between Posts' is not a number\. .*a number of 0 or more in 'Amount'/,
	]),
	[
		{ when: 'now', ...apart(1, 'weeks') },
		/^NODE_PARAMETER_CHOICE: 'Time Between Posts' has an unknown unit: weeks\. .*minutes, hours or days/,
	],
	[later(7974 * 365.25, 'days'), /^NODE_TIME: 'Delay Amount' is too far in the future\. .*smaller number/],
	[{ when: 'now', ...apart(1e300, 'minutes') }, /^NODE_TIME: 'Time Between Posts' is too far in the future/],
	[later(1e300, 'hours'), /^NODE_TIME: 'Delay Amount' is too far in the future\. .*smaller number/],
	[at('9999-12-31T22:00Z', apart(3)), /^NODE_TIME: 'Scheduled At' is too far in the future\. /],
])('%j is refused: %s', (params, said) => {
	const { code, message, hint } = failureOf(() => scheduled(params, 1)).details;
	expect(`${code}: ${message}. ${hint}`).toMatch(said);
});

describe("a service's time, for the output", () => {
	test.each([undefined, null, '', 'soon', 2027, {}])('of %j is left out', (value) => {
		expect(times(value, zone)).toEqual({});
	});

	test("is there as it is, and in the workflow's zone to the second", () => {
		expect(times('2026-07-01T08:00:00.123Z', zone)).toEqual({
			scheduled_at: '2026-07-01T08:00:00.123Z',
			scheduled_at_local: '2026-07-01T10:00:00+02:00',
			time_zone: zone,
		});
	});
});
