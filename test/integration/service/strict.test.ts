import { embedded } from './harness';

/** What the specification refuses, the embedded service refuses, too: a node that sends it fails in the tests. */

const { call, draft, service } = embedded();
const BODY = 'PUBLIC_API_BODY_INVALID';
const QUERY = 'PUBLIC_API_QUERY_INVALID';
const quick = { content: 'Hello', platforms: ['x'], schedule_at: '2126-01-01T10:00:00Z' };

test.each<[string, () => object]>([
	['an unknown platform', () => draft({ platform: 'linkedn' })],
	['the name that analytics use', () => draft({ platform: 'twitter' })],
	['no platform', () => draft({ platform: undefined })],
	['neither text nor media', () => draft({ content: { text: ' ', media: [] } })],
	['no content', () => draft({ content: undefined })],
	['a text where the shape has an object', () => draft({ content: 'Hello' })],
	[
		'media that was not uploaded',
		() => draft({ content: { text: 'Hello', media: ['https://a.example/1.png'] } }),
	],
	['a time with an offset', () => draft({ scheduled_at: '2126-01-01T10:00:00+01:00' })],
	['a date alone', () => draft({ scheduled_at: '2126-01-01' })],
	['a time that has passed', () => draft({ scheduled_at: '2020-01-01T10:00:00Z' })],
	['both shapes in one', () => ({ ...quick, platform: 'x' })],
	['a platform twice', () => ({ ...quick, platforms: ['x', 'x'] })],
	['no platforms', () => ({ ...quick, platforms: [] })],
])('a post with %s', async (_what, body) => {
	const before = service().store.posts.size;
	expect(await call('POST', '/posts', { body: body() })).toMatchObject({ status: 400, code: BODY });
	expect(service().store.posts.size).toBe(before);
});

test('fields that the specification does not name are taken', async () =>
	expect(await call('POST', '/posts', { body: draft({ first_comment: 'Hi' }) })).toMatchObject({
		status: 201,
		data: { first_comment: 'Hi' },
	}));

test.each<[string, Record<string, string>]>([
	['/posts', { limit: '101' }],
	['/posts', { from: '2026-01-01' }],
	['/posts', { platform: 'linkedn' }],
	['/posts', { status: 'done' }],
	['/posts', { page: '2' }],
	['/approvals', { limit: '51' }],
	['/analytics/summary', { timeframe: 'last_year' }],
	['/analytics/unified', { from: '2026-01-01' }],
	['/analytics/unified', { from: '2026-01-01', to: '2026-02-01', platforms: 'linkedn' }],
	['/analytics/insights', { limit: '21' }],
	['/analytics/insights', { dismissed: 'yes' }],
])('GET %s with %j', async (path, query) =>
	expect(await call('GET', path, { query })).toMatchObject({ status: 400, code: QUERY }),
);

test.each<[string, object]>([
	['an address without https', { url: 'http://n8n.example/hook', events: ['post.failed'] }],
	['an unknown event', { url: 'https://n8n.example/hook', events: ['post.lost'] }],
	['no event', { url: 'https://n8n.example/hook', events: [] }],
])('a subscription with %s', async (_what, body) =>
	expect(await call('POST', '/webhooks', { body })).toMatchObject({ status: 400, code: BODY }),
);

test.each<[string, string | null, string]>([
	['no key', null, 'PUBLIC_API_IDEMPOTENCY_REQUIRED'],
	['a key with a space', 'a b', 'PUBLIC_API_IDEMPOTENCY_KEY_INVALID'],
	['a key that is too long', 'k'.repeat(256), 'PUBLIC_API_IDEMPOTENCY_KEY_INVALID'],
])('a write with %s', async (_what, idempotencyKey, code) =>
	expect(await call('POST', '/posts', { body: draft(), idempotencyKey })).toMatchObject({
		status: 400,
		code,
	}),
);
