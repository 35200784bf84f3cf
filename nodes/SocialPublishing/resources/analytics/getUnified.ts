import type { IDataObject } from 'n8n-workflow';

import { listNames } from '../../../api/contract';
import { records } from '../../../api/lists';
import { platformsFilter } from '../fields';
import { operation } from '../../engine/operation';
import { analyticsPlatforms, canonicalPlatform } from '../../../api/platforms';
import { toUtcRange } from '../time';

/** Spec: `GET /analytics/unified`, one item a row. */
export const getUnified = operation({
	name: 'Get Metrics per Post',
	value: 'getUnified',
	action: 'Get analytics metrics per post',
	description: 'Retrieve one row of metrics for each post and platform',
	method: 'GET',
	fields: [
		{
			displayName: 'Published From',
			name: 'from',
			type: 'dateTime',
			default: '',
			required: true,
			description: 'Earliest publication time',
			hint: "Uses the workflow's time zone",
		},
		{
			displayName: 'Published To',
			name: 'to',
			type: 'dateTime',
			default: '',
			required: true,
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
	request: ({ from, to, filters: { platforms } }, { zone }) => ({
		path: '/analytics/unified',
		expects: { list: listNames.rows },
		qs: {
			...toUtcRange(from, to, zone, ['Published From', 'Published To']),
			...(platforms ? { platforms: analyticsPlatforms(platforms) } : {}),
		},
	}),
	shape: (data, { output }) => {
		const rows = records(data, listNames.rows);
		return output === 'table' ? table(rows) : rows;
	},
});

/** Columns of every table: the spec's, in its order ("Unified row"). Others follow by name. */
export const columns = [
	...['post_id', 'platform', 'content_text', 'published_at', 'impressions', 'engagements', 'engagement_rate'],
	...['clicks', 'comments', 'shares', 'reactions', 'reach', 'save_count'],
	...['retweets', 'replies', 'likes', 'bookmarks'],
] as const;

/** Every row with the same columns in the same order, missing = null; platforms as posts name them. */
export function table(rows: IDataObject[]): IDataObject[] {
	const known = new Set<string>(columns);
	const others = new Set(rows.flatMap(Object.keys).filter((name) => !known.has(name)));
	const all = [...columns, ...[...others].sort()];
	return rows.map((row) => ({
		...Object.fromEntries(all.map((name) => [name, row[name] ?? null])),
		platform: typeof row.platform === 'string' ? canonicalPlatform(row.platform) : null,
	}));
}
