import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import type { Service } from '../../service';
import { bytes, startFiles, type FileServer } from '../fileServer';
import { addPost } from '../store';
import { bytesOf } from './parameters';
import type { Sequence } from './sequence';

/** What there is before a sequence starts, and what others do to it. */

export const INBOX = ['inb_seed_1', 'inb_seed_2', 'inb_seed_3'];

export interface World {
	/** IDs of posts that operations may work on, by label. */
	posts: string[];
	fileServer: FileServer;
	/** Where the node finds the service. */
	baseUrl: string;
	setFiles(are: 'there' | 'gone'): void;
	/** Whether there is a connection to the service. */
	setOnline(isOnline: boolean): Promise<void>;
}

let files: Promise<FileServer> | undefined;
const gates = new Map<Service, Gate>();

export async function prepare(service: Service, { twoAccounts }: Sequence): Promise<World> {
	const { store } = service;
	files ??= startFiles();
	const fileServer = await files;
	const gate = gates.get(service) ?? new Gate(Number(new URL(service.url).port));
	gates.set(service, gate);
	await gate.open();
	// One account of each platform: which of two is meant is refused, not guessed.
	store.accounts.delete('acc_main_cafe');
	for (const account of [...store.accounts.values()]) {
		const { platform } = account;
		Object.assign(account, {
			status: 'connected',
			name: `Bakery ${platform}`,
			username: `bakery_${platform}`,
		});
		if (!twoAccounts || platform !== 'x') continue;
		const id = account.id.replace('_x', '_x2');
		store.accounts.set(id, { ...account, id, name: 'Bakery x2', username: 'bakery_x2' });
	}
	const at = Date.parse('2126-01-01T00:00:00Z');
	const posts = [0, 1, 2].map((n) =>
		addPost(service, { id: `post_${n}old`, text: 'Old', at, platforms: ['x'] }),
	);
	return {
		posts,
		fileServer,
		baseUrl: gate.url,
		setFiles(are) {
			for (const label of [0, 1, 2])
				fileServer.on(
					`/item-${label}.png`,
					are === 'there' ? bytes(bytesOf({ label })) : (_request, response) => response.writeHead(404).end(),
				);
		},
		setOnline: async (isOnline) => await (isOnline ? gate.open() : gate.close()),
	};
}

/** Lets connections through to the service; closed, its port refuses them. */
class Gate {
	private server?: Server;
	private port = 0;
	private readonly sockets = new Set<Socket>();

	constructor(private readonly to: number) {}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async open(): Promise<void> {
		if (this.server) return;
		const server = createServer((socket) => {
			const behind = connect(this.to, '127.0.0.1');
			// What is dropped on one side is dropped on the other.
			for (const [one, other] of [
				[socket, behind],
				[behind, socket],
			] as const) {
				this.sockets.add(one);
				one.on('error', () => other.destroy()).on('close', () => other.destroy());
				one.on('close', () => this.sockets.delete(one));
				one.pipe(other);
			}
		});
		await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
		server.unref();
		this.port = (server.address() as AddressInfo).port;
		this.server = server;
	}

	async close(): Promise<void> {
		const { server } = this;
		if (!server) return;
		this.server = undefined;
		const closed = new Promise((done) => server.close(done));
		for (const socket of this.sockets) socket.destroy();
		await closed;
	}
}
