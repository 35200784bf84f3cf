import { connect, createServer, type Server, type Socket } from 'node:net';

import { freePort } from '../../n8n/process';

/** An address in front of a server, which can be shut: then the server is "down", and keeps its state. */
export class Gate {
	/** Connections that were hung up on. */
	turnedAway = 0;
	private turning = false;
	private readonly sockets = new Set<Socket>();
	private server?: Server;

	private constructor(
		private readonly behind: URL,
		private readonly port: number,
	) {}

	static async to(url: string): Promise<Gate> {
		const gate = new Gate(new URL(url), await freePort());
		await gate.open();
		return gate;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** The same port every time. */
	async open(): Promise<void> {
		this.turning = false;
		if (this.server) return;
		const { hostname, port } = this.behind;
		const server = createServer((outside) => {
			if (this.turning) {
				this.turnedAway++;
				outside.destroy();
				return;
			}
			const inside = connect(Number(port), hostname);
			for (const [one, other] of [
				[outside, inside],
				[inside, outside],
			] as const) {
				this.sockets.add(one);
				one.on('error', () => other.destroy());
				one.on('close', () => {
					this.sockets.delete(one);
					other.destroy();
				});
				one.pipe(other);
			}
		});
		this.server = server;
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject);
			server.listen(this.port, '127.0.0.1', resolve);
		});
	}

	/** Whoever connects is hung up on, and counted. */
	turnAway(): void {
		this.turning = true;
		this.turnedAway = 0;
		for (const socket of this.sockets) socket.destroy();
	}

	/** Connections are refused, and those that are open are cut. */
	async shut(): Promise<void> {
		const { server } = this;
		if (!server) return;
		this.server = undefined;
		for (const socket of this.sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	}
}
