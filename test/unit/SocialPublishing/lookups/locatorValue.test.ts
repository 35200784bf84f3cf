import { DateTime } from 'luxon';

import { locatorValue, textOf } from '../../../../nodes/SocialPublishing/lookups/locatorValue';

test.each([
	[' post_1 ', 'post_1'],
	[{ mode: 'id', value: ' post_1 ' }, 'post_1'],
	[{ mode: 'list', value: null }, ''],
	[{ mode: 'id' }, '{"mode":"id"}'],
	[42, '42'],
	[null, ''],
])('an ID (%#)', (raw, id) => expect(locatorValue(raw)).toBe(id));

test.each<[unknown, string]>([
	[DateTime.fromISO('2026-06-01T10:00', { zone: 'utc' }), '2026-06-01T10:00:00.000Z'],
	[DateTime.fromISO('never'), 'Invalid DateTime'],
	[new Date(0), '1970-01-01T00:00:00.000Z'],
	[new Date(Number.NaN), 'Invalid Date'],
	[{ toISO: 'text' }, '{"toISO":"text"}'],
	[{ a: [1] }, '{"a":[1]}'],
	[Object.assign(() => 1, { toISO: () => 'no' }), '() => 1'],
	[undefined, ''],
	[null, ''],
	[7, '7'],
	[true, 'true'],
	[1n, '1'],
])('text of whatever is given (%#)', (raw, text) => expect(textOf(raw)).toBe(text));
