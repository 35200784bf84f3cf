import fc from 'fast-check';
import { DateTime } from 'luxon';

import { locatorValue, textOf } from '../../../../nodes/SocialPublishing/lookups/locatorValue';
import { anyText, runs } from '../../../support/property';

test.each([
	['https://app.example.com/posts/post_1', 'post_1'],
	['HTTP://app.example.com/posts/post_1', 'post_1'],
	['see http://a.example/posts/p_1', 'see http://a.example/posts/p_1'],
	['https://app.example.com/posts/post_1/?tab=2#top', 'post_1'],
	['https://app.example.com/posts/50%25', '50%'],
	['https://app.example.com/posts/100%', '100%'],
	[`https://a${'/'.repeat(80_000)}`, 'a'],
	[`https://a${'/'.repeat(80_000)}x${'/'.repeat(80_000)}`, 'x'],
	[' post_1 ', 'post_1'],
	[{ mode: 'id', value: 'post_1' }, 'post_1'],
	[{ mode: 'list', value: null }, ''],
	[{ mode: 'id' }, '{"mode":"id"}'],
	[42, '42'],
	[null, ''],
])('an ID, or the last part of an address (%#)', (raw, id) => expect(locatorValue(raw)).toBe(id));

test('any text gives one, never an error', () => {
	fc.assert(
		fc.property(anyText(), fc.boolean(), (raw, address) => {
			expect(typeof locatorValue(address ? `https://${raw}` : raw)).toBe('string');
		}),
		runs(100),
	);
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
