import { startService, type Service } from '../../service';
import { client, control, newPost, row } from './harness';

let service: Service;
const call = client(() => service);

beforeAll(async () => {
	service = await startService();
});
afterAll(async () => await service.close());
afterEach(() => service.faults.clear());

const postId = async () => (await call('POST', '/posts', { body: newPost(service) })).data.id as string;

/** A code that only a failure inside the service brings: shown with a fault, and gone after it. */
function failure(method: string, path: string | (() => Promise<string>), code: string, body?: () => unknown) {
	return async () => {
		const at = typeof path === 'string' ? path : await path();
		service.faults.add({ kind: 'error', code, method, path: `^${at.split('?')[0]}$`, times: 1 });
		const idempotencyKey = method === 'GET' ? null : `same:${code}`;
		const failed = await call(method, at, { body: body?.(), idempotencyKey });
		expect(failed).toMatchObject({ status: 500, code, body: { success: false } });
		expect(failed.body.error.message).toEqual(expect.any(String));
		expect(failed.body.request_id).toEqual(expect.any(String));
		expect(failed.body).not.toHaveProperty('data');
		// "retry with backoff", "retry with the same key": the failure is not remembered.
		const again = await call(method, at, { body: body?.(), idempotencyKey });
		expect(again.status).toBeLessThan(300);
	};
}

describe('Errors: auth and scope', () => {
	row('Auth and scope · PUBLIC_API_AUTH_REQUIRED 401', async () => {
		const malformed = [
			'',
			'Bearer',
			'Bearer ',
			`Basic ${service.keys.full}`,
			service.keys.full,
			'Bearer a b',
		];
		for (const authorization of malformed) {
			const answer = await call('GET', '/accounts', { key: null, headers: { authorization } });
			expect(answer).toMatchObject({ status: 401, code: 'PUBLIC_API_AUTH_REQUIRED' });
		}
		expect(await call('GET', '/accounts', { key: null })).toMatchObject({ code: 'PUBLIC_API_AUTH_REQUIRED' });
	});
	row('Auth and scope · PUBLIC_API_KEY_INVALID 401', async () => {
		for (const key of ['no-such-key', `${service.keys.full}x`, service.keys.full.slice(0, -1)]) {
			expect(await call('GET', '/accounts', { key })).toMatchObject({
				status: 401,
				code: 'PUBLIC_API_KEY_INVALID',
			});
		}
		expect(await call('GET', '/workspaces', { key: service.keys.revoked })).toMatchObject({
			status: 401,
			code: 'PUBLIC_API_KEY_INVALID',
		});
	});
	row('Auth and scope · PUBLIC_API_KEY_EXPIRED 401', async () => {
		const answer = await call('GET', '/workspaces', { key: service.keys.expired });
		expect(answer).toMatchObject({ status: 401, code: 'PUBLIC_API_KEY_EXPIRED' });
	});
	row('Auth and scope · PUBLIC_API_SCOPE_FORBIDDEN 403', async () => {
		const key = service.keys.readOnly;
		expect(await call('GET', '/posts', { key })).toMatchObject({ status: 200 });
		const writes: Array<[string, string, unknown?]> = [
			['POST', '/posts', newPost(service)],
			['PATCH', '/posts/any', {}],
			['DELETE', '/posts/any'],
			['POST', '/posts/any/cancel'],
			['POST', '/media/upload-url', {}],
			['POST', '/media'],
			['POST', '/webhooks', {}],
			['DELETE', '/webhooks/any'],
			['POST', '/inbox/any/reply', {}],
		];
		for (const [method, path, body] of writes) {
			const answer = await call(method, path, { key, body });
			expect([method, path, answer.status, answer.code]).toEqual([
				method,
				path,
				403,
				'PUBLIC_API_SCOPE_FORBIDDEN',
			]);
		}
		const none = service.addKey({ scopes: [] });
		const reads = ['/workspaces', '/accounts', '/posts', '/posts/any', '/posts/any/analytics', '/approvals'];
		reads.push('/social-connections', '/usage', '/webhooks', '/webhooks/any/deliveries', '/analytics');
		reads.push('/analytics/summary', '/analytics/unified', '/analytics/insights', '/inbox');
		for (const path of reads) {
			const answer = await call('GET', path, { key: none });
			expect([path, answer.status, answer.code]).toEqual([path, 403, 'PUBLIC_API_SCOPE_FORBIDDEN']);
		}
	});
	row('Auth and scope · PUBLIC_API_WORKSPACE_FORBIDDEN 403', async () => {
		const own = (await call('GET', '/workspaces', { key: service.keys.otherWorkspace })).data;
		const foreign = JSON.stringify(own).match(/"id":"(.*?)"/)![1]!;
		for (const workspace of [foreign, 'ws_none', '']) {
			const answer = await call('GET', '/accounts', { workspace });
			expect(answer).toMatchObject({ status: 403, code: 'PUBLIC_API_WORKSPACE_FORBIDDEN' });
		}
	});
	row('Auth and scope · PUBLIC_API_BRAND_FORBIDDEN 403', async () => {
		const answer = await call('GET', '/posts', { headers: { 'x-service-brand-id': 'brand_of_nobody' } });
		expect(answer).toMatchObject({ status: 403, code: 'PUBLIC_API_BRAND_FORBIDDEN' });
	});
	row(
		'Auth and scope · PUBLIC_API_CONTEXT_ERROR 500',
		failure('GET', '/accounts', 'PUBLIC_API_CONTEXT_ERROR'),
	);
	row('Auth and scope · PUBLIC_API_AUTH_ERROR 500', failure('GET', '/accounts', 'PUBLIC_API_AUTH_ERROR'));
});

describe('Errors: request, rate limit, idempotency', () => {
	row('Request, rate limit, idempotency · PUBLIC_API_RATE_LIMITED 429', async () => {
		const key = service.addKey({ plan: 'lowest' });
		for (let n = 0; n < 20; n++) {
			expect((await call('POST', '/posts', { key, body: newPost(service) })).status).toBe(201);
		}
		const before = service.store.posts.size;
		const answer = await call('POST', '/posts', { key, body: newPost(service) });
		expect(answer).toMatchObject({ status: 429, code: 'PUBLIC_API_RATE_LIMITED' });
		expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
		expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
		expect(service.store.posts.size).toBe(before);
	});
	row('Request, rate limit, idempotency · PUBLIC_API_IDEMPOTENCY_REQUIRED 400', async () => {
		const id = await postId();
		const writes: Array<[string, unknown?]> = [
			['/posts', newPost(service)],
			[`/posts/${id}/cancel`],
			['/media/upload-url', { filename: 'a.png', content_type: 'image/png', size: 1 }],
			['/webhooks', { url: 'https://receiver.example/hook', events: ['post.published'] }],
			['/inbox/any/reply', { text: 'Hello' }],
		];
		for (const [path, body] of writes) {
			const answer = await call('POST', path, { body, idempotencyKey: null });
			expect([path, answer.status, answer.code]).toEqual([path, 400, 'PUBLIC_API_IDEMPOTENCY_REQUIRED']);
		}
		expect((await call('POST', `/posts/${id}/cancel`, { idempotencyKey: 'with:a:key' })).status).toBe(200);
	});
	row('Request, rate limit, idempotency · PUBLIC_API_IDEMPOTENCY_KEY_INVALID 400', async () => {
		for (const idempotencyKey of ['with space', 'caf\u00e9', 'x'.repeat(256), 'tab\there']) {
			const answer = await call('POST', '/posts', { body: newPost(service), idempotencyKey });
			expect(answer).toMatchObject({ status: 400, code: 'PUBLIC_API_IDEMPOTENCY_KEY_INVALID' });
		}
	});
	row('Request, rate limit, idempotency · PUBLIC_API_IDEMPOTENCY_CONFLICT 409', async () => {
		const body = newPost(service);
		const first = await call('POST', '/posts', { body, idempotencyKey: 'conflict' });
		const other = { ...body, content: { text: 'Another', media: [] } };
		expect(await call('POST', '/posts', { body: other, idempotencyKey: 'conflict' })).toMatchObject({
			status: 409,
			code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT',
		});
		// The same key at another endpoint is another request too.
		expect(
			await call('POST', `/posts/${first.data.id}/cancel`, { idempotencyKey: 'conflict' }),
		).toMatchObject({
			status: 409,
			code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT',
		});
		const replay = await call('POST', '/posts', { body, idempotencyKey: 'conflict' });
		expect(replay).toMatchObject({ status: 201, data: { id: first.data.id } });
		// Another key of the API does not see it.
		const stranger = await call('POST', '/posts', {
			body: other,
			idempotencyKey: 'conflict',
			key: service.addKey({}),
		});
		expect(stranger.status).toBe(201);
	});
	row('Request, rate limit, idempotency · PUBLIC_API_BODY_INVALID 400', async () => {
		const wrong = ['{"platform":', '', '[]', '"text"', 'null', '{}'];
		for (const body of wrong) {
			const headers = { 'content-type': 'application/json' };
			const answer = await call('POST', '/posts', { body, headers });
			expect([body, answer.status, answer.code]).toEqual([body, 400, 'PUBLIC_API_BODY_INVALID']);
		}
		const bodies = [
			newPost(service, { platform: 'myspace' }),
			newPost(service, { platform: undefined }),
			newPost(service, { content: { text: 1 } }),
			newPost(service, { content: {} }),
			newPost(service, { content: { text: 'x', media: ['https://elsewhere.example/a.png'] } }),
			newPost(service, { scheduled_at: 'tomorrow' }),
			newPost(service, { scheduled_at: '2030-01-01T00:00:00+02:00' }),
			newPost(service, { scheduled_at: '2030-02-30T00:00:00Z' }),
			newPost(service, { scheduled_at: new Date(service.clock.now() - 1000).toISOString() }),
			{ content: 'text', platforms: [] },
			{ content: 'text', platforms: 'linkedin' },
			{ content: 'text', platforms: ['linkedin', 'myspace'] },
			{ content: 'text', platform: 'linkedin' },
			{ content: { text: 'text' }, platforms: ['linkedin'] },
		];
		for (const body of bodies) {
			const answer = await call('POST', '/posts', { body });
			expect([body, answer.status, answer.code]).toEqual([body, 400, 'PUBLIC_API_BODY_INVALID']);
		}
		const webhooks = [
			{ url: 'http://receiver.example/hook', events: ['post.published'] },
			{ url: 'ftp://receiver.example', events: ['post.published'] },
			{ url: 'receiver', events: ['post.published'] },
			{ url: 'https://receiver.example/hook', events: [] },
			{ url: 'https://receiver.example/hook', events: ['post.exploded'] },
			{ url: 'https://receiver.example/hook' },
			{ events: ['post.published'] },
		];
		for (const body of webhooks) {
			const answer = await call('POST', '/webhooks', { body });
			expect([body, answer.status, answer.code]).toEqual([body, 400, 'PUBLIC_API_BODY_INVALID']);
		}
	});
	row('Request, rate limit, idempotency · PUBLIC_API_CURSOR_INVALID 400', async () => {
		const answer = await call('GET', '/posts', { query: { cursor: 'tampered' } });
		expect(answer).toMatchObject({ status: 400, code: 'PUBLIC_API_CURSOR_INVALID' });
		expect((await call('GET', '/posts')).status).toBe(200);
	});
	row('Request, rate limit, idempotency · PUBLIC_API_QUERY_INVALID 400', async () => {
		const id = await postId();
		const queries: Array<[string, Record<string, string | number>]> = [
			['/posts', { from: 'yesterday' }],
			['/posts', { to: '2026-13-01T00:00:00Z' }],
			['/posts', { scheduled_after: '2026-01-01' }],
			['/posts', { limit: 0 }],
			['/posts', { limit: 101 }],
			['/posts', { limit: 'many' }],
			['/posts', { status: 'exploded' }],
			['/posts', { platform: 'myspace' }],
			['/approvals', { page: 0 }],
			['/approvals', { limit: 51 }],
			['/analytics/summary', { timeframe: 'last_year' }],
			['/analytics/summary', { startDate: 'x' }],
			['/analytics/summary', { includeInsights: 'perhaps' }],
			['/analytics/unified', {}],
			['/analytics/unified', { from: '2026-01-01' }],
			['/analytics/unified', { from: 'x', to: '2026-01-01' }],
			['/analytics/unified', { from: '2026-01-01', to: '2026-02-01', platforms: 'linkedin,myspace' }],
			['/analytics/insights', { limit: 21 }],
			['/analytics/insights', { type: 'gossip' }],
			['/analytics/insights', { dismissed: 'perhaps' }],
			[`/posts/${id}/analytics`, { granularity: 'hourly' }],
			[`/posts/${id}/analytics`, { granularity: 'daily', from: 'x' }],
		];
		for (const [path, query] of queries) {
			const answer = await call('GET', path, { query });
			expect([path, query, answer.status, answer.code]).toEqual([
				path,
				query,
				400,
				'PUBLIC_API_QUERY_INVALID',
			]);
		}
	});
});

describe('Errors: endpoint-specific', () => {
	const upload = () => ({ filename: 'a.png', content_type: 'image/png', size: 3 });
	row(
		'Endpoint-specific · POST /media/upload-url · PUBLIC_API_MEDIA_CREATE_FAILED 500',
		failure('POST', '/media/upload-url', 'PUBLIC_API_MEDIA_CREATE_FAILED', upload),
	);
	row(
		'Endpoint-specific · POST /media/upload-url · PUBLIC_API_UPLOAD_URL_FAILED 500',
		failure('POST', '/media/upload-url', 'PUBLIC_API_UPLOAD_URL_FAILED', upload),
	);
	row(
		'Endpoint-specific · GET /posts · PUBLIC_API_POST_LIST_FAILED 500',
		failure('GET', '/posts', 'PUBLIC_API_POST_LIST_FAILED'),
	);
	const post = { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() };
	row(
		'Endpoint-specific · POST /posts · PUBLIC_API_POST_CREATE_FAILED 500',
		failure('POST', '/posts', 'PUBLIC_API_POST_CREATE_FAILED', () => newPost(service, post)),
	);
	row('Endpoint-specific · POST /posts · PUBLIC_API_PUBLISH_FAILED 422', async () => {
		const body = newPost(service, { content: { text: 'Refused at once [[422]]', media: [] } });
		const answer = await call('POST', '/posts', { body, idempotencyKey: 'refused' });
		expect(answer).toMatchObject({ status: 422, code: 'PUBLIC_API_PUBLISH_FAILED' });
		// "but post state was persisted; inspect the returned post"
		expect(answer.data).toMatchObject({ id: expect.any(String), status: 'failed' });
		const stored = await call('GET', `/posts/${answer.data.id}`);
		expect(stored).toMatchObject({ status: 200, data: { status: 'failed' } });
		// "decide on a new write": the same key brings the same refusal, not a second post.
		const posts = service.store.posts.size;
		const again = await call('POST', '/posts', { body, idempotencyKey: 'refused' });
		expect(again).toMatchObject({ status: 422, data: { id: answer.data.id } });
		expect(service.store.posts.size).toBe(posts);
	});
	row(
		'Endpoint-specific · GET /posts/{id} · PUBLIC_API_POST_FETCH_FAILED 500',
		failure('GET', async () => `/posts/${await postId()}`, 'PUBLIC_API_POST_FETCH_FAILED'),
	);
	row('Endpoint-specific · GET /posts/{id} · PUBLIC_API_POST_NOT_FOUND 404', async () => {
		const missing = await call('GET', '/posts/post_none');
		expect(missing).toMatchObject({ status: 404, code: 'PUBLIC_API_POST_NOT_FOUND' });
		// "missing or inaccessible": a post of another workspace.
		const foreign = await call('GET', `/posts/${await postId()}`, { key: service.keys.otherWorkspace });
		expect(foreign).toMatchObject({ status: 404, code: 'PUBLIC_API_POST_NOT_FOUND' });
	});
	row(
		'Endpoint-specific · POST /posts/{id}/cancel · PUBLIC_API_POST_FETCH_FAILED 500',
		failure('POST', async () => `/posts/${await postId()}/cancel`, 'PUBLIC_API_POST_FETCH_FAILED'),
	);
	row('Endpoint-specific · POST /posts/{id}/cancel · PUBLIC_API_POST_NOT_FOUND 404', async () => {
		const missing = await call('POST', '/posts/post_none/cancel');
		expect(missing).toMatchObject({ status: 404, code: 'PUBLIC_API_POST_NOT_FOUND' });
		const id = await postId();
		const foreign = await call('POST', `/posts/${id}/cancel`, { key: service.keys.otherWorkspace });
		expect(foreign).toMatchObject({ status: 404, code: 'PUBLIC_API_POST_NOT_FOUND' });
		expect((await call('GET', `/posts/${id}`)).data.status).toBe('scheduled');
	});
	row('Endpoint-specific · POST /posts/{id}/cancel · PUBLIC_API_POST_CANCEL_INVALID_STATE 409', async () => {
		const [completed, failed, canceled] = [await postId(), await postId(), await postId()];
		await control(service, `posts/${completed}/publish`);
		await control(service, `posts/${failed}/fail`);
		await call('POST', `/posts/${canceled}/cancel`);
		for (const id of [completed, failed, canceled]) {
			expect(await call('POST', `/posts/${id}/cancel`)).toMatchObject({
				status: 409,
				code: 'PUBLIC_API_POST_CANCEL_INVALID_STATE',
			});
		}
	});
	row(
		'Endpoint-specific · POST /posts/{id}/cancel · PUBLIC_API_POST_CANCEL_FAILED 500',
		failure('POST', async () => `/posts/${await postId()}/cancel`, 'PUBLIC_API_POST_CANCEL_FAILED'),
	);
	row(
		'Endpoint-specific · GET /social-connections · PUBLIC_API_CONNECTIONS_FETCH_FAILED 500',
		failure('GET', '/social-connections', 'PUBLIC_API_CONNECTIONS_FETCH_FAILED'),
	);
	row(
		'Endpoint-specific · POST /webhooks · PUBLIC_API_WEBHOOK_CREATE_FAILED 500',
		failure('POST', '/webhooks', 'PUBLIC_API_WEBHOOK_CREATE_FAILED', () => ({
			url: 'https://receiver.example/hook',
			events: ['approval.item_rejected'],
		})),
	);
	row(
		'Endpoint-specific · GET /usage · PUBLIC_API_USAGE_FETCH_FAILED 500',
		failure('GET', '/usage', 'PUBLIC_API_USAGE_FETCH_FAILED'),
	);
	row(
		'Endpoint-specific · GET /analytics/summary · PUBLIC_API_ANALYTICS_SUMMARY_FAILED 500',
		failure('GET', '/analytics/summary', 'PUBLIC_API_ANALYTICS_SUMMARY_FAILED'),
	);
	row(
		'Endpoint-specific · GET /analytics/unified · PUBLIC_API_ANALYTICS_UNIFIED_FAILED 500',
		failure('GET', '/analytics/unified?from=2026-01-01&to=2026-02-01', 'PUBLIC_API_ANALYTICS_UNIFIED_FAILED'),
	);
});
