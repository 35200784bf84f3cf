import fc from 'fast-check';

import { excerpt, filled } from '../../../../nodes/SocialPublishing/lookups/source';
import { runs } from '../../../support/property';

test('of the values those that are texts with something in them', () => {
	expect(filled(['a', ' ', '', 7, null, ' b'])).toEqual(['a', ' b']);
});

test.each<[unknown, string]>([
	[' Fresh  plum\n jam ', 'Fresh plum jam'],
	['x'.repeat(40), 'x'.repeat(40)],
	['x'.repeat(41), `${'x'.repeat(39)}…`],
	[`${'x'.repeat(38)} yz`, `${'x'.repeat(38)}…`],
	[undefined, ''],
	[7, ''],
])('%j is shown as %j', (text, line) => expect(excerpt(text)).toBe(line));

test('any text is one line of at most 40 characters', () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 200 }), (text) => {
			expect(excerpt(text)).toMatch(/^[^\n\r\t]{0,40}$/);
		}),
		runs(100),
	);
});
