import Fastify, { type FastifyInstance } from 'fastify';

/** What stands behind the trigger: a server that writes down which event came in which execution. */
export class Sink {
	readonly arrivals: Array<{ id: string; execution: string }> = [];

	private constructor(
		private readonly app: FastifyInstance,
		readonly url: string,
	) {}

	static async start(): Promise<Sink> {
		const app = Fastify({ forceCloseConnections: true });
		app.get<{ Querystring: { id: string; execution: string } }>('/', async ({ query }) => {
			sink.arrivals.push({ id: query.id, execution: query.execution });
			return {};
		});
		const sink = new Sink(app, await app.listen({ host: '127.0.0.1', port: 0 }));
		return sink;
	}

	/** Event → executions in which it arrived. */
	byEvent(): Map<string, string[]> {
		const found = new Map<string, string[]>();
		for (const { id, execution } of this.arrivals) found.set(id, [...(found.get(id) ?? []), execution]);
		return found;
	}

	/** How often the event came out behind triggers. */
	times(event: string): number {
		return this.arrivals.filter(({ id }) => id === event).length;
	}

	async stop(): Promise<void> {
		await this.app.close();
	}
}
