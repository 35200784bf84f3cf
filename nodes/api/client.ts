import type {
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { checkedWorkspace, type Address } from './address';
import { readAnswer, type Answer, type Expected } from './answers';
import { connectionFailure, stoppedOnTheWay, tookTooLong } from './connectionFailure';
import { headers } from './contract';
import type { ErrorDetails } from './errors';
import { Failure } from './errors';
import { deprecationOf, rateLimit } from './rateLimitHeaders';
import { LEEWAY, RateLimiter, type RetryBudget, type RateClass } from './rateLimiter';
import { bounded, redactor, withoutSignedQueries, type Redact } from './redaction';
import { pauseAfter, slowestTransferMs, wasNotProcessed } from './retryPolicy';
import { withCancellation } from './withCancellation';

/** Sends one HTTP request with the credential and hands back the full response, whatever its status. */
export type Transport = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Below the API path, starting with a slash; parts from outside go through `pathSegment`. */
	path: string;
	qs?: IDataObject;
	body?: IDataObject | FormData;
	/** Overrides the credential's workspace; null sends no workspace header. */
	workspaceId?: string | null;
	idempotencyKey?: string;
	/** What `data` of the answer has to be; `anything` unless given. */
	expects?: Expected;
	/**
	 * Called when an attempt may go out, as long as the service certainly processed none: what it returns is the body of
	 * this attempt and of those behind it. If it throws, nothing is sent and the error is thrown as it is.
	 */
	prepare?: () => IDataObject | undefined;
}

/**
 * One run's way to the service: address, workspace, key, limiter, retry, envelope → data.
 * Knows nothing of nodes, items or parameters.
 */
export class Client {
	/** What the service announced (a field or endpoint that goes away, a limit nearly used up), each once. */
	readonly warnings = new Set<string>();

	/** @param redact takes the API key out of whatever the service says */
	constructor(
		private readonly transport: Transport,
		readonly address: Address,
		readonly limiter: RateLimiter,
		private readonly redact: Redact,
	) {}

	/** A failure as it may leave the node: n8n's words for an expression, or a post in it, may hold what must not be shown. */
	withoutKey(failure: Failure): Failure {
		return failure.with(bounded(deepCopy({ ...failure.details }), this.redact));
	}

	/**
	 * Sends a request, tries again what the spec allows to ("Errors", "Rate limits"), always with the same key.
	 * @throws Failure with everything known of it, and whether the service can have acted on it (`notProcessed`)
	 */
	async send(request: ApiRequest, budget: RetryBudget): Promise<Answer> {
		const kind: RateClass = request.method === 'GET' ? 'read' : 'write';
		// Whether it is certain that the service did not act, after all attempts so far.
		let notProcessed = true;
		try {
			let sent = request;
			let http = this.toHttp(sent);
			for (let attempt = 1; ; attempt++) {
				await this.limiter.acquire(kind, budget);
				if (notProcessed && request.prepare) {
					const body = this.prepared(request.prepare, kind);
					if (body !== undefined) http = this.toHttp((sent = { ...request, body }));
				}
				const outcome = await this.attempt(sent, http, kind, budget);
				if (!(outcome instanceof Failure)) return outcome;
				const { details } = outcome;
				notProcessed &&= wasNotProcessed(details);
				const pause = pauseAfter(details, attempt);
				if (
					pause === undefined ||
					!this.limiter.allows(pause, kind, budget, details.status === 429 ? LEEWAY : 1)
				)
					throw outcome;
				if (details.status === 429) this.limiter.pause(pause);
				else await this.limiter.wait(pause);
			}
		} catch (error) {
			throw error instanceof Failure ? error.withNotProcessed(notProcessed) : error;
		}
	}

	/** What `prepare` returns; the slot is free again where it throws. */
	private prepared(prepare: () => IDataObject | undefined, kind: RateClass): IDataObject | undefined {
		try {
			return prepare();
		} catch (error) {
			this.limiter.releaseUnused(kind);
			throw error as Error;
		}
	}

	/** One try: the answer, or the failure as a value. */
	private async attempt(
		request: ApiRequest,
		http: IHttpRequestOptions,
		kind: RateClass,
		budget: RetryBudget,
	): Promise<Answer | Failure> {
		const about: Partial<ErrorDetails> = request.idempotencyKey
			? { idempotency_key: request.idempotencyKey }
			: {};
		const { apiUrl } = this.address;
		const start = this.limiter.now();
		let response: IN8nHttpFullResponse;
		try {
			response = this.redact(await this.withinTime(http, this.limiter.timeout(kind, budget)));
		} catch (error) {
			this.limiter.release(kind, { troubleSince: start });
			const failure = error instanceof Failure ? error : connectionFailure(error, apiUrl);
			return failure.with(about);
		}
		const outcome = readAnswer(response, about, apiUrl, request);
		const isTrouble = outcome instanceof Failure && outcome.details.retryable;
		this.limiter.release(kind, {
			limit: rateLimit(response.headers, this.limiter.now())?.state,
			refused: response.statusCode === 429,
			...(isTrouble ? { troubleSince: this.limiter.now() } : {}),
		});
		const deprecation = deprecationOf(response.headers, `${request.method} ${request.path}`);
		if (deprecation) this.warnings.add(withoutSignedQueries(deprecation));
		return outcome instanceof Failure ? outcome.withTexts(redactor(secretsIn(request))) : outcome;
	}

	/** The response, unless it takes longer than `ms` (a file has its own time on top) or the execution is stopped. */
	private async withinTime(http: IHttpRequestOptions, ms: number): Promise<IN8nHttpFullResponse> {
		const time = ms + slowestTransferMs(sizeOf(http.body));
		const { limiter } = this;
		const end = limiter.now() + time;
		return await withCancellation(
			async (abortSignal) => await this.transport({ ...http, timeout: Math.ceil(time), abortSignal }),
			() => {
				if (limiter.signal?.aborted) return stoppedOnTheWay();
				return limiter.now() > end ? tookTooLong(this.address.apiUrl) : undefined;
			},
		);
	}

	/** @throws Failure where the workspace is a text that can't stand in a header */
	private toHttp({ method, path, qs, body, workspaceId, idempotencyKey }: ApiRequest): IHttpRequestOptions {
		const workspace = workspaceId === null ? '' : (workspaceId ?? this.address.workspaceId);
		checkedWorkspace(workspace, workspaceId === undefined);
		return {
			method,
			url: `${this.address.apiUrl}${path}`,
			...(qs ? { qs } : {}),
			...(body === undefined ? {} : { body }),
			headers: {
				Accept: 'application/json',
				...(isJson(body) ? { 'Content-Type': 'application/json' } : {}),
				...(workspace ? { [headers.workspace]: workspace } : {}),
				...(idempotencyKey ? { [headers.idempotencyKey]: idempotencyKey } : {}),
			},
			// Without these two, n8n sends key and workspace to wherever a redirect points, and any 401 twice.
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		};
	}
}

const isJson = (body: ApiRequest['body']): body is IDataObject =>
	body !== undefined && !(body instanceof FormData);

/** A secret that the caller supplies (spec, "Webhook") may come back in what the service says of the request. */
const secretsIn = ({ body }: ApiRequest): string[] =>
	isJson(body) && typeof body.secret === 'string' ? [body.secret] : [];

/** Bytes of the files in a multipart body. */
const sizeOf = (body: unknown): number =>
	body instanceof FormData
		? [...body.values()].reduce((sum, one) => sum + (one instanceof Blob ? one.size : 0), 0)
		: 0;
