import { startService, type Service } from '../../service';
import { client, newPost, Receiver, row } from './harness';

let service: Service;
const call = client(() => service);

beforeAll(async () => {
	service = await startService();
});
afterAll(async () => await service.close());
afterEach(() => service.faults.clear());

const READS = [
	...['/workspaces', '/accounts', '/posts', '/posts/any', '/posts/any/analytics', '/approvals', '/usage'],
	...['/social-connections', '/webhooks', '/webhooks/any/deliveries', '/inbox', '/analytics'],
	...['/analytics/summary', '/analytics/unified', '/analytics/insights'],
];
const WRITES: Array<[string, string]> = [
	['POST', '/posts'],
	['PATCH', '/posts/any'],
	['DELETE', '/posts/any'],
	['POST', '/posts/any/cancel'],
	['POST', '/media/upload-url'],
	['POST', '/media'],
	['POST', '/webhooks'],
	['DELETE', '/webhooks/any'],
	['POST', '/inbox/any/reply'],
];

describe('Authentication', () => {
	row('Authentication · 1. Every request carries Authorization', async () => {
		const all: Array<[string, string]> = [...READS.map((path): [string, string] => ['GET', path]), ...WRITES];
		expect(all).toHaveLength(24);
		for (const [method, path] of all) {
			const answer = await call(method, path, { key: null });
			expect([method, path, answer.status, answer.code]).toEqual([
				method,
				path,
				401,
				'PUBLIC_API_AUTH_REQUIRED',
			]);
		}
	});
	row('Authentication · 2. Missing or malformed header', async () => {
		const code = async (options: object) => (await call('GET', '/workspaces', options)).code;
		expect(await code({ key: null })).toBe('PUBLIC_API_AUTH_REQUIRED');
		expect(await code({ key: null, headers: { authorization: 'Bearer' } })).toBe('PUBLIC_API_AUTH_REQUIRED');
		expect(await code({ key: 'mistyped' })).toBe('PUBLIC_API_KEY_INVALID');
		expect(await code({ key: service.keys.revoked })).toBe('PUBLIC_API_KEY_INVALID');
		expect(await code({ key: service.keys.expired })).toBe('PUBLIC_API_KEY_EXPIRED');
		// A key expires by the service's clock.
		const key = service.addKey({ expiresAt: new Date(service.clock.now() + 60_000).toISOString() });
		expect(await code({ key })).toBeUndefined();
		await service.clock.advance(61_000);
		expect(await code({ key })).toBe('PUBLIC_API_KEY_EXPIRED');
	});
	row('Authentication · 3. Keys carry scopes chosen at creation', async () => {
		const key = service.addKey({ scopes: ['posts:read'] });
		expect((await call('GET', '/posts', { key })).status).toBe(200);
		expect(await call('POST', '/posts', { key, body: newPost(service) })).toMatchObject({
			status: 403,
			code: 'PUBLIC_API_SCOPE_FORBIDDEN',
		});
		expect((await call('GET', '/accounts', { key })).code).toBe('PUBLIC_API_SCOPE_FORBIDDEN');
	});
	row('Authentication · 4. The workspace is selected with x-service-workspace-id', async () => {
		const { data } = await call('POST', '/posts', { body: newPost(service), workspace: 'ws_second' });
		expect((await call('GET', `/posts/${data.id}`, { workspace: 'ws_second' })).status).toBe(200);
		expect((await call('GET', `/posts/${data.id}`, { workspace: 'ws_main' })).code).toBe(
			'PUBLIC_API_POST_NOT_FOUND',
		);
		for (const workspace of ['ws_other', 'ws_none']) {
			expect((await call('GET', '/posts', { workspace })).code).toBe('PUBLIC_API_WORKSPACE_FORBIDDEN');
		}
		const brand = async (id: string, workspace: string) =>
			await call('GET', '/posts', { workspace, headers: { 'x-service-brand-id': id } });
		expect((await brand('brand_cafe', 'ws_main')).status).toBe(200);
		expect((await brand('brand_cafe', 'ws_second')).code).toBe('PUBLIC_API_BRAND_FORBIDDEN');
	});
	row('Authentication · 5. GET /workspaces is called without the workspace header', async () => {
		const { status, data } = await call('GET', '/workspaces');
		expect(status).toBe(200);
		expect(data.workspaces.map(({ id }: any) => id)).toEqual(['ws_main', 'ws_second']);
		// Elsewhere the key's first workspace is taken.
		const { data: made } = await call('POST', '/posts', { body: newPost(service) });
		expect((await call('GET', `/posts/${made.id}`, { workspace: 'ws_main' })).status).toBe(200);
	});
	row(
		'Authentication · 6. Server-side failures while resolving the key or scope give 500 PUBLIC_API_AUTH_ERROR or PUBLIC_API_CONTEXT_ERROR',
		async () => {
			for (const code of ['PUBLIC_API_AUTH_ERROR', 'PUBLIC_API_CONTEXT_ERROR']) {
				service.faults.add({ kind: 'error', code, times: 2 });
				const body = newPost(service);
				const options = { body, idempotencyKey: `retried:${code}` };
				const posts = service.store.posts.size;
				expect(await call('POST', '/posts', options)).toMatchObject({ status: 500, code });
				expect(await call('POST', '/posts', options)).toMatchObject({ status: 500, code });
				expect(service.store.posts.size).toBe(posts);
				expect(await call('POST', '/posts', options)).toMatchObject({ status: 201 });
				expect(service.store.posts.size).toBe(posts + 1);
			}
		},
	);
	row(
		'Authentication · 7. Webhook deliveries are authenticated by signature, described under Events',
		async () => {
			const receiver = await new Receiver().start();
			try {
				const body = { url: receiver.url, events: ['post.created'] };
				await call('POST', '/webhooks', { body });
				await call('POST', '/posts', { body: newPost(service) });
				await service.deliveries.idle();
				const [{ headers }] = receiver.received as [(typeof receiver.received)[0]];
				expect(headers).toHaveProperty('x-service-signature');
				expect(headers).not.toHaveProperty('authorization');
			} finally {
				await receiver.stop();
			}
		},
	);
});
