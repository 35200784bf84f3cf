import { textsOf } from '../../../../../nodes/SocialPublishing/resources/post/texts';

test('by platform, empty ones left out', () => {
	const texts = [
		{ platform: 'Twitter', text: 'a' },
		{ platform: 'tiktok', text: '' },
	];
	expect([...textsOf(texts)]).toEqual([['x', 'a']]);
	expect([...textsOf(undefined)]).toEqual([]);
	expect([...textsOf(texts, ['X'])]).toEqual([['x', 'a']]);
});

test('one for a platform that is not chosen is refused by its name', () => {
	const refused = (platform: string) => () => textsOf([{ platform, text: 'a' }], ['x']);
	expect(refused('tiktok')).toThrow(
		"'Text per Platform' has a text for TikTok, which the post does not go to",
	);
	expect(refused('')).toThrow(/a text for no platform/);
});
