import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Service } from '../../service';
import rows from './fixtures/spec-rows.json';

/**
 * A test named after a row of `fixtures/spec-rows.json`: every row of the spec's tables and every numbered rule, as
 * `heading · row`. test/repository/collected.test.ts: every row has one.
 */
export function row(name: string, check: () => Promise<void>): void {
	if (!rows.includes(name)) throw new Error(`The spec has no row "${name}"`);
	test(name, check);
}

export interface Answer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	/** The body as text. */
	text: string;
	/** The body as JSON; undefined where there is none. */
	body: any;
	data: any;
	/** `error.code`. */
	code: string | undefined;
}

export interface CallOptions {
	/** An API key; null: no Authorization header. */
	key?: string | null;
	query?: Record<string, string | number | boolean>;
	body?: unknown;
	/** null: none is sent. Default: a new one with every POST, PATCH and DELETE. */
	idempotencyKey?: string | null;
	workspace?: string;
	headers?: Record<string, string>;
	/** The address in place of the service's API. */
	base?: string;
}

let calls = 0;

/** Requests to one service, as a client makes them: over HTTP. */
export function client(service: () => Service, defaults: () => CallOptions = () => ({})) {
	return async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
		const { key, query, body, idempotencyKey, workspace, headers, base } = { ...defaults(), ...options };
		const sent: Record<string, string> = {};
		if (key !== null) sent.authorization = `Bearer ${key ?? service().keys.full}`;
		if (workspace !== undefined) sent['x-service-workspace-id'] = workspace;
		if (body !== undefined) sent['content-type'] = 'application/json';
		if (method !== 'GET' && idempotencyKey !== null) {
			sent['idempotency-key'] = idempotencyKey ?? `conformance:${process.pid}:${calls++}`;
		}
		Object.assign(sent, headers);
		const url = new URL((base ?? service().apiUrl) + path);
		for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
		const answer = await request(url, {
			method: method as 'GET',
			headers: sent,
			body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
		});
		const text = await answer.body.text();
		const json = text === '' ? undefined : JSON.parse(text);
		return {
			status: answer.statusCode,
			headers: answer.headers,
			text,
			body: json,
			data: json?.data,
			code: json?.error?.code,
		};
	};
}

/** The control interface, for what people and platforms do. */
export async function control(service: Service, path: string, body: unknown = {}): Promise<any> {
	const answer = await request(`${service.url}/_control/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	const text = await answer.body.text();
	if (answer.statusCode >= 300) throw new Error(`/_control/${path}: ${answer.statusCode} ${text}`);
	return text === '' ? undefined : JSON.parse(text);
}

/** Asks until it is true; for what happens in its own time. */
export async function until<T>(
	ask: () => T | Promise<T>,
	what: string,
	withinMs = 15_000,
): Promise<NonNullable<T>> {
	const end = Date.now() + withinMs;
	for (;;) {
		const found = await ask();
		if (found) return found;
		if (Date.now() > end) throw new Error(`Not within ${withinMs} ms: ${what}`);
		await sleep(10);
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

/** A receiver of deliveries. */
export class Receiver {
	readonly received: Received[] = [];
	/** What the next ones get, in order; then `answer`. */
	readonly queue: Reaction[] = [];
	answer: Reaction = 200;
	url = '';
	private server?: Server;

	async start(): Promise<this> {
		this.server = createServer((incoming, reply) => {
			const chunks: Buffer[] = [];
			incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
			incoming.on('end', async () => {
				const raw = Buffer.concat(chunks).toString();
				const { url: path = '', method = '', headers } = incoming;
				const received = { path, method, headers, raw, event: parsed(raw), at: performance.now() };
				this.received.push(received);
				let reaction = this.queue.shift() ?? this.answer;
				if (typeof reaction === 'function') reaction = await reaction(received);
				if (reaction === 'drop') incoming.socket.destroy();
				else if (reaction !== 'hang') reply.writeHead(reaction).end(String(reaction));
			});
		});
		await new Promise<void>((resolve) => this.server!.listen(0, '127.0.0.1', resolve));
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
		return this;
	}

	/** Deliveries of this event name. */
	of(type: string): Received[] {
		return this.received.filter(({ headers }) => headers['x-service-event'] === type);
	}

	reset(): void {
		this.received.length = 0;
		this.queue.length = 0;
		this.answer = 200;
	}

	async stop(): Promise<void> {
		this.server?.closeAllConnections();
		await new Promise((resolve) => this.server?.close(resolve));
	}
}

function parsed(raw: string): unknown {
	try {
		return JSON.parse(raw);
	} catch {
		return undefined;
	}
}

export const HOUR = 3_600_000;
export const MINUTE = 60_000;
export const inOneHour = (service: Service) => new Date(service.clock.now() + HOUR).toISOString();

/** A post in the integration guide's shape. */
export const newPost = (service: Service, more: Record<string, unknown> = {}) => ({
	platform: 'linkedin',
	content: { text: 'Conformance', media: [] },
	scheduled_at: inOneHour(service),
	...more,
});

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
