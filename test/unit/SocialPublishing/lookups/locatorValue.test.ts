import { locatorValue } from '../../../../nodes/SocialPublishing/lookups/locatorValue';

test.each([
	[' post_1 ', 'post_1'],
	[{ mode: 'id', value: ' post_1 ' }, 'post_1'],
	[{ mode: 'list', value: null }, ''],
	[{ mode: 'id' }, '{"mode":"id"}'],
	[42, '42'],
	[null, ''],
])('an ID (%#)', (raw, id) => expect(locatorValue(raw)).toBe(id));
