import type { IDataObject } from 'n8n-workflow';

import { unifiedColumns } from '../../../../nodes/SocialPublishing/resources/analytics/getUnified';
import { withPlatformNames } from '../../../../nodes/SocialPublishing/resources/analytics/platformNames';
import { failureOf } from '../../../support/failure';
import { operationOf, shapeOf } from './operations';

/** What is made of the answers; what is asked: ../resources.test.ts. */

const itemsOf = (name: string, given: IDataObject, data: unknown, hint = jest.fn()) =>
	shapeOf(operationOf(`analytics.${name}`), given, data, undefined, { item: { hint } });

test.each<[IDataObject, IDataObject]>([
	[{ platform: 'Twitter' }, { platform: 'x' }],
	[{ platforms: ['twitter', 'x', 'Threads'] }, { platforms: ['x', 'Threads'] }],
	[
		{ by_platform: { twitter: { posts: 1 }, LinkedIn: 2 } },
		{ by_platform: { x: { posts: 1 }, linkedin: 2 } },
	],
	[{ insights: [{ platforms: ['twitter'] }] }, { insights: [{ platforms: ['x'] }] }],
	// Where the spec shows no platforms, nothing is changed.
	...[{ twitter: 1 }, { platform: null, text: 'twitter' }, { referrers: { Twitter: 1 } }].map(
		(same): [IDataObject, IDataObject] => [same, same],
	),
])('platforms in %j: %j', (data, expected) => expect(withPlatformNames(data)).toEqual(expected));

test.each<[IDataObject, object[]]>([
	[
		{ by_platform: { twitter: { views: 1 }, threads: { views: 2 } } },
		[
			{ platform: 'x', views: 1 },
			{ platform: 'threads', views: 2 },
		],
	],
	[{ by_platform: {} }, []],
	[{ views: 1 }, { views: 1 } as never],
])('the overview %j: one item a platform, or what the service says', (data, expected) => {
	expect(itemsOf('getOverview', {}, data)).toEqual(expected);
	expect(itemsOf('getOverview', { output: 'overview' }, { views: 1 })).toEqual({ views: 1 });
});

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
			'platform x day mon time 00:00 posts 4 engagement_rate 0.3',
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
