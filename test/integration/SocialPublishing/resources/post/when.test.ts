import type { IDataObject } from 'n8n-workflow';

import { usePosting } from '../../../../support/service';

/** *When* and *Time Between Posts*, as previews show them. */

const { create } = usePosting();
afterEach(() => void jest.restoreAllMocks());

const now = '2026-05-01T10:00:00Z';

/** When each of three items goes out. */
async function scheduled(given: IDataObject, at = now, timezone = 'Europe/Berlin') {
	jest.spyOn(Date, 'now').mockReturnValue(Date.parse(at));
	const { options = {}, ...parameters } = given;
	const preview = { ...parameters, options: { ...(options as object), preview: 'rows' } };
	const { json, error } = await create(
		{ ...preview, text: '={{ $json.text }}' },
		['a', 'b', 'c'].map((text) => ({ text })),
		{ timezone },
	);
	return { times: json.map(({ scheduled_at }) => scheduled_at), message: error?.message as string };
}
const later = (delayAmount: unknown, delayUnit = 'hours') =>
	({ when: 'delay', delayAmount, delayUnit }) as IDataObject;
const at = (scheduledAt: string, more: IDataObject = {}) => ({ when: 'at', scheduledAt, ...more });
const apart = (amount: unknown, unit = 'hours') =>
	({ options: { spacing: { time: { amount, unit } } } }) as IDataObject;
const same = (time: string) => [time, time, time];

test.each<[IDataObject, string[], now?: string]>([
	[{ when: 'now' }, same(now)],
	[
		{ when: 'now', scheduledAt: '2026-05-02T12:00', ...apart(2) },
		[now, '2026-05-01T12:00:00Z', '2026-05-01T14:00:00Z'],
	],
	[later(30, 'minutes'), same('2026-05-01T10:30:00Z')],
	// A day over the change to summer time keeps the time of day, 24 hours don't.
	[later(24), same('2026-03-29T12:00:00Z'), '2026-03-28T12:00:00Z'],
	[later(1, 'days'), same('2026-03-29T11:00:00Z'), '2026-03-28T12:00:00Z'],
	[
		{ ...later(1, 'days'), ...apart(2) },
		['2026-05-02T10:00:00Z', '2026-05-02T12:00:00Z', '2026-05-02T14:00:00Z'],
	],
	[{ when: 'now', ...apart(' 1.5 ') }, [now, '2026-05-01T11:30:00Z', '2026-05-01T13:00:00Z']],
	// The day after the clocks go back.
	[
		at('2026-10-24T12:00', apart(1, 'days')),
		['2026-10-24T10:00:00Z', '2026-10-25T11:00:00Z', '2026-10-26T11:00:00Z'],
	],
	// It waits for no slot of *Time Between Posts*.
	[
		{ when: 'nextSlot', scheduledAt: '2026-05-02T12:00', slotDays: ['mon'], slotTimes: '09:00', ...apart(2) },
		['2026-05-04T07:00:00Z', '2026-05-11T07:00:00Z', '2026-05-18T07:00:00Z'],
	],
])('%j: %j', async (given, times, at = now) =>
	expect(await scheduled(given, at)).toEqual({ times, message: undefined }),
);

test.each<[IDataObject, string]>([
	[later(-1), "'Delay Amount' is -1"],
	[later(1, 'weeks'), "'Delay Unit' has no option 'weeks'"],
	[apart(-1), "'Time Between Posts: Amount' is -1"],
	[apart('={{ "" }}'), "'Time Between Posts: Amount' is not a number"],
	[apart(1, 'weeks'), "'Time Between Posts: Unit' has no option 'weeks'"],
	[later(7974 * 365.25, 'days'), "'Delay Amount' is too far in the future"],
	[apart(1e300, 'minutes'), "'Time Between Posts' is too far in the future"],
	[later(1e300), "'Delay Amount' is too far in the future"],
	[at('9999-12-31T22:00Z', apart(3)), "'Scheduled At' is too far in the future"],
])('%j is refused: %s', async (given, message) =>
	expect((await scheduled({ when: 'now', ...given })).message).toContain(message),
);

test.each([
	later(1),
	{ when: 'nextSlot', slotDays: ['mon'], slotTimes: '09:00' },
	{ when: 'now', ...apart(1) },
])('%j in a zone that is not known is refused', async (given) =>
	expect((await scheduled(given, undefined, 'Mars/Base')).message).toContain(
		"The workflow's time zone 'Mars/Base' is not known",
	),
);
