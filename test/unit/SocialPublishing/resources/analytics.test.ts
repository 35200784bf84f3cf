import type { IDataObject } from 'n8n-workflow';

import { unifiedColumns } from '../../../../nodes/SocialPublishing/resources/analytics/getUnified';
import { withPlatformNames } from '../../../../nodes/SocialPublishing/resources/analytics/platformNames';
import { failureOf } from '../../../support/failure';
import { operationOf, shapeOf } from './operations';

/** What is made of the answers; what is asked: ../resources.test.ts. */

const itemsOf = (name: string, given: IDataObject, data: unknown, hint = jest.fn()) =>
	shapeOf(operationOf(`analytics.${name}`), given, data, undefined, { item: { hint } });

describe('platforms in an answer', () => {
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
		[{ platform: 'Threads' }, { platform: 'Threads' }],
		[same, same],
		// Figures that no platform has: their names stay.
		[{ referrers: { Twitter: 1, Google: 2 } }, { referrers: { Twitter: 1, Google: 2 } }],
		[{ hashtags: { Instagram: 3, instagram: 2 } }, { hashtags: { Instagram: 3, instagram: 2 } }],
		[
			{ axis: { X: 1, Y: 2 }, X: 3 },
			{ axis: { X: 1, Y: 2 }, X: 3 },
		],
		[{ views: { Twitter: 1, facebook: 2 } }, { views: { x: 1, facebook: 2 } }],
		[{ by_platform: { Twitter: 1, length: 2 } }, { by_platform: { x: 1, length: 2 } }],
		[{ my_platforms: { Twitter: 1, a: 2 } }, { my_platforms: { Twitter: 1, a: 2 } }],
		[7, 7],
		['twitter', 'twitter'],
	])('%j becomes %j', (data, expected) => expect(withPlatformNames<unknown>(data)).toEqual(expected));

	test('figures under both names are refused wherever they stand, deep records are left alone', () => {
		for (const name of ['by_platform', 'platforms'])
			expect(() => withPlatformNames({ [name]: { twitter: {}, X: {} } })).toThrow(/platform 'x'/);
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
});

describe('the overview', () => {
	const x = { views: 1 };
	const rows = [{ ...x, platform: 'twitter' }];
	const items = [{ platform: 'x', ...x }];
	test.each<[unknown, unknown[]]>([
		[{ by_platform: rows, list: [1] }, items],
		[{ by_platform: [7, ...rows] }, items],
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
		// What is called length makes no array of it.
		[
			{ by_platform: { x, length: 2 } },
			[
				{ platform: 'x', ...x, value: null },
				{ platform: 'length', views: null, value: 2 },
			],
		],
		[{ by_platform: 'none' }, [{ by_platform: 'none' }]],
	])('%j: one item a platform, or one with everything', (data, expected) => {
		expect(JSON.stringify(itemsOf('getOverview', {}, data))).toBe(JSON.stringify(expected));
		const whole = itemsOf('getOverview', { output: 'overview' }, data);
		expect(JSON.stringify(whole)).toBe(JSON.stringify(data).replaceAll('twitter', 'x'));
	});
});

test('an overview with figures under both names of a platform is refused', () =>
	expect(failureOf(() => itemsOf('getOverview', {}, { twitter: 1, X: 2, total: 3 })).details).toMatchObject({
		...{ code: 'NODE_UNEXPECTED_DATA', message: expect.stringContaining("platform 'x'") },
		...{ hint: expect.stringContaining("service's support"), status: 200 },
	}));

test.each([[[]], [{}]])('a summary without any platform, %j in PHP, is no item', (by_platform) =>
	expect(itemsOf('getSummary', {}, { by_platform })).toEqual([]),
);

test('the summary is one item a platform, or one with everything', () => {
	const figures = { threads: { views: 2 } };
	const data = { by_platform: { twitter: { views: 1 }, ...figures }, insights: [{ platforms: ['twitter'] }] };
	expect(itemsOf('getSummary', {}, data)).toEqual([
		{ platform: 'x', views: 1 },
		{ platform: 'threads', views: 2 },
	]);
	expect(itemsOf('getSummary', { output: 'summary' }, data)).toEqual({
		...{ by_platform: { x: { views: 1 }, ...figures }, insights: [{ platforms: ['x'] }] },
	});
	for (const odd of [{}, { by_platform: null }, { by_platform: ['x'] }])
		expect(failureOf(() => itemsOf('getSummary', {}, odd)).details).toMatchObject({
			...{ code: 'NODE_UNEXPECTED_DATA', message: expect.stringContaining('no data per platform') },
			...{ hint: expect.stringContaining("'Output'"), status: 200 },
		});
});

test('a platform without figures is a row without any, and adds no column to the others', () => {
	const data = { by_platform: { x: { posts: 1 }, tiktok: null } };
	expect(itemsOf('getSummary', {}, data)).toEqual([
		{ platform: 'x', posts: 1 },
		{ platform: 'tiktok', posts: null },
	]);
});

test('insights name platforms as posts do', () => {
	const insights = [{ id: 'a', platforms: ['twitter', 'LinkedIn'] }, { id: 'b' }];
	expect(itemsOf('getInsights', {}, { insights })).toEqual([
		{ id: 'a', platforms: ['x', 'linkedin'] },
		{ id: 'b', platforms: null },
	]);
});

test.each<[number, IDataObject, boolean]>([
	[20, { returnAll: true }, true],
	[20, { limit: 50 }, true],
	[20, { limit: 20 }, false],
	[19, { returnAll: true }, false],
])(
	'of insights the service returns 20 at most: %d of them with %j may not be all: %s',
	(count, given, isSaid) => {
		const hint = jest.fn();
		const insights = Array.from({ length: count }, (_, id) => ({ id }));
		itemsOf('getInsights', given, insights, hint);
		expect(hint.mock.calls).toEqual(isSaid ? [[expect.stringContaining('at most 20'), 'info']] : []);
	},
);

test('metrics as a table: the documented columns in their order, then what nobody knows, by name; or the rows', () => {
	const given: unknown[] = [
		{ post_id: '1', platform: 'x', retweets: 2, zeal: 1 },
		{ post_id: '2', platform: 'twitter', likes: 0, engagement_rate: 0.02, attention: null },
		{ post_id: '3', platform: 'linkedin', clicks: 5, toString: 7 },
		{ post_id: '4' },
	];
	const rows = itemsOf('getUnified', {}, { rows: given }) as IDataObject[];
	expect(rows.map(({ platform }) => platform)).toEqual(['x', 'x', 'linkedin', null]);
	for (const row of rows)
		expect(Object.keys(row)).toEqual([...unifiedColumns, 'attention', 'toString', 'zeal']);
	const missing = { zeal: null, clicks: null, toString: null };
	expect(rows[1]).toMatchObject({ likes: 0, engagement_rate: 0.02, ...missing });
	expect(itemsOf('getUnified', { output: 'raw' }, { rows: given.slice(0, 1) })).toEqual(given.slice(0, 1));
	expect(itemsOf('getUnified', {}, { rows: [] })).toEqual([]);
});

describe('the best times', () => {
	const row = (at: string, rate: unknown, platform = 'linkedin'): IDataObject => ({
		...{ platform, published_at: at, engagement_rate: rate as number },
	});
	const best = (rows: object[], options: IDataObject = {}, hint = jest.fn()) =>
		itemsOf('getBestTimes', { options }, { rows }, hint) as IDataObject[];

	test('hours of the week in the zone of the workflow, by the median, best first; those with fewer posts are left out', () => {
		const rows = [
			// Monday, 00:30 in Berlin; with the change of the clocks the hour stays.
			...[0.1, 0.9, 0.2].map((rate) => row('2026-05-31T22:30:00Z', rate, 'twitter')),
			row('2026-03-22T23:59:59Z', 0.4, 'x'),
			...[0.5, 0.5, 0.1].map((rate) => row('2026-06-01T07:10:00Z', rate)),
			...[0.9, 0.9].map((rate) => row('2026-06-02T07:10:00Z', rate)),
			...[row('2026-06-02T07:10:00Z', null), row('soon', 1), {}],
		];
		expect(best(rows).map((one) => Object.entries(one).flat().join(' '))).toEqual([
			'platform linkedin day mon time 09:00 posts 3 engagement_rate 0.5',
			`platform x day mon time 00:00 posts 4 engagement_rate ${(0.2 + 0.4) / 2}`,
		]);
		expect(best(rows, { minPosts: 2 })[0]).toMatchObject({ day: 'tue', posts: 2, engagement_rate: 0.9 });
		expect(best(rows, { minPosts: 1 })).toHaveLength(3);
		expect(best([])).toEqual([]);
	});

	test('posts without a rate are left out, and it says how many', () => {
		const hint = jest.fn();
		const rows = [0.1, 0.2, 0.3, null, '0.4'].map((rate) => row('2026-06-01T07:10:00Z', rate));
		expect(best(rows, {}, hint)).toMatchObject([{ posts: 3 }]);
		expect(hint.mock.calls).toEqual([
			[
				'2 of 5 posts have no publication time or engagement rate that this node can read, so they were left out',
			],
		]);
	});

	test('equal hours: more posts first, then by platform', () => {
		const at = '2026-06-01T07:00Z';
		const rows = [row(at, 0.5), row(at, 0.5, 'bluesky'), row(at, 0.5, 'x'), row(at, 0.5, 'x')];
		const platforms = best(rows, { minPosts: 1 }).map(({ platform }) => platform);
		expect(platforms).toEqual(['x', 'bluesky', 'linkedin']);
	});

	test('rows without what is needed are an error', () =>
		expect(failureOf(() => best([row('soon', 1)])).details).toMatchObject({
			...{
				code: 'NODE_UNEXPECTED_DATA',
				message: expect.stringContaining('no post with a publication time'),
			},
			...{ hint: expect.stringContaining("'Get Metrics per Post'"), status: 200 },
		}));

	test('without an hour, says what would help', () => {
		const hint = jest.fn();
		expect(best([row('2026-06-02T07:10:00Z', 1)], {}, hint)).toEqual([]);
		const said =
			"No hour of the week has 3 or more posts with an engagement rate. Raise 'Days', or lower the option 'Minimum Posts'.";
		expect(hint.mock.calls).toEqual([[said, 'info']]);
	});
});
