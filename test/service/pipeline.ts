import type { FastifyReply, FastifyRequest } from 'fastify';
import isPlainObject from 'lodash/isPlainObject';
import { setTimeout as sleep } from 'node:timers/promises';
import { authenticate, requireScope, resolveBrand, resolveWorkspace } from './auth';
import { failure, newRequestId, success } from './envelope';
import { ApiError, bodyInvalid, notFound, statusOf } from './errors';
import { takesEffect, withUnknownFields, type Fault } from './faults';
import { checkKey, fingerprintOf, type Answer } from './idempotency';
import type { Service } from './index';
import type { ApiKey, RecordedRequest, Scope, Workspace } from './types';

/** What an endpoint's function is given. */
export interface Context {
	service: Service;
	key: ApiKey;
	workspace: Workspace;
	/** The brand of the request's header, if it had one. */
	brand?: Workspace['brands'][number];
	params: Record<string, string>;
	query: unknown;
	body: unknown;
}

/** One row of the spec's endpoint list. */
export interface Route {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** After the prefix, with fastify's `:id`. */
	path: string;
	scope: Scope;
	/** `GET /workspaces` needs no workspace. */
	workspace?: false;
	/** Default: an object for POST and PATCH. */
	body?: 'optional';
	/** Takes in a multipart body, before the request is compared with an earlier one of the same key. */
	readFile?(request: FastifyRequest): Promise<{ filename: string }>;
	handle(context: Context): Answer | Promise<Answer>;
}

export const ok = (data: unknown): Answer => ({ status: 200, data });
export const created = (data: unknown): Answer => ({ status: 201, data });
export const noContent: Answer = { status: 204 };

/** What came out of a request, before it is written. */
interface Outcome {
	status: number;
	headers: Record<string, string>;
	/** Undefined: no body. A text goes out as it is. */
	body?: { success: boolean; data?: unknown } | string;
}

/** A request to a known endpoint and what the service itself answers, before a fault spoils it. */
export interface Exchange {
	method: string;
	/** As in the spec: `/posts/{id}`. */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, unknown>;
	body?: unknown;
	status: number;
	answer?: unknown;
}

const observers = new Set<(exchange: Exchange) => void>();

/** Calls `observer` for each request of any service in this process. */
export const observeExchanges = (observer: (exchange: Exchange) => void): void =>
	void observers.add(observer);

/** Requests remembered for tests and the control interface. */
const RECORDED = 20_000;

/** Notes a request that came in. */
export function record({ clock, requests }: Service, request: FastifyRequest): RecordedRequest {
	const entry: RecordedRequest = {
		at: clock.iso(),
		receivedAt: Date.now(),
		method: request.method,
		path: request.url.split('?')[0]!,
		query: request.query as Record<string, unknown>,
		headers: request.headers,
		body: readJson(request),
		status: 0,
		requestId: newRequestId(),
	};
	if (requests.length >= RECORDED) requests.splice(0, RECORDED / 2);
	requests.push(entry);
	return entry;
}

/** The fault that a request meets; a delay is over by then. */
export async function meet({ faults }: Service, entry: RecordedRequest, path: string) {
	const fault = faults.meet(entry.method, path);
	if (fault) entry.fault = fault.kind;
	if (fault?.kind === 'delay') await sleep(fault.ms ?? 1000);
	return fault;
}

/** Every API request goes through here: fault, auth, rate limit, workspace, key, body, endpoint, answer. */
export class Pipeline {
	constructor(
		private readonly service: Service,
		private readonly latencyMs: number,
	) {}

	/** `route` undefined: nothing has this path and method. */
	handler(route: Route | undefined, prefix: string) {
		return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
			const { service, latencyMs } = this;
			const entry = record(service, request);
			const path = entry.path.slice(prefix.length);
			if (latencyMs > 0) await sleep(latencyMs);
			const fault = await meet(service, entry, path);
			const outcome =
				fault && !takesEffect(fault) ? undefined : await this.outcome(route, path, request, entry);
			if (route && outcome) observe(route, entry, outcome);
			if (fault && answerInstead(fault, request, reply, entry)) return reply;
			return send(reply, fault ? spoiled(fault, outcome, entry) : outcome!, entry);
		};
	}

	private async outcome(
		route: Route | undefined,
		path: string,
		request: FastifyRequest,
		entry: RecordedRequest,
	): Promise<Outcome> {
		const headers: Record<string, string> = {};
		const answer = await this.act(route, path, request, headers, entry).catch((error: unknown) => {
			const { status, code, message } = error instanceof ApiError ? error : unexpected(error);
			return { status, error: { code, message } } as Answer;
		});
		const { status, error, data } = answer;
		if (status === 204) return { status, headers };
		const { requestId } = entry;
		const body = error ? failure(error.code, error.message, requestId, data) : success(data, requestId);
		return { status, headers, body };
	}

	private async act(
		route: Route | undefined,
		path: string,
		request: FastifyRequest,
		headers: Record<string, string>,
		entry: RecordedRequest,
	): Promise<Answer> {
		const { service } = this;
		const { store } = service;
		const { method } = request;
		const header = (name: string) => request.headers[name] as string | undefined;
		const key = authenticate(header('authorization'), store);
		const rate = service.rateLimiter.take(key, method);
		Object.assign(headers, rate.headers);
		if (rate.exceeded) throw rate.exceeded;
		if (!route) throw notFound(`There is no ${method} ${path}.`);
		requireScope(key, route.scope);
		const context: Context = {
			service,
			key,
			// `GET /workspaces` works for a key without any workspace, too.
			workspace: { id: '', name: '', brands: [], createdAt: '' },
			params: request.params as Record<string, string>,
			query: request.query,
			body: undefined,
		};
		if (route.workspace !== false) {
			context.workspace = resolveWorkspace(key, header('x-service-workspace-id'), store);
			context.brand = resolveBrand(context.workspace, header('x-service-brand-id'));
		}
		if ('cursor' in (request.query as object)) {
			throw new ApiError('PUBLIC_API_CURSOR_INVALID', 'The cursor is not one of this service.');
		}
		if (method === 'GET') return await route.handle(context);

		const idempotencyKey = header('idempotency-key');
		checkKey(idempotencyKey, method === 'POST');
		const file = await route.readFile?.(request);
		context.body = file ?? bodyOf(route, request, entry.body);
		Object.assign(entry, { workspace: context.workspace.id, file: file?.filename });
		const run = async () => {
			const done = await route.handle(context);
			entry.acted = true;
			return done;
		};
		if (idempotencyKey === undefined) return await run();
		const { answer, replayed } = await store.idempotency.run(
			`${key.key}\n${context.workspace.id}\n${idempotencyKey}`,
			fingerprintOf(method, path, context.body),
			run,
		);
		if (replayed) headers['Idempotency-Replayed'] = 'true';
		return answer;
	}
}

function observe(route: Route, entry: RecordedRequest, { status, body: answer }: Outcome): void {
	const { method, query, headers, body } = entry;
	const path = route.path.replace(/:(\w+)/g, '{$1}');
	for (const observer of observers) observer({ method, path, query, headers, body, status, answer });
}

/** The body as JSON; undefined where there is none or it is broken. */
function readJson({ body }: FastifyRequest): unknown {
	if (!Buffer.isBuffer(body)) return undefined;
	try {
		return JSON.parse(body.toString('utf8'));
	} catch {
		return undefined;
	}
}

/** Spec: JSON bodies, sent as `application/json`; DELETE has none. */
function bodyOf(route: Route, { body, headers }: FastifyRequest, json: unknown): unknown {
	if (!Buffer.isBuffer(body) || body.length === 0) {
		if (route.method === 'DELETE' || route.body === 'optional') return undefined;
		throw bodyInvalid('The body is missing.');
	}
	if (route.method === 'DELETE') throw bodyInvalid('DELETE takes no body.');
	if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
		throw bodyInvalid('Send the body with Content-Type: application/json.');
	}
	if (json === undefined) throw bodyInvalid('The body is not valid JSON.');
	if (!isPlainObject(json)) throw bodyInvalid('The body has to be a JSON object.');
	return json;
}

function unexpected(error: unknown): ApiError {
	console.error('The embedded service has a bug:', error);
	return new ApiError('PUBLIC_API_INTERNAL_FAILED', String(error));
}

function send(reply: FastifyReply, { status, headers, body }: Outcome, entry: RecordedRequest): FastifyReply {
	entry.status = status;
	reply.code(status).headers(headers);
	if (body === undefined) return reply.send();
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return reply.type('application/json; charset=utf-8').send(text);
}

/** Cuts the connection without an answer. */
export function drop(request: FastifyRequest, reply: FastifyReply): FastifyReply {
	reply.hijack();
	request.raw.socket.destroy();
	return reply;
}

const page = (status: number) =>
	`<html><head><title>${status}</title></head><body><h1>${status}</h1><p>Not the service, but something in front of it.</p></body></html>`;

/** The faults that leave nothing of the service's answer. True: the request has been dealt with. */
export function answerInstead(
	fault: Fault,
	request: FastifyRequest,
	reply: FastifyReply,
	entry: RecordedRequest,
): boolean {
	const { kind, retryAfter, headers } = fault;
	if (kind === 'hang') {
		reply.hijack();
		if (fault.ms !== undefined) setTimeout(() => request.raw.socket.destroy(), fault.ms).unref();
		return true;
	}
	if (kind === 'dropBefore' || kind === 'dropAfter') {
		drop(request, reply);
		return true;
	}
	if (kind !== 'status' && kind !== 'html' && kind !== 'empty') return false;
	// Not JSON, no envelope.
	request.raw.resume();
	entry.status = kind === 'status' ? (fault.status ?? 503) : 200;
	reply.code(entry.status);
	if (kind !== 'empty') reply.type('text/html; charset=utf-8');
	if (retryAfter) reply.header('Retry-After', retryAfter);
	void reply.headers(headers ?? {}).send(kind === 'empty' ? '' : page(entry.status));
	return true;
}

/** The answer as a fault leaves it; `outcome` undefined: the request took no effect. */
function spoiled(fault: Fault, outcome: Outcome | undefined, { requestId }: RecordedRequest): Outcome {
	const headers = { ...outcome?.headers, ...fault.headers };
	switch (fault.kind) {
		case 'error':
		case 'errorAfter': {
			const code = fault.code ?? 'PUBLIC_API_CONTEXT_ERROR';
			const status = fault.status ?? statusOf(code);
			const retryAfter = fault.retryAfter ?? (status === 429 ? '1' : '');
			if (retryAfter) headers['Retry-After'] = retryAfter;
			const body = failure(code, fault.message ?? `Made to fail with ${code}.`, requestId);
			return { status, headers, body };
		}
		case 'malformed': {
			const whole = JSON.stringify(outcome?.body ?? {});
			const half = whole.slice(0, Math.ceil(whole.length / 2));
			const body = outcome ? half : '{"success":true,"data":{"id":"post_';
			return { status: outcome?.status ?? 200, headers: fault.headers ?? {}, body };
		}
		case 'unknownFields': {
			const { body } = outcome!;
			if (typeof body !== 'object' || !body.success) return outcome!;
			const grown = { ...body, data: withUnknownFields(body.data), api_version: '1.99' };
			return { ...outcome!, body: grown };
		}
		case 'headers':
			return { ...outcome!, headers };
		default:
			return outcome!;
	}
}
