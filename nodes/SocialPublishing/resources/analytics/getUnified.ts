import type { INodeProperties } from 'n8n-workflow';

import { analyticsPlatforms, lists } from '../../../api/contract';
import { operation } from '../../engine/operation';
import { filtersField, outputField, platformsFilter, timeEntry } from '../fields';
import { withColumns } from '../../engine/tables';
import { toUtcRange } from '../time';
import { withPlatformNames } from './platformNames';
import { rangeOfDays, timeframeField, timeframeDays } from './timeframe';

const customTime = {
	...timeEntry,
	required: true,
	displayOptions: { show: { timeframe: ['custom'] } },
	hint: "Uses the workflow's time zone",
} as const satisfies Partial<INodeProperties>;

/** Spec: `GET /analytics/unified`, one item a row. */
export const getUnified = operation({
	name: 'Get Metrics per Post',
	value: 'getUnified',
	action: 'Get analytics metrics per post',
	description: 'Retrieve one row of metrics for each post and platform',
	fields: [
		{
			...timeframeField,
			description: 'Which posts to return, by their publication time',
			options: [
				...timeframeField.options,
				{ name: 'Custom', value: 'custom', description: 'Between two times' },
			],
		},
		{ ...customTime, displayName: 'Published From', name: 'from', description: 'Earliest publication time' },
		{ ...customTime, displayName: 'Published To', name: 'to', description: 'Latest publication time' },
		{
			...outputField,
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
		{ ...filtersField, options: [platformsFilter] },
	],
	request: ({ timeframe, from, to, filters: { platforms } }, at) => ({
		...lists.unified,
		qs: {
			...(timeframe === 'custom'
				? toUtcRange(from, to, at, ['Published From', 'Published To'])
				: rangeOfDays(timeframeDays[timeframe], at.now)),
			platforms: platforms && analyticsPlatforms(platforms),
		},
	}),
	ownColumns: true,
	rows: (records, { output }) => {
		const rows = records.map(withPlatformNames);
		return output === 'table'
			? withColumns(rows, [...unifiedColumns, ...rows.flatMap(Object.keys).sort()])
			: rows;
	},
});

/** Columns of every table: the spec's ("Unified row"), what people look for first. Others follow by name. */
export const unifiedColumns = [
	...['platform', 'published_at', 'content_text', 'impressions', 'engagements', 'engagement_rate'],
	...['clicks', 'comments', 'shares', 'reactions', 'reach', 'save_count'],
	...['retweets', 'replies', 'likes', 'bookmarks', 'post_id'],
] as const;
