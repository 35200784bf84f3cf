import type { IDataObject } from 'n8n-workflow';

import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { scheduleOf, times } from '../../../../../nodes/SocialPublishing/resources/post/when';
import { failureOf } from '../../../../support/failure';
import { paramsOf } from '../operations';

const zone = 'Europe/Berlin';
const hint = jest.fn();
const scheduled = (given: IDataObject, index = 0, now = '2026-05-01T10:00:00Z') => {
	const item = { zone, index, now: Date.parse(now), hint };
	return scheduleOf(paramsOf(create, { platforms: ['x'], ...given }), item);
};
const later = (delayAmount: unknown, delayUnit = 'hours') =>
	({ when: 'delay', delayAmount, delayUnit }) as IDataObject;
const at = (scheduledAt: string, more: IDataObject = {}) => ({ when: 'at', scheduledAt, ...more });
const apart = (amount: unknown, unit = 'hours') =>
	({ options: { spacing: { time: { amount, unit } } } }) as IDataObject;

test.each([
	['minutes', 30, '2026-03-28T12:30:00Z'],
	['hours', 24, '2026-03-29T12:00:00Z'],
	// A day over the change to summer time keeps the time of day: 13:00 stays 13:00.
	['days', 1, '2026-03-29T11:00:00Z'],
])('a delay in %s counts from now', (unit, amount, utc) => {
	expect(scheduled(later(amount, unit), 0, '2026-03-28T12:00:00Z')).toEqual({
		...{ utc, isRelative: true, label: 'Delay Amount' },
	});
});

test.each<[IDataObject, number, string, boolean]>([
	[at('2026-05-02T12:00', apart(2)), 3, '2026-05-02T16:00:00Z', false],
	[{ ...later(1, 'days'), ...apart(2) }, 1, '2026-05-02T12:00:00Z', true],
	[{ when: 'now', ...apart(' 1.5 ') }, 2, '2026-05-01T13:00:00Z', true],
	// The day after the clocks go back: counted in the workflow's zone.
	[at('2026-10-24T12:00', apart(1, 'days')), 1, '2026-10-25T11:00:00Z', false],
	[at('9999-12-31T12:00', apart(3)), 1, '9999-12-31T14:00:00Z', false],
])('item by item: %j, the one at %d', (given, index, utc, isRelative) => {
	expect(scheduled(given, index)).toEqual({ utc, isRelative, label: expect.any(String) });
});

test.each<[IDataObject, number]>([
	[{ when: 'now' }, 5],
	[{ when: 'now', scheduledAt: '2026-05-02T12:00', ...apart(2) }, 0],
	[{ when: 'nextSlot', scheduledAt: '2026-05-02T12:00', ...apart(2) }, 1],
])('now is now, and a slot is found later, whatever stands in Scheduled At: %j', (given, index) => {
	expect(scheduled(given, index)).toBeUndefined();
});

test('a date without a time is 00:00, with a hint', () => {
	expect(scheduled(at('2026-05-02'))).toMatchObject({ utc: '2026-05-01T22:00:00Z' });
	expect(hint.mock.calls).toEqual([[expect.stringMatching(/^'Scheduled At' has no time of day/)]]);
});

test.each<[IDataObject, string]>([
	[later(-1), "'Delay Amount' is -1"],
	[later(1, 'weeks'), "'Delay Unit' has no option 'weeks'"],
	[apart(-1), "'Time Between Posts: Amount' is -1"],
	[apart(''), "'Time Between Posts: Amount' is not a number"],
	[apart(1, 'weeks'), "'Time Between Posts: Unit' has no option 'weeks'"],
	[later(7974 * 365.25, 'days'), "'Delay Amount' is too far in the future"],
	[apart(1e300, 'minutes'), "'Time Between Posts' is too far in the future"],
	[later(1e300), "'Delay Amount' is too far in the future"],
	[at('9999-12-31T22:00Z', apart(3)), "'Scheduled At' is too far in the future"],
])('%j is refused: %s', (given, message) => {
	const { details } = failureOf(() => scheduled({ when: 'now', ...given }, 1));
	expect(details.message).toBe(message);
	if (message.endsWith('future'))
		expect(details).toMatchObject({ code: 'NODE_TIME', hint: 'Enter a smaller number.' });
});

test('a delay, a slot and a time between posts in a zone that is not known say so, and a post at once goes out', () => {
	const mars = { zone: 'Mars/Base', index: 1, now: 0, hint };
	const inMars = (given: IDataObject) => () =>
		scheduleOf(paramsOf(create, { platforms: ['x'], ...given }), mars);
	for (const given of [later(1), { when: 'nextSlot' }, { when: 'now', ...apart(1) }])
		expect(failureOf(inMars(given)).message).toBe("The workflow's time zone 'Mars/Base' is not known");
	expect(inMars({ when: 'now' })()).toBeUndefined();
});

test("a service's time as it is, and in the workflow's zone to the minute; what is none is left out", () => {
	for (const value of [undefined, null, '', 'soon', 2027, {}]) expect(times(value, zone)).toEqual({});
	expect(times('2026-07-01T08:00:00.123Z', zone)).toEqual({
		scheduled_at: '2026-07-01T08:00:00.123Z',
		...{ scheduled_at_local: '2026-07-01 10:00', time_zone: zone },
	});
});
