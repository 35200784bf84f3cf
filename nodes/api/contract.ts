/** What the spec fixes: names, lists and limits. Everything else may grow and is passed through untouched. */

export const headers = {
	workspace: 'x-service-workspace-id',
	idempotencyKey: 'idempotency-key',
	signature: 'x-service-signature',
	timestamp: 'x-service-timestamp',
} as const;

/** The two body shapes of a post (spec, "Post (input on create)": which of them is current is not shown). */
export type PostFormat = 'integrationGuide' | 'quickStart';

/** Platforms that a post can go to (spec, "What the service does"). */
export const platforms = ['instagram', 'tiktok', 'youtube', 'x', 'linkedin', 'facebook', 'bluesky'] as const;

export type Platform = (typeof platforms)[number];

/** States that end a post's life (spec, "Post status"). */
export const terminalStatuses = ['completed', 'failed', 'canceled'] as const;

/** Names of a list in `data`, the likeliest first; the spec shows only `items`, `batches` and `rows`. */
export const listNames = {
	accounts: ['accounts', 'items'],
	approvals: ['batches', 'items'],
	connections: ['connections', 'social_connections', 'items'],
	deliveries: ['deliveries', 'items'],
	inbox: ['items', 'inbox', 'messages'],
	insights: ['insights', 'items'],
	posts: ['items', 'posts'],
	rows: ['rows', 'items'],
	webhooks: ['webhooks', 'items'],
	workspaces: ['workspaces', 'items'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Spec: `GET /accounts`. */
export const accountList = { path: '/accounts', listNames: listNames.accounts };

/** Spec, "Rate limits": requests a minute, by tier. */
export const tiers = [
	{ read: 60, write: 20 },
	{ read: 120, write: 40 },
	{ read: 240, write: 90 },
] as const;

/** Spec, "Limits". */
export const limits = {
	postsPerRequest: 100,
	approvalsPerPage: 50,
	insights: 20,
	idempotencyKey: 255,
} as const;
