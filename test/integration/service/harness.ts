import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { startService, type Service } from '../../service';
import type { ServiceOptions } from '../../service/types';

export const HOUR = 3_600_000;
export const MINUTE = 60_000;
export const DAY = 24 * HOUR;
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export interface CallOptions {
	/** An API key; null: no Authorization header. */
	key?: string | null;
	query?: Record<string, any>;
	/** A text and a form as they are, anything else as JSON. */
	body?: unknown;
	/** null: none is sent. Default: a new one with every POST, PATCH and DELETE. */
	idempotencyKey?: string | null;
	workspace?: string;
	headers?: Record<string, string>;
	/** The address in place of the service's API. */
	base?: string;
}

let calls = 0;

function parsed(text: string): any {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A service with requests to it, as a client makes them: over HTTP. */
export function clientOf(service: () => Service) {
	async function call(method: string, path: string, options: CallOptions = {}) {
		const { key = service().keys.full, query, body, workspace, headers } = options;
		const { idempotencyKey = `test:${process.pid}:${calls++}`, base = service().apiUrl } = options;
		const asItIs = typeof body === 'string' || body instanceof FormData;
		const answer = await fetch(base + path + (query ? `?${new URLSearchParams(query)}` : ''), {
			method,
			headers: {
				...(key === null ? {} : { authorization: `Bearer ${key}` }),
				...(workspace === undefined ? {} : { 'x-service-workspace-id': workspace }),
				...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
				...(method === 'GET' || idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
				...headers,
			},
			body: asItIs ? body : JSON.stringify(body),
		});
		const text = await answer.text();
		const json = parsed(text);
		return {
			...{ status: answer.status, headers: Object.fromEntries(answer.headers), text, body: json },
			...{ data: json?.data, code: json?.error?.code as string | undefined },
		};
	}
	/** `data` of what has to succeed. */
	async function data(method: string, path: string, options?: CallOptions): Promise<any> {
		const answer = await call(method, path, options);
		if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
		return answer.data;
	}
	return {
		call,
		data,
		get: async (path: string, query?: CallOptions['query']) => await data('GET', path, { query }),
		/** A post in the integration guide's shape, due in an hour. */
		draft: (more: object = {}) => ({
			platform: 'linkedin',
			content: { text: 'Hello', media: [] },
			scheduled_at: new Date(service().clock.now() + HOUR).toISOString(),
			...more,
		}),
		/** The control interface: what people and platforms do. */
		control: async (path: string, body: unknown = {}) => {
			const base = `${service().url}/_control`;
			const { status, text, body: json } = await call('POST', `/${path}`, { base, body });
			if (status >= 300) throw new Error(`/_control/${path}: ${status} ${text}`);
			return json;
		},
	};
}

/** A service for all tests of a file, with `create` for posts. */
export function embedded(options: ServiceOptions = {}) {
	let service!: Service;
	beforeAll(async () => void (service = await startService(options)));
	afterEach(() => service.faults.clear());
	afterAll(async () => await service.close());
	const client = clientOf(() => service);
	return {
		...client,
		service: () => service,
		create: async (more = {}) => await client.data('POST', '/posts', { body: client.draft(more) }),
	};
}

/** Asks until it is true; for what happens in its own time. */
export async function until<T>(ask: () => T | Promise<T>): Promise<NonNullable<T>> {
	for (;;) {
		const found = await ask();
		if (found) return found;
		await sleep(5);
	}
}

export interface Received {
	path: string;
	method: string;
	headers: IncomingHttpHeaders;
	raw: string;
	event: any;
	/** ms, when it was read in full. */
	at: number;
}

type Reaction = number | 'drop' | 'hang' | ((received: Received) => number | Promise<number>);

/** A receiver of deliveries, for all tests of a file. */
export class Receiver {
	readonly received: Received[] = [];
	/** What the next ones get, in order; then `answer`. */
	readonly queue: Reaction[] = [];
	answer: Reaction = 200;
	url = '';
	private readonly server: Server;

	constructor() {
		this.server = createServer(async (incoming, reply) => {
			const chunks: Buffer[] = [];
			for await (const chunk of incoming) chunks.push(chunk as Buffer);
			const raw = Buffer.concat(chunks).toString();
			const { url: path = '', method = '', headers } = incoming;
			const received = { path, method, headers, raw, event: JSON.parse(raw), at: performance.now() };
			this.received.push(received);
			const next = this.queue.shift() ?? this.answer;
			const reaction = typeof next === 'function' ? await next(received) : next;
			if (reaction === 'drop') incoming.socket.destroy();
			else if (reaction !== 'hang') reply.writeHead(reaction).end(String(reaction));
		});
		beforeAll(async () => {
			await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
			this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
		});
		afterAll(() => {
			this.server.closeAllConnections();
			this.server.close();
		});
	}

	get types(): string[] {
		return this.received.map(({ event }) => event.type);
	}

	reset(): void {
		this.received.length = 0;
		this.queue.length = 0;
		this.answer = 200;
	}
}
