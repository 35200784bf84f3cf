import { newKey } from '../../service/seed';
import type { Service } from '../../service';
import { bytes, startFiles, type FileServer } from '../fileServer';
import { bytesOf, fileName } from './parameters';

/** What there is before a sequence starts, and what others do to it. */

export const INBOX = ['inb_seed_1', 'inb_seed_2', 'inb_seed_3'];
const KEYS = { full: 'full', other: 'spk_other_of_the_model' } as const;

export interface World {
	/** IDs of posts and webhooks that operations may work on, by label. */
	posts: string[];
	webhooks: string[];
	apiKeys: Record<keyof typeof KEYS, string>;
	fileServer: FileServer;
	/** The server has no files any more, or has them again. */
	setFilesGone(gone: boolean): void;
	/** Every account is connected anew: the same name, a new ID. */
	reconnect(): void;
	/** Posts are scheduled with their old text, as they were before the sequence. */
	undo(): void;
}

let fileServer: Promise<FileServer> | undefined;

export async function prepare(service: Service): Promise<World> {
	const { store, clock } = service;
	fileServer ??= startFiles();
	const files = await fileServer;
	// One account of each platform: which of two is meant is refused, not guessed.
	store.accounts.delete('acc_main_cafe');
	for (const account of store.accounts.values()) {
		account.status = 'connected';
		account.name = `Bakery ${account.platform}`;
		account.username = `bakery_${account.platform}`;
	}
	store.keys.set(KEYS.other, newKey({ key: KEYS.other, workspaces: ['ws_main', 'ws_second'] }));
	const posts = [0, 1, 2].map(() => oldPost(service));
	const webhooks = [0, 1, 2].map((n) => {
		const id = `wh_${n}old`;
		const url = 'https://example.com/old';
		const at = { workspaceId: 'ws_main', createdAt: clock.iso() };
		const more = { description: null, status: 'active' as const, secret: 'x'.repeat(24) };
		store.webhooks.set(id, { ...at, ...more, id, url, events: ['inbox.lead.captured'] });
		return id;
	});
	const world: World = {
		posts,
		webhooks,
		apiKeys: { full: service.keys.full, other: KEYS.other },
		fileServer: files,
		setFilesGone(gone) {
			for (const label of [0, 1, 2])
				for (const file of [0, 1])
					files.on(
						`/${fileName({ label, file })}`,
						gone ? (_request, response) => response.writeHead(404).end() : bytes(bytesOf({ label, file })),
					);
		},
		reconnect() {
			for (const account of [...store.accounts.values()]) {
				store.accounts.delete(account.id);
				store.accounts.set(`${account.id}n`, { ...account, id: `${account.id}n` });
			}
		},
		undo() {
			for (const id of posts) {
				const post = store.posts.get(id);
				if (!post) continue;
				post.text = 'Old';
				post.status = 'scheduled';
				for (const state of post.platforms) state.status = 'scheduled';
			}
		},
	};
	world.setFilesGone(false);
	return world;
}

function oldPost({ lifecycle }: Service): string {
	const { post } = lifecycle.create({
		text: 'Old',
		media: [],
		extra: {},
		shape: 'integrationGuide',
		platforms: ['x'],
		scheduledAt: '2126-01-01T00:00:00Z',
		workspaceId: 'ws_main',
		brandId: 'brand_main',
	});
	return post.id;
}
