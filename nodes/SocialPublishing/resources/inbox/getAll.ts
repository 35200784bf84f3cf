import { canonicalPlatform, isPlatform, lists } from '../../../api/contract';
import { isRecord } from '../../../api/lists';
import { likelyPlatform, readInboxItem } from '../../../api/records';
import { operation } from '../../engine/operation';
import { filtersField, limit, platformFilter, query, returnAll, timeEntry } from '../fields';
import { withFirst } from '../../engine/tables';
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
	filters: ({ filters: { platform, kind, since } }, { zone }) => {
		const name = platform && canonicalPlatform(platform);
		const sinceMs = since ? Date.parse(toUtc(since, zone, 'Since')) : NaN;
		const isSince = (ms: number | undefined) => ms && ms >= sinceMs;
		return {
			'Platform Name or ID': [(one) => likelyPlatform(readInboxItem(one).platform, name), name, isPlatform],
			Kind: [(one) => readInboxItem(one).kind, kind],
			Since: [(one) => isSince(readInboxItem(one).at), since && true],
		};
	},
	rows: (items, _params, { zone }) =>
		items.map((record) => {
			const { platform = null, author = null, text = null, at } = readInboxItem(record);
			const { id = null, when = null } = record;
			return {
				// The author's name alone; the rest of a record of the author stands behind it.
				...withFirst({ platform, author, text, when: when ?? localTime(at, zone), id }, record),
				...(isRecord(record.author) ? { author_details: record.author } : {}),
			};
		}),
});
