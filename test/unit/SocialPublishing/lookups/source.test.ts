import { excerpt } from '../../../../nodes/SocialPublishing/lookups/source';

test.each<[unknown, string]>([
	[' Fresh  plum\r\n\tjam ', 'Fresh plum jam'],
	['x'.repeat(40), 'x'.repeat(40)],
	['x'.repeat(41), `${'x'.repeat(39)}…`],
	[`${'x'.repeat(38)} yz`, `${'x'.repeat(38)}…`],
	['🥨'.repeat(41), `${'🥨'.repeat(39)}…`],
	[undefined, ''],
	[7, ''],
])('%j is shown as %j', (text, line) => expect(excerpt(text)).toBe(line));
