import { inMemory, itemWith } from './binaries';

/** Parameters with which each operation sends its first request. */
export const operations: Record<string, object> = {
	'account:getAll': { returnAll: true },
	'analytics:getOverview': { query: '{}' },
	'analytics:getSummary': { timeframe: 'last_30_days', output: 'summary' },
	'analytics:getUnified': { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', output: 'raw' },
	'analytics:getInsights': { returnAll: false, limit: 5 },
	'approval:getAll': { returnAll: true },
	'inbox:getAll': { returnAll: true, query: '{}' },
	'inbox:reply': { inboxItemId: 'inb_seed_1', text: 'Thanks' },
	'media:createUploadUrl': { fileName: 'a.png', contentType: 'image/png', size: 10 },
	'media:upload': { mediaFrom: 'binary', binaryFields: 'data' },
	'media:uploadDirect': { binaryFields: 'data' },
	'post:create': { postTo: 'platforms', platforms: ['x'], text: 'Hello', when: 'now' },
	'post:get': { postId: 'post_1' },
	'post:getAll': { returnAll: false, limit: 10 },
	'post:update': { postId: 'post_1', updateFields: { text: 'New' } },
	'post:delete': { postId: 'post_1' },
	'post:cancel': { postId: 'post_1' },
	'post:getAnalytics': { postId: 'post_1', granularity: 'totals', output: 'post' },
	'post:waitForStatus': { postId: 'post_1', waitFor: 'completed', waitTimeout: 0 },
	'socialConnection:getAll': { returnAll: true },
	'usage:get': {},
	'webhook:create': { url: 'https://example.com/hook', events: ['post.published'] },
	'webhook:getAll': { returnAll: true },
	'webhook:delete': { webhookId: 'wh_1' },
	'webhook:getDeliveries': { webhookId: 'wh_1', returnAll: true },
	'webhook:check': { webhookId: '', address: 'http://127.0.0.1:9/hook' },
	'workspace:checkHealth': { days: 7 },
	'workspace:getAll': { returnAll: true },
};
/** What every operation is given: an item with a file, for those that send one. */
export const items = [itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('0123456789')) })];
export const isWrite = (name: string) =>
	/^media|^post:(create|update|delete|cancel)$|:reply$|^webhook:(create|delete)$/.test(name);
