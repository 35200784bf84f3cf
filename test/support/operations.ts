import type { IDataObject } from 'n8n-workflow';

import { resources } from '../../nodes/SocialPublishing/resources';
import { inMemory, itemWith } from './binaries';

const postId = { mode: 'id', value: 'post_1' };
const webhookId = { mode: 'id', value: 'wh_1' };
const status = 'scheduled';
const range = { from: '2020-01-01T00:00', to: '2036-01-01T00:00:00Z' };

/** Parameters with which each operation sends its first request. */
export const operations: Record<string, IDataObject> = {
	'account:getAll': { returnAll: true },
	'analytics:getOverview': { options: { query: { period: 'month' } } },
	'analytics:getSummary': {
		...{ timeframe: 'last_7_days', output: 'summary' },
		filters: { startDate: range.from, endDate: '2036-01-01', includeInsights: true },
	},
	'analytics:getUnified': {
		...{ ...range, timeframe: 'custom', output: 'raw' },
		filters: { platforms: ['x', 'linkedin', 'twitter'] },
	},
	'analytics:getBestTimes': { days: 30, filters: { platforms: ['linkedin'] }, options: { minPosts: 1 } },
	'analytics:getInsights': {
		...{ returnAll: false, limit: 2 },
		filters: { type: 'timing', platforms: 'x, instagram', dismissed: false },
	},
	'approval:getAll': { limit: 7 },
	'inbox:getAll': { returnAll: true, options: { query: { parameter: [{ name: 'status', value: 'open' }] } } },
	'inbox:reply': { inboxItemId: 'inb_seed_1', text: 'Thanks' },
	'media:createUploadUrl': { fileName: 'a.png', contentType: 'image/png', size: 10 },
	'media:upload': { mediaFrom: 'binary', binaryFields: 'data' },
	'media:uploadDirect': { binaryFields: 'data' },
	'post:create': { platforms: ['x'], text: 'Hello', when: 'now' },
	'post:get': { postId },
	'post:getAll': {
		...{ returnAll: false, limit: 10 },
		filters: { ...range, status, platform: 'twitter', scheduledAfter: '2021-01-01T00:00+01:00' },
	},
	'post:update': {
		postId,
		updateFields: { text: 'New', scheduledAt: '2126-07-01T10:00', status: 'scheduled' },
	},
	'post:delete': { postId },
	'post:cancel': { postId },
	'post:getAnalytics': { postId, granularity: 'daily', output: 'post', filters: range },
	'post:waitForStatus': { postId: 'post_done', waitFor: 'completed', waitTimeout: 1 },
	'socialConnection:getAll': { returnAll: true },
	'usage:get': {},
	'webhook:create': { url: 'https://example.com/hook', events: ['post.published'], description: 'Newsroom' },
	'webhook:getAll': { returnAll: true },
	'webhook:delete': { webhookId },
	'webhook:getDeliveries': { webhookId, returnAll: true, filters: { status: 'failed' } },
	'webhook:check': { webhookId },
	'workspace:checkHealth': { days: 7 },
	'workspace:getAll': { returnAll: true },
};
/** What every operation is given: an item with a file, for those that send one. */
export const items = [itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('0123456789')) })];
/** Whether an operation changes something, by the table. */
export const isWrite = (name: string): boolean => {
	const [resource, value] = name.split(':');
	const ofResource = resources.find((one) => one.value === resource)!.operations;
	return ofResource.find((one) => one.value === value)!.method !== 'GET';
};
