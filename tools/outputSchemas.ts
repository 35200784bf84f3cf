import { z, type ZodTypeAny } from 'zod';
import { deliveryFields, postFields, subscriptionFields } from '../nodes/api/records';

/** What one output item of each operation looks like, for the schemas that n8n's editor shows before the first run. */

/** A post (spec, "Post"): the rest of its fields is not shown. */
const post = postFields.pick({
	id: true,
	status: true,
	platform: true,
	scheduled_at: true,
	provider_post_id: true,
});

/** A post that was just made: `scheduled_at_local` is added, in the time zone of the workflow. */
const createdPost = post.extend({ scheduled_at_local: z.string().optional() }).passthrough();

/** A record of which the spec shows no field. */
const record = z.object({}).passthrough();

/** A social account: the columns that the node puts first, then the service's own. */
const account = z
	.object({
		platform: z.string().nullable(),
		name: z.string().nullable(),
		handle: z.string().nullable(),
		connected: z.boolean(),
		id: z.string().nullable(),
	})
	.passthrough();

/** A workspace of the key: fields are not shown. */
const workspace = z.object({ id: z.string(), name: z.string().nullish() }).passthrough();

/** A comment or direct message: the columns that the node puts first, then the service's own. */
const inboxItem = z
	.object({
		platform: z.string().nullable(),
		author: z.string().nullable(),
		text: z.string().nullable(),
		when: z.string().nullable(),
		id: z.string().nullable(),
	})
	.passthrough();

/** The reply to one; what the service says of it stands behind. */
const inboxReply = z.object({ inbox_item_id: z.string(), text: z.string() }).passthrough();

/** An hour of the week. */
const bestTime = z.object({
	platform: z.string(),
	day: z.string(),
	time: z.string(),
	posts: z.number(),
	engagement_rate: z.number(),
});

/** Spec, "Webhook". */
const webhook = subscriptionFields.pick({ id: true, url: true, events: true, description: true });

/** Spec, "Webhook": the secret is given once, at creation. */
const webhookCreated = z
	.object({ webhook: webhook.extend({ secret: z.string().optional() }).passthrough() })
	.passthrough();

/** What *Check Delivery* found. */
const deliveryCheck = z
	.object({
		verdict: z.string(),
		message: z.string(),
		hint: z.string(),
		url: z.string().nullable(),
		subscriptions: z.number(),
		other_addresses: z.array(z.string()).optional(),
		last_error: z.string().nullable(),
		clock_ahead_seconds: z.number().nullable(),
	})
	.passthrough();

/** What a check of *Check Health* found. */
const healthItem = z
	.object({
		check: z.string(),
		status: z.enum(['problem', 'warning', 'ok']),
		message: z.string(),
		hint: z.string(),
		facts: z.object({}).passthrough().optional(),
	})
	.passthrough();

/** Spec, "Webhook delivery": only its status has a name. */
const delivery = deliveryFields.pick({ status: true });

/** Spec, "Insight". */
const insight = z
	.object({
		id: z.string(),
		insight_type: z.string(),
		title: z.string(),
		description: z.string(),
		impact: z.string(),
		confidence: z.number(),
		actionable: z.boolean(),
		suggested_actions: z.array(z.string()),
		related_metrics: z.object({}).passthrough(),
		platforms: z.array(z.string()),
		created_at: z.string(),
		dismissed: z.boolean(),
	})
	.passthrough();

const platformFigures = {
	posts: z.number().optional(),
	engagements: z.number().optional(),
	engagement_rate: z.number().optional(),
	impressions: z.number().optional(),
};

/** One platform of the overview. */
const platformItem = z.object({ platform: z.string() }).passthrough();

/** Spec, "Summary analytics": one platform of it; rates are fractions. Some have a counter of their own. */
const platformSummary = platformItem.extend({
	...platformFigures,
	clicks: z.number().optional(),
	retweets: z.number().optional(),
	reactions: z.number().optional(),
});

/** Spec, "Unified row": further metrics by platform; rates are fractions. */
const unifiedRow = z
	.object({
		post_id: z.string(),
		platform: z.string(),
		content_text: z.string(),
		published_at: z.string(),
		impressions: z.number(),
		engagements: z.number(),
		engagement_rate: z.number(),
		clicks: z.number().nullish(),
		comments: z.number().nullish(),
		shares: z.number().nullish(),
		reactions: z.number().nullish(),
		reach: z.number().nullish(),
		save_count: z.number().nullish(),
		retweets: z.number().nullish(),
		replies: z.number().nullish(),
		likes: z.number().nullish(),
		bookmarks: z.number().nullish(),
	})
	.passthrough();

/** What a deletion hands out. */
const deleted = z.object({ deleted: z.literal(true), id: z.string() }).passthrough();

/** Spec, "Per-post analytics": the seven counters of totals and of each day. */
const counters = {
	views: z.number().optional(),
	impressions: z.number().optional(),
	likes: z.number().optional(),
	comments: z.number().optional(),
	shares: z.number().optional(),
	saves: z.number().optional(),
	clicks: z.number().optional(),
};

/** Spec, "Per-post analytics". */
const postAnalytics = z
	.object({
		post_id: z.string(),
		platform: z.string(),
		provider_post_id: z.string().nullish(),
		metrics: z.object(counters).passthrough(),
		last_synced_at: z.string().nullish(),
		daily_series: z.array(z.object({ date: z.string(), ...counters }).passthrough()).optional(),
	})
	.passthrough();

/** A file at the service (spec, "Endpoint list": its fields are not shown, but for `read_url`). */
const media = z
	.object({
		id: z.string().optional(),
		read_url: z.string(),
		filename: z.string().optional(),
		content_type: z.string().optional(),
		size: z.number().optional(),
		source: z.string().optional(),
	})
	.passthrough();

/** A signed address to upload to (spec, `POST /media/upload-url`). */
const uploadUrl = z
	.object({
		id: z.string().optional(),
		upload_url: z.string(),
		read_url: z.string(),
		expires_at: z.string().optional(),
	})
	.passthrough();

/** `<resource>/<operation>` → its schema. */
export const outputSchemas: Readonly<Record<string, ZodTypeAny>> = {
	'account/getAll': account,
	'analytics/getBestTimes': bestTime,
	'analytics/getInsights': insight,
	'analytics/getOverview': platformItem,
	'analytics/getSummary': platformSummary,
	'analytics/getUnified': unifiedRow,
	'approval/getAll': record,
	'inbox/getAll': inboxItem,
	'inbox/reply': inboxReply,
	'media/createUploadUrl': uploadUrl,
	'media/upload': media,
	'media/uploadDirect': media,
	'post/cancel': post,
	'post/create': createdPost,
	'post/delete': deleted,
	'post/get': post,
	'post/getAll': post,
	'post/getAnalytics': postAnalytics,
	'post/update': post,
	'post/waitForStatus': post,
	'socialConnection/getAll': record,
	'usage/get': record,
	'webhook/check': deliveryCheck,
	'webhook/create': webhookCreated,
	'webhook/delete': deleted,
	'webhook/getAll': webhook,
	'webhook/getDeliveries': delivery,
	'workspace/checkHealth': healthItem,
	'workspace/getAll': workspace,
};
