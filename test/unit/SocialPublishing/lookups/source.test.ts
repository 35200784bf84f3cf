import fc from 'fast-check';

import { excerpt, filled } from '../../../../nodes/SocialPublishing/lookups/source';
import { runs } from '../../../support/property';

test('of the values those that are texts with something in them', () => {
	expect(filled(['a', ' ', '', 7, null, ' b'])).toEqual(['a', ' b']);
});

test.each<[unknown, string]>([
	[' Fresh  plum\n jam ', 'Fresh plum jam'],
	['x'.repeat(60), 'x'.repeat(60)],
	['x'.repeat(61), `${'x'.repeat(59)}…`],
	[`${'x'.repeat(58)} yz`, `${'x'.repeat(58)}…`],
	[undefined, ''],
	[7, ''],
])('%j is shown as %j', (text, line) => expect(excerpt(text)).toBe(line));

test('any text is one line of at most 60 characters', () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 200 }), (text) => {
			expect(excerpt(text)).toMatch(/^[^\n\r\t]{0,60}$/);
		}),
		runs(100),
	);
});
