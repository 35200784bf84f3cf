import { mapValues, times } from 'lodash';
import { createHash, randomBytes } from 'node:crypto';
import { platforms } from '../support/specification';
import type { Service } from './index';
import { providerId } from './lifecycle';
import { DAY } from './metrics';
import type { Account, ApiKey, InboxItem, Platform, Post, PostStatus } from './types';

/** README.md says what each is for. */
type SeedKey = 'full' | 'expired' | 'revoked' | 'lowest' | 'highest';
export type SeedKeys = Record<SeedKey, string>;

/** Each with its workspace, which has the name of its first brand, and the name of its accounts. */
const BRANDS = {
	brand_main: ['ws_main', 'Lakeside Bakery', 'lakeside'],
	brand_cafe: ['ws_main', 'Lakeside Café', 'lakesidecafe'],
	brand_second: ['ws_second', 'Hill Street Books', 'hillstreet'],
} as const;

/** The same in every instance, so that a demo's credential stays right after a restart. */
const seedKey = (name: string) =>
	`spk_${name}_${createHash('sha256').update(`embedded service, ${name}`).digest('hex').slice(0, 32)}`;

export const newKey = (partial: Partial<ApiKey>): ApiKey => ({
	key: `spk_${randomBytes(20).toString('hex')}`,
	workspaces: ['ws_main'],
	plan: 'enterprise',
	...partial,
});

/** Two workspaces and the keys for them. */
export function seed(service: Service, kind: 'demo' | 'basic'): SeedKeys {
	const { store, clock } = service;
	const ago = (days: number) => clock.iso(clock.now() - days * DAY);
	for (const [brandId, [id, name]] of Object.entries(BRANDS)) {
		const brands = [...(store.workspaces.get(id)?.brands ?? []), { id: brandId, name }];
		store.workspaces.set(id, { id, name: brands[0]!.name, brands, createdAt: ago(400) });
	}

	const account = (brandId: keyof typeof BRANDS, platform: Platform, more: Partial<Account> = {}) => {
		const [workspaceId, name, username] = BRANDS[brandId];
		const { id = `acc_${workspaceId.slice(3)}_${platform}`, status = 'connected' } = more;
		const connectedAt = ago(300);
		store.accounts.set(id, { id, workspaceId, brandId, platform, name, username, status, connectedAt });
	};
	// The demo lacks two platforms, so that "connected first" shows.
	const missing = kind === 'demo' ? ['tiktok', 'youtube'] : [];
	for (const name of platforms.filter((one) => !missing.includes(one))) account('brand_main', name);
	account('brand_cafe', 'instagram', { id: 'acc_main_cafe' });
	account('brand_second', 'instagram');
	account('brand_second', 'linkedin');
	account('brand_second', 'x', { status: 'disconnected' });

	const keys: Record<SeedKey, Partial<ApiKey>> = {
		full: {},
		expired: { expiresAt: ago(1) },
		revoked: { revoked: true },
		lowest: { plan: 'lowest' },
		highest: { plan: 'highest' },
	};
	const workspaces = ['ws_main', 'ws_second'];
	for (const [name, more] of Object.entries(keys)) {
		store.keys.set(seedKey(name), newKey({ key: seedKey(name), workspaces, ...more }));
	}

	seedInsights(service);
	seedInbox(service, kind === 'demo' ? 6 : 3);
	if (kind === 'demo') seedPosts(service);
	return mapValues(keys, (_key, name) => seedKey(name));
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

/** A post that is simply there, without the events that led to its state. */
export function insertPost(service: Service, input: PastPost): Post {
	const { clock, lifecycle } = service;
	const { id, status, at, workspaceId = 'ws_main', brandId = 'brand_main' } = input;
	const createdAt = clock.iso(Math.min(at, clock.now()) - DAY);
	const when = clock.iso(at);
	const isDraft = status === 'draft';
	const isPublished = status === 'completed';
	const message = 'The picture has the wrong proportions.';
	const error = status === 'failed' ? { code: 'PROVIDER_REJECTED', message } : undefined;
	const states = input.platforms.map((platform) => ({
		platform,
		status,
		...(isPublished ? { provider_post_id: providerId(id, platform) } : {}),
		...(error ? { error: message } : {}),
	}));
	const post: Post = {
		...{ id, workspaceId, brandId, text: input.text, createdAt, platforms: states, error },
		...{ shape: 'integrationGuide', media: [], extra: {} },
		status: status === 'pending_approval' ? 'scheduled' : status,
		scheduledAt: isDraft ? undefined : when,
		updatedAt: status === 'scheduled' || at > clock.now() ? createdAt : when,
		at: isDraft ? Date.parse(createdAt) : at,
		publishedAt: isPublished ? when : undefined,
		providerPostId: states[0]!.provider_post_id,
	};
	lifecycle.insert(post);
	if (status === 'pending_approval') lifecycle.hold(post);
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
	// Instagram would refuse those to come: they have no image.
	const textOnly: Platform[] = ['linkedin', 'x', 'facebook', 'bluesky'];
	const all: Platform[] = [...textOnly, 'instagram'];
	const insert = (
		id: string,
		n: number,
		of: Platform[],
		status: PostStatus,
		days: number,
		more: object = {},
	) =>
		insertPost(service, {
			id: `post_demo_${id}_${n}`,
			text: TEXTS[n % TEXTS.length]!,
			platforms: [of[n % of.length]!],
			status,
			at: Math.ceil((now + days * DAY) / 60_000) * 60_000,
			...more,
		});
	times(24, (n) => {
		const status = n % 11 === 5 ? 'failed' : n % 11 === 9 ? 'canceled' : 'completed';
		// A platform's posts go out at the same hour of each week, so that there are best times.
		const weeks = Math.floor(n / all.length);
		insert('past', n, all, status, -weeks * 7 - (n % all.length) * 1.3 - 0.2);
	});
	[0.4, 1.2, 3.3].forEach((days, n) => insert('next', n, textOnly, 'scheduled', days));
	[2.1, 4.5].forEach((days, n) => insert('held', n, textOnly, 'pending_approval', days));
	times(2, (n) => insert('draft', n, textOnly, 'draft', 0));
	const second = { workspaceId: 'ws_second', brandId: 'brand_second' };
	const text = 'A reading this Thursday at seven, with tea.';
	times(3, (n) => insert('second', n, ['linkedin'], 'completed', -n * 5 - 1, { ...second, text }));
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
		const author = { name, username: name.toLowerCase().replace(/[^a-z]/g, '') };
		store.inbox.set(id, {
			...{ id, workspaceId: 'ws_main', brandId: 'brand_main', conversationId: `conv_seed_${n + 1}` },
			...{ platform, type, text, author, status: 'open', replies: [] },
			createdAt: clock.iso(clock.now() - (count - n) * 3_600_000),
		});
	});
}

function seedInsights({ store, clock }: Service): void {
	const rows: Array<[type: string, title: string, description: string, platform: string]> = [
		['timing', 'Mornings work', 'Posts before 9 get the most comments.', 'instagram'],
		['content', 'Show the baker', 'Posts with people in them are shared more.', 'linkedin'],
		['performance', 'Links cost reach', 'Posts with a link reach fewer people.', 'twitter'],
		['growth', 'Followers up', 'Followers grew by four percent.', 'facebook'],
	];
	rows.forEach(([insight_type, title, description, platform], n) => {
		const id = `ins_seed_${n + 1}`;
		const isLast = n === rows.length - 1;
		store.insights.set(id, {
			...{ workspaceId: 'ws_main', id, insight_type, title, description, platforms: [platform] },
			...{ impact: n % 2 === 0 ? 'high' : 'medium', confidence: 0.9 - n / 20 },
			...{ actionable: !isLast, dismissed: isLast },
			suggested_actions: isLast ? [] : [`Try it for two weeks: ${title.toLowerCase()}.`],
			related_metrics: { engagement_rate: 0.09, posts: 10 + n },
			created_at: clock.iso(clock.now() - (n + 1) * DAY),
		});
	});
}
