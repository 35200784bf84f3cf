import { createHash, randomBytes } from 'node:crypto';
import type { Service } from './index';
import { providerId } from './lifecycle';
import { DAY } from './metrics';
import {
	PLATFORMS,
	SCOPES,
	type ApiKey,
	type InboxItem,
	type Insight,
	type Platform,
	type Post,
	type PostStatus,
} from './types';

export interface SeedKeys {
	/** All scopes, ws_main and ws_second, no rate limit. */
	full: string;
	/** Every `:read` scope and no other. */
	readOnly: string;
	expired: string;
	revoked: string;
	/** All scopes, with the limits of the plan tier. */
	lowest: string;
	middle: string;
	highest: string;
	/** All scopes, for ws_other only. */
	otherWorkspace: string;
}

/** The same in every instance, so that a demo's credential stays right after a restart. */
const seedKey = (name: string) =>
	`spk_${name}_${createHash('sha256').update(`embedded service, ${name}`).digest('hex').slice(0, 32)}`;

export const newKey = (partial: Partial<ApiKey>): ApiKey => ({
	key: `spk_${randomBytes(20).toString('hex')}`,
	name: 'added',
	scopes: [...SCOPES],
	workspaces: ['ws_main'],
	plan: 'enterprise',
	...partial,
});

/** Two workspaces of the `full` key and one of somebody else. */
export function seed(service: Service, kind: 'demo' | 'basic'): SeedKeys {
	const { store, clock } = service;
	const createdAt = clock.iso(clock.now() - 400 * DAY);
	const workspace = (id: string, name: string, ...brands: Array<[string, string]>) =>
		store.workspaces.set(id, {
			id,
			name,
			brands: brands.map(([brandId, brandName]) => ({ id: brandId, name: brandName })),
			createdAt,
		});
	workspace('ws_main', 'Lakeside Bakery', ['brand_main', 'Lakeside Bakery'], ['brand_cafe', 'Lakeside Café']);
	workspace('ws_second', 'Hill Street Books', ['brand_second', 'Hill Street Books']);
	workspace('ws_other', 'Somebody Else', ['brand_other', 'Somebody Else']);

	// The demo lacks two platforms, so that "connected first" shows.
	const main =
		kind === 'demo' ? PLATFORMS.filter((name) => name !== 'tiktok' && name !== 'youtube') : PLATFORMS;
	for (const name of main) account(service, 'ws_main', 'brand_main', name, 'Lakeside Bakery', 'lakeside');
	account(service, 'ws_main', 'brand_cafe', 'instagram', 'Lakeside Café', 'lakesidecafe', 'acc_main_cafe');
	account(service, 'ws_second', 'brand_second', 'instagram', 'Hill Street Books', 'hillstreet');
	account(service, 'ws_second', 'brand_second', 'linkedin', 'Hill Street Books', 'hillstreet');
	account(service, 'ws_second', 'brand_second', 'x', 'Hill Street Books', 'hillstreet').status =
		'disconnected';
	account(service, 'ws_other', 'brand_other', 'linkedin', 'Somebody Else', 'somebody');

	const both = ['ws_main', 'ws_second'];
	const reads = SCOPES.filter((scope) => scope.endsWith(':read'));
	const keys = {
		full: { workspaces: both },
		readOnly: { workspaces: both, scopes: reads },
		expired: { workspaces: both, expiresAt: clock.iso(clock.now() - DAY) },
		revoked: { workspaces: both, revoked: true },
		lowest: { workspaces: both, plan: 'lowest' },
		middle: { workspaces: both, plan: 'middle' },
		highest: { workspaces: both, plan: 'highest' },
		otherWorkspace: { workspaces: ['ws_other'] },
	} satisfies Record<keyof SeedKeys, Partial<ApiKey>>;
	for (const [name, key] of Object.entries(keys)) {
		store.keys.set(seedKey(name), newKey({ key: seedKey(name), name, ...key }));
	}

	seedInsights(service);
	seedInbox(service, kind === 'demo' ? 6 : 3);
	if (kind === 'demo') seedPosts(service);
	return Object.fromEntries(Object.keys(keys).map((name) => [name, seedKey(name)])) as unknown as SeedKeys;
}

function account(
	{ store, clock }: Service,
	workspaceId: string,
	brandId: string,
	platform: Platform,
	name: string,
	username: string,
	id = `acc_${workspaceId.slice(3)}_${platform}`,
) {
	const made = {
		id,
		workspaceId,
		brandId,
		platform,
		name,
		username,
		status: 'connected' as 'connected' | 'disconnected',
		connectedAt: clock.iso(clock.now() - 300 * DAY),
	};
	store.accounts.set(id, made);
	return made;
}

export interface PastPost {
	id: string;
	workspaceId?: string;
	brandId?: string;
	text: string;
	platforms: Platform[];
	status: PostStatus;
	/** ms: when it is, or was, to be published. */
	at: number;
}

/** A post that is simply there, with the history that led to its state, without events. */
export function insertPost(service: Service, input: PastPost): Post {
	const { clock } = service;
	const { id, text, status, at, platforms } = input;
	const created = clock.iso(Math.min(at, clock.now()) - DAY);
	const when = clock.iso(at);
	const history = [{ at: created, status: 'scheduled', why: 'created' }];
	if (status !== 'scheduled') history.push({ at: when, status, why: 'seeded' });
	const post: Post = {
		id,
		workspaceId: input.workspaceId ?? 'ws_main',
		brandId: input.brandId ?? 'brand_main',
		status: status === 'pending_approval' ? 'scheduled' : status,
		shape: 'integrationGuide',
		text,
		media: [],
		platforms: platforms.map((platform) => ({
			platform,
			status,
			...(status === 'completed' ? { provider_post_id: providerId(id, platform) } : {}),
		})),
		scheduledAt: status === 'draft' ? undefined : when,
		createdAt: created,
		updatedAt: status === 'scheduled' || at > clock.now() ? created : when,
		extra: {},
		at: status === 'draft' ? Date.parse(created) : at,
		history,
	};
	if (status === 'completed') {
		post.publishedAt = when;
		post.providerPostId = providerId(id, platforms[0]!);
	}
	if (status === 'failed') {
		post.error = { code: 'PROVIDER_REJECTED', message: 'The picture has the wrong proportions.' };
		for (const state of post.platforms) state.error = post.error.message;
	}
	service.lifecycle.insert(post);
	if (status === 'pending_approval') service.lifecycle.hold(post);
	return post;
}

const TEXTS = [
	'Sourdough is out of the oven: the first twenty loaves come with a jar of our plum jam.',
	'We are looking for a pastry chef with a soft spot for rye. Four days a week, no nights.',
	'Behind the counter since 1987. Thank you, Marta!',
	'Seeded rolls, three for two, until noon.',
	'How our starter survived the power cut (a story with a bathtub in it).',
	'New on Fridays: cardamom buns.',
	'Closed on Monday, back on Tuesday with pumpkin bread.',
	'You asked for a gluten-free loaf. We asked our baker. She said yes.',
];

function seedPosts(service: Service): void {
	const now = service.clock.now();
	const platforms: Platform[] = ['linkedin', 'x', 'facebook', 'instagram', 'bluesky'];
	const minute = 60_000;
	for (let n = 0; n < 24; n++) {
		insertPost(service, {
			id: `post_demo_past_${String(n).padStart(2, '0')}`,
			text: TEXTS[n % TEXTS.length]!,
			platforms: [platforms[n % platforms.length]!],
			status: n % 11 === 5 ? 'failed' : n % 11 === 9 ? 'canceled' : 'completed',
			at: Math.floor((now - (n * 2.6 + 0.2) * DAY) / minute) * minute,
		});
	}
	const coming: Array<[PostStatus, number]> = [
		['scheduled', 0.4],
		['scheduled', 1.2],
		['scheduled', 3.3],
		['pending_approval', 2.1],
		['pending_approval', 4.5],
		['draft', 0],
		['draft', 0],
	];
	coming.forEach(([status, days], n) =>
		insertPost(service, {
			id: `post_demo_next_${n}`,
			text: TEXTS[(n + 3) % TEXTS.length]!,
			platforms: [platforms[n % platforms.length]!],
			status,
			at: Math.ceil((now + days * DAY) / minute) * minute,
		}),
	);
	for (let n = 0; n < 3; n++) {
		insertPost(service, {
			id: `post_demo_second_${n}`,
			workspaceId: 'ws_second',
			brandId: 'brand_second',
			text: 'A reading this Thursday at seven, with tea.',
			platforms: ['linkedin'],
			status: 'completed',
			at: Math.floor((now - (n * 5 + 1) * DAY) / minute) * minute,
		});
	}
}

function seedInbox({ store, clock }: Service, count: number): void {
	const messages: Array<[Platform, InboxItem['type'], string, string]> = [
		['instagram', 'comment', 'Mira K.', 'Is the plum jam vegan?'],
		['facebook', 'direct_message', 'Jonas', 'Do you deliver to the harbour?'],
		['linkedin', 'comment', 'A. Ribeiro', 'Is the pastry chef job still open?'],
		['x', 'comment', 'ferry_fan', 'Best rolls in town.'],
		['instagram', 'direct_message', 'Lena', 'Can I order 40 buns for Saturday?'],
		['bluesky', 'comment', 'old.mill', 'The bathtub story made my day.'],
	];
	messages.slice(0, count).forEach(([platform, type, name, text], n) => {
		const id = `inb_seed_${n + 1}`;
		store.inbox.set(id, {
			id,
			workspaceId: 'ws_main',
			brandId: 'brand_main',
			platform,
			type,
			conversationId: `conv_seed_${n + 1}`,
			text,
			author: { name, username: name.toLowerCase().replace(/[^a-z]/g, '') },
			status: 'open',
			createdAt: clock.iso(clock.now() - (count - n) * 3_600_000),
			replies: [],
		});
	});
}

function seedInsights({ store, clock }: Service): void {
	const rows: Array<[Insight['insight_type'], string, string, string, number, string[], boolean]> = [
		['timing', 'Mornings work', 'Posts before 9 get the most comments.', 'high', 0.91, ['instagram'], false],
		[
			'content',
			'Show the baker',
			'Posts with people in them are shared more.',
			'high',
			0.84,
			['linkedin'],
			false,
		],
		[
			'performance',
			'Links cost reach',
			'Posts with a link reach fewer people.',
			'medium',
			0.72,
			['twitter'],
			false,
		],
		[
			'growth',
			'Followers up',
			'Followers grew by four percent.',
			'medium',
			0.66,
			['facebook', 'linkedin'],
			false,
		],
		[
			'content',
			'Questions help',
			'A question doubles the replies.',
			'medium',
			0.61,
			['twitter', 'bluesky'],
			false,
		],
		['timing', 'Quiet Mondays', 'Mondays get the least attention.', 'medium', 0.55, ['facebook'], true],
		[
			'performance',
			'Videos lead',
			'Videos are watched to the end.',
			'high',
			0.79,
			['tiktok', 'instagram'],
			false,
		],
		[
			'growth',
			'New visitors',
			'Many visitors come from outside the town.',
			'medium',
			0.52,
			['linkedin'],
			true,
		],
	];
	const insights = rows.map(
		([insight_type, title, description, impact, confidence, platforms, dismissed], n) => ({
			workspaceId: 'ws_main',
			id: `ins_seed_${n + 1}`,
			insight_type,
			title,
			description,
			impact,
			confidence,
			actionable: !dismissed,
			suggested_actions: dismissed ? [] : [`Try it for two weeks: ${title.toLowerCase()}.`],
			related_metrics: { engagement_rate: Number((confidence / 10).toFixed(4)), posts: 10 + n },
			platforms,
			created_at: clock.iso(clock.now() - (n + 1) * DAY),
			dismissed,
		}),
	);
	store.insights.push(...insights);
}
