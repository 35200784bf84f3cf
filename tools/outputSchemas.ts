/** The fields of one output item of each operation: what n8n's editor shows before the first run. */

/** As the editor reads it of JSON Schema. */
export type Schema =
	| { type: 'string' | 'number' | 'boolean' }
	| { type: 'array'; items: Schema }
	| { type: 'object'; properties: Fields };
export type Fields = Record<string, Schema>;

const string: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const boolean: Schema = { type: 'boolean' };
const list = (items: Schema): Schema => ({ type: 'array', items });
export const object = (properties: Fields): Schema => ({ type: 'object', properties });
const each = (type: Schema, names: string[]) => Object.fromEntries(names.map((name) => [name, type]));
export const strings = (...names: string[]): Fields => each(string, names);
const numbers = (...names: string[]): Fields => each(number, names);

/** Spec, "Post", with the node's own columns. */
const post = {
	...strings('platform', 'account', 'status'),
	// In the time zone of the workflow.
	...strings('scheduled_at_local', 'text', 'link', 'id', 'scheduled_at', 'provider_post_id'),
};

const webhook = { ...strings('id', 'url'), events: list(string), ...strings('description') };

const deleted = { deleted: boolean, ...strings('id') };

/** Spec, "Per-post analytics": the seven counters of totals and of each day. */
const counters = numbers('views', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks');

const uploaded = {
	...strings('id', 'read_url', 'filename', 'content_type'),
	...numbers('size'),
	...strings('source'),
};

/** `<resource>/<operation>` → its fields; none where the specification shows none. */
export const outputSchemas: Readonly<Record<string, Fields>> = {
	'account/getAll': strings('platform', 'name', 'id'),
	'analytics/getBestTimes': {
		...strings('platform', 'day', 'time'),
		...numbers('posts', 'engagement_rate'),
	},
	'analytics/getInsights': {
		...strings('id', 'insight_type', 'title', 'description', 'impact'),
		...numbers('confidence'),
		actionable: boolean,
		suggested_actions: list(string),
		related_metrics: object({}),
		platforms: list(string),
		...strings('created_at'),
		dismissed: boolean,
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
	'inbox/getAll': { ...strings('platform'), author: object(strings('name')), ...strings('text', 'id') },
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
		metrics: object(counters),
		...strings('last_synced_at'),
		daily_series: list(object({ ...strings('date'), ...counters })),
	},
	'post/update': post,
	'post/waitForStatus': post,
	'socialConnection/getAll': {},
	'usage/get': {},
	'webhook/check': {
		...strings('verdict', 'message', 'hint', 'url'),
		...strings('last_error'),
		other_addresses: list(string),
	},
	// The secret is given once.
	'webhook/create': { webhook: object({ ...webhook, ...strings('secret') }) },
	'webhook/delete': deleted,
	'webhook/getAll': webhook,
	'webhook/getDeliveries': strings('status'),
	'workspace/checkHealth': { ...strings('check', 'status', 'message', 'hint'), facts: object({}) },
	'workspace/getAll': strings('id', 'name'),
};
