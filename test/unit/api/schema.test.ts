import * as schemas from '../../../nodes/api/schema';

const insight = {
	...{ id: 'i', insight_type: 'growth', title: 't', description: 'd', impact: 'high', confidence: 0.5 },
	...{ actionable: true, suggested_actions: ['a'], related_metrics: { posts: 1 }, platforms: ['x'] },
	...{ created_at: '2026-01-01T00:00:00Z', dismissed: false },
};
const webhook = { id: 'w', url: 'https://a.example', events: ['post.published'] };
const check = {
	...{ verdict: 'ok', message: 'm', hint: 'h', url: 'u' },
	...{ subscriptions: 1, other_addresses: [], last_error: null },
};

/** The least that each schema asks for. */
const least: Record<keyof typeof schemas, object> = {
	envelope: { success: true },
	post: { id: 'p' },
	createdPost: { id: 'p' },
	event: { id: 'e', type: 'post.published' },
	record: {},
	account: { id: 'a' },
	workspace: { id: 'w' },
	inboxItem: { id: 'i' },
	webhook,
	webhookCreated: { webhook },
	deliveryCheck: { ...check, clock_ahead_seconds: null },
	healthItem: { check: 'c', status: 'ok', message: 'm', hint: '', facts: {} },
	delivery: {},
	insight,
	summary: { total_posts: 1, total_engagements: 2, average_engagement_rate: 0.1, by_platform: {} },
	unifiedRow: {
		...{ post_id: 'p', platform: 'x', content_text: '', published_at: '2026-01-01T00:00:00Z' },
		...{ impressions: 1, engagements: 1, engagement_rate: 1 },
	},
	deleted: { deleted: true, id: 'd' },
	postAnalytics: { post_id: 'p', platform: 'x', metrics: {} },
	media: { read_url: 'https://a.example/a.png' },
	uploadUrl: { upload_url: 'https://a.example/1', read_url: 'https://a.example/a.png' },
};
const cases = Object.entries(least) as Array<[keyof typeof schemas, object]>;

test('every schema is here', () => expect(Object.keys(least).sort()).toEqual(Object.keys(schemas).sort()));

test.each(cases)('%s: fields that nobody knows pass untouched', (name, value) => {
	const grown = { ...value, x_new: { deep: [1, null, 'text'] } };
	expect(schemas[name].parse(grown)).toEqual(grown);
});

test.each(cases)('%s: what is needed is there, and is what it should be', (name, value) => {
	for (const field of Object.keys(value))
		for (const wrong of [undefined, Symbol('no JSON')])
			expect([field, schemas[name].safeParse({ ...value, [field]: wrong }).success]).toEqual([field, false]);
	for (const none of [null, 'text', 7, undefined]) expect(schemas[name].safeParse(none).success).toBe(false);
});

test.each<[keyof typeof schemas, object]>([
	['envelope', { error: null, request_id: null, data: null }],
	['envelope', { error: { code: 'A', message: null, more: 1 } }],
	['post', { platform: null, scheduled_at: null, provider_post_id: null }],
	['account', { name: null, username: null, status: null }],
	['summary', { insights: null, recent_activity: null, by_platform: { mars: { posts: 1 } } }],
	['unifiedRow', { clicks: null, retweets: null }],
	['postAnalytics', { provider_post_id: null, last_synced_at: null, daily_series: [{ date: '2026-01-01' }] }],
])('%s may have %j', (name, more) => {
	const value = { ...least[name], ...more };
	expect(schemas[name].parse(value)).toEqual(value);
});
