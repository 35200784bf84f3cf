import { withPlatformNames } from '../../../../../nodes/SocialPublishing/resources/analytics/platformNames';

const same = { platform: null, text: 'twitter', twitter_id: 1, constructor: 1, list: [7, 7] };
test.each([
	[{ platform: 'Twitter' }, { platform: 'x' }],
	[
		{ twitter: { posts: 1 }, LinkedIn: 2 },
		{ x: { posts: 1 }, linkedin: 2 },
	],
	[[{ platforms: ['twitter', 'x'] }], [{ platforms: ['x'] }]],
	[{ platforms: [{ platform: 'twitter' }, null, 7] }, { platforms: [{ platform: 'x' }, null, 7] }],
	[{ platforms: { twitter: 1 } }, { platforms: { x: 1 } }],
	[same, same],
	[7, 7],
])('%j becomes %j', (data, expected) => expect(withPlatformNames<unknown>(data)).toEqual(expected));

test('figures under both names are refused wherever they stand, deep records are left alone', () => {
	expect(() => withPlatformNames({ by_platform: { twitter: {}, X: {} } })).toThrow(/platform 'x'/);
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
