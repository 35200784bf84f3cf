import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What stands behind the trigger: a server that writes down which event came in which execution. */
export class Sink {
	readonly arrivals: Array<{ id: string; execution: string }> = [];

	private constructor(
		private readonly server: Server,
		readonly url: string,
	) {}

	static async start(): Promise<Sink> {
		const server = createServer((request, response) => {
			const { searchParams } = new URL(request.url ?? '/', 'http://sink');
			const id = searchParams.get('id');
			if (id !== null) sink.arrivals.push({ id, execution: searchParams.get('execution') ?? '' });
			response.end('{}');
		});
		server.keepAliveTimeout = 60_000;
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const sink = new Sink(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		return sink;
	}

	/** Event → executions in which it arrived. */
	byEvent(): Map<string, string[]> {
		const found = new Map<string, string[]>();
		for (const { id, execution } of this.arrivals) found.set(id, [...(found.get(id) ?? []), execution]);
		return found;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}
