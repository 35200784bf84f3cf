import type { IDataObject } from 'n8n-workflow';

import { lists } from '../../../../../nodes/api/contract';
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
		{ ...filters, limit: 7, platforms: 'twitter,linkedin' },
	],
])('%j', (given, qs) => {
	expect(requestOf(getInsights, given)).toEqual({ ...lists.insights, qs });
});

test('names platforms as posts do', () => {
	const insights = [{ id: 'a', platforms: ['twitter', 'LinkedIn'] }, { id: 'b' }];
	const named = [
		{ id: 'a', platforms: ['x', 'linkedin'] },
		{ id: 'b', platforms: null },
	];
	expect(shapeOf(getInsights, {}, { insights })).toEqual(named);
});
