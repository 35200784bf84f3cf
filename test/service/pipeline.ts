import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPlainObject } from 'lodash';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { authenticate, requireScope, resolveWorkspace } from './auth';
import { ApiError, bodyInvalid, failure, notFound } from './envelope';
import { spoiled, takesEffect, type Fault, type Outcome } from './faults';
import { canonical, checkKey, type Answer } from './idempotency';
import type { Service } from './index';
import type { ApiKey, RecordedRequest, Workspace } from './types';

export interface Context {
	service: Service;
	key: ApiKey;
	workspace: Workspace;
	params: Record<string, string>;
	query: unknown;
	body: unknown;
}

/** One row of the spec's endpoint list. */
export interface Route {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** After the prefix, with fastify's `:id`. */
	path: string;
	/** The scopes' names are ours (spec: not shown). */
	scope: `${string}:${'read' | 'write'}`;
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

/** A request to a known endpoint and what the service itself answers, before a dialect rewrites it or a fault spoils it. */
export interface Exchange extends Omit<RecordedRequest, 'receivedAt' | 'requestId'> {
	/** As in the spec: `/posts/{id}`. */
	path: string;
	answer?: unknown;
	/** As the dialect has it; with its status. */
	spoken?: { status: number; answer?: unknown };
}

const observers = new Set<(exchange: Exchange) => void>();

/** Calls `observer` for each request of any service in this process. */
export const observeExchanges = (observer: (exchange: Exchange) => void): void =>
	void observers.add(observer);

/** Requests remembered for tests and the page. */
const RECORDED = 20_000;

let count = 0;
const run = randomBytes(4).toString('hex');

export const newRequestId = () => `req_${run}${(++count).toString(36).padStart(7, '0')}`;

export function record({ requests }: Service, request: FastifyRequest): RecordedRequest {
	const entry: RecordedRequest = {
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

/** Every API request goes through here; `route` undefined: nothing has this path and method. */
export const handler =
	(service: Service, route: Route | undefined, prefix: string) =>
	async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
		const entry = record(service, request);
		const path = entry.path.slice(prefix.length);
		const fault = await meet(service, entry, path);
		const call = { service, route, path, request, entry, headers: {} };
		const outcome = fault && !takesEffect(fault) ? undefined : await outcomeOf(call);
		return send(request, reply, entry, outcome, fault);
	};

type Call = {
	service: Service;
	route?: Route;
	path: string;
	request: FastifyRequest;
	entry: RecordedRequest;
	headers: Record<string, string>;
};

async function outcomeOf(call: Call): Promise<Outcome> {
	const { headers } = call;
	const answer = await act(call).catch((error: unknown) => {
		const { status, code, message } = error instanceof ApiError ? error : unexpected(error);
		return { status, error: { code, message } } as Answer;
	});
	const { route, entry, service, request } = call;
	if (answer.error) entry.code = answer.error.code;
	const plain = written(answer, entry);
	if (!route) return { ...plain, headers: { ...headers, ...plain.headers } };
	const said = service.speaker.say(route.method, route.path, request.query as object, answer);
	const spoken = written(said.answer, entry, said.beside);
	observe(route, entry, plain, spoken);
	return { ...spoken, headers: { ...headers, ...spoken.headers, ...said.headers } };
}

/** Spec, "Response envelope". */
function written({ status, error, data }: Answer, { requestId }: RecordedRequest, beside?: object): Outcome {
	if (status === 204) return { status, headers: {} };
	const body = error
		? failure(error.code, error.message, requestId, data)
		: { success: true, data, ...beside, request_id: requestId };
	return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

async function act({ service, route, path, request, entry, headers }: Call): Promise<Answer> {
	const { store } = service;
	const { method } = request;
	const header = (name: string) => request.headers[name] as string | undefined;
	const key = authenticate(header('authorization'), store);
	const rate = service.rateLimiter.take(key, method);
	Object.assign(headers, rate.headers);
	if (rate.exceeded) throw rate.exceeded;
	if (!route) throw notFound(`There is no ${method} ${path}.`);
	requireScope(key, route.scope);
	// `GET /workspaces` works for a key without any workspace, too.
	const none: Workspace = { id: '', name: '', brands: [], createdAt: '' };
	const isOfOne = route.workspace !== false;
	const workspace = isOfOne ? resolveWorkspace(key, header('x-service-workspace-id'), store) : none;
	const asked = request as FastifyRequest<{ Params: Context['params']; Querystring: Record<string, string> }>;
	const { params, query, body } = service.speaker.hear(route, asked.params, asked.query, entry.body);
	if ('cursor' in query) {
		throw new ApiError('PUBLIC_API_CURSOR_INVALID', 'The cursor is not one of this service.');
	}
	const context: Context = { service, key, workspace, params, query, body: undefined };
	if (method === 'GET') return await route.handle(context);

	const idempotencyKey = header('idempotency-key');
	checkKey(idempotencyKey, method === 'POST');
	const file = await route.readFile?.(request);
	context.body = file ?? bodyOf(route, request, body);
	entry.workspace = workspace.id;
	const perform = async () => {
		const done = await route.handle(context);
		entry.acted = true;
		return done;
	};
	if (idempotencyKey === undefined) return await perform();
	const { answer, replayed } = await store.idempotency.run(
		`${key.key}\n${workspace.id}\n${idempotencyKey}`,
		`${method} ${path}\n${canonical(context.body)}`,
		perform,
	);
	if (replayed) headers['Idempotency-Replayed'] = 'true';
	return answer;
}

function observe(route: Route, entry: RecordedRequest, plain: Outcome, spoken: Outcome): void {
	const path = route.path.replace(/:(\w+)/g, '{$1}');
	const { status, body: answer } = plain;
	for (const observer of observers)
		observer({ ...entry, path, status, answer, spoken: { status: spoken.status, answer: spoken.body } });
}

/** The body as JSON; undefined where there is none or it is broken. */
function readJson({ body }: FastifyRequest): unknown {
	try {
		return Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : undefined;
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
	if (!isPlainObject(json)) throw bodyInvalid('The body has to be a JSON object.');
	return json;
}

function unexpected(error: unknown): ApiError {
	console.error('The embedded service has a bug:', error);
	return new ApiError('PUBLIC_API_INTERNAL_FAILED', String(error));
}

/** Answers; `outcome` undefined: a fault kept the request from taking effect. */
export function send(
	request: FastifyRequest,
	reply: FastifyReply,
	entry: RecordedRequest,
	outcome: Outcome | undefined,
	fault: Fault | undefined,
): FastifyReply {
	const left = fault ? spoiled(fault, outcome, entry.requestId) : outcome;
	if (!left) {
		reply.hijack();
		const end = () => request.raw.socket.destroy();
		if (fault?.kind !== 'hang') end();
		else if (fault.ms !== undefined) setTimeout(end, fault.ms).unref();
		return reply;
	}
	const { status, headers, body } = left;
	entry.status = status;
	// What was not read: else the connection cannot be used again.
	request.raw.resume();
	return reply
		.code(status)
		.headers(headers)
		.send(typeof body === 'object' ? JSON.stringify(body) : body);
}
