import { intersection } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { inTurn } from '../../../api/concurrency';
import { canonicalPlatform, limits, lists } from '../../../api/contract';
import { posts } from '../../../api/postRange';
import { filtersField, limit, platformFilter, returnAll, timeEntry } from '../fields';
import { hintOfMore } from '../../engine/item';
import { operation } from '../../engine/operation';
import { columns, namedRow, simplify } from './columns';
import { withColumns } from '../../engine/tables';
import { toUtc, toUtcRange } from '../time';

/** Spec: `GET /posts`. It has no pages: more than 100 posts are collected from parts of the time range, newest first. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many posts',
	description: 'Retrieve posts in any status, including scheduled and failed ones',
	fields: [
		returnAll,
		limit,
		simplify,
		{
			...filtersField,
			options: [
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					default: 'scheduled',
					allowArbitraryValues: true,
					description: 'Status of the posts. Use an expression for one that is not in the list.',
					options: [
						{ name: 'Canceled', value: 'canceled' },
						{ name: 'Draft', value: 'draft' },
						{ name: 'Failed', value: 'failed' },
						{ name: 'Published', value: 'completed' },
						{ name: 'Scheduled', value: 'scheduled' },
					],
				},
				platformFilter,
				{
					...timeEntry,
					displayName: 'Scheduled From',
					name: 'from',
					description: 'Earliest time of the posts',
				},
				{ ...timeEntry, displayName: 'Scheduled To', name: 'to', description: 'Latest time of the posts' },
				{
					...timeEntry,
					displayName: 'Scheduled After',
					name: 'scheduledAfter',
					description: 'Only posts that are scheduled after this time',
				},
			],
		},
	],
	send: async ({ item }, { returnAll: all, limit: most, simplify: isSimple, filters }) => {
		const { status, platform, scheduledAfter } = filters;
		const span = toUtcRange(filters.from, filters.to, item, ['Scheduled From', 'Scheduled To']);
		const query = {
			status,
			platform: platform && canonicalPlatform(platform),
			scheduled_after: scheduledAfter && toUtc(scheduledAfter, item.zone, 'Scheduled After'),
		};
		const ask = async (range: IDataObject, wanted: number = lists.posts.most) =>
			await item.list({ ...lists.posts, qs: { ...range, ...query }, most: wanted });
		const isOneRequest = !all && most <= limits.postsPerRequest;
		const listed = isOneRequest
			? await ask({ ...span, limit: most }, most)
			: { records: await posts(ask, span, item.now, all ? Infinity : most), hasMore: false };
		if (all || listed.records.length < most) hintOfMore(item, listed);
		const rows = await inTurn(listed.records, async (one) => await namedRow(one, item, isSimple));
		return withColumns(rows, intersection(columns, rows.flatMap(Object.keys)));
	},
});
