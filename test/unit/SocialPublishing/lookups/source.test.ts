import { excerpt, filled, shortened } from '../../../../nodes/SocialPublishing/lookups/source';

test('a text is shortened for a message', () => {
	expect(['x'.repeat(100), 'x'.repeat(101)].map(shortened)).toEqual(['x'.repeat(100), `${'x'.repeat(100)}…`]);
});

test('of the values those that are texts with something in them', () => {
	expect(filled(['a', ' ', '', 7, null, ' b'])).toEqual(['a', ' b']);
});

test.each<[unknown, string]>([
	[' Fresh  plum\r\n\tjam ', 'Fresh plum jam'],
	['x'.repeat(40), 'x'.repeat(40)],
	['x'.repeat(41), `${'x'.repeat(39)}…`],
	[`${'x'.repeat(38)} yz`, `${'x'.repeat(38)}…`],
	['🥨'.repeat(41), `${'🥨'.repeat(39)}…`],
	[undefined, ''],
	[7, ''],
])('%j is shown as %j', (text, line) => expect(excerpt(text)).toBe(line));
