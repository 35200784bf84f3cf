import { analyticsPlatforms, canonicalPlatform, titleOf, titles } from '../../../nodes/api/platforms';
import { platforms } from '../../support/specification';

test('every platform has a name as people write it', () => {
	expect(Object.keys(titles)).toEqual([...platforms]);
	for (const [platform, title] of Object.entries(titles)) expect(title.toLowerCase()).toBe(platform);
	expect(titleOf('x, linkedin,mars, constructor')).toBe('X, LinkedIn,mars, constructor');
});

test('twitter and x are one: x for posts, twitter for analytics', () => {
	expect([' Twitter ', 'X', 'TikTok'].map(canonicalPlatform)).toEqual(['x', 'x', 'tiktok']);
	expect(analyticsPlatforms([' X ', 'Twitter', 'TikTok'])).toBe('twitter,tiktok');
});
