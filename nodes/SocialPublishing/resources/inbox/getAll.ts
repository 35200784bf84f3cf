import { DateTime } from 'luxon';

import { listNames } from '../../../api/contract';
import { refusal } from '../../../api/failure';
import { isRecord, records } from '../../../api/lists';
import { canonicalPlatform } from '../../../api/platforms';
import { readInboxItem, timeIn } from '../../../api/records';
import { operation } from '../../engine/operation';
import { filtersField, limit, platformFilter, query, returnAll } from '../fields';
import { withColumns, withFirst } from '../tables';
import { toUtc } from '../time';

/** Spec: `GET /inbox`: comments and direct messages. Its parameters aren't in the spec, so the filters are applied here. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many inbox items',
	description: 'Retrieve comments and direct messages',
	method: 'GET',
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
					displayName: 'Since',
					name: 'since',
					type: 'dateTime',
					default: '',
					description: "Earliest time at which an item arrived, in the workflow's time zone",
				},
			],
		},
	],
	options: [query],
	request: ({ options: { query: qs }, filters: { since } }, { zone }) => {
		// A time that can't be read is an error before the request.
		if (since) toUtc(since, zone, 'Since');
		return { path: '/inbox', qs };
	},
	shape: (data, { filters: { platform, kind, since } }, { zone }) => {
		const all = records(data, listNames.inbox).map((record) => {
			const item = readInboxItem(record);
			return { record, ...item, at: timeIn(item.receivedAt) };
		});
		const sinceMs = since ? Date.parse(toUtc(since, zone, 'Since')) : NaN;
		type InboxItem = (typeof all)[number];
		const possible: Array<[label: string, wanted: unknown, valueOf: (item: InboxItem) => unknown]> = [
			['Platform Name or ID', platform && canonicalPlatform(platform), (item) => item.platform],
			['Kind', kind, (item) => item.kind],
			['Since', since && true, ({ at }) => at && at >= sinceMs],
		];
		const inboxFilters = possible.filter(([, wanted]) => wanted !== undefined);
		for (const [label, , valueOf] of inboxFilters)
			if (all.length > 0 && all.every((item) => valueOf(item) === undefined))
				throw refusal(
					'UNEXPECTED_DATA',
					`Can't filter by '${label}': no inbox item of the service has a value for it`,
					'Remove the filter and use a Filter node behind this one.',
				).with({ status: 200 });
		const found = all.filter((item) => inboxFilters.every(([, wanted, valueOf]) => valueOf(item) === wanted));
		return withColumns(
			found.map(({ record, platform: on = null, author = null, text = null, at = NaN, id = null }) => {
				const time = DateTime.fromMillis(at, { zone }).startOf('second');
				const when = time.isValid ? time.toISO({ suppressMilliseconds: true }) : null;
				return {
					// The author's name alone; the rest of a record of the author stands behind it.
					...withFirst({ platform: on, author, text, when, id }, record),
					...(isRecord(record.author) ? { author_details: record.author } : {}),
				};
			}),
		);
	},
	list: listNames.inbox,
});
