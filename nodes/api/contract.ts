/** What the spec fixes: names, lists and limits. Everything else may grow and is passed through untouched. */

export const headers = {
	workspace: 'x-service-workspace-id',
	idempotencyKey: 'idempotency-key',
	signature: 'x-service-signature',
	timestamp: 'x-service-timestamp',
} as const;

/** The two body shapes of a post (spec, "Post (input on create)": which of them is current is not shown). */
export type PostFormat = 'integrationGuide' | 'quickStart';

/** Platforms that a post can go to (spec, "What the service does"), and their names as people write them. */
export const titles = {
	instagram: 'Instagram',
	tiktok: 'TikTok',
	youtube: 'YouTube',
	x: 'X',
	linkedin: 'LinkedIn',
	facebook: 'Facebook',
	bluesky: 'Bluesky',
} as const;

export type Platform = keyof typeof titles;

export const platforms = Object.keys(titles) as Platform[];

/** The name of a platform, or of several separated by commas, as people write it. */
export const titleOf = (names: string): string =>
	names.replace(/\w+/g, (name) => (Object.hasOwn(titles, name) ? titles[name as Platform] : name));

/** A platform's name as posts know it; analytics know `x` as `twitter` (spec, "What the service does"). */
export function canonicalPlatform(name: string): string {
	const platform = name.trim().toLowerCase();
	return platform === 'twitter' ? 'x' : platform;
}

export const isPlatform = (name: string): boolean =>
	(platforms as readonly string[]).includes(canonicalPlatform(name));

/** One of the seven as posts know it, any other as it is. */
export const shownPlatform = (name: string): string => (isPlatform(name) ? canonicalPlatform(name) : name);

/** Platforms as the analytics endpoints take them: each once, comma-separated. */
export const analyticsPlatforms = (names: string[]): string =>
	[...new Set(names.map(canonicalPlatform))].map((name) => (name === 'x' ? 'twitter' : name)).join(',');

/** Spec, "Limits". */
export const limits = {
	postsPerRequest: 100,
	approvalsPerPage: 50,
	insights: 20,
	idempotencyKey: 255,
} as const;

/** Lists of the service; what each has in `data`: see `listIn`. */
export const lists = {
	accounts: { path: '/accounts', expects: 'list' },
	approvals: { path: '/approvals', expects: 'list', pageSize: limits.approvalsPerPage },
	connections: { path: '/social-connections', expects: 'list' },
	inbox: { path: '/inbox', expects: 'list' },
	insights: { path: '/analytics/insights', expects: 'list' },
	posts: { path: '/posts', expects: 'list', most: limits.postsPerRequest },
	unified: { path: '/analytics/unified', expects: 'list' },
	webhooks: { path: '/webhooks', expects: 'list' },
	/** What the key may see, asked without a workspace. */
	workspaces: { path: '/workspaces', expects: 'list', workspaceId: null },
} as const;

/** Spec: `GET /webhooks/{id}/deliveries`. @param id as a segment of a path */
export const deliveriesOf = (id: string) =>
	({ path: `/webhooks/${id}/deliveries`, expects: 'list' }) as const;
