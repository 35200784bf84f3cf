import { endpoints } from '../../support/specification';
import { embedded, MINUTE } from './harness';

const { service, call, data, draft } = embedded();
const keys = () => service().keys;

describe.each(endpoints)('%s', (endpoint) => {
	const [method, path] = endpoint.replace('{id}', 'any').split(' ') as [string, string];
	const isRead = method === 'GET';

	test('needs a key, and a scope of the key', async () => {
		const none = service().addKey({ scopes: [] });
		const reader = await call(method, path, { key: keys().readOnly });
		expect([await call(method, path, { key: null }), await call(method, path, { key: none })]).toMatchObject([
			{ status: 401, code: 'PUBLIC_API_AUTH_REQUIRED' },
			{ status: 403, code: 'PUBLIC_API_SCOPE_FORBIDDEN' },
		]);
		expect(reader.code === 'PUBLIC_API_SCOPE_FORBIDDEN').toBe(!isRead);
	});

	test('is refused in a workspace that the key may not use', async () => {
		const expected = path === '/workspaces' ? undefined : 'PUBLIC_API_WORKSPACE_FORBIDDEN';
		for (const workspace of ['ws_other', 'ws_none', ''])
			expect((await call(method, path, { workspace })).code).toBe(expected);
	});
});

test.each<[string, (key: string) => string]>([
	['AUTH_REQUIRED', () => ''],
	['AUTH_REQUIRED', () => 'Bearer'],
	['AUTH_REQUIRED', () => 'Bearer '],
	['AUTH_REQUIRED', () => 'Bearer a b'],
	['AUTH_REQUIRED', (key) => key],
	['AUTH_REQUIRED', (key) => `Basic ${key}`],
	['AUTH_REQUIRED', (key) => `XBearer ${key}`],
	['KEY_INVALID', (key) => `Bearer ${key}x`],
	['KEY_INVALID', (key) => `Bearer ${key.slice(0, -1)}`],
	['KEY_INVALID', () => `Bearer ${keys().revoked}`],
	['KEY_EXPIRED', () => `Bearer ${keys().expired}`],
])('%s: %s', async (code, header) => {
	const authorization = header(keys().full);
	const answer = await call('GET', '/workspaces', { key: null, headers: { authorization } });
	expect(answer).toMatchObject({ status: 401, code: `PUBLIC_API_${code}` });
});

test("a key expires by the service's clock", async () => {
	const key = service().addKey({ expiresAt: service().clock.iso(service().clock.now() + MINUTE) });
	expect((await call('GET', '/workspaces', { key })).status).toBe(200);
	await service().clock.advance(MINUTE + 1);
	expect((await call('GET', '/workspaces', { key })).code).toBe('PUBLIC_API_KEY_EXPIRED');
});

test('a key has the scopes that it was made with', async () => {
	const key = service().addKey({ scopes: ['posts:read'] });
	expect((await call('GET', '/posts', { key })).status).toBe(200);
	expect((await call('POST', '/posts', { key, body: draft() })).code).toBe('PUBLIC_API_SCOPE_FORBIDDEN');
	expect((await call('GET', '/accounts', { key })).code).toBe('PUBLIC_API_SCOPE_FORBIDDEN');
});

test("the header selects a workspace, without it the key's first one; a post is in one only", async () => {
	const codeOf = async (id: string, workspace?: string) =>
		(await call('GET', `/posts/${id}`, { workspace })).code;
	for (const [selected, own, other] of [
		['ws_second', 'ws_second', 'ws_main'],
		[undefined, 'ws_main', 'ws_second'],
	] as const) {
		const { id } = await data('POST', '/posts', { body: draft(), workspace: selected });
		expect(await codeOf(id, own)).toBeUndefined();
		expect(await codeOf(id, other)).toBe('PUBLIC_API_POST_NOT_FOUND');
	}
});

test('the brand has to be one of the workspace', async () => {
	const brand = async (id: string, workspace: string) => {
		const headers = { 'x-service-brand-id': id };
		return await call('POST', '/posts', { body: draft(), workspace, headers });
	};
	expect((await brand('brand_cafe', 'ws_main')).data.brand_id).toBe('brand_cafe');
	const refused = { status: 403, code: 'PUBLIC_API_BRAND_FORBIDDEN' };
	expect(await brand('brand_cafe', 'ws_second')).toMatchObject(refused);
	expect(await brand('brand_of_nobody', 'ws_main')).toMatchObject(refused);
});
