import { mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { says, runOperation, useService } from '../../../support/service';

/** What operations make of answers in forms that the spec doesn't show; those of the embedded service: ../resources.test.ts. */

const service = useService();

const run = async (name: string, given: IDataObject, answers: Record<string, unknown>) => {
	says(service(), answers);
	const { json, error, hints } = await runOperation(service(), name, { returnAll: true, ...given });
	return { json, error, said: hints.map(({ message }) => message as string) };
};
/** Names and values, in their order. */
const entries = (rows: object[]) => rows.map((row) => Object.entries(row));

/** What is added to the answer of each write. */
const written = { idempotency_key: expect.any(String), request_id: expect.any(String) };

const postId = 'p';
const series = { postId, granularity: 'daily', output: 'series' };
const weekly = { ...series, granularity: 'weekly' };
const ofPost = { post_id: 'p', platform: 'x', provider_post_id: '7' };
const xs = [{ platform: 'Twitter' }, { platform: 'x' }, { platform: 'linkedin' }, {}];
const onlyXs = ['Twitter', 'x'].map((platform) => ({ platform, name: null, id: null }));
const weeklySeries = [{ likes: 1 }];

/** By operation and route: with these parameters, this answer's data is these rows. */
const tables: Record<string, Array<[given: IDataObject, data: unknown, rows: object[]]>> = {
	'account:getAll GET /accounts': [
		[
			{},
			{
				accounts: [
					{ status: 'expired', id: 7, platform: 'Twitter' },
					{ name: 'Plum Ltd', id: 'acc_2', platform: 'linkedin', brand_id: 'b' },
				],
			},
			[
				{ platform: 'Twitter', name: null, id: 7, status: 'expired', brand_id: null },
				{ platform: 'linkedin', name: 'Plum Ltd', id: 'acc_2', status: null, brand_id: 'b' },
			],
		],
		// Both names of X are one platform.
		[{ filters: { platform: 'x' } }, xs, onlyXs],
		[{ filters: { platform: ' Twitter ' } }, xs, onlyXs],
	],
	'inbox:getAll GET /inbox': [
		[
			{},
			{
				items: [
					{ id: 1, unread: true, text: 'One', author: { name: 'Bo' }, platform: 'twitter' },
					{ id: 'b' },
				],
			},
			[
				{ platform: 'twitter', author: { name: 'Bo' }, text: 'One', id: 1, unread: true },
				{ platform: null, author: null, text: null, id: 'b', unread: null },
			],
		],
	],
	'analytics:getOverview GET /analytics': [
		[{}, { by_platform: { twitter: { views: 1 } } }, [{ platform: 'x', views: 1 }]],
		[{}, { by_platform: {} }, []],
		[{}, { views: 1 }, [{ views: 1 }]],
		[
			{ output: 'overview' },
			{ by_platform: { twitter: 1, LinkedIn: 2 }, platforms: ['twitter', 'x', 'Threads'] },
			[{ by_platform: { x: 1, linkedin: 2 }, platforms: ['x', 'Threads'] }],
		],
	],
	'analytics:getSummary GET /analytics/summary': [
		// A platform without figures adds no column to the others.
		[
			{},
			{ by_platform: { twitter: { posts: 1 }, tiktok: null } },
			[
				{ platform: 'x', posts: 1 },
				{ platform: 'tiktok', posts: null },
			],
		],
		[
			{ output: 'summary' },
			{ by_platform: { twitter: 1 }, insights: [{ platforms: ['twitter'] }], text: 'twitter' },
			[{ by_platform: { x: 1 }, insights: [{ platforms: ['x'] }], text: 'twitter' }],
		],
	],
	'analytics:getInsights GET /analytics/insights': [
		[
			{},
			{ insights: [{ id: 'a', platforms: ['twitter', 'LinkedIn'] }, { id: 'b' }] },
			[
				{ id: 'a', platforms: ['x', 'linkedin'] },
				{ id: 'b', platforms: null },
			],
		],
	],
	'analytics:getUnified GET /analytics/unified': [
		[{}, { rows: [] }, []],
		[{ output: 'raw' }, { rows: [{ platform: 'twitter', zeal: 1 }] }, [{ platform: 'x', zeal: 1 }]],
	],
	'post:getAnalytics GET /posts/:id/analytics': [
		[
			{ postId },
			{ ...ofPost, platform: 'twitter', daily_series: [{ likes: 1 }] },
			[{ ...ofPost, daily_series: [{ likes: 1 }] }],
		],
		[
			series,
			{ ...ofPost, series_of: [1], daily_series: [{ likes: 1 }, { likes: 2 }] },
			[1, 2].map((likes) => ({ ...ofPost, likes })),
		],
		[series, { ...ofPost, daily_series: [] }, []],
		// The spec doesn't show what a weekly series is called.
		[weekly, { daily_series: [], weekly_series: weeklySeries }, weeklySeries],
		[weekly, { daily_series: [], by_week_series: weeklySeries }, weeklySeries],
	],
	'webhook:delete DELETE /webhooks/:id': [
		[
			{ webhookId: 'wh_1' },
			{ at: 1, secret: 'a' },
			[{ deleted: true, id: 'wh_1', at: 1, secret: '[hidden]', ...written }],
		],
	],
	'webhook:getDeliveries GET /webhooks/:id/deliveries': [
		// The query of a signed address.
		[
			{ webhookId: 'wh_1' },
			[{ last_error: 'https://s.example/a?sig=1' }],
			[{ last_error: 'https://s.example/a?[hidden]' }],
		],
	],
	'post:delete DELETE /posts/:id': [
		[
			{ postId },
			{ note: 1, status: 'canceled', platforms: ['x'], content: 'Hi' },
			[
				{
					...{ platform: 'x', status: 'canceled', text: 'Hi', id: 'p', deleted: true, note: 1 },
					...{ platforms: ['x'], content: 'Hi', ...written },
				},
			],
		],
	],
	'post:cancel POST /posts/:id/cancel': [
		[{ postId }, { status: 'canceled' }, [{ status: 'canceled', id: 'p', ...written }]],
	],
	'post:update PATCH /posts/:id': [
		// An update's answer is not shown: one without a record is a success.
		[{ postId, updateFields: { status: 'draft' } }, { note: 1 }, [{ id: 'p', note: 1, ...written }]],
	],
};

describe.each(Object.entries(tables))('%s', (operation, cases) => {
	const [name = '', ...route] = operation.split(' ');

	test.each(cases)('%j: %j', async (given, data, rows) => {
		const { json, error } = await run(name, given, { [route.join(' ')]: data });
		expect(error).toBeUndefined();
		expect(entries(json)).toEqual(entries(rows));
	});
});

const [summary, unified, ofOne] = [
	'GET /analytics/summary',
	'GET /analytics/unified',
	'GET /posts/:id/analytics',
];
test.each<[name: string, given: IDataObject, route: string, data: unknown, message: string]>([
	['analytics:getSummary', {}, summary!, {}, 'no data per platform'],
	['analytics:getSummary', {}, summary!, { by_platform: null }, 'no data per platform'],
	['analytics:getSummary', {}, summary!, { by_platform: ['x'] }, 'no data per platform'],
	['analytics:getBestTimes', {}, unified!, [{ published_at: 'soon' }], 'no post with a publication time'],
	['post:getAnalytics', series, ofOne!, { daily_series: 'none' }, 'no daily series of this post'],
	['post:getAnalytics', series, ofOne!, { weekly_series: [{}] }, 'no daily series of this post'],
	['post:getAnalytics', weekly, ofOne!, { daily_series: [{}] }, 'no weekly series of this post'],
])('%s with %j: that %s says %j is an error', async (name, given, route, data, message) => {
	const { error } = await run(name, given, { [route]: data });
	expect(error.context.data).toMatchObject({
		...{ code: 'NODE_UNEXPECTED_DATA', status: 200 },
		message: expect.stringContaining(message),
		hint: expect.stringMatching(/'Output'|'Get Metrics per Post'/),
	});
});

test.each([
	['webhook:getAll', 'GET /webhooks'],
	['webhook:getDeliveries', 'GET /webhooks/:id/deliveries'],
])('%s hides a secret, whatever its field is called', async (name, route) => {
	const secrets = { secret: 'whsec_1', signingSecret: 'a', verifyToken: 'c', password: 'd', secrets: ['b'] };
	const shown = { id: 'wh_1', has_secret: true, secret_until: null };
	const { json } = await run(name, { webhookId: 'wh_1' }, { [route]: [{ ...shown, ...secrets }] });
	expect(json).toEqual([{ ...shown, ...mapValues(secrets, () => '[hidden]') }]);
});

test('metrics as a table: the documented columns in their order, then what nobody knows, by name', async () => {
	const rows: unknown[] = [
		{ post_id: '1', platform: 'x', retweets: 2, zeal: 1 },
		{ post_id: '2', platform: 'twitter', likes: 0, engagement_rate: 0.02, attention: null },
		{ post_id: '3', platform: 'linkedin', clicks: 5, toString: 7 },
		{ post_id: '4' },
	];
	const { json } = await run('analytics:getUnified', {}, { 'GET /analytics/unified': { rows } });
	expect(json.map(({ platform }) => platform)).toEqual(['x', 'x', 'linkedin', null]);
	const names = Object.keys(json[0]!);
	expect([names.slice(0, 3), names.slice(-3)]).toEqual([
		['platform', 'published_at', 'content_text'],
		['attention', 'toString', 'zeal'],
	]);
	for (const row of json) expect(Object.keys(row)).toEqual(names);
	expect(json[1]).toMatchObject({
		likes: 0,
		engagement_rate: 0.02,
		zeal: null,
		clicks: null,
		toString: null,
	});
});

test.each<[number, IDataObject, boolean]>([
	[20, {}, true],
	[20, { returnAll: false, limit: 50 }, true],
	[20, { returnAll: false, limit: 20 }, false],
	[19, {}, false],
])(
	'of insights the service returns 20 at most: %d of them with %j may not be all: %s',
	async (count, given, is) => {
		const insights = Array.from({ length: count }, (_, id) => ({ id }));
		const { said } = await run('analytics:getInsights', given, { 'GET /analytics/insights': insights });
		expect(said).toEqual(is ? [expect.stringContaining('at most 20')] : []);
	},
);

describe('the best times', () => {
	const row = (at: string, rate: unknown, platform = 'linkedin') => ({
		...{ platform, published_at: at, engagement_rate: rate },
	});
	const best = async (rows: object[], options: IDataObject = {}) =>
		await run('analytics:getBestTimes', { options }, { 'GET /analytics/unified': { rows } });

	test('hours of the week in the zone of the workflow, by the median, best first; those with fewer posts are left out', async () => {
		const rows = [
			// Monday, 00:30 in Berlin; with the change of the clocks the hour stays.
			...[0.1, 0.9, 0.2].map((rate) => row('2026-05-31T22:30:00Z', rate, 'twitter')),
			row('2026-03-22T23:59:59Z', 0.4, 'x'),
			...[0.5, 0.5, 0.1].map((rate) => row('2026-06-01T07:10:00Z', rate)),
			...[0.9, 0.9].map((rate) => row('2026-06-02T07:10:00Z', rate)),
			...[row('2026-06-02T07:10:00Z', null), row('soon', 1), {}],
		];
		const { json, said } = await best(rows);
		expect(json.map((one) => Object.entries(one).flat().join(' '))).toEqual([
			'platform linkedin day mon time 09:00 posts 3 engagement_rate 0.5',
			'platform x day mon time 00:00 posts 4 engagement_rate 0.3',
		]);
		expect(said).toEqual([
			'3 of 12 posts have no publication time or engagement rate that this node can read, so they were left out',
		]);
		const two = await best(rows, { minPosts: 2 });
		expect(two.json[0]).toMatchObject({ day: 'tue', posts: 2, engagement_rate: 0.9 });
		expect((await best(rows, { minPosts: 1 })).json).toHaveLength(3);
	});

	test('equal hours: more posts first, then by platform', async () => {
		const at = '2026-06-01T07:00Z';
		const rows = [row(at, 0.5), row(at, 0.5, 'bluesky'), row(at, 0.5, 'x'), row(at, 0.5, 'x')];
		const { json } = await best(rows, { minPosts: 1 });
		expect(json.map(({ platform }) => platform)).toEqual(['x', 'bluesky', 'linkedin']);
	});

	test('without an hour, says what would help', async () => {
		const { json, said } = await best([row('2026-06-02T07:10:00Z', 1)]);
		expect([json, said]).toEqual([
			[],
			[
				"No hour of the week has 3 or more posts with an engagement rate. Raise 'Days', or lower Options → Minimum Posts.",
			],
		]);
	});
});

test('a reply says what was sent and to what, and what the service answers', async () => {
	const reply = async (data: object) => {
		const given = { inboxItemId: 'inb_1', text: 'Thanks' };
		const { json } = await run('inbox:reply', given, { 'POST /inbox/:id/reply': data });
		return json;
	};
	const sent = { inbox_item_id: 'inb_1', text: 'Thanks', ...written };
	expect(await reply({})).toEqual([sent]);
	expect(await reply([])).toEqual([sent]);
	expect(await reply({ id: 'rep_1', text: 'Thanks!' })).toEqual([{ ...sent, id: 'rep_1', text: 'Thanks!' }]);
});

test('a post that is answered as failed has failed, be it accepted; where one is changed, that is its state', async () => {
	const post = { platforms: ['x'], text: 'Hi', when: 'now' };
	const data = { id: 'p', status: 'failed' };
	const { error } = await run('post:create', post, { 'POST /posts': data });
	expect(error).toMatchObject({ message: expect.stringMatching(/^The platform rejected the post/) });
	const { error: none } = await run('post:create', { ...post, text: 'Ho' }, { 'POST /posts': [] });
	expect(none).toMatchObject({ message: expect.stringMatching(/^Not confirmed as sent/) });
	const update = { postId, updateFields: { text: 'Hi' } };
	const { json } = await run('post:update', update, { 'PATCH /posts/:id': data });
	expect(json).toMatchObject([data]);
});

test("a reply whose text is one of the user's own fields says that text", async () => {
	const options = { apiFields: { field: [{ name: 'text', value: 'Thanks' }] } };
	const { json } = await run(
		'inbox:reply',
		{ inboxItemId: 'inb_1', text: 'x', options },
		{ 'POST /inbox/:id/reply': {} },
	);
	expect(json).toMatchObject([{ text: 'Thanks' }]);
});
