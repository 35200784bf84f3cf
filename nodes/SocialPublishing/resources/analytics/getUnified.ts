import { listNames } from '../../../api/contract';
import { records } from '../../../api/lists';
import { analyticsPlatforms } from '../../../api/platforms';
import { operation } from '../../engine/operation';
import { platformsFilter } from '../fields';
import { withColumns } from '../tables';
import { toUtcRange } from '../time';
import { withPlatformNames } from './platformNames';
import { rangeOfDays, timeframeDays } from './timeframe';

/** Spec: `GET /analytics/unified`, one item a row. */
export const getUnified = operation({
	name: 'Get Metrics per Post',
	value: 'getUnified',
	action: 'Get analytics metrics per post',
	description: 'Retrieve one row of metrics for each post and platform',
	method: 'GET',
	fields: [
		{
			displayName: 'Timeframe',
			name: 'timeframe',
			type: 'options',
			default: 'last_30_days',
			description: 'Which posts to return, by their publication time',
			options: [
				{ name: 'All Time', value: 'all_time' },
				{ name: 'Custom', value: 'custom', description: 'Between two times' },
				{ name: 'Last 30 Days', value: 'last_30_days' },
				{ name: 'Last 7 Days', value: 'last_7_days' },
				{ name: 'Last 90 Days', value: 'last_90_days' },
			],
		},
		{
			displayName: 'Published From',
			name: 'from',
			type: 'dateTime',
			default: '',
			required: true,
			displayOptions: { show: { timeframe: ['custom'] } },
			description: 'Earliest publication time',
			hint: "Uses the workflow's time zone",
		},
		{
			displayName: 'Published To',
			name: 'to',
			type: 'dateTime',
			default: '',
			required: true,
			displayOptions: { show: { timeframe: ['custom'] } },
			description: 'Latest publication time',
			hint: "Uses the workflow's time zone",
		},
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'table',
			description: 'Which columns to return',
			options: [
				{ name: 'Raw', value: 'raw', description: "Each platform's own metrics" },
				{
					name: 'Table',
					value: 'table',
					description: 'The same columns for every row, for sheets and charts',
				},
			],
		},
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [platformsFilter],
		},
	],
	request: ({ timeframe, from, to, filters: { platforms } }, { zone, now }) => ({
		path: '/analytics/unified',
		expects: { list: listNames.rows },
		qs: {
			...(timeframe === 'custom'
				? toUtcRange(from, to, zone, ['Published From', 'Published To'])
				: rangeOfDays(timeframeDays[timeframe], now)),
			...(platforms ? { platforms: analyticsPlatforms(platforms) } : {}),
		},
	}),
	shape: (data, { output }) => {
		const rows = withPlatformNames(records(data, listNames.rows));
		return output === 'table'
			? withColumns(rows, [...unifiedColumns, ...rows.flatMap(Object.keys).sort()])
			: rows;
	},
});

/** Columns of every table: the spec's, in its order ("Unified row"). Others follow by name. */
export const unifiedColumns = [
	...['post_id', 'platform', 'content_text', 'published_at', 'impressions', 'engagements', 'engagement_rate'],
	...['clicks', 'comments', 'shares', 'reactions', 'reach', 'save_count'],
	...['retweets', 'replies', 'likes', 'bookmarks'],
] as const;
