import type { IDataObject } from 'n8n-workflow';

import {
	getUnified,
	unifiedColumns,
} from '../../../../../nodes/SocialPublishing/resources/analytics/getUnified';
import { requestOf, shapeOf } from '../operations';

const range = { timeframe: 'custom', from: '2026-05-01', to: '2026-05-02' };
const days = (from: string) => ({ from, to: '2026-06-01T12:00:00Z' });

test.each<[IDataObject, object]>([
	[range, { from: '2026-04-30T22:00:00Z', to: '2026-05-02T21:59:59Z' }],
	[{}, days('2026-05-02T12:00:00Z')],
	[{ timeframe: 'all_time' }, days('2016-06-01T12:00:00Z')],
	[{ timeframe: 'last_7_days' }, days('2026-05-25T12:00:00Z')],
	[{ timeframe: 'last_90_days' }, days('2026-03-03T12:00:00Z')],
	[
		{ filters: { platforms: ['x', 'linkedin', 'twitter'] } },
		{ ...days('2026-05-02T12:00:00Z'), platforms: 'twitter,linkedin' },
	],
])('%j asks for %j', (given, qs) => {
	const expected = { path: '/analytics/unified', expects: { list: ['rows', 'items'] }, qs };
	expect(requestOf(getUnified, given)).toEqual(expected);
});

test.each([
	[{ to: '' }, /'Published To' is empty/],
	[{ from: 'soon' }, /^'Published From'/],
	[{ to: 'soon' }, /^'Published To'/],
])('a time frame of its own needs two times; %j is refused by its name', (given, message) => {
	expect(() => requestOf(getUnified, { ...range, ...given })).toThrow(message);
});

test('a table: the documented columns in their order, then what nobody knows, by name; or the rows', () => {
	const given: unknown[] = [
		{ post_id: '1', platform: 'x', retweets: 2, zeal: 1 },
		{ post_id: '2', platform: 'twitter', likes: 0, engagement_rate: 0.02, attention: null },
		{ post_id: '3', platform: 'linkedin', clicks: 5, toString: 7 },
		{ post_id: '4' },
	];
	const rows = shapeOf(getUnified, range, { rows: given }) as IDataObject[];
	expect(rows.map(({ platform }) => platform)).toEqual(['x', 'x', 'linkedin', null]);
	for (const row of rows)
		expect(Object.keys(row)).toEqual([...unifiedColumns, 'attention', 'toString', 'zeal']);
	expect(rows[1]).toMatchObject({
		likes: 0,
		engagement_rate: 0.02,
		zeal: null,
		clicks: null,
		toString: null,
	});
	expect(shapeOf(getUnified, { output: 'raw' }, { rows: given.slice(0, 1) })).toEqual(given.slice(0, 1));
	expect(shapeOf(getUnified, range, { rows: [] })).toEqual([]);
});
