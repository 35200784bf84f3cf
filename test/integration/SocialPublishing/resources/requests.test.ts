import type { IDataObject } from 'n8n-workflow';

import { credentialOf, runOperation, useService } from '../../../support/service';

/** What the fields of an operation become in its request. */

const service = useService();
const prefix = '/api/public/v1';

/** It is noon in UTC, 14:00 in Berlin. */
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.parse(now)));
afterEach(() => void jest.restoreAllMocks());

const hook = { url: ' https://a.example/hook ', events: ['post.failed'] };
const subscription = { url: 'https://a.example/hook', events: ['post.failed'] };
const day = { from: '2027-05-01', to: '2027-05-02' };
const range = { timeframe: 'custom', ...day };
const [start, end] = ['2027-04-30T22:00:00Z', '2027-05-02T21:59:59Z'];
const now = '2027-06-01T12:00:00Z';
const parameters = (...all: Array<[name: string, value: string]>) => ({
	query: { parameter: all.map(([name, value]) => ({ name, value })) },
});
const dates = { startDate: day.from, endDate: day.to, includeInsights: false, includeActivity: true };
const insights = { type: 'growth', platforms: ['x', 'twitter', 'linkedin'], dismissed: false };
const posts = { ...day, scheduledAfter: '2027-05-03', status: 'pending_approval', platform: 'Twitter' };

/** By operation: with these fields, this request goes out, with this body. */
const tables: Record<string, Array<[given: IDataObject, request: string, body?: object]>> = {
	// The platform is picked out of all accounts.
	'account:getAll': [[{ filters: { platform: 'x' } }, '/accounts']],
	'analytics:getBestTimes': [
		[{}, `/analytics/unified?from=2027-03-03T12:00:00Z&to=${now}`],
		[
			{ days: 7, filters: { platforms: ['x', 'twitter'] } },
			`/analytics/unified?from=2027-05-25T12:00:00Z&to=${now}&platforms=twitter`,
		],
		// Ten years at most.
		[{ days: 1e12 }, `/analytics/unified?from=2017-06-01T12:00:00Z&to=${now}`],
	],
	'analytics:getInsights': [
		[{ limit: 7 }, '/analytics/insights?limit=7'],
		// The service gives no more.
		[{ limit: 70 }, '/analytics/insights?limit=20'],
		[{ returnAll: true, limit: 7 }, '/analytics/insights?limit=20'],
		[
			{ limit: 7, filters: insights },
			'/analytics/insights?limit=7&platforms=twitter,linkedin&type=growth&dismissed=false',
		],
	],
	'analytics:getOverview': [[{ options: parameters(['a', '1'], ['', '2']) }, '/analytics?a=1']],
	'analytics:getSummary': [
		[{}, '/analytics/summary?timeframe=last_30_days'],
		[{ timeframe: 'all_time' }, '/analytics/summary?timeframe=all_time'],
		[
			{ filters: dates },
			`/analytics/summary?timeframe=last_30_days&startDate=${start}&endDate=${end}&includeActivity=true&includeInsights=false`,
		],
	],
	'analytics:getUnified': [
		[range, `/analytics/unified?from=${start}&to=${end}`],
		[{ timeframe: 'all_time' }, `/analytics/unified?from=2017-06-01T12:00:00Z&to=${now}`],
		[{ timeframe: 'last_7_days' }, `/analytics/unified?from=2027-05-25T12:00:00Z&to=${now}`],
		[{ timeframe: 'last_90_days' }, `/analytics/unified?from=2027-03-03T12:00:00Z&to=${now}`],
		[
			{ filters: { platforms: ['x', 'linkedin', 'twitter'] } },
			`/analytics/unified?from=2027-05-02T12:00:00Z&to=${now}&platforms=twitter,linkedin`,
		],
	],
	'approval:getAll': [[{}, '/approvals?page=1&limit=50']],
	'inbox:getAll': [[{ options: parameters(['unread', 'true']) }, '/inbox?unread=true']],
	'inbox:reply': [[{ inboxItemId: 'inb/1', text: 'Thanks' }, '/inbox/inb%2F1/reply', { text: 'Thanks' }]],
	'media:createUploadUrl': [
		[
			{ fileName: 'a.png', contentType: ' Image/PNG ', size: 7 },
			'/media/upload-url',
			{ filename: 'a.png', content_type: 'image/png', size: 7 },
		],
	],
	'post:cancel': [[{ postId: 'p/1' }, '/posts/p%2F1/cancel']],
	'post:delete': [[{ postId: 'p/1' }, '/posts/p%2F1']],
	'post:get': [[{ postId: 'p/1' }, '/posts/p%2F1']],
	'post:getAll': [
		// No more than the limit.
		[{ limit: 1 }, '/posts?limit=1'],
		[
			{ limit: 5, filters: posts },
			`/posts?from=${start}&to=${end}&limit=5&status=pending_approval&platform=x&scheduled_after=2027-05-02T22:00:00Z`,
		],
	],
	'post:getAnalytics': [
		[{ postId: 'p/1', filters: {} }, '/posts/p%2F1/analytics'],
		[
			{ postId: 'p/1', granularity: 'weekly', filters: { from: '2027-05-01', to: '2027-05-02T10:00' } },
			'/posts/p%2F1/analytics?granularity=weekly&from=2027-05-01T00:00:00Z&to=2027-05-02T10:00:00Z',
		],
	],
	'post:update': [
		[{ postId: 'p/1', updateFields: { text: 'New' } }, '/posts/p%2F1', { content: { text: 'New' } }],
		[
			{ postId: 'p/1', updateFields: { status: 'draft', scheduledAt: '2027-06-01T15:00' } },
			'/posts/p%2F1',
			{ status: 'draft', scheduled_at: '2027-06-01T13:00:00Z' },
		],
	],
	'socialConnection:getAll': [[{}, '/social-connections']],
	'usage:get': [[{}, '/usage']],
	'webhook:create': [
		[{ ...hook, description: 'Jam' }, '/webhooks', { ...subscription, description: 'Jam' }],
		// The service of the tests is next door.
		...['http://localhost:5678/hook', 'http://n8n:5678/hook'].map((url): [IDataObject, string, object] => [
			...([{ ...hook, url }, '/webhooks', { ...subscription, url }] as const),
		]),
	],
	'webhook:delete': [[{ webhookId: 'wh/1' }, '/webhooks/wh%2F1']],
	'webhook:getAll': [[{}, '/webhooks']],
	'webhook:getDeliveries': [
		[{ webhookId: 'wh/1' }, '/webhooks/wh%2F1/deliveries'],
		[{ webhookId: 'wh/1', filters: { status: 'failed' } }, '/webhooks/wh%2F1/deliveries?status=failed'],
	],
	'workspace:getAll': [[{}, '/workspaces']],
};

describe.each(Object.entries(tables))('%s', (name, cases) => {
	test.each(cases)('with %j: %s', async (given, request, body = undefined) => {
		await runOperation(service(), name, { ...given });
		const [first] = service().requests;
		const query = Object.entries(first!.query).map((one) => one.join('='));
		const sent = [first!.path.slice(prefix.length), query.join('&')].filter(Boolean).join('?');
		expect([sent, first!.body]).toEqual([request, body]);
	});
});

const noAddress = /^'URL' is not an https address/;
const away = 'https://api.example.com';
test.each<[name: string, given: IDataObject, message: RegExp, baseUrl?: string]>([
	...['cancel', 'delete', 'get', 'getAnalytics', 'update'].map((name): [string, IDataObject, RegExp] => [
		...([`post:${name}`, { postId: '..', updateFields: { text: 'a' } }, /^'Post'/] as const),
	]),
	['post:update', { postId: 'p', updateFields: { scheduledAt: 'soon' } }, /^'Scheduled At'/],
	['account:getAll', { filters: { platform: 'linkedn' } }, /^'linkedn' isn't a platform/],
	['post:getAll', { filters: { from: 'soon' } }, /^'Scheduled From'/],
	['post:getAll', { filters: { to: 'soon' } }, /^'Scheduled To'/],
	['post:getAll', { filters: { scheduledAfter: 'soon' } }, /^'Scheduled After'/],
	['post:getAnalytics', { postId: 'p', filters: { from: 'soon' } }, /^'Series From'/],
	['post:getAnalytics', { postId: 'p', filters: { to: 'soon' } }, /^'Series To'/],
	['webhook:delete', { webhookId: '..' }, /^'Webhook'/],
	['webhook:getDeliveries', { webhookId: '..' }, /^'Webhook'/],
	['inbox:reply', { inboxItemId: '..', text: 'a' }, /^'Inbox Item'/],
	['analytics:getSummary', { filters: { startDate: 'soon' } }, /^'Start Date'/],
	['analytics:getSummary', { filters: { endDate: 'soon' } }, /^'End Date'/],
	['analytics:getUnified', { ...range, to: '={{ "" }}' }, /'Published To' is empty/],
	['analytics:getUnified', { ...range, from: 'soon' }, /^'Published From'/],
	['analytics:getUnified', { ...range, to: 'soon' }, /^'Published To'/],
	['media:createUploadUrl', { fileName: 'a.png', contentType: 'image/png', size: 10.5 }, /^'Size' is 10\.5/],
	['media:createUploadUrl', { fileName: 'a.png', contentType: 'image/png' }, /^'Size' is 0/],
	...['http://a.example/hook', 'http://localhost:5678/hook'].map(
		(url): [string, IDataObject, RegExp, string] => ['webhook:create', { ...hook, url }, noAddress, away],
	),
	...['http://a.example/hook', 'ftp://a.example/hook', 'a.example/hook', 'javascript:alert(1)'].map(
		(url): [string, IDataObject, RegExp] => ['webhook:create', { ...hook, url }, noAddress],
	),
])('%s with %j is refused by the name of the field', async (name, given, message, baseUrl = '') => {
	const credential = credentialOf(service(), baseUrl ? { baseUrl } : {});
	const { error } = await runOperation(service(), name, given, { credential });
	expect(error.context.data).toMatchObject({
		code: expect.stringMatching(/^NODE_\w/),
		message: expect.stringMatching(message),
	});
	expect(service().requests).toEqual([]);
});
