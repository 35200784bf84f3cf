import type { IDataObject } from 'n8n-workflow';

import { lists } from '../../../nodes/api/contract';
import type { Item } from '../../../nodes/SocialPublishing/engine/item';
import { failureOf } from '../../support/failure';
import { NOW, operationOf, requestOf } from './resources/operations';

/** Operations of one call: parameters → request. What is made of the answer: test/integration/SocialPublishing/resources.test.ts. */

const hook = { url: ' https://a.example/hook ', events: ['post.failed'] };
const subscription = { url: 'https://a.example/hook', events: ['post.failed'] };
const service = 'https://api.example.com/v1';
const nextDoor = 'http://localhost:3000/v1';
const range = { timeframe: 'custom', from: '2026-05-01', to: '2026-05-02' };
const dates = {
	startDate: '2026-05-01',
	endDate: '2026-05-02',
	includeInsights: false,
	includeActivity: true,
};
const unified = (from: string, more: object = {}) => ({
	...lists.unified,
	qs: { from, to: '2026-06-01T12:00:00Z', ...more },
});
const insights = (qs: object) => ({ ...lists.insights, qs });
const filters = { type: 'growth', platforms: ['x', 'twitter', 'linkedin'], dismissed: false };
const summary = (qs: object) => ({ path: '/analytics/summary', qs });
const analytics = (qs: object) => ({ path: '/posts/p%2F1/analytics', qs });
const subscribe = (body: object) => ({ path: '/webhooks', body });
const deliveries = { path: '/webhooks/wh%2F1/deliveries', expects: 'list' };

test.each<[name: string, given: IDataObject, request: object, item?: Partial<Item>]>([
	// The platform is picked out of all accounts.
	['account.getAll', { filters: { platform: 'x' } }, lists.accounts],
	['analytics.getBestTimes', {}, unified('2026-03-03T12:00:00Z')],
	[
		'analytics.getBestTimes',
		{ days: 7, filters: { platforms: ['x', 'twitter'] } },
		unified('2026-05-25T12:00:00Z', { platforms: 'twitter' }),
	],
	// On whole seconds, ten years at most.
	['analytics.getBestTimes', { days: 7 }, unified('2026-05-25T12:00:00Z'), { now: NOW + 400 }],
	['analytics.getBestTimes', { days: 1e12 }, unified('2016-06-01T12:00:00Z')],
	['analytics.getInsights', { limit: 7 }, insights({ limit: 7 })],
	// The service gives no more.
	['analytics.getInsights', { limit: 70 }, insights({ limit: 20 })],
	['analytics.getInsights', { returnAll: true, limit: 7 }, insights({ limit: 20 })],
	[
		'analytics.getInsights',
		{ limit: 7, filters },
		insights({ ...filters, limit: 7, platforms: 'twitter,linkedin' }),
	],
	[
		'analytics.getOverview',
		{
			options: {
				query: {
					parameter: [
						{ name: 'a', value: '1' },
						{ name: '', value: '2' },
					],
				},
			},
		},
		{ path: '/analytics', expects: 'records', qs: { a: '1' } },
	],
	['analytics.getSummary', {}, summary({ timeframe: 'last_30_days' })],
	['analytics.getSummary', { timeframe: 'all_time' }, summary({ timeframe: 'all_time' })],
	[
		'analytics.getSummary',
		{ filters: dates },
		summary({
			...{ timeframe: 'last_30_days', includeInsights: false, includeActivity: true },
			...{ startDate: '2026-04-30T22:00:00Z', endDate: '2026-05-02T21:59:59Z' },
		}),
	],
	['analytics.getUnified', range, unified('2026-04-30T22:00:00Z', { to: '2026-05-02T21:59:59Z' })],
	['analytics.getUnified', {}, unified('2026-05-02T12:00:00Z')],
	['analytics.getUnified', { timeframe: 'all_time' }, unified('2016-06-01T12:00:00Z')],
	['analytics.getUnified', { timeframe: 'last_7_days' }, unified('2026-05-25T12:00:00Z')],
	['analytics.getUnified', { timeframe: 'last_90_days' }, unified('2026-03-03T12:00:00Z')],
	[
		'analytics.getUnified',
		{ filters: { platforms: ['x', 'linkedin', 'twitter'] } },
		unified('2026-05-02T12:00:00Z', { platforms: 'twitter,linkedin' }),
	],
	['approval.getAll', {}, { ...lists.approvals, pageSize: 50 }],
	[
		'inbox.getAll',
		{ options: { query: { parameter: [{ name: 'unread', value: 'true' }] } } },
		{ ...lists.inbox, qs: { unread: 'true' } },
	],
	[
		'inbox.reply',
		{ inboxItemId: 'inb/1', text: 'Thanks' },
		{
			path: '/inbox/inb%2F1/reply',
			...{ body: { text: 'Thanks' }, says: { text: 'Thanks' } },
		},
	],
	[
		'media.createUploadUrl',
		{ fileName: 'a.png', contentType: ' Image/PNG ', size: 7 },
		{
			path: '/media/upload-url',
			...{ body: { filename: 'a.png', content_type: 'image/png', size: 7 } },
		},
	],
	['post.cancel', { postId: 'p/1' }, { path: '/posts/p%2F1/cancel' }],
	['post.delete', { postId: 'p/1' }, { path: '/posts/p%2F1' }],
	['post.get', { postId: 'p/1' }, { path: '/posts/p%2F1' }],
	['post.getAnalytics', { postId: 'p/1', filters: {} }, analytics({})],
	[
		'post.getAnalytics',
		{ postId: 'p/1', granularity: 'weekly', filters: { from: '2026-05-01', to: '2026-05-02T10:00' } },
		analytics({ granularity: 'weekly', from: '2026-05-01T00:00:00Z', to: '2026-05-02T10:00:00Z' }),
	],
	['socialConnection.getAll', {}, lists.connections],
	['usage.get', {}, { path: '/usage', expects: 'records' }],
	['webhook.create', hook, subscribe(subscription)],
	[
		'webhook.create',
		{ ...hook, description: 'Newsroom' },
		subscribe({ ...subscription, description: 'Newsroom' }),
	],
	['webhook.delete', { webhookId: 'wh/1' }, { path: '/webhooks/wh%2F1' }],
	['webhook.getAll', {}, lists.webhooks],
	['webhook.getDeliveries', { webhookId: 'wh/1' }, { ...deliveries, qs: {} }],
	[
		'webhook.getDeliveries',
		{ webhookId: 'wh/1', filters: { status: 'failed' } },
		{ ...deliveries, qs: { status: 'failed' } },
	],
	['workspace.getAll', {}, { ...lists.workspaces, workspaceId: null }],
])('%s with %j: the request', (name, given, request, item = {}) =>
	expect(requestOf(operationOf(name), given, { item })).toEqual(request),
);

test.each(['http://localhost:5678/hook', 'http://n8n:5678/hook', 'https://a.example/hook'])(
	'a service next door delivers to %s',
	(url) =>
		expect(
			requestOf(operationOf('webhook.create'), { ...hook, url }, { item: { apiUrl: nextDoor } }).body,
		).toMatchObject({ url }),
);

const noAddress = /^'URL' is not an https address/;
test.each<[name: string, given: IDataObject, message: RegExp, apiUrl?: string]>([
	...['cancel', 'delete', 'get', 'getAnalytics'].map((name): [string, IDataObject, RegExp] => [
		`post.${name}`,
		{ postId: '..' },
		/^'Post'/,
	]),
	['post.getAnalytics', { postId: 'p', filters: { from: 'soon' } }, /^'Series From'/],
	['post.getAnalytics', { postId: 'p', filters: { to: 'soon' } }, /^'Series To'/],
	['webhook.delete', { webhookId: '..' }, /^'Webhook'/],
	['webhook.getDeliveries', { webhookId: '..' }, /^'Webhook'/],
	['inbox.reply', { inboxItemId: '..', text: 'a' }, /^'Inbox Item'/],
	['analytics.getSummary', { filters: { startDate: 'soon' } }, /^'Start Date'/],
	['analytics.getSummary', { filters: { endDate: 'soon' } }, /^'End Date'/],
	['analytics.getUnified', { ...range, to: '' }, /'Published To' is empty/],
	['analytics.getUnified', { ...range, from: 'soon' }, /^'Published From'/],
	['analytics.getUnified', { ...range, to: 'soon' }, /^'Published To'/],
	['webhook.create', { ...hook, url: 'http://a.example/hook' }, noAddress],
	['webhook.create', { ...hook, url: 'http://localhost:5678/hook' }, noAddress],
	...['http://a.example/hook', 'ftp://a.example/hook', 'a.example/hook', 'javascript:alert(1)'].map(
		(url): [string, IDataObject, RegExp, string] => ['webhook.create', { ...hook, url }, noAddress, nextDoor],
	),
])('%s with %j is refused by the name of the field', (name, given, message, apiUrl = service) =>
	expect(failureOf(() => requestOf(operationOf(name), given, { item: { apiUrl } })).details).toMatchObject({
		code: expect.stringMatching(/^NODE_\w/),
		message: expect.stringMatching(message),
	}),
);
