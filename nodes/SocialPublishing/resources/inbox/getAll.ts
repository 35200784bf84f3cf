import { canonicalPlatform, lists } from '../../../api/contract';
import { isRecord } from '../../../api/lists';
import { likelyPlatform, readInboxItem, timeIn } from '../../../api/records';
import { operation } from '../../engine/operation';
import { filtersField, limit, platformFilter, query, returnAll, timeEntry } from '../fields';
import { filtered, withFirst } from '../../engine/tables';
import { localTime, toUtc } from '../time';

/** Spec: `GET /inbox`: comments and direct messages. Its parameters aren't in the spec, so the filters are applied here. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many inbox items',
	description: 'Retrieve comments and direct messages',
	fields: [
		returnAll,
		limit,
		{
			...filtersField,
			options: [
				{
					displayName: 'Kind',
					name: 'kind',
					type: 'options',
					default: 'comment',
					description: 'Whether to return comments or direct messages',
					options: [
						{ name: 'Comment', value: 'comment' },
						{ name: 'Direct Message', value: 'message' },
					],
				},
				platformFilter,
				{
					...timeEntry,
					displayName: 'Since',
					name: 'since',
					description: "Earliest time at which an item arrived, in the workflow's time zone",
				},
			],
		},
	],
	options: [query],
	request: ({ options: { query: qs }, filters: { since } }, { zone }) => {
		// A time that can't be read is an error before the request.
		if (since) toUtc(since, zone, 'Since');
		return { ...lists.inbox, qs };
	},
	filters: true,
	rows: (data, { filters: { platform, kind, since } }, at) => {
		const { zone } = at;
		const wanted = platform && canonicalPlatform(platform);
		const sinceMs = since ? Date.parse(toUtc(since, zone, 'Since')) : NaN;
		const all = data.map((record) => {
			const item = readInboxItem(record);
			return { record, ...item, at: timeIn(item.receivedAt) };
		});
		const found = filtered(
			all,
			{
				'Platform Name or ID': [(one) => likelyPlatform(one.platform, wanted), wanted],
				Kind: [(one) => one.kind, kind],
				Since: [(one) => one.at && one.at >= sinceMs, since && true],
			},
			at,
		);
		return found.map(({ record, platform: on = null, author = null, text = null, at, id = null }) => ({
			// The author's name alone; the rest of a record of the author stands behind it.
			...withFirst({ platform: on, author, text, when: localTime(at, zone), id }, record),
			...(isRecord(record.author) ? { author_details: record.author } : {}),
		}));
	},
});
