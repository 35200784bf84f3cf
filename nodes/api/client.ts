import type {
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { baseAddress } from './credentialFields';
import type { ApiPath, PostFormat } from './contract';
import { headers } from './contract';
import type { ErrorDetails } from './errors';
import { answerFailure, Failure, refusal } from './errors';
import { retryAfter, rateLimit, warningsOf } from './rateLimitHeaders';
import { RateLimiter, type Patience, type RateClass } from './rateLimiter';
import { envelope } from './schema';

/** Where the service is and how it wants to be spoken to: what the credential says, checked. */
export interface Address {
	/** `{base_url}` with the API path, no trailing slash. */
	apiUrl: string;
	/** The credential's workspace, '' for none. */
	workspaceId: string;
	postFormat: PostFormat;
}

/** Sends one HTTP request with the credential and hands back the full response, whatever its status. */
export type Transport = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Below the API path, starting with a slash; parts from outside go through `encodeURIComponent`. */
	path: string;
	qs?: IDataObject;
	body?: IHttpRequestOptions['body'];
	/** Overrides the credential's workspace; null sends no workspace header. */
	workspaceId?: string | null;
	idempotencyKey?: string;
	/** In ms, for this request alone. */
	timeout?: number;
}

export interface Answer {
	status: number;
	/** `data` of the envelope; undefined for 204. */
	data: unknown;
	requestId?: string;
	headers: IDataObject;
}

/** First pause before a broken request is tried again, in ms; doubles each time, with jitter. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
/** How often a request that failed with a retryable 5xx or a broken connection is sent in all. */
const MAX_ATTEMPTS = 5;
/** Pause after a 429 that does not say for how long, in ms. */
const UNTOLD_PAUSE = 10_000;
/** Least pause after a 429, in ms: one that says "now" again and again must not be asked without end. */
const SHORTEST_PAUSE = 1_000;

/**
 * One run's way to the service: address, workspace, key, limiter, retry, envelope → data.
 * Knows nothing of nodes, items or parameters.
 */
export class Client {
	/** What the service announced (a field or endpoint that goes away, a limit nearly used up), each once. */
	readonly warnings = new Set<string>();

	constructor(
		private readonly transport: Transport,
		readonly address: Address,
		readonly limiter: RateLimiter = new RateLimiter(),
	) {}

	/**
	 * Sends a request, tries again what the spec allows to ("Errors", "Rate limits"), always with the same key.
	 * @param maxWait ms that the run may spend waiting for the service; Infinity: until `until`, and it counts for nobody
	 * @param until time in ms after which nothing is tried again
	 * @throws Failure with everything known of it, and whether the service can have acted on it (`certain`)
	 */
	async send(request: ApiRequest, maxWait: number, until?: number): Promise<Answer> {
		const patience: Patience = { budget: maxWait, until };
		const kind: RateClass = request.method === 'GET' ? 'read' : 'write';
		// Whether it is certain that the service did not act, after all attempts so far.
		let certain = true;
		for (let attempt = 1; ; attempt++) {
			await this.limiter.acquire(kind, patience).catch((error: unknown) => {
				throw error instanceof Failure ? error.asCertain(certain) : error;
			});
			const outcome = await this.attempt(request, kind);
			if (!(outcome instanceof Failure)) return outcome;
			const { details } = outcome;
			certain &&= wasRefused(details);
			const failure = outcome.asCertain(certain);
			if (!details.retryable) throw failure;
			const told = details.retry_after_seconds === undefined ? undefined : details.retry_after_seconds * 1000;
			const limited = details.status === 429;
			const wait = limited
				? Math.max(told ?? UNTOLD_PAUSE, SHORTEST_PAUSE)
				: Math.max(pauseBefore(attempt), told ?? 0);
			if ((!limited && attempt >= MAX_ATTEMPTS) || !this.limiter.allows(wait, patience)) throw failure;
			if (limited) this.limiter.pause(wait);
			else
				await this.limiter.wait(wait, patience).catch((error: unknown) => {
					throw error instanceof Failure ? error.asCertain(certain) : error;
				});
		}
	}

	/** One try: the answer, or the failure as a value. */
	private async attempt(request: ApiRequest, kind: RateClass): Promise<Answer | Failure> {
		const about: Partial<ErrorDetails> = request.idempotencyKey
			? { idempotency_key: request.idempotencyKey }
			: {};
		let response: IN8nHttpFullResponse;
		try {
			response = await this.transport(this.toHttp(request));
		} catch (error) {
			this.limiter.release(kind);
			if (error instanceof Failure) return error.with(about);
			return connectionFailure(error, this.address.apiUrl).with(about);
		}
		this.limiter.release(kind, rateLimit(response.headers)?.state);
		for (const warning of warningsOf(response.headers, kind, `${request.method} ${request.path}`))
			this.warnings.add(warning);
		return read(response, about, this.address.apiUrl);
	}

	private toHttp({
		method,
		path,
		qs,
		body,
		workspaceId,
		idempotencyKey,
		timeout,
	}: ApiRequest): IHttpRequestOptions {
		const workspace = workspaceId === null ? '' : (workspaceId ?? this.address.workspaceId);
		return {
			method,
			url: `${this.address.apiUrl}${path}`,
			...(qs ? { qs } : {}),
			...(body === undefined ? {} : { body }),
			headers: {
				Accept: 'application/json',
				...(isPlain(body) ? { 'Content-Type': 'application/json' } : {}),
				...(workspace ? { [headers.workspace]: workspace } : {}),
				...(idempotencyKey ? { [headers.idempotencyKey]: idempotencyKey } : {}),
			},
			// Without these two, n8n sends key and workspace to wherever a redirect points, and any 401 twice.
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			...(timeout === undefined ? {} : { timeout }),
		};
	}
}

const isPlain = (body: ApiRequest['body']): boolean =>
	typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;

/** Growing pauses with jitter: half fixed, half random. */
export function pauseBefore(attempt: number): number {
	const full = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1));
	return full / 2 + (Math.random() * full) / 2;
}

/** An answer: the envelope's data, or the failure that it tells of. */
function read(
	response: IN8nHttpFullResponse,
	about: Partial<ErrorDetails>,
	apiUrl: string,
): Answer | Failure {
	const { statusCode: status, body } = response;
	const answerHeaders = response.headers;
	if (status === 204) return { status, data: undefined, headers: answerHeaders };
	const parsed = envelope.safeParse(body);
	if (parsed.success && status >= 200 && status < 300 && parsed.data.success) {
		const { data, request_id } = parsed.data;
		return { status, data, headers: answerHeaders, ...(request_id ? { requestId: request_id } : {}) };
	}
	const seconds = retryAfter(answerHeaders['retry-after']);
	const limit = rateLimit(answerHeaders)?.details;
	const more: Partial<ErrorDetails> = {
		...about,
		...(parsed.success && parsed.data.request_id ? { request_id: parsed.data.request_id } : {}),
		...(seconds === undefined ? {} : { retry_after_seconds: seconds }),
		...(limit ? { rate_limit: limit } : {}),
	};
	if (status < 200 || status >= 300) {
		const failure = answerFailure(
			status,
			parsed.success ? (parsed.data.error ?? undefined) : undefined,
			more,
		);
		if (!parsed.success && isPage(body)) return failure.with(pageDetails(status, apiUrl));
		const kept = parsed.success ? persistedPost(parsed.data.data) : undefined;
		return kept ? failure.with({ post: kept }) : failure;
	}
	return strangeAnswer(status, body, apiUrl).with(more);
}

/** Spec, 422: the post that was persisted; where it stands is not shown: `data.post` or `data`. */
function persistedPost(data: unknown): IDataObject | undefined {
	if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
	const { post } = data as IDataObject;
	return (typeof post === 'object' && post !== null ? post : data) as IDataObject;
}

const isPage = (body: unknown): boolean =>
	typeof body === 'string' && /^\s*<(!doctype|html|\?xml)/i.test(body);

/** An error status with a web page instead of the envelope: not the service itself answered. */
function pageDetails(status: number, apiUrl: string): Partial<ErrorDetails> {
	const { host } = new URL(apiUrl);
	if (status >= 500)
		return {
			message: `The service, or a server in front of it, has trouble: ${host} answered with an error page (HTTP ${status})`,
			hint: 'The service may be down or overloaded. The node has tried again already where that is safe; run the workflow again in a few minutes.',
		};
	if (status === 404)
		return {
			message: `${host} does not know this address: it answered with a web page (HTTP 404)`,
			hint: "Open the credential and check 'Base URL' and 'API Path': most likely one of them is not the service's.",
		};
	return {
		message: `${host} answered with a web page (HTTP ${status}) instead of data`,
		hint: "A proxy, a firewall or a login page stands between n8n and the service, or 'Base URL' in the credential is not the service's address.",
	};
}

/** A 2xx that is no answer of the service: a proxy's page, an empty body, a wrong address. */
function strangeAnswer(status: number, body: unknown, apiUrl: string): Failure {
	const { host } = new URL(apiUrl);
	const check =
		"Open the credential and check 'Base URL' and 'API Path'. If they are right, a proxy stands between n8n and the service and changes its answers.";
	if (isPage(body))
		return new Failure({
			code: 'NODE_HTML_ANSWER',
			status,
			message: `${host} answered with a web page instead of data`,
			hint: "Open the credential and check 'Base URL' and 'API Path': most likely they lead to a website or a login page, not to the service's API.",
		});
	if (body === undefined || body === null || body === '')
		return new Failure({
			code: 'NODE_EMPTY_ANSWER',
			status,
			message: `${host} answered with nothing`,
			hint: check,
		});
	return new Failure({
		code: 'NODE_STRANGE_ANSWER',
		status,
		message: `${host} answered, but not in the form of the service`,
		hint: check,
	});
}

/** Failures of a connection that never came about: nothing was sent. */
const neverSent = new Set(['NODE_HOST_NOT_FOUND', 'NODE_UNREACHABLE', 'NODE_CERTIFICATE']);
/** Client errors after which the service may have acted all the same: timed out, in conflict, publish failed, too early. */
const actedOn = new Set([408, 409, 422, 425]);

/** Whether it is certain that the service did not act on this attempt. */
const wasRefused = ({ status, code }: ErrorDetails): boolean =>
	neverSent.has(code) || (status >= 300 && status < 500 && !actedOn.has(status));

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/;

/** No answer at all: which of name, connection, certificate or time it was. */
export function connectionFailure(error: unknown, apiUrl: string): Failure {
	const code = networkCode(error);
	const host = new URL(apiUrl).host;
	if (code === 'ERR_CANCELED' || code === 'ABORT_ERR')
		return refusal(
			'STOPPED',
			'The execution was stopped while the service was working',
			'The request may have been carried out. Retry the execution to go on: what was sent is not sent again.',
		);
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
		return new Failure({
			code: 'NODE_HOST_NOT_FOUND',
			message: `The address ${host} is not known`,
			hint: "Open the credential and check 'Base URL' for typing mistakes. If it is right, this n8n can't look up addresses: check its network.",
			retryable: code === 'EAI_AGAIN',
		});
	if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
		return new Failure({
			code: 'NODE_UNREACHABLE',
			message: `Nothing answers at ${host}`,
			hint: "Open the credential and check 'Base URL'. If it is right, the service may be down, or something keeps this n8n from reaching it, such as a firewall.",
			retryable: true,
		});
	if (certificateCodes.test(code))
		return new Failure({
			code: 'NODE_CERTIFICATE',
			message: `The secure connection to ${host} could not be made`,
			hint: "The certificate of the address is not trusted by this n8n, or 'Base URL' says https where the service speaks http.",
		});
	if (code === 'ECONNABORTED' || code === 'ETIMEDOUT')
		return new Failure({
			code: 'NODE_TIMEOUT',
			message: `${host} did not answer in time`,
			hint: 'The request may have been carried out. Retry this execution, or turn on Retry On Fail: with the same idempotency key nothing is carried out twice.',
			retryable: true,
		});
	return new Failure({
		code: 'NODE_CONNECTION',
		message: `The connection to ${host} broke`,
		hint: 'The request may have been carried out. Retry this execution, or turn on Retry On Fail: with the same idempotency key nothing is carried out twice.',
		retryable: true,
	});
}

/** The network's code, out of n8n's wrapping (`httpCode` of a NodeApiError, or `code` somewhere below `cause`). */
export function networkCode(error: unknown): string {
	for (
		let e = error as { code?: unknown; httpCode?: unknown; cause?: unknown } | undefined, depth = 0;
		e && depth < 5;
		depth++
	) {
		for (const code of [e.code, e.httpCode]) if (typeof code === 'string' && /^[A-Z]/.test(code)) return code;
		e = e.cause as typeof e;
	}
	return '';
}

/**
 * The address that a credential means.
 * @throws Failure naming the credential's field
 */
export function readAddress(credential: {
	baseUrl?: unknown;
	apiPath?: unknown;
	workspaceId?: unknown;
	postFormat?: unknown;
}): Address {
	const baseUrl = baseAddress(credential.baseUrl);
	let url: URL | undefined;
	try {
		url = new URL(baseUrl);
	} catch {
		url = undefined;
	}
	if (!url || !/^https?:$/.test(url.protocol))
		throw refusal(
			'BASE_URL',
			"'Base URL' of the credential is not a web address",
			'Enter the address of the service, starting with https://.',
		);
	const apiPath = (credential.apiPath as ApiPath | undefined) ?? '/api/public/v1';
	return {
		apiUrl: baseUrl + apiPath,
		workspaceId: String(credential.workspaceId ?? '').trim(),
		postFormat: credential.postFormat === 'quickStart' ? 'quickStart' : 'integrationGuide',
	};
}
