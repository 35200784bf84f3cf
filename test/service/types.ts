/**
 * The records of the embedded service. What the spec shows is named as there; what it leaves open
 * ("not shown") is our choice and has a line in docs/spec-gaps.md.
 */

/** Spec, "What the service does": the platforms that a post may name. Analytics say `twitter` for `x`. */
export const PLATFORMS = ['instagram', 'tiktok', 'youtube', 'x', 'linkedin', 'facebook', 'bluesky'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** Spec, "Post status". `pending_approval` is ours: the spec does not show the state while approval is pending. */
export const POST_STATUSES = [
	'draft',
	'scheduled',
	'pending_approval',
	'completed',
	'failed',
	'canceled',
] as const;
export type PostStatus = (typeof POST_STATUSES)[number];
export const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);

/** Spec, "Event names": both lists, 14 names. */
export const EVENT_NAMES = [
	'post.created',
	'post.scheduled',
	'post.published',
	'post.failed',
	'post.canceled',
	'inbox.item.created',
	'inbox.lead.captured',
	'approval.batch_created',
	'approval.batch_approved',
	'approval.item_approved',
	'approval.item_rejected',
	'automation.triggered',
	'inbox.message_received',
	'inbox.message_responded',
] as const;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'dead_letter'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The scopes' names are ours (spec: not shown). */
export const SCOPES = [
	'workspaces:read',
	'accounts:read',
	'posts:read',
	'posts:write',
	'media:write',
	'approvals:read',
	'usage:read',
	'webhooks:read',
	'webhooks:write',
	'analytics:read',
	'inbox:read',
	'inbox:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Spec, "Rate limits": three tiers; `enterprise` is without limit. */
export type Plan = 'lowest' | 'middle' | 'highest' | 'enterprise';

export interface ServiceOptions {
	/** 0 (default): any free one. */
	port?: number;
	/** Default 127.0.0.1. */
	host?: string;
	/** Default `basic`. */
	seed?: 'demo' | 'basic';
	/** Service seconds per real second, default 1. */
	speed?: number;
	/** The "minute" of the rate limits, in real time; default 60000. */
	rateWindowMs?: number;
	/** Added to every API answer. */
	latencyMs?: number;
	/** How long a webhook receiver may take, in real time; default the spec's 15000. */
	responseTimeoutMs?: number;
	/** Pauses of the inline attempts, in real time; default the spec's 0, 150, 300. */
	inlineDelaysMs?: number[];
}

export interface ApiKey {
	key: string;
	name: string;
	scopes: string[];
	/** The first one is taken when a request names no workspace. */
	workspaces: string[];
	plan: Plan;
	/** ISO 8601; compared with the service's clock. */
	expiresAt?: string;
	revoked?: boolean;
}

export interface Brand {
	id: string;
	name: string;
}

export interface Workspace {
	id: string;
	name: string;
	/** The first one is taken when a request names no brand. */
	brands: Brand[];
	createdAt: string;
}

export interface Account {
	id: string;
	workspaceId: string;
	brandId: string;
	platform: Platform;
	name: string;
	username: string;
	status: 'connected' | 'disconnected';
	connectedAt: string;
	/** ISO 8601: when the connection ends unless it is made again. */
	expiresAt?: string;
}

export interface PlatformState {
	platform: Platform;
	status: PostStatus;
	provider_post_id?: string;
	error?: string;
}

/** A post as stored; what is answered is made in routes/posts.ts. */
export interface Post {
	id: string;
	workspaceId: string;
	brandId: string;
	status: PostStatus;
	/** The body shape that it was created with, and is answered in. */
	shape: 'integrationGuide' | 'quickStart';
	text: string;
	/** read_urls. */
	media: string[];
	platforms: PlatformState[];
	accountId?: string;
	scheduledAt?: string;
	createdAt: string;
	updatedAt: string;
	publishedAt?: string;
	/** Of the first platform that it went out on. */
	providerPostId?: string;
	error?: { code: string; message: string };
	/** Unknown body fields, kept and answered. */
	extra: Record<string, unknown>;
	/** What `from` and `to` filter on: ms of scheduledAt, else of createdAt. */
	at: number;
	/** Every change of state. */
	history: Array<{ at: string; status: string; why: string }>;
}

export interface Media {
	id: string;
	workspaceId: string;
	filename: string;
	contentType: string;
	size: number;
	readUrl: string;
	createdAt: string;
	/** ms on the service's clock; uploads after it are refused. */
	expiresAt: number;
	uploaded: boolean;
	sha256?: string;
	/** Kept up to 8 MiB, so that the page can show it. */
	bytes?: Buffer;
	/** How often bytes arrived in full. */
	uploads: number;
}

export interface ApprovalItem {
	id: string;
	post_id: string;
	status: 'pending' | 'approved' | 'rejected';
}

export interface ApprovalBatch {
	id: string;
	workspaceId: string;
	brandId: string;
	status: 'pending' | 'approved' | 'rejected';
	items: ApprovalItem[];
	createdAt: string;
	updatedAt: string;
}

export interface InboxReply {
	id: string;
	text: string;
	created_at: string;
}

export interface InboxItem {
	id: string;
	workspaceId: string;
	brandId: string;
	platform: Platform;
	type: 'comment' | 'direct_message';
	conversationId: string;
	postId?: string;
	text: string;
	author: { name: string; username: string };
	status: 'open' | 'replied';
	createdAt: string;
	replies: InboxReply[];
}

export interface Insight {
	id: string;
	insight_type: 'performance' | 'timing' | 'content' | 'growth';
	title: string;
	description: string;
	impact: string;
	confidence: number;
	actionable: boolean;
	suggested_actions: string[];
	related_metrics: Record<string, number>;
	platforms: string[];
	created_at: string;
	dismissed: boolean;
}

export interface Webhook {
	id: string;
	workspaceId: string;
	url: string;
	events: string[];
	description: string | null;
	/** Deliveries with retries pending become dead letters when it is no longer `active`. */
	status: 'active' | 'disabled';
	secret: string;
	createdAt: string;
}

/** Spec, "Events": the body of a delivery. */
export interface ServiceEvent {
	id: string;
	type: string;
	occurred_at: string;
	workspace_id: string;
	brand_id: string;
	data: Record<string, unknown>;
}

/** What a part of the service says to the delivery engine. */
export interface EventInput {
	type: string;
	workspaceId: string;
	brandId: string;
	/** Order is kept per resource, for example per post id. */
	resource: string;
	data: Record<string, unknown>;
}

export interface RecordedRequest {
	/** ISO 8601, service time. */
	at: string;
	/** ms, real time. */
	receivedAt: number;
	method: string;
	/** As sent, without the query. */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, string | string[] | undefined>;
	/** Parsed where it was JSON; the bytes of uploads are not kept. */
	body: unknown;
	/** 0: the connection was dropped or left hanging. */
	status: number;
	requestId: string;
	/** The fault that it met. */
	fault?: string;
	/** Name of the file in a multipart body that arrived. */
	file?: string;
	/** The workspace that a write was for. */
	workspace?: string;
	/** A write that took effect; a replay of one with the same key does not. */
	acted?: true;
}
