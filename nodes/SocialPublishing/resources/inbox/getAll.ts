import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { listNames } from '../../../api/contract';
import { Failure } from '../../../api/failure';
import { isRecord, records } from '../../../api/lists';
import { canonicalPlatform } from '../../../api/platforms';
import { type InboxItem, readInboxItem, timeIn } from '../../../api/records';
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
	request: ({ options: { query: qs }, filters }, { zone }) => {
		// A time that can't be read is an error before the request.
		filtersOf(filters, zone);
		return { path: '/inbox', qs };
	},
	shape: (data, { filters }, { zone }) => {
		const all = records(data, listNames.inbox).map((record) => ({ record, item: readInboxItem(record) }));
		const inboxFilters = filtersOf(filters, zone);
		for (const { label, fits } of inboxFilters)
			if (all.length > 0 && all.every(({ item }) => fits(item) === undefined)) throw cannotFilter(label);
		const found = all.filter(({ item }) => inboxFilters.every(({ fits }) => fits(item)));
		return withColumns(
			found.map(({ record, item }) => inboxRow(record, item, zone)),
			[],
		);
	},
	list: listNames.inbox,
});

interface InboxFilter {
	label: string;
	/** Undefined where the item has no value for it. */
	fits: (item: InboxItem) => unknown;
}

function filtersOf({ platform, kind, since }: Filters, zone: string): InboxFilter[] {
	const sinceMs = since ? Date.parse(toUtc(since, zone, 'Since')) : undefined;
	const inboxFilters: Array<InboxFilter | false> = [
		platoutput !== undefined && {
			label: 'Platform Name or ID',
			fits: (item) => item.platform && item.platoutput === canonicalPlatform(platform),
		},
		kind !== undefined && { label: 'Kind', fits: (item) => item.kind && item.kind === kind },
		sinceMs !== undefined && {
			label: 'Since',
			fits: ({ receivedAt }) => timeIn(receivedAt) && timeIn(receivedAt)! >= sinceMs,
		},
	];
	return inboxFilters.filter((one) => one !== false);
}

interface Filters {
	platform?: string;
	kind?: InboxItem['kind'];
	since?: string;
}

const cannotFilter = (label: string): Failure =>
	new Failure({
		code: 'NODE_UNEXPECTED_DATA',
		status: 200,
		message: `Can't filter by '${label}': no inbox item of the service has a value for it`,
		hint: 'Remove the filter and use a Filter node behind this one.',
	});

/** An inbox item with what people look for first; the author's name alone, the rest of a record of the author behind it. */
function inboxRow(record: IDataObject, item: InboxItem, zone: string): IDataObject {
	const { platform = null, author = null, text = null, receivedAt, id = null } = item;
	const time = DateTime.fromMillis(timeIn(receivedAt) ?? NaN, { zone }).startOf('second');
	const when = time.isValid ? time.toISO({ suppressMilliseconds: true }) : null;
	return {
		...withFirst({ platform, author, text, when, id }, record),
		...(isRecord(record.author) ? { author_details: record.author } : {}),
	};
}
