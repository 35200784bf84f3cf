import { z, type ZodRawShape } from 'zod';

/** The fields of one output item of each operation: what n8n's editor shows before the first run. */

const strings = (...names: string[]): ZodRawShape => each(z.string(), names);
const numbers = (...names: string[]): ZodRawShape => each(z.number(), names);
const each = (type: z.ZodTypeAny, names: string[]): ZodRawShape =>
	Object.fromEntries(names.map((name) => [name, type]));

/** Spec, "Post", with the node's own columns. */
const post = {
	...strings('platform', 'account', 'status'),
	// In the time zone of the workflow.
	...strings('scheduled_at_local', 'text', 'link', 'id', 'scheduled_at', 'provider_post_id'),
};

const webhook = { ...strings('id', 'url'), events: z.array(z.string()), ...strings('description') };

const deleted = { deleted: z.literal(true), ...strings('id') };

/** Spec, "Per-post analytics": the seven counters of totals and of each day. */
const counters = numbers('views', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks');

const uploaded = {
	...strings('id', 'read_url', 'filename', 'content_type'),
	...numbers('size'),
	...strings('source'),
};

/** `<resource>/<operation>` → its fields; none where the specification shows none. */
export const outputSchemas: Readonly<Record<string, ZodRawShape>> = {
	'account/getAll': strings('platform', 'name', 'id'),
	'analytics/getBestTimes': {
		...strings('platform', 'day', 'time'),
		...numbers('posts', 'engagement_rate'),
	},
	'analytics/getInsights': {
		...strings('id', 'insight_type', 'title', 'description', 'impact'),
		...numbers('confidence'),
		actionable: z.boolean(),
		suggested_actions: z.array(z.string()),
		related_metrics: z.object({}),
		platforms: z.array(z.string()),
		...strings('created_at'),
		dismissed: z.boolean(),
	},
	'analytics/getOverview': strings('platform'),
	'analytics/getSummary': {
		...strings('platform'),
		...numbers('posts', 'engagements', 'engagement_rate', 'impressions'),
		// Some platforms have a counter of their own.
		...numbers('clicks', 'retweets', 'reactions'),
	},
	'analytics/getUnified': {
		...strings('post_id', 'platform', 'content_text', 'published_at'),
		...numbers('impressions', 'engagements', 'engagement_rate', 'clicks', 'comments', 'shares', 'reactions'),
		...numbers('reach', 'save_count', 'retweets', 'replies', 'likes', 'bookmarks'),
	},
	'approval/getAll': {},
	'inbox/getAll': { ...strings('platform'), author: z.object(strings('name')), ...strings('text', 'id') },
	'inbox/reply': strings('inbox_item_id', 'text'),
	'media/createUploadUrl': strings('id', 'upload_url', 'read_url', 'expires_at'),
	'media/upload': uploaded,
	'media/uploadDirect': uploaded,
	'post/cancel': post,
	'post/create': post,
	'post/delete': deleted,
	'post/get': post,
	'post/getAll': post,
	'post/getAnalytics': {
		...strings('post_id', 'platform', 'provider_post_id'),
		metrics: z.object(counters),
		...strings('last_synced_at'),
		daily_series: z.array(z.object({ ...strings('date'), ...counters })),
	},
	'post/update': post,
	'post/waitForStatus': post,
	'socialConnection/getAll': {},
	'usage/get': {},
	'webhook/check': {
		...strings('verdict', 'message', 'hint', 'url'),
		...strings('last_error'),
		other_addresses: z.array(z.string()),
	},
	// The secret is given once.
	'webhook/create': { webhook: z.object({ ...webhook, ...strings('secret') }) },
	'webhook/delete': deleted,
	'webhook/getAll': webhook,
	'webhook/getDeliveries': strings('status'),
	'workspace/checkHealth': { ...strings('check', 'status', 'message', 'hint'), facts: z.object({}) },
	'workspace/getAll': strings('id', 'name'),
};
