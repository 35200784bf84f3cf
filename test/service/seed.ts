import mapValues from 'lodash/mapValues';
import { createHash, randomBytes } from 'node:crypto';
import { platforms } from '../support/specification';
import type { Service } from './index';
import { providerId } from './lifecycle';
import { DAY } from './metrics';
import {
	SCOPES,
	type Account,
	type ApiKey,
	type InboxItem,
	type Insight,
	type Platform,
	type Post,
	type PostStatus,
} from './types';

/** README.md says what each is for. */
type SeedKey =
	'full' | 'readOnly' | 'expired' | 'revoked' | 'lowest' | 'middle' | 'highest' | 'otherWorkspace';
export type SeedKeys = Record<SeedKey, string>;

/** Each with its workspace, which has the name of its first brand, and the name of its accounts. */
const BRANDS = {
	brand_main: ['ws_main', 'Lakeside Bakery', 'lakeside'],
	brand_cafe: ['ws_main', 'Lakeside Café', 'lakesidecafe'],
	brand_second: ['ws_second', 'Hill Street Books', 'hillstreet'],
	brand_other: ['ws_other', 'Somebody Else', 'somebody'],
} as const;

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
	const ago = (days: number) => clock.iso(clock.now() - days * DAY);
	for (const [id, [workspaceId, name]] of Object.entries(BRANDS)) {
		const brands = [...(store.workspaces.get(workspaceId)?.brands ?? []), { id, name }];
		store.workspaces.set(workspaceId, {
			id: workspaceId,
			name: brands[0]!.name,
			brands,
			createdAt: ago(400),
		});
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
	account('brand_other', 'linkedin');

	const both = ['ws_main', 'ws_second'];
	const reads = SCOPES.filter((scope) => scope.endsWith(':read'));
	const keys = {
		full: { workspaces: both },
		readOnly: { workspaces: both, scopes: reads },
		expired: { workspaces: both, expiresAt: ago(1) },
		revoked: { workspaces: both, revoked: true },
		lowest: { workspaces: both, plan: 'lowest' },
		middle: { workspaces: both, plan: 'middle' },
		highest: { workspaces: both, plan: 'highest' },
		otherWorkspace: { workspaces: ['ws_other'] },
	} satisfies Record<SeedKey, Partial<ApiKey>>;
	for (const [name, key] of Object.entries(keys)) {
		store.keys.set(seedKey(name), newKey({ key: seedKey(name), name, ...key }));
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
	// Instagram would refuse them: they have no image.
	const textOnly = platforms.filter((one) => one !== 'instagram');
	coming.forEach(([status, days], n) =>
		insertPost(service, {
			id: `post_demo_next_${n}`,
			text: TEXTS[(n + 3) % TEXTS.length]!,
			platforms: [textOnly[n % textOnly.length]!],
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
	const rows: Array<[Insight['insight_type'], string, string, number, ...string[]]> = [
		['timing', 'Mornings work', 'Posts before 9 get the most comments.', 0.91, 'instagram'],
		['content', 'Show the baker', 'Posts with people in them are shared more.', 0.84, 'linkedin'],
		['performance', 'Links cost reach', 'Posts with a link reach fewer people.', 0.72, 'twitter'],
		['growth', 'Followers up', 'Followers grew by four percent.', 0.66, 'facebook', 'linkedin'],
		['content', 'Questions help', 'A question doubles the replies.', 0.61, 'twitter', 'bluesky'],
		['timing', 'Quiet Mondays', 'Mondays get the least attention.', 0.55, 'facebook'],
		['performance', 'Videos lead', 'Videos are watched to the end.', 0.79, 'tiktok', 'instagram'],
		['growth', 'New visitors', 'Many visitors come from outside the town.', 0.52, 'linkedin'],
	];
	rows.forEach(([insight_type, title, description, confidence, ...platformNames], n) => {
		const id = `ins_seed_${n + 1}`;
		const dismissed = confidence < 0.6;
		store.insights.set(id, {
			workspaceId: 'ws_main',
			id,
			insight_type,
			title,
			description,
			impact: confidence > 0.75 ? 'high' : 'medium',
			confidence,
			actionable: !dismissed,
			suggested_actions: dismissed ? [] : [`Try it for two weeks: ${title.toLowerCase()}.`],
			related_metrics: { engagement_rate: Number((confidence / 10).toFixed(4)), posts: 10 + n },
			platforms: platformNames,
			created_at: clock.iso(clock.now() - (n + 1) * DAY),
			dismissed,
		});
	});
}
