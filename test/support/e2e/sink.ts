import Fastify, { type FastifyInstance } from 'fastify';
import { type FlowNode, n8nNode } from './flow';

/** What stands behind the trigger: a server that writes down which event came in which execution. */
export class Sink {
	readonly arrivals: Array<{ id: string; execution: string }> = [];

	private constructor(
		private readonly app: FastifyInstance,
		private readonly url: string,
	) {}

	static async start(): Promise<Sink> {
		const app = Fastify({ forceCloseConnections: true });
		app.get<{ Querystring: { id: string; execution: string } }>('/', async ({ query }) => {
			sink.arrivals.push({ ...query });
			return {};
		});
		const sink = new Sink(app, await app.listen({ host: '127.0.0.1', port: 0 }));
		return sink;
	}

	/** A node that tells the event's id, which `idPath` finds in the trigger's item. */
	tell(idPath = '$json.id'): FlowNode {
		const url = `={{ "${this.url}/?id=" + encodeURIComponent(${idPath}) + "&execution=" + $execution.id }}`;
		return n8nNode('Tell', 'httpRequest', 4.2, { url, options: {} });
	}

	byEvent(): Map<string, string[]> {
		const found = new Map<string, string[]>();
		for (const { id, execution } of this.arrivals) found.set(id, [...(found.get(id) ?? []), execution]);
		return found;
	}

	times(event: string): number {
		return this.arrivals.filter(({ id }) => id === event).length;
	}

	missing(events: Iterable<string>): Set<string> {
		return new Set([...events].filter((event) => this.times(event) === 0));
	}

	count(events: Iterable<string>): { lost: number; doubled: number } {
		const doubled = [...events].filter((event) => this.times(event) > 1).length;
		return { lost: this.missing(events).size, doubled };
	}

	async stop(): Promise<void> {
		await this.app.close();
	}
}
