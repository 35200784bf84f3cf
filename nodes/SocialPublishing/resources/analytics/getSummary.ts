import { Failure } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { operation } from '../../engine/operation';
import { toUtcRange } from '../time';
import { itemPerPlatform, withPlatformNames } from './platformNames';

/** Spec: `GET /analytics/summary`. Rates are fractions and stay so. */
export const getSummary = operation({
	name: 'Get Summary',
	value: 'getSummary',
	action: 'Get analytics summary',
	description: 'Retrieve totals of posts and engagements, overall and per platform',
	method: 'GET',
	fields: [
		{
			displayName: 'Timeframe',
			name: 'timeframe',
			type: 'options',
			default: 'last_30_days',
			allowArbitraryValues: true,
			description: 'Which posts to count, by their publication time',
			options: [
				{ name: 'All Time', value: 'all_time' },
				{ name: 'Last 30 Days', value: 'last_30_days' },
				{ name: 'Last 7 Days', value: 'last_7_days' },
				{ name: 'Last 90 Days', value: 'last_90_days' },
			],
		},
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'perPlatform',
			description: 'What each output item contains',
			options: [
				{ name: 'Per Platform', value: 'perPlatform', description: 'One item for each platform' },
				{ name: 'Summary', value: 'summary', description: 'Everything in one item' },
			],
		},
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'End Date',
					name: 'endDate',
					type: 'dateTime',
					default: '',
					description: 'Last publication time to count. Overrides Timeframe.',
				},
				{
					displayName: 'Include Activity',
					name: 'includeActivity',
					type: 'boolean',
					default: false,
					description: 'Whether to include recent activity',
				},
				{
					displayName: 'Include Insights',
					name: 'includeInsights',
					type: 'boolean',
					default: false,
					description: 'Whether to include insights',
				},
				{
					displayName: 'Start Date',
					name: 'startDate',
					type: 'dateTime',
					default: '',
					description: 'First publication time to count. Overrides Timeframe.',
				},
			],
		},
	],
	request: ({ timeframe, filters: { startDate, endDate, includeInsights, includeActivity } }, { zone }) => {
		const { from, to } = toUtcRange(startDate, endDate, zone, ['Start Date', 'End Date']);
		return {
			path: '/analytics/summary',
			qs: {
				timeframe,
				...(from ? { startDate: from } : {}),
				...(to ? { endDate: to } : {}),
				...(includeInsights === undefined ? {} : { includeInsights }),
				...(includeActivity === undefined ? {} : { includeActivity }),
			},
		};
	},
	shape: (data, { output }) => {
		const summary = withPlatformNames(data);
		if (output !== 'perPlatform') return summary;
		if (isRecord(summary.by_platform)) return itemPerPlatform(summary.by_platform);
		throw new Failure({
			code: 'NODE_UNEXPECTED_DATA',
			status: 200,
			message: "The service's summary has no data per platform",
			hint: "Set 'Output' to 'Summary' to get the summary as the service returns it.",
		});
	},
});
