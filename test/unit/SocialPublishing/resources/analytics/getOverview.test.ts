import { getOverview } from '../../../../../nodes/SocialPublishing/resources/analytics/getOverview';
import { requestOf, shapeOf } from '../operations';

test('asks with whatever query is entered', () => {
	const asked = { path: '/analytics', expects: 'records', qs: { a: 1 } };
	expect(requestOf(getOverview, { options: { query: { a: 1 } } })).toEqual(asked);
});

const x = { views: 1 };
const rows = [{ platform: 'twitter', ...x }];
const items = [{ platform: 'x', ...x }];
test.each<[unknown, unknown[]]>([
	[{ by_platform: rows, list: [1] }, items],
	[{ platforms: { twitter: x } }, items],
	[{ twitter: x, total: 2 }, items],
	[rows, items],
	[{ by_platform: { x, threads: { views: 2 } } }, [...items, { platform: 'threads', views: 2 }]],
	[
		{ tiktok: 3, x: { ...x, platform: 'y' }, total: 4 },
		[
			{ platform: 'tiktok', value: 3, views: null },
			{ platform: 'x', value: null, ...x },
		],
	],
	[{ platforms: [] }, []],
	// Names are no figures.
	[{ platforms: ['twitter', 'linkedin'], twitter: x }, items],
	[{ by_platform: ['linkedin'], views: 7 }, [{ by_platform: ['linkedin'], views: 7 }]],
	// Those that name none are one item.
	[x, [x]],
	[{ any: { twitter: x } }, [{ any: { x } }]],
	[{ by_platform: 'none' }, [{ by_platform: 'none' }]],
])('%j: one item a platform, or one with everything', (data, expected) => {
	expect(shapeOf(getOverview, {}, data)).toEqual(expected);
	const whole = shapeOf(getOverview, { output: 'overview' }, data);
	expect(JSON.stringify(whole)).toBe(JSON.stringify(data).replaceAll('twitter', 'x'));
});
