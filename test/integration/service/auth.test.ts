import { endpoints } from '../../support/specification';
import { embedded, MINUTE } from './harness';

const { service, call, draft } = embedded();
const keys = () => service().keys;

test.each(endpoints)(
	'%s needs a key, a scope of the key, and a workspace that it may use',
	async (endpoint) => {
		const [method, path] = endpoint.replace('{id}', 'any').split(' ') as [string, string];
		const codeOf = async (options: object) => (await call(method, path, options)).code;
		const none = service().addKey({ scopes: [] });
		expect([await codeOf({ key: null }), await codeOf({ key: none })]).toEqual([
			...['PUBLIC_API_AUTH_REQUIRED', 'PUBLIC_API_SCOPE_FORBIDDEN'],
		]);
		const workspaces = await Promise.all(
			['ws_none', ''].map(async (workspace) => await codeOf({ workspace })),
		);
		const expected = path === '/workspaces' ? undefined : 'PUBLIC_API_WORKSPACE_FORBIDDEN';
		expect(workspaces).toEqual([expected, expected]);
	},
);

test.each<[string, (key: string) => string]>([
	['AUTH_REQUIRED', () => 'Bearer '],
	['AUTH_REQUIRED', () => 'Bearer a b'],
	['AUTH_REQUIRED', (key) => key],
	['AUTH_REQUIRED', (key) => `Basic ${key}`],
	['KEY_INVALID', (key) => `Bearer ${key}x`],
	['KEY_INVALID', () => `Bearer ${keys().revoked}`],
	['KEY_EXPIRED', () => `Bearer ${keys().expired}`],
])('%s: %s', async (code, header) => {
	const headers = { authorization: header(keys().full) };
	const answer = await call('GET', '/workspaces', { key: null, headers });
	expect(answer).toMatchObject({ status: 401, code: `PUBLIC_API_${code}` });
});

test("a key expires by the service's clock, and has the scopes that it was made with", async () => {
	const { clock } = service();
	const expiresAt = clock.iso(clock.now() + MINUTE);
	const key = service().addKey({ scopes: ['posts:read'], expiresAt });
	expect((await call('GET', '/posts', { key })).status).toBe(200);
	expect((await call('POST', '/posts', { key, body: draft() })).code).toBe('PUBLIC_API_SCOPE_FORBIDDEN');
	await clock.advance(MINUTE + 1);
	expect((await call('GET', '/posts', { key })).code).toBe('PUBLIC_API_KEY_EXPIRED');
});

test('the brand has to be one of the workspace', async () => {
	const post = async (brand: string) =>
		await call('POST', '/posts', { body: draft(), headers: { 'x-service-brand-id': brand } });
	expect((await post('brand_cafe')).data.brand_id).toBe('brand_cafe');
	expect(await post('brand_second')).toMatchObject({ status: 403, code: 'PUBLIC_API_BRAND_FORBIDDEN' });
});
