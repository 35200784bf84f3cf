import { mapValues, sumBy } from 'lodash';

import { limits } from '../../../support/specification';
import { DAY, embedded, TIMESTAMP } from '../harness';

const { service, get, create, control } = embedded();
const METRICS = ['views', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'];
/** By the platform's name in analytics; the last one three days ago. */
const posts: Record<string, any> = {};

beforeAll(async () => {
	for (const [name, later] of Object.entries({ linkedin: 40, facebook: 10, twitter: 3 })) {
		const { id } = await create({
			platform: name.replace('twitter', 'x'),
			content: { text: `Seen on ${name}` },
		});
		await control(`posts/${id}/publish`);
		posts[name] = await get(`/posts/${id}`);
		await service().clock.advance(later * DAY);
	}
	await control(`posts/${(await create()).id}/fail`);
	await control('seed/posts', { count: 1, status: 'completed', workspace_id: 'ws_second' });
});

const COUNT = expect.any(Number);
const rateOf = ({ engagements, impressions }: any) => expect.closeTo(engagements / impressions, 3);
const platformsOf = (rows: any[]) => rows.map(({ platform }) => platform as string);

test('/analytics: views, likes, comments and shares of what is published, by platform', async () => {
	const { platforms } = await get('/analytics');
	expect(platformsOf(platforms)).toEqual(['twitter', 'facebook', 'linkedin']);
	for (const { platform, ...figures } of platforms) {
		expect(Object.keys(figures)).toEqual(['views', 'likes', 'comments', 'shares']);
		expect((await get(`/posts/${posts[platform].id}/analytics`)).metrics).toMatchObject(figures);
	}
});

test('/analytics/summary: sums of the platforms, each with a counter of its own', async () => {
	const { by_platform, ...totals } = await get('/analytics/summary', { timeframe: 'all_time' });
	const counters = { twitter: 'retweets', facebook: 'reactions', linkedin: 'clicks' };
	expect(Object.keys(by_platform)).toEqual(Object.keys(counters));
	for (const [platform, counter] of Object.entries(counters))
		expect(by_platform[platform]).toHaveProperty(counter);
	const all = Object.values(by_platform) as any[];
	const [engagements, impressions] = [sumBy(all, 'engagements'), sumBy(all, 'impressions')];
	expect(totals).toEqual({
		...{ total_posts: 3, total_engagements: engagements, insights: [], recent_activity: null },
		average_engagement_rate: rateOf({ engagements, impressions }),
	});
	const more = await get('/analytics/summary', { includeInsights: true, includeActivity: true });
	expect(more.insights).toEqual(await get('/analytics/insights'));
	const { id: post_id, published_at: occurred_at } = posts.twitter;
	expect(more.recent_activity[0]).toEqual({
		type: 'post.published',
		post_id,
		platform: 'twitter',
		occurred_at,
	});
});

test.each([
	[{ timeframe: 'last_7_days' }, 1],
	[{ timeframe: 'last_30_days' }, 2],
	[{}, 2],
	[{ timeframe: 'last_90_days' }, 3],
	[{ startDate: '2001-01-01', endDate: '2001-02-01', timeframe: 'all_time' }, 0],
	[{ endDate: '2001-02-01' }, 0],
	[{ startDate: '2001-02-01' }, 3],
])('/analytics/summary of %j has %d posts', async (query, count) => {
	expect((await get('/analytics/summary', query)).total_posts).toBe(count);
});

test('/analytics/unified: a row for each published post, with the figures of its platform', async () => {
	const daysAgo = (days: number) => service().clock.iso(service().clock.now() - days * DAY);
	const list = async (query = {}) =>
		await get('/analytics/unified', { from: daysAgo(60), to: daysAgo(0), ...query });
	const { rows, count } = await list();
	expect([count, platformsOf(rows)]).toEqual([3, ['twitter', 'facebook', 'linkedin']]);
	for (const row of rows) {
		const { id: post_id, text: content_text, published_at } = posts[row.platform];
		expect(row).toMatchObject({ post_id, content_text, published_at });
	}
	expect([rows[0], rows[2]]).toMatchObject([{ bookmarks: COUNT }, { save_count: COUNT }]);
	expect(platformsOf((await list({ from: daysAgo(3.1) })).rows)).toEqual(['twitter']);
	expect(platformsOf((await list({ to: daysAgo(3.1) })).rows)).toEqual(['facebook', 'linkedin']);
	expect(platformsOf((await list({ platforms: 'x,facebook' })).rows)).toEqual(['twitter', 'facebook']);
});

test('/analytics/insights: 5 of them, 20 at most, by type, platform and dismissal', async () => {
	const { standard, most } = limits['/analytics/insights'];
	const list = async (query: object): Promise<any[]> => await get('/analytics/insights', query);
	const all = await list({ limit: most });
	expect([all.length, new Set(all.map(({ id }) => id)).size]).toEqual([8, 8]);
	expect(await list({})).toEqual(all.slice(0, standard));
	expect(await list({ limit: 1 })).toEqual(all.slice(0, 1));
	for (const type of ['performance', 'timing', 'content', 'growth'])
		expect(await list({ type })).toEqual(all.filter(({ insight_type }) => insight_type === type));
	for (const dismissed of [true, false])
		expect(await list({ limit: most, dismissed })).toEqual(
			all.filter((each) => each.dismissed === dismissed),
		);
	expect(await list({ platforms: 'x' })).toEqual(
		all.filter(({ platforms }) => platforms.includes('twitter')),
	);
});

test('/posts/{id}/analytics: totals, which are the sums of its days and weeks', async () => {
	const { id: post_id, provider_post_id, published_at } = posts.linkedin;
	const path = `/posts/${post_id}/analytics`;
	const { metrics, last_synced_at, ...rest } = await get(path);
	expect(rest).toEqual({ post_id, platform: 'linkedin', provider_post_id });
	expect([Object.keys(metrics), last_synced_at]).toEqual([METRICS, expect.stringMatching(TIMESTAMP)]);
	expect(metrics.impressions).toBeGreaterThan(0);
	const series = async (granularity: string, name: string, date: string, step: number, query = {}) => {
		const rows = (await get(path, { granularity, ...query }))[name];
		const times = rows.map((row: any) => Date.parse(row[date])) as number[];
		expect(times).toEqual(times.map((_, i) => times[0]! + i * step * DAY));
		return { rows, sums: Object.fromEntries(METRICS.map((metric) => [metric, sumBy(rows, metric)])), times };
	};
	const days = await series('daily', 'daily_series', 'date', 1);
	const weeks = await series('weekly', 'weekly_series', 'week_start', 7);
	expect([days.sums, weeks.sums]).toEqual([metrics, metrics]);
	expect([days.rows[0].date, new Date(weeks.times[0]!).getUTCDay()]).toEqual([published_at.slice(0, 10), 1]);
	const range = { from: days.rows[1].date, to: days.rows[2].date };
	expect((await series('daily', 'daily_series', 'date', 1, range)).rows).toEqual(days.rows.slice(1, 3));
	const { id } = await create({ platform: 'x' });
	const before = await get(`/posts/${id}/analytics`);
	expect(before).toMatchObject({ platform: 'twitter', metrics: mapValues(metrics, () => 0) });
	expect(before).not.toHaveProperty('provider_post_id');
});
