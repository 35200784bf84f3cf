import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import { Failure, type ErrorDetails } from './failure';
import { answerFailure } from './failureTexts';
import { isRecord, listIn } from './lists';
import { rateLimit, retryAfter } from './rateLimitHeaders';
import { idIn } from './records';
import { beginning } from './redaction';

/** What the service answered, taken out of its envelope (spec, "Response envelope"). */
export interface Answer {
	status: number;
	/** `data` of the envelope; undefined for 204. */
	data: unknown;
	requestId?: string;
	headers: IDataObject;
	/** No attempt before it can have been carried out. */
	isFirst?: boolean;
	/** What else stands in the envelope, such as where a list goes on. */
	beside?: IDataObject;
}

/** What `data` has to be: `anything` where the spec shows no answer; `records`: one or several; `list`: see `listIn`. */
export type Expected = 'anything' | 'record' | 'records' | 'list';

type Expectation = { method: string; expects?: Expected };

/** The envelope's data (spec, "Response envelope"), or its failure; only what is used has to be as the spec says. */
export function readAnswer(
	response: IN8nHttpFullResponse,
	about: Partial<ErrorDetails>,
	apiUrl: string,
	asked: Expectation,
): Answer | Failure {
	const { statusCode: status, headers, body } = response;
	const isSuccess = status >= 200 && status < 300;
	// Where the spec shows no answer, none is one.
	const isNothing = status === 204 || (isSuccess && asked.expects === 'anything' && !body);
	const envelope = isNothing ? { success: true } : envelopeIn(body);
	const { data, request_id: id, ...beside } = envelope ?? {};
	const requestId = typeof id === 'string' ? id : undefined;
	if (isSuccess && envelope?.success === true && fits(data, asked.expects))
		return { status, data, headers, beside, requestId };
	const failure = failureOf(status, body, envelope, apiUrl, asked);
	return failure.with({
		...about,
		post: status === 422 ? keptPost(data, failure.details) : undefined,
		request_id: requestId,
		retry_after_seconds: retryAfter(headers),
		rate_limit: rateLimit(headers),
	});
}

/** Spec, 422: the post that was persisted; where it stands is not shown. With another code, data may be what is wrong. */
function keptPost(data: unknown, { code }: ErrorDetails): IDataObject | undefined {
	const post = isRecord(data) && isRecord(data.post) ? data.post : data;
	return isRecord(post) && (code === 'PUBLIC_API_PUBLISH_FAILED' || idIn(post) !== undefined)
		? post
		: undefined;
}

const envelopeIn = (body: unknown): IDataObject | undefined =>
	isRecord(body) && typeof body.success === 'boolean' ? body : undefined;

function fits(data: unknown, expects: Expected = 'anything'): boolean {
	if (expects === 'anything') return true;
	if (expects === 'list') return listIn(data)?.every(isRecord) === true;
	return isRecord(data) || (expects === 'records' && Array.isArray(data) && data.every(isRecord));
}

function failureOf(
	status: number,
	body: unknown,
	envelope: IDataObject | undefined,
	apiUrl: string,
	asked: Expectation,
): Failure {
	const isSuccess = status >= 200 && status < 300;
	if (isSuccess && envelope?.success === true) return unexpectedData(status, asked);
	// A proxy's page: what its status says is about the proxy.
	const isForeign =
		!envelope && (isSuccess || status === 403 || (status >= 400 && status < 500 && isPage(body)));
	if (isForeign && ![408, 413, 429].includes(status)) return unexpectedResponse(status, body, apiUrl);
	// Others may mean the key, or what was asked for: only a code says what.
	const isOfService = envelope !== undefined && [404, 409, 410].includes(status);
	return answerFailure(status, errorIn(body)).with({}, { isOfService });
}

/** `error` of the envelope (spec, "Response envelope"), or what a gateway says in its place. */
function errorIn(body: unknown): { code?: string; message?: string } {
	const error = isRecord(body) ? (body.error ?? body) : undefined;
	const { code, message }: IDataObject = isRecord(error) ? error : { message: error };
	return {
		// Without the envelope, it is a gateway's.
		code: envelopeIn(body) && typeof code === 'string' ? code : undefined,
		message: typeof message === 'string' ? beginning(message) : undefined,
	};
}

function unexpectedData(status: number, { method, expects }: Expectation): Failure {
	const wanted = expects === 'list' ? 'a list of records' : 'a record';
	return new Failure({
		code: 'NODE_UNEXPECTED_DATA',
		status,
		message: `The service ${method === 'GET' ? 'answered' : 'accepted the request'} (HTTP ${status}), but its data is not ${wanted}`,
		hint: "Try again. If it keeps happening, give the service's support the request ID under 'Error details'.",
	});
}

const isPage = (body: unknown): boolean =>
	typeof body === 'string' && /^\s*<(!doctype|html|\?xml)/i.test(body);

/** No answer of the service: a proxy's or a login page, an empty body, a wrong address. */
function unexpectedResponse(status: number, body: unknown, apiUrl: string): Failure {
	const { host } = new URL(apiUrl);
	const found = isPage(body) ? 'a web page' : 'an empty or unreadable response';
	const said = errorIn(body).message;
	return new Failure({
		code: status < 300 ? 'NODE_UNEXPECTED_RESPONSE' : `HTTP_${status}`,
		status,
		message:
			status === 403
				? `Something in front of ${host} blocked the request (HTTP 403)${said && !isPage(body) ? `: ${said}` : ''}`
				: `${host} answered with ${found} (HTTP ${status}) instead of data`,
		hint: "Check 'Base URL' and 'API Path' in the credential. If they are right, a proxy, a firewall or a login page stands between n8n and the service.",
	});
}
