import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../../service';
import { table, type RunOptions } from '../../support/engine';
import { isWrite, items, operations } from '../../support/operations';
import { addPost, addWebhook, runOperation, useService } from '../../support/service';

/**
 * Each operation in n8n's engine, with the parameters of `test/support/operations.ts`: what arrives at the service and what
 * is made of its answer. How an operation makes its request and its items is in test/unit/, failures are in
 * `api/errors.test.ts`; test/support/checkContract.ts holds each request against docs/openapi.yaml.
 */

const current = useService({ inlineDelaysMs: [0] });

interface Example {
	endpoint: string;
	/** The query and body that have to arrive, exactly. */
	query?: object;
	body?: object;
	/** In the first item. */
	item: object;
}

const post = { id: 'post_1', status: 'scheduled' };
const examples: Record<string, Example> = {
	'account:getAll': {
		endpoint: 'GET /accounts',
		item: { platform: 'instagram', handle: 'lakeside', connected: true, id: 'acc_main_instagram' },
	},
	'analytics:getOverview': {
		endpoint: 'GET /analytics',
		query: { period: 'month' },
		item: { platform: 'linkedin' },
	},
	'analytics:getSummary': {
		endpoint: 'GET /analytics/summary',
		query: {
			...{ timeframe: 'last_7_days', includeInsights: 'true' },
			...{ startDate: '2019-12-31T23:00:00Z', endDate: '2035-12-31T23:00:00Z' },
		},
		item: { total_posts: 1, by_platform: { linkedin: { posts: 1 } } },
	},
	'analytics:getUnified': {
		endpoint: 'GET /analytics/unified',
		query: { from: '2019-12-31T23:00:00Z', to: '2036-01-01T00:00:00Z', platforms: 'twitter,linkedin' },
		item: { post_id: 'post_done', platform: 'linkedin' },
	},
	'analytics:getBestTimes': {
		endpoint: 'GET /analytics/unified',
		query: { from: expect.any(String), to: expect.any(String), platforms: 'linkedin' },
		item: { platform: 'linkedin', posts: 1 },
	},
	'analytics:getInsights': {
		endpoint: 'GET /analytics/insights',
		query: { limit: '2', type: 'timing', platforms: 'twitter,instagram', dismissed: 'false' },
		item: { insight_type: 'timing' },
	},
	'approval:getAll': {
		endpoint: 'GET /approvals',
		query: { page: '1', limit: '7' },
		item: { status: 'pending' },
	},
	'inbox:getAll': {
		endpoint: 'GET /inbox',
		query: { status: 'open' },
		item: { id: 'inb_seed_3', when: expect.stringMatching(/T.*[+-]\d\d:\d\d$/) },
	},
	'inbox:reply': {
		endpoint: 'POST /inbox/{id}/reply',
		body: { text: 'Thanks' },
		item: { inbox_item_id: 'inb_seed_1', text: 'Thanks' },
	},
	'media:createUploadUrl': {
		endpoint: 'POST /media/upload-url',
		body: { filename: 'a.png', content_type: 'image/png', size: 10 },
		item: { upload_url: expect.any(String), read_url: expect.any(String) },
	},
	'media:upload': {
		endpoint: 'POST /media/upload-url',
		body: { filename: 'a.png', content_type: 'image/png', size: 10 },
		item: { read_url: expect.any(String), filename: 'a.png' },
	},
	'media:uploadDirect': { endpoint: 'POST /media', item: { read_url: expect.any(String) } },
	'post:create': {
		endpoint: 'POST /posts',
		body: { platform: 'x', content: { text: 'Hello' } },
		item: { platform: 'x', text: 'Hello', status: 'scheduled', id: expect.stringMatching(/^post_/) },
	},
	'post:get': {
		endpoint: 'GET /posts/{id}',
		item: { ...post, platforms: [{ platform: 'linkedin', status: 'scheduled' }] },
	},
	'post:getAll': {
		endpoint: 'GET /posts',
		query: {
			...{ from: '2019-12-31T23:00:00Z', to: '2036-01-01T00:00:00Z', limit: '10' },
			...{ status: 'scheduled', platform: 'x', scheduled_after: '2020-12-31T23:00:00Z' },
		},
		item: { id: 'post_x', platform: 'x' },
	},
	'post:update': {
		endpoint: 'PATCH /posts/{id}',
		body: { status: 'scheduled', content: { text: 'New' }, scheduled_at: '2126-07-01T08:00:00Z' },
		item: { ...post, text: 'New' },
	},
	'post:delete': { endpoint: 'DELETE /posts/{id}', item: { deleted: true, id: 'post_1' } },
	'post:cancel': { endpoint: 'POST /posts/{id}/cancel', item: { id: 'post_1', status: 'canceled' } },
	'post:getAnalytics': {
		endpoint: 'GET /posts/{id}/analytics',
		query: { granularity: 'daily', from: '2019-12-31T23:00:00Z', to: '2036-01-01T00:00:00Z' },
		item: { post_id: 'post_1', platform: 'linkedin', daily_series: expect.any(Array) },
	},
	'post:waitForStatus': { endpoint: 'GET /posts/{id}', item: { id: 'post_done', status: 'completed' } },
	'socialConnection:getAll': {
		endpoint: 'GET /social-connections',
		item: { id: 'con_main_instagram', account_id: 'acc_main_instagram' },
	},
	'usage:get': { endpoint: 'GET /usage', item: { plan: 'enterprise', accounts: 8 } },
	'webhook:create': {
		endpoint: 'POST /webhooks',
		body: { url: 'https://example.com/hook', events: ['post.published'], description: 'Newsroom' },
		item: { webhook: { id: expect.any(String), secret: expect.any(String) } },
	},
	'webhook:getAll': { endpoint: 'GET /webhooks', item: { id: 'wh_1', description: 'Newsroom' } },
	'webhook:delete': { endpoint: 'DELETE /webhooks/{id}', item: { deleted: true, id: 'wh_1' } },
	'webhook:getDeliveries': {
		endpoint: 'GET /webhooks/{id}/deliveries',
		query: { status: 'failed' },
		item: { status: 'failed' },
	},
	'webhook:check': { endpoint: 'GET /webhooks', item: { verdict: expect.any(String), subscriptions: 1 } },
	'workspace:checkHealth': { endpoint: 'GET /accounts', item: { check: expect.any(String) } },
	'workspace:getAll': { endpoint: 'GET /workspaces', item: { id: 'ws_main', name: 'Lakeside Bakery' } },
};

/** What the operations ask for: posts, a webhook with a delivery that failed, a batch to approve. */
async function fill(service: Service): Promise<void> {
	addPost(service);
	addPost(service, { id: 'post_x', platforms: ['x'] });
	addPost(service, { id: 'post_done', status: 'completed' });
	service.store.webhooks.get(addWebhook(service))!.url = 'http://127.0.0.1:9/events';
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'brand_main', data: {} };
	service.deliveries.emit({ ...event, resource: 'post_1' });
	await service.deliveries.idle();
	const held = addPost(service, { id: 'post_held', at: Date.now() + 1e10 });
	service.lifecycle.hold(service.store.posts.get(held)!);
}

const run = async (name: string, more: Partial<RunOptions> = {}, parameters: IDataObject = {}) =>
	await runOperation(current(), name, { ...operations[name], ...parameters }, { items, ...more });

// Saved workflows hold the names of resources and operations: none may go.
test('every operation of the node is here', async () => {
	const all = (await table()).flatMap(({ value, operations: list }: any) =>
		list.map((one: any) => `${value}:${one.value}`),
	);
	for (const one of [operations, examples]) expect(Object.keys(one).sort()).toEqual(all.sort());
});

test.each(Object.entries(examples))(
	'%s: the request as sent, and what is made of the answer',
	async (name, { endpoint, query = {}, body, item }) => {
		const service = current();
		await fill(service);
		const node = { onError: 'continueRegularOutput' } as const;
		const { items: found, error } = await run(name, { items: [...items, ...items], node });
		expect(error).toBeUndefined();
		const [method, path] = endpoint.split(' ') as [string, string];
		const pattern = RegExp(`^/api/public/v1${path.replace('{id}', '[^/]+')}$`);
		const request = service.requests.find((one) => one.method === method && pattern.test(one.path))!;
		const { headers } = request;
		expect([request.query, request.body]).toEqual([query, body]);
		expect(headers.authorization).toBe(`Bearer ${service.keys.full}`);
		expect(headers['x-service-workspace-id']).toBe(name === 'workspace:getAll' ? undefined : 'ws_main');
		expect(headers['idempotency-key'] ?? '').toMatch(isWrite(name) ? /^[\x21-\x7e]{1,255}$/ : /^$/);
		expect(found[0]!.json).toMatchObject(item);
		expect(typeof found[0]!.json.idempotency_key).toBe(isWrite(name) ? 'string' : 'undefined');
		const from = found.map(({ pairedItem }) => (pairedItem as { item: number }).item);
		expect(new Set(from)).toEqual(new Set([0, 1]));
		expect(from).toEqual([...from].sort());
	},
);

/** What the node makes itself: a deletion is answered with nothing, hours of the week are counted. */
const madeHere: Record<string, string> = {
	'post:delete': 'deleted',
	'webhook:delete': 'deleted',
	'analytics:getBestTimes': 'engagement_rate',
	'workspace:checkHealth': 'overdue_posts',
	// Simplified.
	'post:getAll': 'scheduled_v2',
};

test.each(Object.keys(examples))('%s: fields and values that nobody knows pass', async (name) => {
	await fill(current());
	current().faults.add({ kind: 'unknownFields', times: 0 });
	const { json, error } = await run(name);
	expect(error).toBeUndefined();
	expect(JSON.stringify(json)).toContain(madeHere[name] ?? 'x_new_field');
});

test.each(Object.keys(examples).filter(isWrite))('%s: a preview sends nothing', async (name) => {
	await fill(current());
	const { json, error } = await run(name, {}, { options: { previewOnly: true } });
	expect(error).toBeUndefined();
	const method = examples[name]!.endpoint.split(' ')[0];
	expect(json).toMatchObject([{ preview: true, request: { method } }]);
	expect(current().requests.filter((one) => one.method !== 'GET')).toEqual([]);
});

test('a limit counts after the filter', async () => {
	const filters = { platform: 'instagram' };
	const idsOf = async (limit: number) =>
		(await run('account:getAll', {}, { returnAll: false, limit, filters })).json.map(({ id }) => id);
	expect(await idsOf(1)).toEqual(['acc_main_instagram']);
	expect(await idsOf(50)).toEqual(['acc_main_instagram', 'acc_main_cafe']);
});
