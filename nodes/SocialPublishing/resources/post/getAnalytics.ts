import { pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { refusal } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { publishedPostId } from '../../lookups/posts';
import { withPlatformNames } from '../analytics/platformNames';
import { operation } from '../../engine/operation';
import { filtersField, outputField, timeEntry } from '../fields';
import { toUtcRange } from '../time';

/** Spec: `GET /posts/{id}/analytics`. */
export const getAnalytics = operation({
	name: 'Get Analytics',
	value: 'getAnalytics',
	action: 'Get post analytics',
	description: 'Retrieve the analytics of a post, in total or over time',
	parallel: true,
	fields: [
		publishedPostId,
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
			...outputField,
			default: 'post',
			displayOptions: { show: { granularity: ['daily', 'weekly'] } },
			options: [
				{ name: 'Post', value: 'post', description: 'Everything in one item' },
				{ name: 'Series', value: 'series', description: 'One item for each day or week' },
			],
		},
		{
			...filtersField,
			options: [
				{ ...timeEntry, displayName: 'Series From', name: 'from', description: 'First day, in UTC' },
				{ ...timeEntry, displayName: 'Series To', name: 'to', description: 'Last day, in UTC' },
			],
		},
	],
	request: ({ postId: id, granularity, filters: { from, to } }, { hint }) => ({
		path: `/posts/${pathSegment(id, 'Post')}/analytics`,
		qs: {
			...(granularity === 'totals' ? {} : { granularity }),
			...toUtcRange(from, to, { zone: 'utc', hint }, ['Series From', 'Series To']),
		},
	}),
	shape: (data, { output, granularity }) => {
		const analytics = withPlatformNames(data);
		return output === 'series' ? seriesOf(analytics, granularity) : analytics;
	},
});

/** The spec names `daily_series` alone; another is the other `*_series`. @throws Failure where the answer doesn't have it */
function seriesOf(data: IDataObject, granularity: string): IDataObject[] {
	const other = Object.keys(data).find((name) => name.endsWith('_series') && name !== 'daily_series');
	const series = data[`${granularity}_series`] ?? (granularity === 'daily' ? undefined : data[other ?? '']);
	if (!Array.isArray(series) || !series.every(isRecord))
		throw refusal(
			'UNEXPECTED_DATA',
			`The service's answer has no ${granularity} series of this post`,
			"Set 'Output' to 'Post' to get the analytics as the service returns them.",
		).with({ status: 200 });
	const post = pick(data, ['post_id', 'platform', 'provider_post_id']);
	return series.map((point) => ({ ...post, ...point }));
}
