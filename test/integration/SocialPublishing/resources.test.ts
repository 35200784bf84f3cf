import type { IDataObject } from 'n8n-workflow';

import { table, type RunOptions } from '../../support/engine';
import { isWrite, items, operations } from '../../support/operations';
import { fill, runOperation, useService } from '../../support/service';

/**
 * Each operation in n8n's engine, with the parameters of `test/support/operations.ts`: what is made of the service's answer.
 * Its query, body and items are in test/unit/; the embedded service refuses what the spec doesn't have, and
 * test/support/checkContract.ts holds each request against docs/openapi.yaml.
 */

const current = useService({ inlineDelaysMs: [0] });

const post = { id: 'post_1', status: 'scheduled' };
const text = expect.any(String);
/** The request, and what is in the first item. */
const examples: Record<string, [endpoint: string, item: object]> = {
	'account:getAll': ['GET /accounts', { platform: 'instagram', id: 'acc_main_instagram' }],
	'analytics:getOverview': ['GET /analytics', { platform: 'linkedin' }],
	'analytics:getSummary': [
		'GET /analytics/summary',
		{ total_posts: 1, by_platform: { linkedin: { posts: 1 } } },
	],
	'analytics:getUnified': ['GET /analytics/unified', { post_id: 'post_done', platform: 'linkedin' }],
	'analytics:getBestTimes': ['GET /analytics/unified', { platform: 'linkedin', posts: 1 }],
	'analytics:getInsights': ['GET /analytics/insights', { insight_type: 'timing' }],
	'approval:getAll': ['GET /approvals', { status: 'pending' }],
	'inbox:getAll': ['GET /inbox', { id: 'inb_seed_3', text: 'Is the pastry chef job still open?' }],
	'inbox:reply': ['POST /inbox/{id}/reply', { inbox_item_id: 'inb_seed_1', text: 'Thanks' }],
	'media:createUploadUrl': ['POST /media/upload-url', { upload_url: text, read_url: text }],
	'media:upload': ['POST /media/upload-url', { read_url: text, filename: 'a.png' }],
	'media:uploadDirect': ['POST /media', { read_url: text }],
	'post:create': ['POST /posts', { platform: 'x', text: 'Hello', status: 'scheduled', id: text }],
	'post:get': ['GET /posts/{id}', { ...post, platforms: [{ platform: 'linkedin', status: 'scheduled' }] }],
	'post:getAll': ['GET /posts', { id: 'post_x', platform: 'x' }],
	'post:update': ['PATCH /posts/{id}', { ...post, text: 'New' }],
	'post:delete': ['DELETE /posts/{id}', { deleted: true, id: 'post_1' }],
	'post:cancel': ['POST /posts/{id}/cancel', { id: 'post_1', status: 'canceled' }],
	'post:getAnalytics': ['GET /posts/{id}/analytics', { post_id: 'post_1', daily_series: expect.any(Array) }],
	'post:waitForStatus': ['GET /posts/{id}', { id: 'post_done', status: 'completed' }],
	'socialConnection:getAll': ['GET /social-connections', { id: 'con_main_instagram' }],
	'usage:get': ['GET /usage', { plan: 'enterprise', accounts: 8 }],
	'webhook:create': ['POST /webhooks', { webhook: { id: text, secret: text } }],
	'webhook:getAll': ['GET /webhooks', { id: 'wh_1', description: 'Newsroom' }],
	'webhook:delete': ['DELETE /webhooks/{id}', { deleted: true, id: 'wh_1' }],
	'webhook:getDeliveries': ['GET /webhooks/{id}/deliveries', { status: 'failed' }],
	'webhook:check': ['GET /webhooks', { verdict: 'failing', deliveries: { total: 1 } }],
	'workspace:checkHealth': ['GET /accounts', { check: text }],
	'workspace:getAll': ['GET /workspaces', { id: 'ws_main', name: 'Lakeside Bakery' }],
};

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
	'%s: the request, and what is made of the answer',
	async (name, [endpoint, item]) => {
		const service = current();
		await fill(service);
		const node = { onError: 'continueRegularOutput' } as const;
		const { items: found, error } = await run(name, { items: [...items, ...items], node });
		expect(error).toBeUndefined();
		const [method, path] = endpoint.split(' ') as [string, string];
		const pattern = RegExp(`^/api/public/v1${path.replace('{id}', '[^/]+')}$`);
		const request = service.requests.find((one) => one.method === method && pattern.test(one.path))!;
		const { headers } = request;
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

test('a reply that says what a failed expression leaves is sent, with a hint', async () => {
	await fill(current());
	const { error, hints } = await run('inbox:reply', {}, { text: 'undefined' });
	expect(error).toBeUndefined();
	expect(hints).toEqual([expect.objectContaining({ message: expect.stringContaining("'undefined'") })]);
});

test.each(Object.keys(examples).filter(isWrite))('%s: a preview sends nothing', async (name) => {
	await fill(current());
	const { json, error } = await run(name, {}, { options: { preview: 'rows' } });
	expect(error).toBeUndefined();
	const [method] = examples[name]![0].split(' ');
	// Those of posts are on the page.
	expect(json).toMatchObject([{ preview: true, ...(name === 'post:create' ? {} : { request: { method } }) }]);
	expect(current().requests.filter((one) => one.method !== 'GET')).toEqual([]);
});

test('an operation of a newer version of the package: an error that says to update it', async () => {
	const { error } = await runOperation(current(), 'post:archive', {});
	expect(error.message).toBe("This version of the node has no operation 'archive' of 'post'");
	expect(error.description).toContain('update the package');
});
