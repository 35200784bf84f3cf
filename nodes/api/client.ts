import { sumBy } from 'lodash';
import type {
	IAllExecuteFunctions,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { checkedWorkspace, readAddress, readApiKey, type Address } from './address';
import { readAnswer, type Answer, type Expected } from './answers';
import { headers } from './contract';
import { Failure, redacted } from './failure';
import { answerFailure, networkFailure } from './failureTexts';
import { Pace, type Budget, type RateClass, type RetryBudget } from './pace';
import { readList, type Listed, type ListOptions } from './pages';
import { deprecationOf } from './rateLimitHeaders';
import { redactor, secretNames, type Redact } from './redaction';
import { pauseAfter, slowestTransferMs, wasNotProcessed } from './retryPolicy';
import { filled } from './texts';

/** Sends one HTTP request with the credential and hands back the full response, whatever its status. */
export type Transport = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Below the API path, starting with a slash; parts from outside go through `pathSegment`. */
	path: string;
	qs?: IDataObject;
	/** A function is called right before each attempt, until one may have been processed; what it throws ends the request. */
	body?: IDataObject | FormData | (() => IDataObject | FormData | undefined);
	/** Overrides the credential's workspace; null sends no workspace header. */
	workspaceId?: string | null;
	idempotencyKey?: string;
	expects?: Expected;
}

type FinalRequest = ApiRequest & { body?: IDataObject | FormData };

/** One run's way to the service: address, workspace, key, pace, retry, envelope → data. */
export class Client {
	/** What the service announced, such as an endpoint that will be removed; each once. */
	readonly warnings = new Set<string>();

	/** @param redact takes the API key out of a text: of the service, or of n8n for an expression, which may hold it */
	constructor(
		private readonly transport: Transport,
		readonly address: Address,
		readonly pace: Pace,
		readonly redact: Redact,
	) {}

	/**
	 * Sends a request; what the spec allows ("Errors", "Rate limits") is tried again, always with the same key.
	 * @throws Failure that knows whether the service can have acted on it (`processed`)
	 */
	async send(request: ApiRequest, retryBudget: RetryBudget): Promise<Answer> {
		const kind: RateClass = request.method === 'GET' ? 'read' : 'write';
		const budget = this.pace.begin(retryBudget);
		// Whether it is certain that the service did not act, after all attempts so far.
		let notProcessed = true;
		let isRepeat = false;
		let { body } = request as FinalRequest;
		try {
			const workspace = this.workspaceOf(request);
			for (let attempt = 1; ; attempt++) {
				if (!(await this.pace.ready(kind, budget))) throw answerFailure(429);
				if (notProcessed && typeof request.body === 'function') body = request.body();
				const outcome = await this.attempt({ ...request, body }, workspace, kind, budget);
				if (!(outcome instanceof Failure)) return { ...outcome, isFirst: notProcessed };
				const { details } = outcome;
				isRepeat = !notProcessed;
				notProcessed &&= wasNotProcessed(details);
				const pause = pauseAfter(details, attempt);
				// Also one that this request has no time for: others may have.
				if (pause !== undefined && details.status === 429) this.pace.pause(pause);
				if (pause === undefined || !this.pace.allows(pause, kind, budget)) throw outcome;
				if (details.status !== 429) await this.pace.wait(pause);
			}
		} catch (error) {
			throw error instanceof Failure
				? error.with({}, { processed: processedIf(notProcessed), isRepeat })
				: error;
		}
	}

	/** A list with all its pages, see {@link readList}; each page is a request of its own. */
	async list(request: ApiRequest & ListOptions, retryBudget: RetryBudget): Promise<Listed> {
		return await readList(async (one) => await this.send(one, retryBudget), request);
	}

	/** '' for none. @throws Failure for one that can't be sent */
	private workspaceOf({ workspaceId }: ApiRequest): string {
		if (workspaceId === undefined) return checkedWorkspace(this.address.workspaceId);
		return checkedWorkspace(workspaceId ?? '', "'Workspace'");
	}

	private async attempt(
		request: FinalRequest,
		workspace: string,
		kind: RateClass,
		budget: Budget,
	): Promise<Answer | Failure> {
		const { idempotencyKey, method, path, qs, body } = request;
		const { apiUrl } = this.address;
		const about = { request: `${method} ${path}`, idempotency_key: idempotencyKey || undefined };
		const ms = this.pace.timeoutMs(kind, budget) + slowestTransferMs(sizeOf(body));
		const options: IHttpRequestOptions = {
			method,
			url: `${apiUrl}${path}`,
			qs,
			body,
			headers: {
				Accept: 'application/json',
				...(body && !(body instanceof FormData) ? { 'Content-Type': 'application/json' } : {}),
				// '' means none, also where the credential names one.
				[headers.workspace]: workspace,
				...(idempotencyKey ? { [headers.idempotencyKey]: idempotencyKey } : {}),
			},
			// Without these two, n8n sends key and workspace to wherever a redirect points, and any 401 twice.
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			timeout: Math.ceil(ms),
		};
		const start = this.pace.now();
		let response: IN8nHttpFullResponse;
		try {
			response = await this.pace.within(
				ms,
				async (abortSignal) => this.redact(await this.transport({ ...options, abortSignal })),
				() => networkFailure({ code: 'ETIMEDOUT' }, apiUrl),
			);
		} catch (error) {
			this.pace.noteOutcome(kind, start);
			return (error instanceof Failure ? error : networkFailure(error, apiUrl)).with(about);
		}
		const deprecation = deprecationOf(response.headers, method, path);
		if (deprecation) this.warnings.add(deprecation);
		const outcome = readAnswer(response, about, apiUrl, request);
		const isTrouble = outcome instanceof Failure && outcome.details.retryable;
		this.pace.noteOutcome(kind, isTrouble ? this.pace.now() : undefined);
		if (!(outcome instanceof Failure)) return outcome;
		// A secret that the caller supplies (spec, "Webhook") may come back in what the service says of the request.
		const own: unknown[] = [];
		JSON.stringify(body, (name, value: unknown) => (secretNames.test(name) && own.push(value), value));
		return redacted(outcome, redactor(filled(own)));
	}
}

const processedIf = (notProcessed: boolean) => (notProcessed ? 'no' : 'maybe');

const sizeOf = (body: unknown): number =>
	body instanceof FormData ? sumBy([...body.values()], (one) => (one instanceof Blob ? one.size : 0)) : 0;

export const credentialName = 'socialPublishingApi';

type Caller = Pick<IAllExecuteFunctions, 'getCredentials' | 'helpers'> & {
	getExecutionCancelSignal?: () => AbortSignal | undefined;
};

/** A client for one run, which ends when the execution is stopped. @throws Failure naming a wrong field of the credential */
export async function connect(caller: Caller): Promise<Client> {
	const credential = await caller.getCredentials(credentialName);
	const transport: Transport = async (options) =>
		(await caller.helpers.httpRequestWithAuthentication.call(
			caller as IAllExecuteFunctions,
			credentialName,
			withOwnSignal(options),
		)) as IN8nHttpFullResponse;
	const pace = new Pace(caller.getExecutionCancelSignal?.());
	return new Client(transport, readAddress(credential), pace, redactor([readApiKey(credential.apiKey)]));
}

/** n8n replaces the signal by the execution's, and a request that timed out would go on: here it can't. */
const withOwnSignal = ({ abortSignal: own, ...options }: IHttpRequestOptions): IHttpRequestOptions =>
	Object.defineProperty(options, 'abortSignal', { get: () => own, set: () => undefined, enumerable: true });
