import { newKey } from '../../service/seed';
import type { Service } from '../../service';
import { bytes, startFiles, type FileServer } from '../fileServer';
import { addPost, addWebhook } from '../store';
import { another, anotherBytes, bytesOf, fileName, SECOND } from './parameters';
import type { Sequence } from './sequence';

/** What there is before a sequence starts, and what others do to it. */

export const INBOX = ['inb_seed_1', 'inb_seed_2', 'inb_seed_3'];
const KEYS = { full: 'full', other: 'spk_other_of_the_model' } as const;

export interface World {
	/** IDs of posts and webhooks that operations may work on, by label. */
	posts: string[];
	webhooks: string[];
	apiKeys: Record<keyof typeof KEYS, string>;
	fileServer: FileServer;
	/** The server has the files, others of the same names, or none any more. */
	setFiles(which: 'same' | 'other' | 'gone'): void;
	/** Every account is connected anew: the same name, a new ID. */
	reconnect(): void;
	/** Posts are scheduled with their old text, as they were before the sequence. */
	undo(): void;
}

let fileServer: Promise<FileServer> | undefined;

export async function prepare(service: Service, { twoAccounts }: Sequence): Promise<World> {
	const { store } = service;
	fileServer ??= startFiles();
	const files = await fileServer;
	// One account of each platform: which of two is meant is refused, not guessed.
	store.accounts.delete('acc_main_cafe');
	for (const account of store.accounts.values()) {
		account.status = 'connected';
		account.name = `Bakery ${account.platform}`;
		account.username = `bakery_${account.platform}`;
	}
	for (const account of twoAccounts ? [...store.accounts.values()] : [])
		if (account.platform === 'x') {
			const more = {
				id: account.id.replace('_x', `_${SECOND}`),
				name: `Bakery ${SECOND}`,
				username: `bakery_${SECOND}`,
			};
			store.accounts.set(more.id, { ...account, ...more });
		}
	store.keys.set(KEYS.other, newKey({ key: KEYS.other, workspaces: ['ws_main', 'ws_second'] }));
	const posts = [0, 1, 2].map((n) =>
		addPost(service, {
			id: `post_${n}old`,
			text: 'Old',
			at: Date.parse('2126-01-01T00:00:00Z'),
			platforms: ['x'],
		}),
	);
	const webhooks = [0, 1, 2].map((n) => addWebhook(service, `wh_${n}old`));
	for (const webhook of store.webhooks.values()) webhook.events = ['inbox.lead.captured'];
	const world: World = {
		posts,
		webhooks,
		apiKeys: { full: service.keys.full, other: KEYS.other },
		fileServer: files,
		setFiles(which) {
			for (const label of [0, 1, 2])
				for (const file of [0, 1]) {
					const name = fileName({ label, file });
					for (const [at, own] of [
						[name, bytesOf({ label, file })],
						[another(name), anotherBytes({ label, file })],
					] as const)
						files.on(
							`/${at}`,
							which === 'gone'
								? (_request, response) => response.writeHead(404).end()
								: bytes(which === 'other' ? Buffer.from(`other-${file}`) : own),
						);
				}
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
	world.setFiles('same');
	return world;
}
