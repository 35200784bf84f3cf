import { triggerProperties } from '../../../nodes/SocialPublishingTrigger/properties';

test('what the user sets: saved workflows hold these names', () => {
	const options = triggerProperties.find(({ name }) => name === 'options')!.options!;
	expect(triggerProperties.map(({ name, default: value }) => [name, value])).toEqual([
		['events', ['post.published', 'post.failed']],
		['includePost', true],
		['notice', ''],
		['options', {}],
	]);
	const names = 'additionalEvents brandIds checkEvery description rememberEvents tolerance';
	const more = 'catchUpFromPosts catchUp workspaceId';
	expect(options.map(({ name }) => name).join(' ')).toBe(`${names} ${more}`);
});
