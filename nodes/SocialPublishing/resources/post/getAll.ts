import type { IDataObject } from 'n8n-workflow';

import { limits, listNames } from '../../../api/contract';
import { posts } from '../../../api/postRange';
import { limit, platformFilter, returnAll } from '../fields';
import { operation } from '../../engine/operation';
import { asRow, simplify } from './columns';
import { accountNames, accountsOf } from './targets';
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
	description: 'Retrieve posts in any status, including scheduled and failed ones',
	method: 'GET',
	fields: [
		returnAll,
		limit,
		simplify,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'Scheduled From',
					name: 'from',
					type: 'dateTime',
					default: '',
					description: 'Earliest time of the posts',
				},
				platformFilter,
				{
					displayName: 'Scheduled After',
					name: 'scheduledAfter',
					type: 'dateTime',
					default: '',
					description:
						"Posts scheduled after this time. This is the API's 'scheduled_after'; 'Scheduled From' is its 'from'.",
				},
				{
					displayName: 'Status',
					name: 'status',
					type: 'resourceLocator',
					default: { mode: 'list', value: 'scheduled', cachedResultName: 'Scheduled' },
					description: 'Status of the posts. Choose By Name for one that is not in the list.',
					modes: [
						{
							displayName: 'From List',
							name: 'list',
							type: 'list',
							typeOptions: { searchListMethod: 'searchPostStatuses' },
						},
						{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. pending_approval' },
					],
				},
				{
					displayName: 'Scheduled To',
					name: 'to',
					type: 'dateTime',
					default: '',
					description: 'Latest time of the posts',
				},
			],
		},
	],
	run: async (item, { returnAll: all, limit: most, simplify: isSimple, filters }) => {
		const { status, platform } = filters;
		const span = toUtcRange(filters.from, filters.to, item.zone, ['Scheduled From', 'Scheduled To']);
		const after = filters.scheduledAfter && toUtc(filters.scheduledAfter, item.zone, 'Scheduled After');
		const ask = async (range: IDataObject): Promise<IDataObject[]> =>
			await item.list({
				path: '/posts',
				listNames: listNames.posts,
				qs: {
					...range,
					...(status ? { status } : {}),
					...(platform ? { platform: canonicalPlatform(platform) } : {}),
					...(after ? { scheduled_after: after } : {}),
				},
			});
		const found =
			!all && most <= limits.postsPerRequest
				? await ask({ ...span, limit: most })
				: await posts(ask, span, item.now, all ? Infinity : most);
		const accounts = found.length > 0 ? await accountsOf(item) : [];
		return found.map((one) => asRow(one, item.zone, isSimple, accountNames(one, accounts)));
	},
});
