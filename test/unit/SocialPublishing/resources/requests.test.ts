import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/errors';
import { perPlatform } from '../../../../nodes/SocialPublishing/resources/analytics/getOverview';
import { NOW, requestOf, runOf, shapeOf, type Given } from './operations';

/** From the parameters of a node to the request, as the service's documentation has it. */
describe('operations of one request', () => {
	test.each<[string, IDataObject, object, Given?]>([
		['usage.get', {}, { path: '/usage' }],
		['socialConnection.getAll', {}, { path: '/social-connections' }],
		['workspace.getAll', {}, { path: '/workspaces', workspaceId: null }],
		['webhook.getAll', {}, { path: '/webhooks' }],
		['account.getAll', {}, { path: '/accounts' }],
		['inbox.getAll', { options: { query: '{"unread":true}' } }, { path: '/inbox', qs: { unread: true } }],
		['analytics.getOverview', { options: { query: { a: 1 } } }, { path: '/analytics', qs: { a: 1 } }],
		['post.get', { postId: 'p/1' }, { path: '/posts/p%2F1' }],
		['post.cancel', { postId: 'p_1' }, { path: '/posts/p_1/cancel' }],
		['post.delete', { postId: 'p_1' }, { path: '/posts/p_1' }],
		['post.getAnalytics', { postId: 'p_1' }, { path: '/posts/p_1/analytics', qs: {} }],
		[
			'post.getAnalytics',
			{ postId: 'p_1', granularity: 'weekly', filters: { from: '2026-05-01', to: '2026-05-02T10:00' } },
			{
				path: '/posts/p_1/analytics',
				qs: { granularity: 'weekly', from: '2026-04-30T22:00:00Z', to: '2026-05-02T08:00:00Z' },
			},
		],
		[
			'inbox.reply',
			{ inboxItemId: 'inb_1', text: 'Thanks' },
			{ path: '/inbox/inb_1/reply', body: { text: 'Thanks' }, keyParts: ['inb_1', 'Thanks'] },
		],
		[
			'media.createUploadUrl',
			{ fileName: 'a.png', contentType: ' Image/PNG ', size: 7 },
			{
				path: '/media/upload-url',
				body: { filename: 'a.png', content_type: 'image/png', size: 7 },
				sensitive: true,
			},
		],
		[
			'webhook.create',
			{ url: ' https://a.example/hook ', events: ['post.failed'] },
			{
				path: '/webhooks',
				body: { url: 'https://a.example/hook', events: ['post.failed'] },
				sensitive: true,
			},
		],
		[
			'webhook.create',
			{ url: 'https://a.example', events: ['post.failed'], description: 'Newsroom' },
			{
				path: '/webhooks',
				body: { url: 'https://a.example', events: ['post.failed'], description: 'Newsroom' },
				sensitive: true,
			},
		],
		['webhook.delete', { webhookId: 'wh_1' }, { path: '/webhooks/wh_1' }],
		['webhook.getDeliveries', { webhookId: 'wh_1' }, { path: '/webhooks/wh_1/deliveries' }],
		[
			'webhook.getDeliveries',
			{ webhookId: 'wh_1', filters: { status: 'failed' } },
			{ path: '/webhooks/wh_1/deliveries', qs: { status: 'failed' } },
		],
		['analytics.getInsights', { limit: 7 }, { path: '/analytics/insights', qs: { limit: 7 } }],
		['analytics.getInsights', { limit: 70 }, { path: '/analytics/insights', qs: { limit: 20 } }],
		[
			'analytics.getInsights',
			{
				returnAll: true,
				limit: 7,
				filters: { type: 'growth', platforms: ['x', 'linkedin'], dismissed: false },
			},
			{
				path: '/analytics/insights',
				qs: { limit: 20, type: 'growth', platforms: 'twitter,linkedin', dismissed: false },
			},
		],
		[
			'analytics.getSummary',
			{ timeframe: 'all_time' },
			{ path: '/analytics/summary', qs: { timeframe: 'all_time' } },
		],
		[
			'analytics.getSummary',
			{
				filters: {
					startDate: '2026-05-01',
					endDate: '2026-05-02',
					includeInsights: false,
					includeActivity: true,
				},
			},
			{
				path: '/analytics/summary',
				qs: {
					timeframe: 'last_30_days',
					startDate: '2026-04-30T22:00:00Z',
					endDate: '2026-05-01T22:00:00Z',
					includeInsights: false,
					includeActivity: true,
				},
			},
		],
		[
			'analytics.getUnified',
			{ from: '2026-05-01', to: '2026-05-02' },
			{ path: '/analytics/unified', qs: { from: '2026-04-30T22:00:00Z', to: '2026-05-01T22:00:00Z' } },
		],
		[
			'analytics.getUnified',
			{ from: '2026-05-01', to: '2026-05-02', filters: { platforms: ['x'] } },
			{
				path: '/analytics/unified',
				qs: { from: '2026-04-30T22:00:00Z', to: '2026-05-01T22:00:00Z', platforms: 'twitter' },
			},
		],
	])('%s %j', (name, params, request, ...[more]) => expect(requestOf(name, params, more)).toEqual(request));

	test.each<[string, IDataObject, RegExp]>([
		['post.get', { postId: '..' }, /^'Post'/],
		['post.cancel', { postId: '..' }, /^'Post'/],
		['post.delete', { postId: '..' }, /^'Post'/],
		['post.getAnalytics', { postId: '..' }, /^'Post'/],
		['post.getAnalytics', { postId: 'p', filters: { from: 'soon' } }, /^'From'/],
		['post.getAnalytics', { postId: 'p', filters: { to: 'soon' } }, /^'To'/],
		['post.update', { postId: '..', updateFields: { text: 'a' } }, /^'Post'/],
		['post.update', { postId: 'p', updateFields: { scheduledAt: 'soon' } }, /^'Scheduled At'/],
		['inbox.reply', { inboxItemId: '..', text: 'a' }, /^'Inbox Item'/],
		['webhook.delete', { webhookId: '..' }, /^'Webhook'/],
		['webhook.getDeliveries', { webhookId: '..' }, /^'Webhook'/],
		['analytics.getSummary', { filters: { startDate: 'soon' } }, /^'Start Date'/],
		['analytics.getSummary', { filters: { endDate: 'soon' } }, /^'End Date'/],
		['analytics.getUnified', { from: 'soon', to: '2026-05-02' }, /^'From'/],
		['analytics.getUnified', { from: '2026-05-02', to: 'soon' }, /^'To'/],
	])('%s %j is refused by the name of the field', (name, params, message) =>
		expect(() => requestOf(name, params)).toThrow(message),
	);
});

describe('post.update', () => {
	const update = (updateFields: IDataObject, more: IDataObject = {}, item: Given = {}) =>
		requestOf('post.update', { postId: 'p_1', updateFields, ...more }, item);

	test('sends only what is given', () => {
		expect(update({ text: 'New' })).toMatchObject({ path: '/posts/p_1', body: { content: { text: 'New' } } });
		expect(update({ status: 'draft', scheduledAt: '2026-06-01T15:00' }).body).toEqual({
			status: 'draft',
			scheduled_at: '2026-06-01T13:00:00Z',
		});
		const quick: Given = { item: { postFormat: 'quickStart' } };
		expect(update({ text: 'New', scheduledAt: '2026-06-01T15:00' }, {}, quick).body).toEqual({
			content: 'New',
			schedule_at: '2026-06-01T13:00:00Z',
		});
		expect(update({}, { options: { additionalFields: { note: 'a' } } }).body).toEqual({});
	});

	test('nothing to change is refused', () => {
		expect(() => update({})).toThrow("'Update Fields' is empty");
	});

	test('a time that has passed is refused where it is sent', () => {
		expect(() => update({ scheduledAt: '2026-06-01T13:00' }).check!()).toThrow(
			/^'Scheduled At' is in the past/,
		);
		expect(() => update({ scheduledAt: '2026-06-01T15:00' }).check!()).not.toThrow();
		expect(() => update({ text: 'New' }).check!()).not.toThrow();
	});
});

describe('what is made of an answer', () => {
	test.each([
		['post.delete', { postId: 'p_1' }, {}, { deleted: true, id: 'p_1' }],
		['webhook.delete', { webhookId: 'wh_1' }, { at: 1 }, { deleted: true, id: 'wh_1', at: 1 }],
		['analytics.getOverview', {}, { views: 1 }, { views: 1 }],
		['analytics.getSummary', {}, { views: 1 }, { views: 1 }],
		['analytics.getSummary', { output: 'perPlatform' }, {}, []],
		[
			'analytics.getSummary',
			{ output: 'perPlatform' },
			{ by_platform: { twitter: { views: 1 } } },
			[{ platform: 'twitter', views: 1 }],
		],
		['post.getAnalytics', { postId: 'p' }, { daily_series: [] }, { daily_series: [] }],
		['analytics.getUnified', { from: '2026', to: '2026' }, { rows: [{ likes: 1 }] }, [{ likes: 1 }]],
		['account.getAll', {}, { accounts: [{ id: 1 }] }, [{ id: 1 }]],
	])('%s %j of %j', (name, params, data, items) => expect(shapeOf(name, params, data)).toEqual(items));

	test('accounts of one platform, whatever it is called', () => {
		const accounts = [{ platform: 'Twitter' }, { platform: 'x' }, { platform: 'linkedin' }, {}];
		expect(shapeOf('account.getAll', { filters: { platform: 'X' } }, { accounts })).toEqual([
			{ platform: 'Twitter' },
			{ platform: 'x' },
		]);
	});

	test('figures per post as a table', () => {
		const [row] = shapeOf(
			'analytics.getUnified',
			{ from: '2026', to: '2026', output: 'table' },
			{ rows: [{ platform: 'x', views: 1 }] },
		) as IDataObject[];
		expect(row).toMatchObject({ platform: 'twitter', views: 1, likes: null });
	});

	test('a series with the post that it belongs to', () => {
		const series = (data: IDataObject) =>
			shapeOf('post.getAnalytics', { postId: 'p', granularity: 'daily', output: 'series' }, data);
		const post = { post_id: 'p', platform: 'x', provider_post_id: '7' };
		expect(series({ ...post, series_of: [1], daily_series: [{ likes: 1 }, { likes: 2 }] })).toEqual([
			{ ...post, likes: 1 },
			{ ...post, likes: 2 },
		]);
		expect(series({ ...post, daily_series: 'none' })).toEqual([]);
	});

	test('an overview per platform, in whatever form', () => {
		const rows = [{ platform: 'x', views: 1 }];
		expect(perPlatform({ by_platform: rows })).toEqual(rows);
		expect(perPlatform({ platforms: { x: { views: 1 }, total: { views: 2 }, tiktok: 3 } })).toEqual(rows);
		expect(perPlatform({ x: { views: 1 } })).toEqual(rows);
		expect(perPlatform({ total: 1, list: rows })).toEqual(rows);
		expect(
			shapeOf('analytics.getOverview', { output: 'perPlatform' }, { any: { twitter: { views: 1 } } }),
		).toEqual([{ platform: 'twitter', views: 1 }]);
		for (const other of [{ views: 1 }, { list: [] }, { list: [{ views: 1 }] }, { list: [null, 'x'] }])
			expect(perPlatform(other)).toEqual([other]);
		expect(perPlatform({ list: [{ platform: 'x' }, { views: 1 }] })).toEqual([
			{ list: [{ platform: 'x' }, { views: 1 }] },
		]);
	});
});

describe('post.getAll', () => {
	const iso = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

	test('up to 100 posts are one request', async () => {
		const { outcomes, asked } = await runOf(
			'post.getAll',
			{ limit: 100 },
			{ answers: { '/posts': { items: [{ id: 1 }] } } },
		);
		expect(outcomes).toEqual([{ id: 1 }]);
		expect(asked).toEqual([{ path: '/posts', qs: { limit: 100 } }]);
	});

	test('with all filters', async () => {
		const filters = {
			from: '2026-05-01',
			to: '2026-05-02',
			scheduledAfter: '2026-05-03',
			status: 'failed',
			platform: 'Twitter',
		};
		const { asked } = await runOf('post.getAll', { limit: 5, filters });
		expect(asked).toEqual([
			{
				path: '/posts',
				qs: {
					from: '2026-04-30T22:00:00Z',
					to: '2026-05-01T22:00:00Z',
					limit: 5,
					status: 'failed',
					platform: 'x',
					scheduled_after: '2026-05-02T22:00:00Z',
				},
			},
		]);
	});

	test.each(['from', 'to', 'scheduledAfter'])('a wrong time in %s is refused by name', async (name) => {
		const { outcomes } = await runOf('post.getAll', { filters: { [name]: 'soon' } });
		const label = { from: 'From', to: 'To', scheduledAfter: 'Scheduled After' }[name]!;
		expect((outcomes[0] as Failure).message).toMatch(new RegExp(`^'${label}'`));
	});

	test('more, or all, come in parts of the time range', async () => {
		const stored = Array.from({ length: 250 }, (_, i) => ({ id: i, scheduled_at: iso(i) }));
		const answer = ({ qs }: { qs: IDataObject }) =>
			stored
				.filter(
					(one) =>
						Date.parse(one.scheduled_at) >= Date.parse(String(qs.from)) &&
						Date.parse(one.scheduled_at) <= Date.parse(String(qs.to)),
				)
				.slice(0, 100);
		const given = { answers: { '/posts': answer } };
		const some = await runOf('post.getAll', { limit: 101 }, given);
		expect(some.outcomes).toEqual(stored.slice(0, 101));
		const all = await runOf(
			'post.getAll',
			{ returnAll: true, limit: 5, filters: { status: 'failed' } },
			given,
		);
		expect(all.outcomes).toHaveLength(250);
		expect(all.asked.every(({ qs }) => qs!.status === 'failed' && qs!.limit === 100)).toBe(true);
		const range = await runOf('post.getAll', { returnAll: true, filters: { from: '2026-05-01' } }, given);
		expect(range.outcomes).toHaveLength(32);
	});
});

test('approval.getAll: as many as asked for, page after page', async () => {
	const answer = ({ qs }: { qs: IDataObject }) => ({
		batches: Array.from({ length: Number(qs.limit) }, (_, i) => ({ id: `${String(qs.page)}-${i}` })),
		pagination: { hasNext: Number(qs.page) < 3 },
	});
	const given = { answers: { '/approvals': answer } };
	expect((await runOf('approval.getAll', { limit: 7 }, given)).outcomes).toHaveLength(7);
	expect((await runOf('approval.getAll', { returnAll: true, limit: 7 }, given)).outcomes).toHaveLength(150);
});
