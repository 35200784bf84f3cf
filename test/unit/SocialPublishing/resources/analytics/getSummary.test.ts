import type { IDataObject } from 'n8n-workflow';

import { getSummary } from '../../../../../nodes/SocialPublishing/resources/analytics/getSummary';
import { requestOf, shapeOf } from '../operations';

test.each<[IDataObject, object]>([
	[{}, { timeframe: 'last_30_days' }],
	[{ timeframe: 'all_time' }, { timeframe: 'all_time' }],
	[
		{
			timeframe: 'last_7_days',
			filters: {
				startDate: '2026-05-01',
				endDate: '2026-05-02',
				includeInsights: false,
				includeActivity: true,
			},
		},
		{
			timeframe: 'last_7_days',
			startDate: '2026-04-30T22:00:00Z',
			endDate: '2026-05-01T22:00:00Z',
			includeInsights: false,
			includeActivity: true,
		},
	],
])('%j', (given, qs) => expect(requestOf(getSummary, given)).toEqual({ path: '/analytics/summary', qs }));

test.each([
	['startDate', /^'Start Date'/],
	['endDate', /^'End Date'/],
])('%s that is no time is refused by its name', (name, message) => {
	expect(() => requestOf(getSummary, { filters: { [name]: 'soon' } })).toThrow(message);
});

test('is one item with everything, or one a platform', () => {
	const data = { by_platform: { twitter: { views: 1 }, threads: { views: 2 } } };
	expect(shapeOf(getSummary, {}, data)).toBe(data);
	expect(shapeOf(getSummary, { output: 'perPlatform' }, data)).toEqual([
		{ platform: 'x', views: 1 },
		{ platform: 'threads', views: 2 },
	]);
	for (const odd of [{}, { by_platform: null }, { by_platform: ['x'] }])
		expect(() => shapeOf(getSummary, { output: 'perPlatform' }, odd)).toThrow(/no data per platform/);
});
