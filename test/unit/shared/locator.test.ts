import { locator } from '../../../nodes/shared/locator';

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

test('entries of a collection are not required; a hint stands below the ID', () => {
	const field = locator({ ...given, required: false, hint: 'Or its URL' });
	expect(field).not.toHaveProperty('required');
	expect(field.modes[1]).toHaveProperty('hint', 'Or its URL');
	expect(locator(given).modes[1]).not.toHaveProperty('hint');
});
