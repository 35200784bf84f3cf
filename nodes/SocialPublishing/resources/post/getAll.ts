import type { IDataObject } from 'n8n-workflow';

import { limits, listNames } from '../../../api/contract';
import { records } from '../../../api/lists';
import { posts } from '../../../api/postRange';
import { post } from '../../../api/schema';
import { limit, platformFilter, returnAll } from '../fields';
import { operation } from '../../engine/operation';
import { canonicalPlatform } from '../../../api/platforms';
import { toUtc, toUtcRange } from '../time';

/**
 * Spec: `GET /posts`. Up to 100 posts are one request; more than that, and all, are collected from parts of the
 * time range, newest first, since the endpoint has neither pages nor a cursor.
 */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many posts',
	description: 'Retrieve many posts, also those that are scheduled or failed',
	method: 'GET',
	fields: [
		returnAll,
		limit,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'From',
					name: 'from',
					type: 'dateTime',
					default: '',
					description: 'Only posts from this time on, in the time zone of the workflow',
				},
				platformFilter,
				{
					displayName: 'Scheduled After',
					name: 'scheduledAfter',
					type: 'dateTime',
					default: '',
					description: 'Only posts scheduled after this time, in the time zone of the workflow',
				},
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					default: 'scheduled',
					allowArbitraryValues: true,
					description: 'Only posts in this state',
					options: [
						{ name: 'Canceled', value: 'canceled' },
						{ name: 'Completed', value: 'completed' },
						{ name: 'Draft', value: 'draft' },
						{ name: 'Failed', value: 'failed' },
						{ name: 'Scheduled', value: 'scheduled' },
					],
				},
				{
					displayName: 'To',
					name: 'to',
					type: 'dateTime',
					default: '',
					description: 'Only posts up to this time, in the time zone of the workflow',
				},
			],
		},
	],
	run: async (item, { returnAll: all, limit: most, filters }) => {
		const { status, platform } = filters;
		const span = toUtcRange(filters.from, filters.to, item.zone);
		const after = filters.scheduledAfter && toUtc(filters.scheduledAfter, item.zone, 'Scheduled After');
		const ask = async (range: IDataObject): Promise<IDataObject[]> =>
			records(
				await item.get({
					path: '/posts',
					expects: { list: listNames.posts },
					qs: {
						...range,
						...(status ? { status } : {}),
						...(platform ? { platform: canonicalPlatform(platform) } : {}),
						...(after ? { scheduled_after: after } : {}),
					},
				}),
				listNames.posts,
			);
		if (!all && most <= limits.postsPerRequest) return await ask({ ...span, limit: most });
		return await posts(ask, span, item.now, all ? Infinity : most);
	},
	output: post,
});
