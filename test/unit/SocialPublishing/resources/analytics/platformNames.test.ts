import {
	isPlatform,
	itemPerPlatform,
	withPlatformNames,
} from '../../../../../nodes/SocialPublishing/resources/analytics/platformNames';

test.each([
	[{ platform: 'Twitter' }, { platform: 'x' }],
	[
		{ twitter: { posts: 1 }, LinkedIn: 2 },
		{ x: { posts: 1 }, linkedin: 2 },
	],
	[[{ platforms: ['twitter', 'x'] }], [{ platforms: ['x'] }]],
	[{ platforms: [{ platform: 'twitter' }, null, 7] }, { platforms: [{ platform: 'x' }, null, 7] }],
	[{ platforms: { twitter: 1 } }, { platforms: { x: 1 } }],
	[
		{ platform: null, text: 'twitter', twitter_id: 1 },
		{ platform: null, text: 'twitter', twitter_id: 1 },
	],
	[7, 7],
])('%j becomes %j', (data, expected) => expect(withPlatformNames<unknown>(data)).toEqual(expected));

test('figures under both names are refused wherever they stand, deep records are left alone', () => {
	expect(() => withPlatformNames({ by_platform: { twitter: {}, x: {} } })).toThrow(/platform 'x'/);
	const nest: Array<(inner: object) => object> = [
		(deep) => ({ deep }),
		(platform) => ({ platform }),
		(one) => ({ platforms: [one] }),
		(one) => [one],
	];
	for (const wrap of nest) {
		let deep: object = { twitter: {}, x: {} };
		for (let i = 0; i < 100_000; i++) deep = wrap(deep);
		expect(Object.keys(withPlatformNames(deep))).toEqual(Object.keys(deep));
	}
});

test('the key names the platform, whatever the figures say, and all have the same columns', () => {
	expect(
		itemPerPlatform({ x: { retweets: 1, platform: 'y' }, tiktok: 7, facebook: { reactions: 2 } }),
	).toEqual([
		{ platform: 'x', retweets: 1, value: null, reactions: null },
		{ platform: 'tiktok', retweets: null, value: 7, reactions: null },
		{ platform: 'facebook', retweets: null, value: null, reactions: 2 },
	]);
	expect(['Twitter', 'bluesky', 'constructor', 'total'].filter(isPlatform)).toEqual(['Twitter', 'bluesky']);
});
