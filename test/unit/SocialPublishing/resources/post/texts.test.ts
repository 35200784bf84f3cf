import { textsOf } from '../../../../../nodes/SocialPublishing/resources/post/texts';
import { failureOf } from '../../../../support/failure';

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

test('two for one platform are refused, whichever of its names they have', () => {
	const two = (...platforms: string[]) => platforms.map((platform) => ({ platform, text: 'a' }));
	expect(failureOf(() => textsOf(two('tiktok', 'twitter', 'x'))).details).toMatchObject({
		code: 'NODE_PLATFORM_TEXT',
		message: "'Text per Platform' has two texts for X",
		hint: "Keep one of them in 'Text per Platform'; twitter and x are one platform.",
	});
	expect(textsOf([...two('x'), { platform: 'twitter', text: '' }]).size).toBe(1);
});
