import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Receiver } from './sender';

/** As much of GitHub as its trigger asks for: hooks of one repository. */
export class GithubStub {
	private constructor(
		private readonly server: Server,
		readonly url: string,
		readonly hooks: Map<number, Receiver>,
	) {}

	static async start(): Promise<GithubStub> {
		const hooks = new Map<number, Receiver>();
		const server = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk) => chunks.push(chunk));
			request.on('end', () => {
				const answer = (status: number, body: unknown) => {
					response.writeHead(status, { 'content-type': 'application/json' });
					response.end(status === 204 ? undefined : JSON.stringify(body));
				};
				const id = Number(/\/hooks\/(\d+)/.exec(request.url ?? '')?.[1]);
				if (request.method === 'POST') {
					const { config, events } = JSON.parse(Buffer.concat(chunks).toString());
					hooks.set(hooks.size + 1, { url: config.url, secret: config.secret });
					return answer(201, { id: hooks.size, active: true, events });
				}
				if (request.method === 'DELETE') {
					hooks.delete(id);
					return answer(204, undefined);
				}
				return hooks.has(id) ? answer(200, { id, active: true }) : answer(404, {});
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return new GithubStub(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hooks);
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}
