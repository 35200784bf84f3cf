import { isRecord } from '../../../api/lists';
import { pathSegment } from '../../../api/address';
import type { IDataObject } from 'n8n-workflow';

import { postId } from '../../lookups/posts';
import { operation } from '../../engine/operation';
import { toUtcRange } from '../time';

/** Spec: `GET /posts/{id}/analytics`. */
export const getAnalytics = operation({
	name: 'Get Analytics',
	value: 'getAnalytics',
	action: 'Get post analytics',
	description: 'Retrieve the analytics of a post, in total or over time',
	method: 'GET',
	parallel: true,
	fields: [
		postId,
		{
			displayName: 'Granularity',
			name: 'granularity',
			type: 'options',
			default: 'totals',
			allowArbitraryValues: true,
			description: 'Whether to split the metrics over time',
			options: [
				{ name: 'Daily', value: 'daily' },
				{ name: 'Totals', value: 'totals' },
				{ name: 'Weekly', value: 'weekly' },
			],
		},
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'post',
			description: 'What each output item contains',
			displayOptions: { show: { granularity: ['daily', 'weekly'] } },
			options: [
				{ name: 'Post', value: 'post', description: 'Everything in one item' },
				{ name: 'Series', value: 'series', description: 'One item for each day or week' },
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
					displayName: 'Series From',
					name: 'from',
					type: 'dateTime',
					default: '',
					description: 'First day of the series',
				},
				{
					displayName: 'Series To',
					name: 'to',
					type: 'dateTime',
					default: '',
					description: 'Last day of the series',
				},
			],
		},
	],
	request: ({ postId: id, granularity, filters: { from, to } }, { zone }) => ({
		path: `/posts/${pathSegment(id, 'Post')}/analytics`,
		qs: {
			...(granularity === 'totals' ? {} : { granularity }),
			...toUtcRange(from, to, zone, ['Series From', 'Series To']),
		},
	}),
	shape: (data, { output }) => (output === 'series' ? seriesOf(data) : data),
});

/** One item a day or week, each with the post it belongs to. The weekly series' name is not shown: `*_series`. */
function seriesOf({ post_id, platform, provider_post_id, ...data }: IDataObject): IDataObject[] {
	const series = Object.entries(data).find(
		([name, value]) => name.endsWith('_series') && Array.isArray(value),
	);
	return ((series?.[1] ?? []) as unknown[]).filter(isRecord).map((point) => ({
		post_id,
		platform,
		provider_post_id,
		...point,
	}));
}
