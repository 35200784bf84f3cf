import { embedded } from './harness';

/**
 * What the specification refuses beyond what docs/openapi.yaml says of a request (test/support/checkContract.ts), the
 * embedded service refuses, too: a node that sends it fails in the tests.
 */

const { call, draft, service } = embedded();

test.each<[string, () => object]>([
	['an unknown platform', () => draft({ platform: 'linkedn' })],
	['the name that analytics use', () => draft({ platform: 'twitter' })],
	['neither text nor media', () => draft({ content: { text: ' ', media: [] } })],
	['unknown media', () => draft({ content: { text: 'Hi', media: ['https://a.example/1.png'] } })],
	['a time that has passed', () => draft({ scheduled_at: '2020-01-01T10:00:00Z' })],
	['a platform twice', () => ({ content: 'Hi', platforms: ['x', 'x'], schedule_at: '2126-01-01T10:00:00Z' })],
])('a post with %s', async (_what, body) => {
	const before = service().store.posts.size;
	const { status, code } = await call('POST', '/posts', { body: body() });
	expect([status, code]).toEqual([400, 'PUBLIC_API_BODY_INVALID']);
	expect(service().store.posts.size).toBe(before);
});

test.each<[string, Record<string, string>]>([
	['/posts', { platform: 'linkedn' }],
	['/posts', { status: 'done' }],
	['/posts', { page: '2' }],
	['/analytics/summary', { timeframe: 'last_year' }],
	['/analytics/unified', { from: '2026-01-01', to: '2026-02-01', platforms: 'linkedn' }],
])('GET %s with %j', async (path, query) => {
	const { status, code } = await call('GET', path, { query });
	expect([status, code]).toEqual([400, 'PUBLIC_API_QUERY_INVALID']);
});

test.each([
	['an address without https', { url: 'http://n8n.example/hook', events: ['post.failed'] }],
	['an unknown event', { url: 'https://n8n.example/hook', events: ['post.lost'] }],
])('a subscription with %s', async (_what, body) => {
	const { status, code } = await call('POST', '/webhooks', { body });
	expect([status, code]).toEqual([400, 'PUBLIC_API_BODY_INVALID']);
});
