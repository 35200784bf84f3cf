import { startService, type Service } from '../../service';
import { client, control, HOUR, newPost, row, TIMESTAMP } from './harness';

/** The shapes of answers: envelope, posts, analytics. Numbers are compared with each other, not just typed. */
let service: Service;
const published: Record<string, any> = {};
const call = client(() => service);

beforeAll(async () => {
	service = await startService();
	for (const platform of ['linkedin', 'x', 'facebook']) {
		const body = newPost(service, { platform, content: { text: `Seen on ${platform}`, media: [] } });
		const { data } = await call('POST', '/posts', { body });
		await control(service, `posts/${data.id}/publish`);
		published[platform] = data;
	}
	await service.clock.advance(16 * 24 * HOUR);
});
afterAll(async () => await service.close());

const summary = async (query = {}) => (await call('GET', '/analytics/summary', { query })).data;
const range = () => ({ from: '2020-01-01', to: service.clock.iso() });
const unified = async () => (await call('GET', '/analytics/unified', { query: range() })).data;
const rowOf = async (platform: string) => {
	const own = published[platform === 'twitter' ? 'x' : platform].id;
	const { rows } = await unified();
	return rows.find((each: any) => each.platform === platform && each.post_id === own);
};
const insights = async (query = {}) => (await call('GET', '/analytics/insights', { query })).data as any[];
const ofPost = async (query = {}) =>
	(await call('GET', `/posts/${published.linkedin.id}/analytics`, { query })).data;
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const METRICS = ['views', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'];
const sum = (rows: any[], field: string) => rows.reduce((total, each) => total + each[field], 0);

describe('Resources: envelope', () => {
	row('Response envelope · Success', async () => {
		const paths = ['/workspaces', '/accounts', '/posts', '/approvals', '/social-connections', '/usage'];
		paths.push('/webhooks', '/analytics', '/analytics/summary', '/analytics/insights', '/inbox');
		const seen = new Set<string>();
		for (const path of paths) {
			const { status, body, headers } = await call('GET', path);
			expect([path, status, Object.keys(body).sort()]).toEqual([
				path,
				200,
				['data', 'request_id', 'success'],
			]);
			expect(body.success).toBe(true);
			expect(typeof body.data).toBe('object');
			expect(headers['content-type']).toMatch(/^application\/json/);
			seen.add(body.request_id);
		}
		expect(seen.size).toBe(paths.length);
	});
	row('Response envelope · Failure', async () => {
		const failures = [
			await call('GET', '/accounts', { key: 'wrong' }),
			await call('GET', '/posts/post_none'),
			await call('GET', '/no/such/path'),
			await call('PUT', '/posts', { body: {} }),
			await call('POST', '/posts', { body: {} }),
		];
		for (const { status, body } of failures) {
			expect(status).toBeGreaterThanOrEqual(400);
			expect(body).toEqual({
				success: false,
				error: {
					code: expect.stringMatching(/^PUBLIC_API_[A-Z_]+$/),
					message: expect.stringMatching(/\w/),
				},
				request_id: expect.stringMatching(/\w/),
			});
		}
	});
});

describe('Resources: post input shapes', () => {
	row('Post · Integration guide', async () => {
		const upload = await call('POST', '/media/upload-url', {
			body: { filename: 'a.png', content_type: 'image/png', size: 3 },
		});
		const content = { text: 'In the guide’s shape', media: [upload.data.read_url] };
		const body = newPost(service, { content });
		// The read_url counts once the bytes are there.
		expect(await call('POST', '/posts', { body })).toMatchObject({ status: 400 });
		await fetch(upload.data.upload_url, {
			method: 'PUT',
			headers: { 'content-type': 'image/png' },
			body: 'png',
		});
		const { status, data } = await call('POST', '/posts', { body });
		expect(status).toBe(201);
		expect(data).toMatchObject({ id: expect.any(String), status: 'scheduled', content });
		expect(data).not.toHaveProperty('provider_post_id');
		expect(Date.parse(data.scheduled_at)).toBe(Date.parse(body.scheduled_at));
	});
	row('Post · Quick start', async () => {
		const schedule_at = newPost(service).scheduled_at;
		const body = { content: 'In the quick shape', platforms: ['linkedin', 'x'], schedule_at };
		const { status, data } = await call('POST', '/posts', { body });
		expect(status).toBe(201);
		expect(data).toMatchObject({ id: expect.any(String), status: 'scheduled' });
		const single = await call('GET', `/posts/${data.id}`);
		expect(single.data.platforms).toEqual([
			expect.objectContaining({ platform: 'linkedin', status: 'scheduled' }),
			expect.objectContaining({ platform: 'x', status: 'scheduled' }),
		]);
	});
});

describe('Resources: summary analytics', () => {
	row('Summary analytics · total_posts', async () => {
		const { total_posts, by_platform } = await summary();
		expect(isCount(total_posts)).toBe(true);
		expect(total_posts).toBeGreaterThanOrEqual(3);
		expect(total_posts).toBe(sum(Object.values(by_platform), 'posts'));
	});
	row('Summary analytics · total_engagements', async () => {
		const { total_engagements, by_platform } = await summary();
		expect(isCount(total_engagements)).toBe(true);
		expect(total_engagements).toBe(sum(Object.values(by_platform), 'engagements'));
	});
	row('Summary analytics · average_engagement_rate', async () => {
		const { average_engagement_rate, total_engagements, by_platform } = await summary();
		expect(average_engagement_rate).toBeGreaterThan(0);
		expect(average_engagement_rate).toBeLessThan(1);
		expect(average_engagement_rate).toBeCloseTo(
			total_engagements / sum(Object.values(by_platform), 'impressions'),
			3,
		);
	});
	row('Summary analytics · by_platform', async () => {
		const { by_platform } = await summary();
		const common = ['posts', 'engagements', 'engagement_rate', 'impressions'];
		expect(Object.keys(by_platform)).toEqual(expect.arrayContaining(['linkedin', 'twitter', 'facebook']));
		expect(by_platform).not.toHaveProperty('x');
		for (const [platform, counter] of Object.entries({
			linkedin: 'clicks',
			twitter: 'retweets',
			facebook: 'reactions',
		})) {
			expect(Object.keys(by_platform[platform]).sort()).toEqual([...common, counter].sort());
			expect(isCount(by_platform[platform][counter])).toBe(true);
		}
	});
	row('Summary analytics · insights', async () => {
		expect((await summary()).insights).toEqual([]);
		expect((await summary({ includeInsights: false })).insights).toEqual([]);
		const [insight] = (await summary({ includeInsights: true })).insights;
		expect(insight).toHaveProperty('insight_type');
	});
	row('Summary analytics · recent_activity', async () => {
		expect((await summary()).recent_activity).toBeNull();
		expect((await summary({ includeActivity: true })).recent_activity).not.toBeNull();
	});
});

describe('Resources: unified rows', () => {
	row('Unified row · post_id', async () => {
		expect((await rowOf('linkedin')).post_id).toBe(published.linkedin.id);
	});
	row('Unified row · platform', async () => {
		expect(await rowOf('linkedin')).toBeDefined();
		expect(await rowOf('twitter')).toBeDefined();
		expect((await unified()).rows.map((each: any) => each.platform)).not.toContain('x');
	});
	row('Unified row · content_text', async () => {
		expect((await rowOf('linkedin')).content_text).toBe('Seen on linkedin');
	});
	row('Unified row · published_at', async () => {
		const { data } = await call('GET', `/posts/${published.linkedin.id}`);
		expect((await rowOf('linkedin')).published_at).toMatch(TIMESTAMP);
		expect((await rowOf('linkedin')).published_at).toBe(data.published_at);
	});
	row('Unified row · impressions, engagements', async () => {
		const { impressions, engagements } = await rowOf('linkedin');
		expect([impressions, engagements].every(isCount)).toBe(true);
		expect(impressions).toBeGreaterThanOrEqual(engagements);
	});
	row('Unified row · engagement_rate', async () => {
		const { engagement_rate, impressions, engagements } = await rowOf('linkedin');
		expect(engagement_rate).toBeCloseTo(engagements / impressions, 3);
	});
	row('Unified row · linkedin-style rows', async () => {
		const linkedin = await rowOf('linkedin');
		for (const field of ['clicks', 'comments', 'shares', 'reactions', 'reach', 'save_count']) {
			expect([field, isCount(linkedin[field])]).toEqual([field, true]);
		}
		expect(linkedin).not.toHaveProperty('retweets');
	});
	row('Unified row · twitter-style rows', async () => {
		const twitter = await rowOf('twitter');
		for (const field of ['retweets', 'replies', 'likes', 'bookmarks']) {
			expect([field, isCount(twitter[field])]).toEqual([field, true]);
		}
		expect(twitter).not.toHaveProperty('reactions');
	});
});

describe('Resources: insights', () => {
	const each = (check: (insight: any) => void) => async () => {
		const found = await insights({ limit: 20 });
		expect(found.length).toBeGreaterThan(1);
		found.forEach(check);
	};
	row('Insight · id', async () => {
		const ids = (await insights({ limit: 20 })).map(({ id }) => id as unknown);
		expect(ids.every((id) => typeof id === 'string')).toBe(true);
		expect(new Set(ids).size).toBe(ids.length);
	});
	row('Insight · insight_type', async () => {
		for (const type of ['performance', 'timing', 'content', 'growth']) {
			for (const insight of await insights({ type })) expect(insight.insight_type).toBe(type);
		}
		const types = (await insights({ limit: 20 })).map(({ insight_type }) => insight_type);
		expect(['performance', 'timing', 'content', 'growth']).toEqual(expect.arrayContaining(types));
	});
	row(
		'Insight · title, description',
		each(({ title, description }) => {
			expect(title).toMatch(/\w/);
			expect(description).toMatch(/\w/);
		}),
	);
	row(
		'Insight · impact',
		each(({ impact }) => expect(impact).toMatch(/^\w+$/)),
	);
	row(
		'Insight · confidence',
		each(({ confidence }) => {
			expect(confidence).toBeGreaterThanOrEqual(0);
			expect(confidence).toBeLessThanOrEqual(1);
		}),
	);
	row(
		'Insight · actionable',
		each(({ actionable }) => expect(typeof actionable).toBe('boolean')),
	);
	row(
		'Insight · suggested_actions',
		each(({ suggested_actions }) =>
			expect(suggested_actions).toEqual(suggested_actions.map(() => expect.any(String))),
		),
	);
	row(
		'Insight · related_metrics',
		each(({ related_metrics }) => {
			expect(Array.isArray(related_metrics)).toBe(false);
			for (const value of Object.values(related_metrics)) expect(typeof value).toBe('number');
		}),
	);
	row(
		'Insight · platforms',
		each(({ platforms }) => expect(platforms).toEqual(platforms.map(() => expect.any(String)))),
	);
	row(
		'Insight · created_at',
		each(({ created_at }) => expect(created_at).toMatch(TIMESTAMP)),
	);
	row('Insight · dismissed', async () => {
		for (const insight of await insights({ dismissed: false })) expect(insight.dismissed).toBe(false);
		for (const insight of await insights({ dismissed: true })) expect(insight.dismissed).toBe(true);
	});
});

describe('Resources: analytics of a post', () => {
	row('Per-post analytics · post_id', async () => {
		expect((await ofPost()).post_id).toBe(published.linkedin.id);
	});
	row('Per-post analytics · platform', async () => {
		expect((await ofPost()).platform).toBe('linkedin');
	});
	row('Per-post analytics · provider_post_id', async () => {
		const { data } = await call('GET', `/posts/${published.linkedin.id}`);
		expect(data.provider_post_id).toEqual(expect.any(String));
		expect((await ofPost()).provider_post_id).toBe(data.provider_post_id);
	});
	row('Per-post analytics · metrics', async () => {
		const { metrics } = await ofPost();
		expect(Object.keys(metrics).sort()).toEqual([...METRICS].sort());
		expect(Object.values(metrics).every(isCount)).toBe(true);
		expect(metrics.impressions).toBeGreaterThan(0);
	});
	row('Per-post analytics · last_synced_at', async () => {
		expect((await ofPost()).last_synced_at).toMatch(TIMESTAMP);
	});
	row('Per-post analytics · daily_series', async () => {
		expect(await ofPost()).not.toHaveProperty('daily_series');
		const { metrics, daily_series } = await ofPost({ granularity: 'daily' });
		expect(daily_series.length).toBeGreaterThan(10);
		for (const day of daily_series) {
			expect(Object.keys(day).sort()).toEqual(['date', ...METRICS].sort());
			expect(day.date).toMatch(/^\d{4}-\d\d-\d\d$/);
		}
		for (const name of METRICS) expect([name, sum(daily_series, name)]).toEqual([name, metrics[name]]);
		const [first, second, third] = daily_series;
		const part = await ofPost({ granularity: 'daily', from: second.date, to: third.date });
		expect(part.daily_series.map(({ date }: any) => date)).toEqual([second.date, third.date]);
		expect(first.date < second.date && second.date < third.date).toBe(true);
	});
});
