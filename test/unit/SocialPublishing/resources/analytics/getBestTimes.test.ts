import type { IDataObject } from 'n8n-workflow';

import { getBestTimes } from '../../../../../nodes/SocialPublishing/resources/analytics/getBestTimes';
import { fakeItem, paramsOf, requestOf, shapeOf } from '../operations';

const row = (at: string, rate: unknown, platform = 'linkedin') => ({
	platform,
	published_at: at,
	engagement_rate: rate,
});
const best = (rows: object[], leastPosts?: number) =>
	shapeOf(getBestTimes, leastPosts === undefined ? {} : { options: { leastPosts } }, {
		rows,
	}) as IDataObject[];

test('asks for the metrics per post', () => {
	const given = { days: 7, filters: { platforms: ['x', 'twitter'] } };
	const qs = { from: '2026-05-25T12:00:00Z', to: '2026-06-01T12:00:00Z', platforms: 'twitter' };
	expect(requestOf(getBestTimes, given)).toMatchObject({ path: '/analytics/unified', qs });
	expect(requestOf(getBestTimes, {}).qs).toMatchObject({ from: '2026-03-03T12:00:00Z' });
});

test('hours of the week in the zone of the workflow, by the median, best first; those with fewer posts are left out', () => {
	const rows = [
		// Monday, 00:30 in Berlin; with the change of the clocks the hour stays.
		...[0.1, 0.9, 0.2].map((rate) => row('2026-05-31T22:30:00Z', rate, 'twitter')),
		row('2026-03-22T23:59:59Z', 0.4, 'x'),
		...[0.5, 0.5, 0.1].map((rate) => row('2026-06-01T07:10:00Z', rate)),
		...[0.9, 0.9].map((rate) => row('2026-06-02T07:10:00Z', rate)),
		...[row('2026-06-02T07:10:00Z', null), row('soon', 1), {}],
	];
	expect(best(rows).map((one) => Object.entries(one).flat().join(' '))).toEqual([
		'platform linkedin day mon time 09:00 posts 3 engagement_rate 0.5',
		`platform x day mon time 00:00 posts 4 engagement_rate ${(0.2 + 0.4) / 2}`,
	]);
	expect(best(rows, 2)[0]).toMatchObject({ day: 'tue', posts: 2, engagement_rate: 0.9 });
	expect(best(rows, 1)).toHaveLength(3);
	expect(best([])).toEqual([]);
});

test('equal hours: more posts first, then by platform', () => {
	const at = '2026-06-01T07:00Z';
	const rows = [row(at, 0.5), row(at, 0.5, 'bluesky'), row(at, 0.5, 'x'), row(at, 0.5, 'x')];
	expect(best(rows, 1).map(({ platform }) => platform)).toEqual(['x', 'bluesky', 'linkedin']);
});

test('rows without what is needed are an error', () =>
	expect(() => best([{ platform: 'x', published_at: 'soon', engagement_rate: 1 }])).toThrow(
		/no post with a publication time/,
	));

test('without an hour, says what would help', () => {
	const hint = jest.fn();
	const rows = [row('2026-06-02T07:10:00Z', 1)];
	const { context } = fakeItem({ item: { hint } });
	expect(getBestTimes.shape!({ rows } as never, paramsOf(getBestTimes, {}), context)).toEqual([]);
	const said = "No hour of the week has 3 posts. Raise 'Days', or lower the option 'Minimum Posts'.";
	expect(hint.mock.calls).toEqual([[said, 'info']]);
});
