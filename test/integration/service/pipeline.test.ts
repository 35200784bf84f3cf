import type { Fault } from '../../service';
import { Contract } from '../../support/contract';
import { endpoints, limits } from '../../support/specification';
import { embedded, type CallOptions } from './harness';

const { service, call, data, create, draft } = embedded();
const posts = () => service().store.posts.size;
const invalid = { status: 400, code: 'PUBLIC_API_BODY_INVALID' };

// The form of other answers: docs/openapi.yaml (test/support/checkContract.ts).
test.each<[string, string, CallOptions]>([
	['GET', '/no/such/path', {}],
	['GET', '/posts/%ff', {}],
	['PUT', '/posts', { body: {} }],
	['POST', '/posts', { body: 'x'.repeat(5_000_000) }],
])('%s %s: a failure in the form of all others', async (method, path, options) => {
	const { status, body } = await call(method, path, options);
	expect(status).toBeGreaterThanOrEqual(400);
	expect(body).toEqual({
		success: false,
		error: { code: expect.stringMatching(/^PUBLIC_API_[A-Z_]+$/), message: expect.stringMatching(/\w/) },
		request_id: expect.stringMatching(/\w/),
	});
});

test('both forms of the address are there, no other', async () => {
	for (const [prefix, status] of Object.entries({ '/api/public/v1': 401, '/v1': 401, '/v2': 404, '': 404 }))
		expect((await fetch(`${service().url}${prefix}/workspaces`)).status).toBe(status);
});

test.each(['{"platform":', '', '[]'])('the body %j is refused', async (body) => {
	const headers = { 'content-type': 'application/json' };
	expect(await call('POST', '/posts', { body, headers })).toMatchObject(invalid);
});

describe('a query', () => {
	const contract = new Contract();
	const reads = endpoints.filter((one) => one.startsWith('GET')).map((one) => one.slice(4));
	/** Parameters of these are not shown: unknown ones pass, and so do values of some. */
	const open = ['/analytics', '/inbox'];
	const codeOf = async (path: string, query: object) => {
		const body = { url: 'https://a.example', events: ['post.failed'] };
		const made = path.startsWith('/posts')
			? await create()
			: (await data('POST', '/webhooks', { body })).webhook;
		return (await call('GET', path.replace('{id}', made.id), { query })).code;
	};
	const refused = 'PUBLIC_API_QUERY_INVALID';

	test.each(reads)('of %s: no value that makes no sense, and no unknown parameter', async (path) => {
		const required = path === '/analytics/unified' ? { from: '2026-01-01', to: '2026-02-01' } : {};
		expect(await codeOf(path, required)).toBeUndefined();
		if (!open.includes(path)) expect(await codeOf(path, { ...required, unknown: 1 })).toBe(refused);
		for (const name of contract.queryOf('GET', path))
			expect([name, await codeOf(path, { ...required, [name]: 'nonsense' })]).toEqual([name, refused]);
		expect((await call('GET', path, { query: { cursor: 'next' } })).code).toBe('PUBLIC_API_CURSOR_INVALID');
	});

	test.each([
		...Object.entries(limits).flatMap(([path, { most }]) => [0, most + 1].map((limit) => [path, { limit }])),
		['/analytics/unified', { from: '2026-01-01' }],
		['/analytics/unified', { from: '2026-02-01', to: '2026-01-01' }],
		['/posts', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
		['/posts', { to: '2026-13-01T00:00:00Z' }],
	] as Array<[string, object]>)('of %s: not %j', async (path, query) => {
		expect(await codeOf(path, query)).toBe(refused);
	});
});

test('a request over the limit does not act', async () => {
	const key = service().addKey({ plan: 'lowest' });
	for (let n = 0; n < 20; n++) await data('POST', '/posts', { key, body: draft() });
	const before = posts();
	const answer = await call('POST', '/posts', { key, body: draft() });
	expect(answer).toMatchObject({
		...{ status: 429, code: 'PUBLIC_API_RATE_LIMITED' },
		headers: { 'retry-after': expect.stringMatching(/^\d+$/), 'x-ratelimit-remaining': '0' },
	});
	expect([posts() - before, (await call('GET', '/posts', { key })).status]).toEqual([0, 200]);
});

describe('an idempotency key', () => {
	test.each(endpoints.filter((endpoint) => !endpoint.startsWith('GET')))('%s', async (endpoint) => {
		const [method, path] = endpoint.replace('{id}', 'none').split(' ') as [string, string];
		const { code } = await call(method, path, { idempotencyKey: null });
		expect(code === 'PUBLIC_API_IDEMPOTENCY_REQUIRED').toBe(method === 'POST');
		for (const idempotencyKey of ['with space', 'x'.repeat(256)])
			expect((await call(method, path, { idempotencyKey })).code).toBe('PUBLIC_API_IDEMPOTENCY_KEY_INVALID');
	});

	test('stands for one request of one key of the API in one workspace', async () => {
		const send = async (more: CallOptions = {}, path = '/posts') =>
			await call('POST', path, { body, idempotencyKey: 'the:same', ...more });
		const body = draft();
		const conflict = { status: 409, code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT' };
		const first = await send();
		expect(await send({ body: draft({ content: { text: 'Another' } }) })).toMatchObject(conflict);
		expect(await send({ body: undefined }, `/posts/${first.data.id}/cancel`)).toMatchObject(conflict);
		const again = await send({ body: Object.fromEntries(Object.entries(body).reverse()) });
		expect([again.status, again.data]).toEqual([201, first.data]);
		expect(again.headers['idempotency-replayed']).toBe('true');
		for (const other of [{ key: service().addKey({}) }, { workspace: 'ws_second' }])
			expect((await send(other)).data.id).not.toBe(first.data.id);
		const acted = service().requests.filter(({ headers }) => headers['idempotency-key'] === 'the:same');
		expect(acted.map((one) => one.acted ?? false)).toEqual([true, false, false, false, true, true]);
	});
});

const limit = { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED' };
/** Status, beginning of the body and Retry-After of POST /posts, and how many posts it made. */
test.each<[object, [status?: number, text?: string, retryAfter?: string], number]>([
	[{ kind: 'delay', ms: 1 }, [201, '{"succ'], 1],
	[{ kind: 'hang', ms: 1 }, [], 0],
	[{ kind: 'dropBefore' }, [], 0],
	[{ kind: 'dropAfter' }, [], 1],
	[{ kind: 'error', code: 'PUBLIC_API_POST_CREATE_FAILED' }, [500, '{"succ'], 0],
	[limit, [429, '{"succ', '1'], 0],
	[{ ...limit, retryAfter: '7' }, [429, '{"succ', '7'], 0],
	[{ kind: 'errorAfter', status: 502 }, [502, '{"succ'], 1],
	[{ kind: 'status' }, [503, '<html>'], 0],
	[{ kind: 'status', status: 404, retryAfter: '3', act: true }, [404, '<html>', '3'], 1],
	[{ kind: 'empty' }, [201, ''], 1],
	[{ kind: 'malformed' }, [201, '{"succ'], 1],
	[{ kind: 'headers', headers: { 'retry-after': '9' } }, [201, '{"succ', '9'], 1],
])('the fault %j: %j, and %d post', async (fault, expected, made) => {
	service().faults.add(fault as Fault);
	const before = posts();
	const answer = await call('POST', '/posts', { body: draft() }).catch(() => undefined);
	const { status, text, headers, body } = answer ?? {};
	const shown = [status, text?.slice(0, 6), headers?.['retry-after']].filter((one) => one !== undefined);
	expect([shown, posts() - before]).toEqual([expected, made]);
	const { kind } = fault as Fault;
	expect(body === undefined).toBe(!expected[1]?.startsWith('{') || kind === 'malformed');
	expect(service().requests.at(-1)).toMatchObject({ fault: kind, method: 'POST' });
});
