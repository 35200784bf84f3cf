import { refusal } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { operation } from '../../engine/operation';
import { filtersField, outputField, timeEntry } from '../fields';
import { toUtcRange } from '../time';
import { itemPerPlatform, withPlatformNames } from './platformNames';
import { timeframeField } from './timeframe';

/** Spec: `GET /analytics/summary`. Rates are fractions and stay so. */
export const getSummary = operation({
	name: 'Get Summary',
	value: 'getSummary',
	action: 'Get analytics summary',
	description:
		'Retrieve totals of posts and engagements in a period of your choice, overall and per platform',
	fields: [
		{ ...timeframeField, allowArbitraryValues: true },
		{
			...outputField,
			default: 'perPlatform',
			options: [
				{ name: 'Per Platform', value: 'perPlatform', description: 'One item for each platform' },
				{ name: 'Summary', value: 'summary', description: 'Everything in one item' },
			],
		},
		{
			...filtersField,
			options: [
				{
					...timeEntry,
					displayName: 'End Date',
					name: 'endDate',
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
					...timeEntry,
					displayName: 'Start Date',
					name: 'startDate',
					description: 'First publication time to count. Overrides Timeframe.',
				},
			],
		},
	],
	request: ({ timeframe, filters: { startDate, endDate, ...included } }, at) => {
		const { from, to } = toUtcRange(startDate, endDate, at, ['Start Date', 'End Date']);
		return {
			path: '/analytics/summary',
			qs: { timeframe, startDate: from, endDate: to, ...included },
		};
	},
	shape: (data, { output }) => {
		const summary = withPlatformNames(data);
		if (output !== 'perPlatform') return summary;
		const { by_platform: figures } = summary;
		if (isRecord(figures)) return itemPerPlatform(figures);
		throw refusal(
			'UNEXPECTED_DATA',
			"The service's summary has no data per platform",
			"Set 'Output' to 'Summary' to get the summary as the service returns it.",
		).with({ status: 200 });
	},
});
