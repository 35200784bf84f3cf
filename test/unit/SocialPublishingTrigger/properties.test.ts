import { settingsOf } from '../../../nodes/SocialPublishingTrigger/settings';
import { triggerProperties } from '../../../nodes/SocialPublishingTrigger/properties';

/** What the user sets: saved workflows hold these names. */

const options = triggerProperties.find(({ name }) => name === 'options')!.options as typeof triggerProperties;

test('the parameters', () => {
	expect(triggerProperties.map(({ name, default: value }) => [name, value])).toEqual([
		['events', ['post.published', 'post.failed']],
		['includePost', true],
		['options', {}],
	]);
});

test('the options', () => {
	expect(options.map(({ name }) => name)).toEqual([
		'additionalEvents',
		'brandIds',
		'checkEvery',
		'description',
		'rememberEvents',
		'tolerance',
		'catchUpFromPosts',
		'catchUp',
		'workspaceId',
	]);
});

test('an option that is added and left as it is changes nothing', () => {
	const added = Object.fromEntries(options.map(({ name, default: value }) => [name, value]));
	const read = (given: object) =>
		settingsOf({ getNodeParameter: (name, fallback) => (name === 'options' ? given : fallback) });
	expect(read(added)).toEqual(read({}));
});
