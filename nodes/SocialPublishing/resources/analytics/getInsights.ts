import { analyticsPlatforms, limits, lists } from '../../../api/contract';
import { operation } from '../../engine/operation';
import { filtersField, limit, platformsFilter, returnAll } from '../fields';
import { withPlatformNames } from './platformNames';

/** Spec: `GET /analytics/insights`. It returns at most 20 and has no pages. */
export const getInsights = operation({
	name: 'Get Insights',
	value: 'getInsights',
	action: 'Get analytics insights',
	description: 'Retrieve recommendations that the service derives from analytics',
	fields: [
		{ ...returnAll, hint: 'The service returns at most 20' },
		limit,
		{
			...filtersField,
			options: [
				{
					displayName: 'Dismissed',
					name: 'dismissed',
					type: 'boolean',
					default: false,
					description: 'Whether to return dismissed insights instead of open ones',
				},
				platformsFilter,
				{
					displayName: 'Type',
					name: 'type',
					type: 'options',
					default: 'performance',
					allowArbitraryValues: true,
					description: 'What the insight is about',
					options: [
						{ name: 'Content', value: 'content' },
						{ name: 'Growth', value: 'growth' },
						{ name: 'Performance', value: 'performance' },
						{ name: 'Timing', value: 'timing' },
					],
				},
			],
		},
	],
	request: ({ returnAll: all, limit: most, filters: { type, platforms, dismissed } }) => ({
		...lists.insights,
		qs: {
			limit: all ? limits.insights : Math.min(most, limits.insights),
			platforms: platforms && analyticsPlatforms(platforms),
			...{ type, dismissed },
		},
	}),
	rows: (list, { returnAll: all, limit: most }, at) => {
		if (list.length >= limits.insights && (all || most > limits.insights))
			at.hint(`The service returns at most ${limits.insights} insights: it may have more than these`, 'info');
		return list.map(withPlatformNames);
	},
});
