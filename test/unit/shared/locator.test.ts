import { locator, locatorValue, workspaceId } from '../../../nodes/shared/locator';

describe('the field of a record', () => {
	const given = {
		...{ label: 'Post', name: 'postId', description: 'The post', searchListMethod: 'searchPosts' },
		exampleId: 'post_1',
	} as const;

	test('has a list with search, or an ID', () =>
		expect(locator(given)).toMatchObject({
			...{ displayName: 'Post', name: 'postId', type: 'resourceLocator', required: true },
			modes: [
				{ name: 'list', typeOptions: { searchListMethod: 'searchPosts', searchable: true } },
				{ name: 'id', placeholder: 'e.g. post_1' },
			],
		}));

	test('is not required as an entry of a collection', () =>
		expect(workspaceId).toMatchObject({ type: 'resourceLocator', required: false }));

	test.each([
		[' post_1 ', 'post_1'],
		[{ mode: 'id', value: ' post_1 ' }, 'post_1'],
		[{ mode: 'list', value: null }, ''],
		[{ mode: 'id' }, '{"mode":"id"}'],
		[42, '42'],
		[null, ''],
	])('holds an ID (%#)', (raw, id) => expect(locatorValue(raw)).toBe(id));
});
