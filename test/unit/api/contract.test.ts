import {
	analyticsPlatforms,
	canonicalPlatform,
	limits,
	platforms,
	titleOf,
	titles,
} from '../../../nodes/api/contract';
import { limits as specified, platforms as ofTheSpec } from '../../support/specification';

test('platforms and limits are those of the specification', () => {
	expect(platforms).toEqual(ofTheSpec);
	expect(limits).toEqual({
		postsPerRequest: specified['/posts'].most,
		approvalsPerPage: specified['/approvals'].most,
		insights: specified['/analytics/insights'].most,
		idempotencyKey: 255,
	});
});

test('every platform has a name as people write it', () => {
	for (const [platform, title] of Object.entries(titles)) expect(title.toLowerCase()).toBe(platform);
	expect(titleOf('x, linkedin,mars, constructor')).toBe('X, LinkedIn,mars, constructor');
});

test('twitter and x are one: x for posts, twitter for analytics', () => {
	expect([' Twitter ', 'X', 'TikTok'].map(canonicalPlatform)).toEqual(['x', 'x', 'tiktok']);
	expect(analyticsPlatforms([' X ', 'Twitter', 'TikTok'])).toBe('twitter,tiktok');
});
