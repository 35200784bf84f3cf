import type { deliveryStatuses, plans, platforms } from '../support/specification';
import type { Dialect } from './dialect';

/** The records of the service, named as in the spec; what it doesn't show has a line in docs/spec-gaps.md. */

export type Platform = (typeof platforms)[number];

/** Spec, "Post status". `pending_approval` is ours: the spec does not show the state while approval is pending. */
const FINAL_STATUSES = ['completed', 'failed', 'canceled'] as const;
export const POST_STATUSES = ['draft', 'scheduled', 'pending_approval', ...FINAL_STATUSES] as const;
export type PostStatus = (typeof POST_STATUSES)[number];
export const TERMINAL: ReadonlySet<string> = new Set(FINAL_STATUSES);

/** Spec, "Rate limits": three tiers; `enterprise` is without limit. */
type Plan = keyof typeof plans | 'enterprise';

/** README.md says what each is, and its default. */
export interface ServiceOptions {
	port?: number;
	host?: string;
	seed?: 'demo' | 'basic';
	speed?: number;
	rateWindowMs?: number;
	dialect?: Dialect;
	inlineDelaysMs?: number[];
}

export interface ApiKey {
	key: string;
	/** Without them: all. */
	scopes?: string[];
	/** The first one is taken when a request names no workspace. */
	workspaces: string[];
	plan: Plan;
	/** ISO 8601; compared with the service's clock. */
	expiresAt?: string;
	revoked?: boolean;
}

export interface Workspace {
	id: string;
	name: string;
	/** The first one is taken where a post names no account. */
	brands: Array<{ id: string; name: string }>;
	createdAt: string;
}

export interface OfBrand {
	id: string;
	workspaceId: string;
	brandId: string;
}

export interface Account extends OfBrand {
	platform: Platform;
	name: string;
	username: string;
	/** `connected`; anything else, such as `disconnected`, can't post. */
	status: string;
	connectedAt: string;
}

/** A post as stored; what is answered is made in routes/posts.ts. */
export interface Post extends OfBrand {
	status: PostStatus;
	/** The body shape that it was created with, and is answered in. */
	shape: 'integrationGuide' | 'quickStart';
	text: string;
	/** read_urls. */
	media: string[];
	platforms: Array<{ platform: Platform; status: PostStatus; provider_post_id?: string; error?: string }>;
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
	/** Kept up to 8 MiB, so that the page can show it. */
	bytes?: Buffer;
}

export interface ApprovalBatch extends OfBrand {
	status: string;
	items: Array<{ id: string; post_id: string; status: 'pending' | 'approved' | 'rejected' }>;
	createdAt: string;
	updatedAt: string;
}

export interface InboxItem extends OfBrand {
	platform: Platform;
	type: 'comment' | 'direct_message';
	conversationId: string;
	text: string;
	author: { name: string; username: string };
	status: 'open' | 'replied';
	createdAt: string;
	replies: Array<{ id: string; text: string; created_at: string }>;
}

/** As answered, but for `workspaceId`. */
export interface Insight {
	id: string;
	workspaceId: string;
	insight_type: string;
	platforms: string[];
	dismissed: boolean;
	[field: string]: unknown;
}

export interface Webhook {
	id: string;
	workspaceId: string;
	url: string;
	events: string[];
	description: string | null;
	/** Nothing is sent any more when it is no longer `active`. */
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

export interface EventInput {
	type: string;
	workspaceId: string;
	brandId: string;
	/** Order is kept per resource, for example per post id. */
	resource: string;
	data: Record<string, unknown>;
}

/** A delivery as `GET /webhooks/{id}/deliveries` answers it; the field names are ours (spec: not shown). */
export interface DeliveryRecord {
	id: string;
	webhook_id: string;
	event_id: string;
	event_type: string;
	status: (typeof deliveryStatuses)[number];
	attempts: number;
	last_error: string | null;
	/** The receiver's last status, null where no answer came. */
	last_status: number | null;
	next_attempt_at: string | null;
	created_at: string;
	delivered_at: string | null;
}

export interface RecordedRequest {
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
	/** Of the service's error, also where a fault has spoiled it. */
	code?: string;
	fault?: string;
	/** The workspace that a write was for. */
	workspace?: string;
	/** A write that took effect; a replay of one with the same key does not. */
	acted?: true;
}
