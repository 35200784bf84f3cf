import type { IDataObject } from 'n8n-workflow';

import {
	getUnified,
	unifiedColumns,
} from '../../../../../nodes/SocialPublishing/resources/analytics/getUnified';
import { requestOf, shapeOf } from '../operations';

const range = { timeframe: 'custom', from: '2026-05-01', to: '2026-05-02' };

test.each<[IDataObject, object]>([
	[{}, {}],
	[{ platforms: ['x', 'linkedin', 'twitter'] }, { platforms: 'twitter,linkedin' }],
])('asks for the range in UTC, and for the platforms of %j', (filters, more) => {
	expect(requestOf(getUnified, { ...range, filters })).toEqual({
		path: '/analytics/unified',
		expects: { list: ['rows', 'items'] },
		qs: { from: '2026-04-30T22:00:00Z', to: '2026-05-01T22:00:00Z', ...more },
	});
});

test.each([
	['all_time', '2016-06-01T12:00:00Z'],
	[undefined, '2026-05-02T12:00:00Z'],
	['last_7_days', '2026-05-25T12:00:00Z'],
	['last_90_days', '2026-03-03T12:00:00Z'],
])('time frame %s: from %s to now', (timeframe, from) => {
	const request = requestOf(getUnified, timeframe ? { timeframe } : {});
	expect(request).toMatchObject({ qs: { from, to: '2026-06-01T12:00:00Z' } });
});

test.each([
	[{ to: '' }, /'Published To' is empty/],
	[{ from: 'soon' }, /^'Published From'/],
	[{ to: 'soon' }, /^'Published To'/],
])('a time frame of its own needs two times; %j is refused by its name', (given, message) => {
	expect(() => requestOf(getUnified, { ...range, ...given })).toThrow(message);
});

test("is the service's rows, or a table", () => {
	const rows = [{ platform: 'x', views: 1 }];
	expect(shapeOf(getUnified, { ...range, output: 'raw' }, { rows })).toEqual(rows);
	expect(shapeOf(getUnified, range, { rows })).toEqual([
		{ ...Object.fromEntries(unifiedColumns.map((name) => [name, null])), platform: 'x', views: 1 },
	]);
});

test('the columns of a table: the documented ones in their order, then what nobody knows, by name', () => {
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
		...{ likes: 0, engagement_rate: 0.02, zeal: null, clicks: null, toString: null },
	});
	expect(shapeOf(getUnified, range, { rows: [] })).toEqual([]);
});
