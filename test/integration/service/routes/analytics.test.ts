import { limits } from '../../../support/specification';
import { DAY, embedded, HOUR, TIMESTAMP } from '../harness';

const { service, call, get, create, control } = embedded();
const at = (ms: number) => service().clock.iso(ms);
const METRICS = ['views', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'];
const sum = (rows: any[], field: string) => rows.reduce((total, each) => total + each[field], 0) as number;
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
/** By platform, the last one three days ago. */
const posts: Record<string, any> = {};

beforeAll(async () => {
	for (const [platform, later] of Object.entries({ linkedin: 40, facebook: 10, x: 3 })) {
		const { id } = await create({ platform, content: { text: `Seen on ${platform}` } });
		await control(`posts/${id}/publish`);
		posts[platform] = await get(`/posts/${id}`);
		await service().clock.advance(later * DAY);
	}
	await create();
	await control(`posts/${(await create()).id}/fail`);
	await control('seed/posts', { count: 1, status: 'completed', workspace_id: 'ws_second' });
});

const range = () => ({ from: at(service().clock.now() - 60 * DAY), to: service().clock.iso() });
const rowsOf = async (query = {}) =>
	(await get('/analytics/unified', { ...range(), ...query })).rows as any[];

test('/analytics: views, likes, comments and shares of what is published, by platform', async () => {
	const { platforms } = await get('/analytics');
	expect(platforms.map(({ platform }: any) => platform)).toEqual(['twitter', 'facebook', 'linkedin']);
	for (const { platform, ...figures } of platforms) {
		const { metrics } = await get(`/posts/${posts[platform === 'twitter' ? 'x' : platform].id}/analytics`);
		const { views, likes, comments, shares } = metrics;
		expect(figures).toEqual({ views, likes, comments, shares });
	}
});

test('/analytics/summary: sums by platform, each with a counter of its own', async () => {
	const { by_platform, insights, recent_activity, ...totals } = await get('/analytics/summary', {
		timeframe: 'all_time',
	});
	const counters = { linkedin: 'clicks', twitter: 'retweets', facebook: 'reactions' };
	const all = Object.values(by_platform) as any[];
	expect(Object.keys(by_platform).sort()).toEqual(Object.keys(counters).sort());
	for (const [platform, counter] of Object.entries(counters)) {
		const { engagement_rate, ...figures } = by_platform[platform];
		expect(Object.keys(figures).sort()).toEqual(['engagements', 'impressions', 'posts', counter].sort());
		expect(Object.values(figures).every(isCount)).toBe(true);
		expect(engagement_rate).toBeCloseTo(figures.engagements / figures.impressions, 3);
	}
	expect(totals).toEqual({
		total_posts: 3,
		total_engagements: sum(all, 'engagements'),
		average_engagement_rate: expect.closeTo(sum(all, 'engagements') / sum(all, 'impressions'), 3),
	});
	expect(totals.average_engagement_rate).toBeLessThan(1);
	expect(sum(all, 'posts')).toBe(3);
	expect([insights, recent_activity]).toEqual([[], null]);
	const more = await get('/analytics/summary', { includeInsights: true, includeActivity: true });
	expect(more.insights).toEqual(await get('/analytics/insights'));
	expect(more.recent_activity[0]).toEqual({
		...{
			type: 'post.published',
			post_id: posts.x.id,
			platform: 'twitter',
			occurred_at: posts.x.published_at,
		},
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
	const { rows, count } = await get('/analytics/unified', range());
	expect([count, rows.map(({ post_id }: any) => post_id)]).toEqual([
		3,
		[posts.x.id, posts.facebook.id, posts.linkedin.id],
	]);
	const special = {
		linkedin: ['clicks', 'comments', 'shares', 'reactions', 'reach', 'save_count'],
		twitter: ['retweets', 'replies', 'likes', 'bookmarks'],
	};
	for (const [platform, names] of Object.entries(special)) {
		const { post_id, content_text, published_at, engagement_rate, ...counters } = rows.find(
			(each: any) => each.platform === platform,
		);
		const post = posts[platform === 'twitter' ? 'x' : platform];
		expect([post_id, content_text, published_at]).toEqual([post.id, post.text, post.published_at]);
		expect(Object.keys(counters).sort()).toEqual(['engagements', 'impressions', 'platform', ...names].sort());
		expect(Object.entries(counters).every(([name, value]) => name === 'platform' || isCount(value))).toBe(
			true,
		);
		expect(engagement_rate).toBeCloseTo(counters.engagements / counters.impressions, 3);
	}
	const recent = { from: at(service().clock.now() - 3 * DAY - HOUR) };
	expect((await rowsOf(recent)).map(({ post_id }) => post_id)).toEqual([posts.x.id]);
	expect((await rowsOf({ to: recent.from })).map(({ post_id }) => post_id)).toHaveLength(2);
	expect((await rowsOf({ platforms: 'x,facebook' })).map(({ platform }) => platform)).toEqual([
		'twitter',
		'facebook',
	]);
});

test('/analytics/insights: of all fields, 5 of them, 20 at most, by type, platform and dismissal', async () => {
	const { standard, most } = limits['/analytics/insights'];
	const all = (await get('/analytics/insights', { limit: most })) as any[];
	expect([all.length, new Set(all.map(({ id }) => id)).size]).toEqual([8, 8]);
	for (const insight of all)
		expect(insight).toEqual({
			...{
				id: expect.any(String),
				insight_type: expect.stringMatching(/^(performance|timing|content|growth)$/),
			},
			...{ title: expect.stringMatching(/\w/), description: expect.stringMatching(/\w/) },
			...{ impact: expect.stringMatching(/^(high|medium)$/), confidence: expect.closeTo(0.5, 0) },
			...{ actionable: expect.any(Boolean), dismissed: expect.any(Boolean), platforms: expect.any(Array) },
			...{ suggested_actions: expect.any(Array), related_metrics: expect.any(Object) },
			created_at: expect.stringMatching(TIMESTAMP),
		});
	const list = async (query: object) => await get('/analytics/insights', query);
	expect(await list({})).toEqual(all.slice(0, standard));
	expect(await list({ limit: 1 })).toEqual(all.slice(0, 1));
	expect(await list({ type: 'timing' })).toEqual(all.filter(({ insight_type }) => insight_type === 'timing'));
	for (const dismissed of [true, false])
		expect(await list({ limit: most, dismissed })).toEqual(
			all.filter((each) => each.dismissed === dismissed),
		);
	expect(await list({ platforms: 'x' })).toEqual(
		all.filter(({ platforms }) => platforms.includes('twitter')),
	);
});

test('/posts/{id}/analytics: totals, which are the sums of its days and weeks', async () => {
	const path = `/posts/${posts.linkedin.id}/analytics`;
	const totals = await get(path);
	expect(totals).toEqual({
		...{
			post_id: posts.linkedin.id,
			platform: 'linkedin',
			provider_post_id: posts.linkedin.provider_post_id,
		},
		...{ metrics: expect.any(Object), last_synced_at: expect.stringMatching(TIMESTAMP) },
	});
	expect(Object.keys(totals.metrics).sort()).toEqual([...METRICS].sort());
	expect(totals.metrics.impressions).toBeGreaterThan(0);
	for (const [granularity, series, date] of [
		['daily', 'daily_series', 'date'],
		['weekly', 'weekly_series', 'week_start'],
	] as const) {
		const { [series]: rows, ...rest } = await get(path, { granularity });
		expect(rest).toEqual({ ...totals, last_synced_at: expect.any(String) });
		for (const row of rows) expect(Object.keys(row).sort()).toEqual([...METRICS, date].sort());
		const days = rows.map((row: any) => Date.parse(row[date])) as number[];
		const step = granularity === 'daily' ? DAY : 7 * DAY;
		expect(days.slice(1).map((day, i) => day - days[i]!)).toEqual(Array(days.length - 1).fill(step));
		if (granularity === 'weekly') expect(new Date(days[0]!).getUTCDay()).toBe(1);
		else expect(rows[0].date).toBe(posts.linkedin.published_at.slice(0, 10));
		expect(METRICS.map((name) => sum(rows, name))).toEqual(METRICS.map((name) => totals.metrics[name]));
	}
	const { daily_series: days } = await get(path, { granularity: 'daily' });
	const part = await get(path, { granularity: 'daily', from: days[1].date, to: days[2].date });
	expect(part.daily_series).toEqual(days.slice(1, 3));
	const { id } = await create({ platform: 'x' });
	const before = await get(`/posts/${id}/analytics`);
	expect([
		before.platform,
		sum(
			Object.values(before.metrics).map((value) => ({ value })),
			'value',
		),
	]).toEqual(['twitter', 0]);
	expect(before).not.toHaveProperty('provider_post_id');
});

test.each([
	...[
		'summary?timeframe=last_year',
		'summary?startDate=x',
		'summary?endDate=x',
		'summary?includeInsights=perhaps',
	],
	...[
		'summary?startDate=2026-02-01&endDate=2026-01-01',
		'summary?unknown=1',
		'unified',
		'unified?from=2026-01-01',
	],
	...['unified?to=2026-01-01', 'unified?from=x&to=2026-01-01', 'unified?from=2026-02-01&to=2026-01-01'],
	...[
		'unified?from=2026-01-01&to=2026-02-01&platforms=linkedin,myspace',
		'insights?limit=0',
		'insights?limit=21',
	],
	...[
		'insights?type=gossip',
		'insights?dismissed=perhaps',
		'insights?platforms=myspace',
		'post?granularity=hourly',
	],
	...['post?granularity=daily&from=x', 'post?from=2026-02-01&to=2026-01-01'],
])('%s is refused', async (query) => {
	const path = query.startsWith('post')
		? query.replace('post', `/posts/${posts.x.id}/analytics`)
		: `/analytics/${query}`;
	expect(await call('GET', path)).toMatchObject({ status: 400, code: 'PUBLIC_API_QUERY_INVALID' });
});
