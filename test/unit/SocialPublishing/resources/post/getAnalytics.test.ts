import type { IDataObject } from 'n8n-workflow';

import { getAnalytics } from '../../../../../nodes/SocialPublishing/resources/post/getAnalytics';
import { requestOf, shapeOf } from '../operations';

test.each<[IDataObject, object]>([
	[{ filters: {} }, {}],
	[
		{ granularity: 'weekly', filters: { from: '2026-05-01', to: '2026-05-02T10:00' } },
		{ granularity: 'weekly', from: '2026-04-30T22:00:00Z', to: '2026-05-02T08:00:00Z' },
	],
])('%j', (given, qs) => {
	expect(requestOf(getAnalytics, { postId: 'p/1', ...given })).toEqual({
		path: '/posts/p%2F1/analytics',
		qs,
	});
});

test.each<[IDataObject, RegExp]>([
	[{ postId: '..' }, /^'Post'/],
	[{ filters: { from: 'soon' } }, /^'Series From'/],
	[{ filters: { to: 'soon' } }, /^'Series To'/],
])('%j is refused by the name of the field', (given, message) => {
	expect(() => requestOf(getAnalytics, { postId: 'p', ...given })).toThrow(message);
});

test('is one item with everything, or one a day or week, each with its post', () => {
	const series = (data: IDataObject) =>
		shapeOf(getAnalytics, { postId: 'p', granularity: 'daily', output: 'series' }, data);
	const post = { post_id: 'p', platform: 'x', provider_post_id: '7' };
	const data = { ...post, series_of: [1], daily_series: [{ likes: 1 }, { likes: 2 }] };
	expect(shapeOf(getAnalytics, { postId: 'p' }, data)).toBe(data);
	expect(series(data)).toEqual([
		{ ...post, likes: 1 },
		{ ...post, likes: 2 },
	]);
	expect(series({ ...post, daily_series: 'none' })).toEqual([]);
});
