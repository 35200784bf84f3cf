import { DateTime } from 'luxon';

import { listNames } from '../../../api/contract';
import { refusal } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
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
	filters: true,
	rows: (data, { filters: { platform, kind, since } }, { zone }) => {
		const sinceMs = since ? Date.parse(toUtc(since, zone, 'Since')) : NaN;
		const labels = ['Platform Name or ID', 'Kind', 'Since'];
		const wanted = [platform && canonicalPlatform(platform), kind, since && true];
		const all = data.map((record) => {
			const item = readInboxItem(record);
			const at = timeIn(item.receivedAt);
			return { record, ...item, at, values: [item.platform, item.kind, at && at >= sinceMs] };
		});
		const unknown = labels.find((_, i) => wanted[i] && all.every(({ values }) => values[i] === undefined));
		if (unknown && all.length > 0)
			throw refusal(
				'UNEXPECTED_DATA',
				`Can't filter by '${unknown}': no inbox item of the service has a value for it`,
				'Remove the filter and use a Filter node behind this one.',
			).with({ status: 200 });
		const found = all.filter(({ values }) => wanted.every((one, i) => !one || one === values[i]));
		return withColumns(
			found.map(({ record, platform: on = null, author = null, text = null, at = NaN, id = null }) => {
				const time = DateTime.fromMillis(at, { zone }).startOf('second');
				// Null where there is no time.
				const when = time.toISO({ suppressMilliseconds: true });
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
