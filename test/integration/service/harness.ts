import { attempt } from 'lodash';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { startService, type Service } from '../../service';
import type { ServiceOptions } from '../../service/types';

export const HOUR = 3_600_000;
export const MINUTE = 60_000;
export const DAY = 24 * HOUR;

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
}

let calls = 0;

/** A service with requests to it, as a client makes them: over HTTP. */
export function clientOf(service: () => Service) {
	async function call(method: string, path: string, options: CallOptions = {}) {
		const { key = service().keys.full, query, body, workspace, headers } = options;
		const { idempotencyKey = `test:${calls++}` } = options;
		const asItIs = typeof body === 'string' || body instanceof FormData;
		const answer = await fetch(service().apiUrl + path + (query ? `?${new URLSearchParams(query)}` : ''), {
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
		const said = await answer.text();
		const json: any = attempt(JSON.parse, said);
		return {
			...{ status: answer.status, headers: Object.fromEntries(answer.headers), text: said },
			body: json instanceof Error ? undefined : json,
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

export interface Received {
	headers: IncomingHttpHeaders;
	raw: string;
	event: any;
	/** ms, when it was read in full. */
	at: number;
}

type Reaction = number | 'drop' | 'hang' | (() => Promise<number>);

/** A receiver of deliveries, for all tests of a file. */
export class Receiver {
	readonly received: Received[] = [];
	/** What the next ones get, in order; then `answer`. */
	readonly queue: Reaction[] = [];
	answer: Reaction = 200;
	url = '';

	constructor() {
		const server = createServer(async (incoming, reply) => {
			const raw = await text(incoming);
			this.received.push({ headers: incoming.headers, raw, event: JSON.parse(raw), at: performance.now() });
			const next = this.queue.shift() ?? this.answer;
			const reaction = typeof next === 'function' ? await next() : next;
			if (reaction === 'drop') incoming.socket.destroy();
			else if (reaction !== 'hang') reply.writeHead(reaction).end(String(reaction));
		});
		beforeAll(async () => {
			await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
			this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
		});
		afterAll(() => {
			server.closeAllConnections();
			server.close();
		});
	}

	reset(): void {
		this.received.length = 0;
		this.queue.length = 0;
		this.answer = 200;
	}
}
