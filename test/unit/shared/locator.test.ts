import { locator, locatorValue } from '../../../nodes/shared/locator';

const given = {
	...{ label: 'Post', name: 'postId', description: 'The post', searchListMethod: 'searchPosts' },
	exampleId: 'post_1',
} as const;

test('a list with search, or an ID', () =>
	expect(locator(given)).toMatchObject({
		...{ displayName: 'Post', name: 'postId', type: 'resourceLocator', required: true },
		modes: [
			{ name: 'list', typeOptions: { searchListMethod: 'searchPosts', searchable: true } },
			{ name: 'id', placeholder: 'e.g. post_1' },
		],
	}));

test('entries of a collection are not required', () =>
	expect(locator({ ...given, required: false })).not.toHaveProperty('required'));

test.each([
	[' post_1 ', 'post_1'],
	[{ mode: 'id', value: ' post_1 ' }, 'post_1'],
	[{ mode: 'list', value: null }, ''],
	[{ mode: 'id' }, '{"mode":"id"}'],
	[42, '42'],
	[null, ''],
])('an ID (%#)', (raw, id) => expect(locatorValue(raw)).toBe(id));
