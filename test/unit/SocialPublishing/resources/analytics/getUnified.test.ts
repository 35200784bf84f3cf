import fc from 'fast-check';
import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import {
	columns,
	getUnified,
	table,
} from '../../../../../nodes/SocialPublishing/resources/analytics/getUnified';
import { runs } from '../../../../support/property';
import { requestOf, shapeOf } from '../operations';

const range = { from: '2026-05-01', to: '2026-05-02' };

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
	['from', /^'Published From'/],
	['to', /^'Published To'/],
])('%s that is no time is refused by its name', (name, message) => {
	expect(() => requestOf(getUnified, { ...range, [name]: 'soon' })).toThrow(message);
});

test("is the service's rows, or a table", () => {
	const rows = [{ platform: 'x', views: 1 }];
	expect(shapeOf(getUnified, { ...range, output: 'raw' }, { rows })).toEqual(rows);
	expect(shapeOf(getUnified, range, { rows })).toEqual([
		{ ...Object.fromEntries(columns.map((name) => [name, null])), platform: 'x', views: 1 },
	]);
});

test('the columns of a table: the documented ones in their order, then what nobody knows, by name', () => {
	const rows = table([
		{ post_id: '1', platform: 'x', retweets: 2, zeal: 1 },
		{ post_id: '2', platform: 'twitter', likes: 0, engagement_rate: 0.02, attention: null },
		{ post_id: '3', platform: 'linkedin', clicks: 5 },
		{ post_id: '4' },
	]);
	expect(rows.map(({ platform }) => platform)).toEqual(['x', 'x', 'linkedin', null]);
	for (const row of rows) expect(Object.keys(row)).toEqual([...columns, 'attention', 'zeal']);
	expect(rows[1]).toMatchObject({ likes: 0, engagement_rate: 0.02, zeal: null, clicks: null });
	expect(table([])).toEqual([]);
});

test('a table of any rows: nothing is lost, and the columns are the same for all', () => {
	const row = fc.dictionary(
		fc.string({ minLength: 1 }),
		fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
	);
	fc.assert(
		fc.property(fc.array(row), (rows) => {
			const made = table(rows as IDataObject[]);
			expect(made).toHaveLength(rows.length);
			expect(new Set(made.map((one) => Object.keys(one).join('\n'))).size).toBeLessThanOrEqual(1);
			rows.forEach((one, i) => {
				expect(made[i]).toMatchObject(omit(one, 'platform'));
			});
		}),
		runs(100),
	);
});
