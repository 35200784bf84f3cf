import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import { Failure, type ErrorDetails } from './failure';
import { answerFailure } from './failureTexts';
import { arrayIn, isRecord, whole } from './lists';
import { rateLimit, retryAfter } from './rateLimitHeaders';
import { idIn, readPost } from './records';
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

/** What `data` has to be: `anything` where the spec shows no answer; `records`: one or several; a list: see `arrayIn`. */
export type Expected = 'anything' | 'record' | 'records' | { readonly list: readonly string[] };

type Expectation = { method: string; expects?: Expected };

/** The envelope's data (spec, "Response envelope"), or its failure; only what is used has to be as the spec says. */
export function readAnswer(
	response: IN8nHttpFullResponse,
	about: Partial<ErrorDetails>,
	apiUrl: string,
	asked: Expectation,
): Answer | Failure {
	const { statusCode: status, headers } = response;
	const isSuccess = status >= 200 && status < 300;
	// Where the spec shows no answer, none is one.
	const isOpen = asked.method !== 'GET' && asked.expects === 'anything';
	const isNothing = isSuccess && isOpen && !response.body;
	const body: unknown = status === 204 || isNothing ? { success: true } : response.body;
	const envelope = isRecord(body) && typeof body.success === 'boolean' ? body : undefined;
	const { data: said, ...beside } = envelope ?? {};
	// A post may stand under its name, as a webhook does (spec, "Webhook"; row 1 of docs/spec-gaps.md).
	const data = isRecord(said) && isRecord(said.post) && Object.keys(said).length === 1 ? said.post : said;
	const { request_id: id } = envelope ?? {};
	// Some services count their requests.
	const requestId = typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
	const isAnswer = isSuccess && envelope?.success === true;
	if (isAnswer && fits(data, asked.expects))
		return { status, data, headers, beside, ...(requestId ? { requestId } : {}) };
	// A proxy's page for these means what its status says.
	const isForeignPage =
		(status === 403 && !envelope) ||
		(status >= 400 && status < 500 && ![408, 413, 429].includes(status) && isPage(body));
	const failure = isAnswer
		? unexpectedData(status, asked)
		: isForeignPage || (isSuccess && !envelope)
			? unexpectedResponse(status, body, apiUrl)
			: answerFailure(status, envelope ? errorIn(envelope.error ?? envelope) : foreignError(body));
	// Others may mean the key, or what was asked for: only a code says what.
	const isOfService = envelope !== undefined && [404, 409, 410].includes(status);
	// Spec, 422: the post that was persisted; where it stands is not shown. With other codes, it may be what is wrong.
	const post = isRecord(data) && isRecord(data.post) ? data.post : data;
	const isPost = (one: IDataObject): boolean =>
		failure.details.code === 'PUBLIC_API_PUBLISH_FAILED' || idIn(one) !== undefined || readPost(one).isOut;
	return failure.with(
		{
			...about,
			post: !isSuccess && isRecord(post) && isPost(post) ? post : undefined,
			request_id: requestId,
			retry_after_seconds: retryAfter(headers),
			rate_limit: rateLimit(headers),
		},
		{ isOfService },
	);
}

/** `error` of the envelope; some services write a text there, or a list, or have records in place of a message. */
function errorIn(error: unknown): { code?: string; message?: string } {
	const [one]: unknown[] = [error].flat();
	const { code, message }: Record<string, unknown> = isRecord(one) ? one : { message: one };
	const said = typeof message === 'object' && message !== null ? whole(message as IDataObject) : message;
	return {
		code: typeof code === 'string' ? code : undefined,
		message: typeof said === 'string' ? beginning(said) : undefined,
	};
}

/** What a body without envelope says, such as RFC 9457's; a code in it may be a gateway's. */
function foreignError(body: unknown): { message?: string } {
	const { error, detail, title, message = detail ?? title }: IDataObject = isRecord(body) ? body : {};
	return { message: errorIn(error ?? { message }).message };
}

function fits(data: unknown, expects: Expected = 'anything'): boolean {
	if (expects === 'anything') return true;
	if (typeof expects === 'object') return arrayIn(data, expects.list)?.every(isRecord) === true;
	return isRecord(data) || (expects === 'records' && Array.isArray(data) && data.every(isRecord));
}

function unexpectedData(status: number, { method, expects }: Expectation): Failure {
	const wanted = typeof expects === 'object' ? 'a list of records' : 'a record';
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
	const found = isPage(body) ? 'a web page' : 'an empty or unreadable response';
	const said = foreignError(body).message;
	return new Failure({
		code: status < 300 ? 'NODE_UNEXPECTED_RESPONSE' : `HTTP_${status}`,
		status,
		message:
			status === 403
				? `Something in front of ${new URL(apiUrl).host} blocked the request (HTTP 403)${said ? `: ${said}` : ''}`
				: `${new URL(apiUrl).host} answered with ${found} (HTTP ${status}) instead of data`,
		hint: "Check 'Base URL' and 'API Path' in the credential. If they are right, a proxy, a firewall or a login page stands between n8n and the service.",
	});
}
