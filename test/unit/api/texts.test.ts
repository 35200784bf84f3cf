import { DateTime } from 'luxon';

import { excerpt, filled, shortened, textOf } from '../../../nodes/api/texts';

test('a text is shortened for a message', () => {
	expect(['x'.repeat(100), 'x'.repeat(101)].map(shortened)).toEqual(['x'.repeat(100), `${'x'.repeat(100)}…`]);
});

test('of the values those that are texts with something in them', () => {
	expect(filled(['a', ' ', '', 7, null, ' b'])).toEqual(['a', ' b']);
});

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

test.each<[string | undefined, string]>([
	[' Fresh  plum\r\n\tjam ', 'Fresh plum jam'],
	['x'.repeat(40), 'x'.repeat(40)],
	['x'.repeat(41), `${'x'.repeat(39)}…`],
	[`${'x'.repeat(38)} yz`, `${'x'.repeat(38)}…`],
	['🥨'.repeat(41), `${'🥨'.repeat(39)}…`],
	['Jam … of plums', 'Jam … of plums'],
	[undefined, ''],
])('the excerpt of %j is %j', (text, line) => expect(excerpt(text)).toBe(line));
