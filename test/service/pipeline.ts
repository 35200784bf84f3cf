import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { authenticate, requireScope, resolveBrand, resolveWorkspace } from './auth';
import { failure, newRequestId, success } from './envelope';
import { ApiError, bodyInvalid, notFound, statusOf } from './errors';
import { withUnknownFields, type ActiveFault } from './faults';
import { checkKey, fingerprintOf, type Answer } from './idempotency';
import type { Service } from './index';
import type { ApiKey, Brand, RecordedRequest, Scope, Workspace } from './types';

/** What an endpoint's function is given. */
export interface Context {
	service: Service;
	key: ApiKey;
	workspace: Workspace;
	/** The brand of the request's header, if it had one. */
	brand?: Brand;
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
	body?: 'optional' | 'multipart';
	handle(context: Context): Answer | Promise<Answer>;
}

/** A multipart body, taken in before the request is compared with an earlier one of the same key. */
export type MultipartReader = (request: FastifyRequest, service: Service) => Promise<unknown>;

export const ok = (data: unknown): Answer => ({ status: 200, data });
export const created = (data: unknown): Answer => ({ status: 201, data });
export const noContent: Answer = { status: 204 };

/** Requests remembered for tests and the control interface. */
const RECORDED = 20_000;

const header = (request: FastifyRequest, name: string): string | undefined => {
	const value = request.headers[name];
	return Array.isArray(value) ? value.join(', ') : value;
};

export function record(service: Service, request: FastifyRequest, path: string, requestId: string) {
	const { requests } = service;
	const entry: RecordedRequest = {
		at: service.clock.iso(),
		receivedAt: Date.now(),
		method: request.method,
		path,
		query: request.query as Record<string, unknown>,
		headers: request.headers,
		body: undefined,
		status: 0,
		requestId,
	};
	if (requests.length >= RECORDED) requests.splice(0, RECORDED / 2);
	requests.push(entry);
	return entry;
}

/** What came out of a request, before it is written. */
interface Outcome {
	status: number;
	headers: Record<string, string>;
	/** Undefined: no body. */
	body?: { success: boolean; data?: unknown };
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

/** Every API request goes through here: fault, auth, rate limit, workspace, key, body, endpoint, answer. */
export class Pipeline {
	constructor(
		private readonly service: Service,
		private readonly latencyMs: number,
		private readonly readMultipart: MultipartReader,
	) {}

	/** `route` undefined: nothing has this path and method. */
	handler(route: Route | undefined, prefix: string) {
		return (request: FastifyRequest, reply: FastifyReply) => this.serve(route, prefix, request, reply);
	}

	private async serve(
		route: Route | undefined,
		prefix: string,
		request: FastifyRequest,
		reply: FastifyReply,
	): Promise<unknown> {
		const { service } = this;
		const mark = request.url.indexOf('?');
		const fullPath = mark < 0 ? request.url : request.url.slice(0, mark);
		const path = fullPath.slice(prefix.length);
		const requestId = newRequestId();
		const entry = record(service, request, fullPath, requestId);
		const json = readJson(request);
		entry.body = json.ok ? json.value : undefined;
		if (this.latencyMs > 0) await sleep(this.latencyMs);

		const fault = service.faults.meet(request.method, path);
		if (fault) entry.fault = fault.kind;
		if (fault && (await misbehaveBefore(fault, request, reply, requestId, entry, service))) return reply;

		const outcome = await this.outcome(route, path, request, json, entry);
		if (route)
			for (const observer of observers)
				observer({
					method: request.method,
					path: route.path.replace(/:(\w+)/g, '{$1}'),
					query: request.query as Record<string, unknown>,
					headers: request.headers,
					body: route.body === 'multipart' ? undefined : entry.body,
					status: outcome.status,
					answer: outcome.body,
				});
		if (fault) {
			if (misbehaveAfter(fault, outcome, request, reply, requestId, entry, service)) return reply;
		}
		return send(reply, outcome, entry);
	}

	private async outcome(
		route: Route | undefined,
		path: string,
		request: FastifyRequest,
		json: Json,
		entry: RecordedRequest,
	): Promise<Outcome> {
		const { requestId } = entry;
		const headers: Record<string, string> = {};
		try {
			const answer = await this.act(route, path, request, json, headers, entry);
			if (answer.status === 204) return { status: 204, headers };
			const body = answer.error
				? failure(answer.error.code, answer.error.message, requestId, answer.data)
				: success(answer.data, requestId);
			return { status: answer.status, headers, body };
		} catch (error) {
			const known = error instanceof ApiError ? error : unexpected(error);
			return {
				status: known.status,
				headers,
				body: failure(known.code, known.message, requestId, known.data),
			};
		}
	}

	private async act(
		route: Route | undefined,
		path: string,
		request: FastifyRequest,
		json: Json,
		headers: Record<string, string>,
		entry: RecordedRequest,
	): Promise<Answer> {
		const { service } = this;
		const { store } = service;
		const { method } = request;
		const key = authenticate(request.headers.authorization, store);
		const rate = service.rateLimiter.take(key, method);
		Object.assign(headers, rate.headers);
		if (rate.exceeded) throw rate.exceeded;
		if (!route) throw notFound(`There is no ${method} ${path}.`);
		requireScope(key, route.scope);
		const wanted = (name: string) => (route.workspace === false ? undefined : header(request, name));
		// `GET /workspaces` works for a key without any workspace, too.
		const workspace =
			route.workspace === false
				? ({ id: '', brands: [] } as unknown as Workspace)
				: resolveWorkspace(key, wanted('x-service-workspace-id'), store);
		const brand = resolveBrand(workspace, wanted('x-service-brand-id'));
		const context: Context = {
			service,
			key,
			workspace,
			brand,
			params: request.params as Record<string, string>,
			query: request.query,
			body: undefined,
		};
		if ('cursor' in (request.query as object)) {
			throw new ApiError('PUBLIC_API_CURSOR_INVALID', 'The cursor is not one of this service.');
		}
		if (method === 'GET') return await route.handle(context);

		const idempotencyKey = header(request, 'idempotency-key');
		checkKey(idempotencyKey, method === 'POST');
		context.body =
			route.body === 'multipart' ? await this.readMultipart(request, service) : bodyOf(route, json);
		entry.workspace = workspace.id;
		if (route.body === 'multipart') entry.file = (context.body as { filename: string }).filename;
		const run = async () => {
			const done = await route.handle(context);
			entry.acted = true;
			return done;
		};
		if (idempotencyKey === undefined) return await run();
		const { answer, replayed } = await store.idempotency.run(
			`${key.key}\n${workspace.id}\n${idempotencyKey}`,
			fingerprintOf(method, path, context.body),
			run,
		);
		if (replayed) headers['Idempotency-Replayed'] = 'true';
		return answer;
	}
}

type Json =
	| { ok: true; value: unknown; empty: boolean; isJson: boolean }
	| { ok: false; empty: false; isJson: boolean };

function readJson(request: FastifyRequest): Json {
	const raw = request.body;
	const isJson = /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
	if (!Buffer.isBuffer(raw) || raw.length === 0) return { ok: true, value: undefined, empty: true, isJson };
	try {
		return { ok: true, value: JSON.parse(raw.toString('utf8')), empty: false, isJson };
	} catch {
		return { ok: false, empty: false, isJson };
	}
}

/** Spec: JSON bodies, sent as `application/json`; DELETE has none. */
function bodyOf(route: Route, json: Json): unknown {
	if (json.empty) {
		if (route.method === 'DELETE' || route.body === 'optional') return undefined;
		throw bodyInvalid('The body is missing.');
	}
	if (route.method === 'DELETE') throw bodyInvalid('DELETE takes no body.');
	if (!json.isJson) throw bodyInvalid('Send the body with Content-Type: application/json.');
	if (!json.ok) throw bodyInvalid('The body is not valid JSON.');
	if (json.value === null || typeof json.value !== 'object' || Array.isArray(json.value)) {
		throw bodyInvalid('The body has to be a JSON object.');
	}
	return json.value;
}

function unexpected(error: unknown): ApiError {
	console.error('The embedded service has a bug:', error);
	return new ApiError('PUBLIC_API_INTERNAL_FAILED', String(error));
}

function send(reply: FastifyReply, { status, headers, body }: Outcome, entry: RecordedRequest): FastifyReply {
	entry.status = status;
	reply.code(status).headers(headers);
	if (!body) return reply.send();
	return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Cuts the connection without an answer. */
export function drop(request: FastifyRequest, reply: FastifyReply): void {
	reply.hijack();
	request.raw.socket.destroy();
}

/** Leaves the request without an answer, for `ms` or until the service closes. */
export function hang(
	fault: ActiveFault,
	request: FastifyRequest,
	reply: FastifyReply,
	service: Service,
): void {
	reply.hijack();
	service.leaveHanging(request.raw.socket, fault.ms);
}

const page = (status: number) =>
	`<html><head><title>${status}</title></head><body><h1>${status}</h1><p>Not the service, but something in front of it.</p></body></html>`;

/** A fault's bare answer; not JSON, no envelope. */
export function sendBare(fault: ActiveFault, reply: FastifyReply, entry: RecordedRequest): void {
	const status = fault.kind === 'status' ? (fault.status ?? 503) : 200;
	entry.status = status;
	reply.code(status);
	if (fault.retryAfter) reply.header('Retry-After', fault.retryAfter);
	if (fault.kind === 'empty') void reply.headers(fault.headers ?? {}).send('');
	else
		void reply.headers({ 'content-type': 'text/html; charset=utf-8', ...fault.headers }).send(page(status));
}

function sendError(
	fault: ActiveFault,
	reply: FastifyReply,
	requestId: string,
	entry: RecordedRequest,
	also: Record<string, string> = {},
): void {
	const code = fault.code ?? 'PUBLIC_API_CONTEXT_ERROR';
	const status = fault.status ?? statusOf(code);
	const retryAfter = fault.retryAfter ?? (status === 429 ? '1' : '');
	const headers: Record<string, string> = { ...also, ...fault.headers };
	if (retryAfter) headers['Retry-After'] = retryAfter;
	const body = failure(code, fault.message ?? `Made to fail with ${code}.`, requestId);
	void send(reply, { status, headers, body }, entry);
}

/** The faults that come before the request takes effect. True: the request has been dealt with. */
async function misbehaveBefore(
	fault: ActiveFault,
	request: FastifyRequest,
	reply: FastifyReply,
	requestId: string,
	entry: RecordedRequest,
	service: Service,
): Promise<boolean> {
	switch (fault.kind) {
		case 'delay':
			await sleep(fault.ms ?? 1000);
			return false;
		case 'hang':
			if (fault.act) return false;
			hang(fault, request, reply, service);
			return true;
		case 'dropBefore':
			drop(request, reply);
			return true;
		case 'error':
			sendError(fault, reply, requestId, entry);
			return true;
		case 'status':
		case 'html':
			if (fault.act) return false;
			sendBare(fault, reply, entry);
			return true;
		case 'empty':
			if (fault.act !== false) return false;
			sendBare(fault, reply, entry);
			return true;
		case 'malformed':
			if (fault.act !== false) return false;
			sendMalformed(fault, reply, '{"success":true,"data":{"id":"post_', 200, entry);
			return true;
		default:
			return false;
	}
}

function sendMalformed(
	fault: ActiveFault,
	reply: FastifyReply,
	text: string,
	status: number,
	entry: RecordedRequest,
): void {
	entry.status = status;
	void reply
		.code(status)
		.headers({ 'content-type': 'application/json; charset=utf-8', ...fault.headers })
		.send(text);
}

/** The faults that spoil the answer of a request that took effect. True: it has been dealt with. */
function misbehaveAfter(
	fault: ActiveFault,
	outcome: Outcome,
	request: FastifyRequest,
	reply: FastifyReply,
	requestId: string,
	entry: RecordedRequest,
	service: Service,
): boolean {
	switch (fault.kind) {
		case 'dropAfter':
			drop(request, reply);
			return true;
		case 'hang':
			hang(fault, request, reply, service);
			return true;
		case 'errorAfter':
			sendError(fault, reply, requestId, entry, outcome.headers);
			return true;
		case 'status':
		case 'html':
		case 'empty':
			sendBare(fault, reply, entry);
			return true;
		case 'malformed': {
			const text = JSON.stringify(outcome.body ?? {});
			sendMalformed(fault, reply, text.slice(0, Math.ceil(text.length / 2)), outcome.status, entry);
			return true;
		}
		case 'unknownFields':
			if (outcome.body?.success) {
				outcome.body = {
					...outcome.body,
					data: withUnknownFields(outcome.body.data),
					...{ api_version: '1.99' },
				};
			}
			return false;
		case 'headers':
			Object.assign(outcome.headers, fault.headers);
			return false;
		default:
			return false;
	}
}
