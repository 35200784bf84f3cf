import type { IDataObject } from 'n8n-workflow';

import { getSummary } from '../../../../../nodes/SocialPublishing/resources/analytics/getSummary';
import { requestOf, shapeOf } from '../operations';

const included = { includeInsights: false, includeActivity: true };

test.each<[IDataObject, object]>([
	[{}, { timeframe: 'last_30_days' }],
	[{ timeframe: 'all_time' }, { timeframe: 'all_time' }],
	[
		{ filters: { startDate: '2026-05-01', endDate: '2026-05-02', ...included } },
		{
			...{ timeframe: 'last_30_days', ...included },
			...{ startDate: '2026-04-30T22:00:00Z', endDate: '2026-05-02T21:59:59Z' },
		},
	],
])('%j', (given, qs) => expect(requestOf(getSummary, given)).toEqual({ path: '/analytics/summary', qs }));

test.each([
	['startDate', /^'Start Date'/],
	['endDate', /^'End Date'/],
])('%s that is no time is refused by its name', (name, message) => {
	expect(() => requestOf(getSummary, { filters: { [name]: 'soon' } })).toThrow(message);
});

test('is one item a platform, or one with everything; platforms are named as posts name them', () => {
	const figures = { threads: { views: 2 } };
	const data = { by_platform: { twitter: { views: 1 }, ...figures }, insights: [{ platforms: ['twitter'] }] };
	expect(shapeOf(getSummary, {}, data)).toEqual([
		{ platform: 'x', views: 1 },
		{ platform: 'threads', views: 2 },
	]);
	expect(shapeOf(getSummary, { output: 'summary' }, data)).toEqual({
		...{ by_platform: { x: { views: 1 }, ...figures }, insights: [{ platforms: ['x'] }] },
	});
	for (const odd of [{}, { by_platform: null }, { by_platform: ['x'] }])
		expect(() => shapeOf(getSummary, {}, odd)).toThrow(/no data per platform/);
});
