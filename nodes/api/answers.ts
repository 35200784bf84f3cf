import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import { answerFailure, Failure, type ErrorDetails } from './errors';
import { rateLimit, retryAfter } from './rateLimitHeaders';
import { envelope } from './schema';

/** What the service answered, taken out of its envelope (spec, "Response envelope"). */
export interface Answer {
	status: number;
	/** `data` of the envelope; undefined for 204. */
	data: unknown;
	requestId?: string;
	headers: IDataObject;
}

/** An answer: the envelope's data, or the failure that it tells of. */
export function readAnswer(
	response: IN8nHttpFullResponse,
	about: Partial<ErrorDetails>,
	apiUrl: string,
	path: string,
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
			path,
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
