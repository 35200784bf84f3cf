import {
	getOverview,
	perPlatform,
} from '../../../../../nodes/SocialPublishing/resources/analytics/getOverview';
import { requestOf, shapeOf } from '../operations';

test('asks with whatever query is entered', () => {
	expect(requestOf(getOverview, { options: { query: { a: 1 } } })).toEqual({
		path: '/analytics',
		expects: 'records',
		qs: { a: 1 },
	});
});

test('is one item with everything, or one a platform', () => {
	const data = { any: { twitter: { views: 1 } } };
	expect(shapeOf(getOverview, { output: 'overview' }, data)).toEqual({ any: { x: { views: 1 } } });
	expect(shapeOf(getOverview, {}, data)).toEqual([{ platform: 'x', views: 1 }]);
});

const rows = [{ platform: 'x', views: 1 }];
test.each([
	[{ by_platform: rows }],
	[{ platforms: { x: { views: 1 }, total: { views: 2 } } }],
	[{ x: { views: 1 } }],
	[{ total: 1, list: rows }],
])('platforms are found in %j', (data) => expect(perPlatform(data)).toEqual(rows));

test('by_platform has platforms alone, also those that are not known here', () =>
	expect(perPlatform({ by_platform: { x: { views: 1 }, threads: { views: 2 } } })).toEqual([
		{ platform: 'x', views: 1 },
		{ platform: 'threads', views: 2 },
	]));

test.each([
	[{ views: 1 }],
	[{ list: [] }],
	[{ list: [{ views: 1 }] }],
	[{ list: [null, 'x'] }],
	[{ list: [{ platform: 'x' }, { views: 1 }] }],
])('%j names none: it is one item', (data) => expect(perPlatform(data)).toEqual([data]));

test('records that name none are each an item', () =>
	expect(perPlatform([{ views: 1 }, {}] as never)).toEqual([{ views: 1 }, {}]));

test('a figure instead of figures is the value of its platform', () =>
	expect(perPlatform({ tiktok: 3, x: { views: 1, platform: 'y' }, total: 4 })).toEqual([
		{ platform: 'tiktok', value: 3, views: null },
		{ platform: 'x', value: null, views: 1 },
	]));
