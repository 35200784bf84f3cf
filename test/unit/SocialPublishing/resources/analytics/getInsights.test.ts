import type { IDataObject } from 'n8n-workflow';

import { getInsights } from '../../../../../nodes/SocialPublishing/resources/analytics/getInsights';
import { requestOf, shapeOf } from '../operations';

const filters = { type: 'growth', platforms: ['x', 'twitter', 'linkedin'], dismissed: false };

test.each<[IDataObject, object]>([
	[{ limit: 7 }, { limit: 7 }],
	// The service gives no more.
	[{ limit: 70 }, { limit: 20 }],
	[{ returnAll: true, limit: 7 }, { limit: 20 }],
	[
		{ limit: 7, filters },
		{ limit: 7, type: 'growth', platforms: 'twitter,linkedin', dismissed: false },
	],
])('%j', (given, qs) => {
	expect(requestOf(getInsights, given)).toEqual({ path: '/analytics/insights', qs });
});

test('names platforms as posts do, each once', () => {
	const insights = [
		{ id: 'a', platforms: ['twitter', 'x', 'LinkedIn'] },
		{ id: 'b', platforms: [null] },
		{ id: 'c' },
	];
	expect(shapeOf(getInsights, {}, { insights })).toEqual([
		{ id: 'a', platforms: ['x', 'linkedin'] },
		...insights.slice(1),
	]);
});
