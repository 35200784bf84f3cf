import fc from 'fast-check';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runNode } from '../../support/engine';
import { items, operations } from '../../support/operations';
import { runs } from '../../support/property';

const given = 'sk_live_0123456789abcdef';
const said = `Key ${given} at https://store.example/a?X-Amz-Signature=s1gn4ture`;
const page = `<!DOCTYPE html><html>${said}</html>`;
const many = (count: number, make: (i: number) => unknown) =>
	Array.from({ length: count }, (_, i) => make(i));

/** `data` of a success that is not what the operation's answer should be, or only just. */
const oddData: unknown[] = [
	...[undefined, null, '', said, '[]', 0, 7, -1, 1e300, true, false],
	...[[], [null], ['a'], [7], [[]], [{}], [{ id: null }], [{ id: 'a' }, null], [{ id: 'a' }, said], [said]],
	...[{}, { id: null }, { id: 7 }, { id: {} }, { id: [] }, { id: '' }, { id: said }, { said }],
	...['items', 'batches', 'rows', 'webhooks', 'deliveries', 'accounts', 'workspaces'].flatMap((name) =>
		[null, 7, said, {}, [null], [[]], [{ id: 'a', said }]].map((list) => ({ [name]: list, count: 'x' })),
	),
	...[null, {}, [], 7, said].map((one) => ({ id: 'post_1', status: one, daily_series: one, webhook: one })),
	...[null, 7, said, ['x'], { x: null }, { x: 'y' }].map((one) => ({ by_platform: one, platforms: one })),
	...[null, 1, 'true', {}].map((hasNext) => ({ batches: [{ id: 'a' }], pagination: { hasNext } })),
	...[null, 7, said, 'ftp://a', 'http://127.0.0.1:9/a'].map((url) => ({ upload_url: url, read_url: url })),
	{ items: many(100, () => ({})) },
	{ items: many(100, (i) => ({ id: `p${i}`, scheduled_at: said })) },
	JSON.parse(`{"__proto__": {"a": 1}, "constructor": 7, "toString": null, "length": 9, "json": {}}`),
	JSON.parse('['.repeat(500) + ']'.repeat(500)),
	{ error: { message: 'x' } },
];

type Reply = readonly [status: number, body: unknown, type?: string];
const odd: Reply[] = [
	...oddData.flatMap((data): Reply[] => [
		[200, { success: true, data, request_id: 'req_1' }],
		[201, { success: true, data, error: {}, request_id: 7 }],
	]),
	[204, undefined],
	...[null, '', said, page, '7', '[]', '{"success":', '\u0000', '"text"'].map((body): Reply => [200, body]),
	...[200, 302, 400, 404, 409, 422, 500, 503].flatMap((status): Reply[] => [
		[status, page, 'text/html'],
		[status, { success: 'true', data: {} }],
		[status, { success: false, error: null, data: said }],
		[status, { success: false, error: said, request_id: { said } }],
		[status, { success: false, error: { code: 7, message: { said } } }],
		[status, { success: false, error: { code: said, message: said.repeat(2000) }, request_id: said }],
		[
			status,
			{ success: false, error: { code: 'X', message: 'http://'.repeat(20_000) }, data: { post: said } },
		],
		[status, { success: false, error: { code: 'X' }, data: { post: { id: 7, error: said } } }],
	]),
];

describe('a service whose every answer is odd', () => {
	let server: Server;
	let reply: Reply = [204, undefined];
	let requests = 0;
	beforeAll(async () => {
		server = createServer((request, response) => {
			requests++;
			request.resume();
			const [status, body, type = 'application/json'] = reply;
			response.writeHead(status, { 'content-type': type });
			response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
		});
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	});
	afterAll(() => void server.close());

	const call = async (name: string, onError?: 'continueRegularOutput') => {
		const [resource, operation] = name.split(':');
		requests = 0;
		return await runNode({
			credential: {
				baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
				...{ apiKey: given, apiPath: '/v1', postFormat: 'integrationGuide', workspaceId: '' },
			},
			parameters: { resource, operation, ...operations[name], options: { maxRetryWait: 0 } },
			items,
			...(onError ? { node: { onError } } : {}),
		});
	};
	const crash = /Cannot (read|convert|destructure)|is not (a function|iterable|defined)|undefined|\[object/;

	test('ends each operation in items that are records, or in an error in plain words, without a secret', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...Object.keys(operations)),
				fc.constantFrom(...odd),
				fc.constantFrom(undefined, 'continueRegularOutput' as const),
				async (name, one, onError) => {
					reply = one;
					const { items: out, error } = await call(name, onError);
					expect(requests).toBeLessThan(250);
					for (const { json, pairedItem } of out) {
						expect(pairedItem).toEqual({ item: 0 });
						expect(Object.prototype.toString.call(json)).toBe('[object Object]');
						expect(json).not.toHaveProperty(['0']);
						const failure = json.error as any;
						if (failure?.code) {
							expect(failure).toMatchObject({ message: expect.any(String), hint: expect.any(String) });
							expect(failure.message).not.toMatch(crash);
							expect(JSON.stringify(failure)).not.toContain('s1gn4ture');
						}
					}
					if (error) {
						expect(error.name).toMatch(/^Node(Api|Operation)Error$/);
						expect(`${error.message} ${error.description}`).not.toMatch(crash);
						expect(JSON.stringify([error, error.context])).not.toContain('s1gn4ture');
					}
					const all = JSON.stringify([out, error, error?.context]);
					expect(all).not.toContain(given);
					if (error) expect(all.length).toBeLessThan(60_000);
				},
			),
			runs(400),
		);
	});

	test.each([
		...['post:waitForStatus', 'post:getAll', 'approval:getAll'],
		...['analytics:getUnified', 'analytics:getInsights'],
	])('%s: no record, or no list, is an error and not an empty list; it is asked for once', async (name) => {
		for (const data of [undefined, null, 'text', [null]]) {
			reply = [200, { success: true, data, request_id: 'req_1' }];
			const { json } = await call(name, 'continueRegularOutput');
			expect(json).toEqual([
				{ error: expect.objectContaining({ code: 'NODE_UNEXPECTED_DATA', request_id: 'req_1' }) },
			]);
			expect(requests).toBe(1);
		}
	});
});
