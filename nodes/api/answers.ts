import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import { Failure, type ErrorDetails } from './failure';
import { answerFailure } from './failureTexts';
import { isRecord, listIn, recordIn, textIn } from './lists';
import { rateLimit, retryAfter } from './rateLimitHeaders';

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
	const { success, data, request_id, ...beside } = envelope ?? {};
	const requestId = textIn(request_id);
	const isDone = isSuccess && success === true;
	if (isDone && fits[asked.expects ?? 'anything'](data)) return { status, data, headers, beside, requestId };
	const failure = isDone
		? unexpectedData(status, asked)
		: envelope
			? serviceFailure(status, envelope)
			: foreignFailure(status, body, apiUrl);
	return failure.with({
		...about,
		// Spec, 422: the post that was persisted.
		post: status === 422 && isRecord(data) ? data : undefined,
		request_id: requestId,
		retry_after_seconds: retryAfter(headers),
		rate_limit: rateLimit(headers),
	});
}

const envelopeIn = (body: unknown): IDataObject | undefined =>
	typeof recordIn(body).success === 'boolean' ? recordIn(body) : undefined;

const fits: Readonly<Record<Expected, (data: unknown) => boolean>> = {
	anything: () => true,
	record: isRecord,
	records: (data) => [data].flat().every(isRecord),
	list: (data) => listIn(data)?.every(isRecord) === true,
};

/** `error` of the envelope (spec, "Response envelope"): its code and message, or a text. */
function serviceFailure(status: number, { error }: IDataObject): Failure {
	const failure = answerFailure(status, { code: textIn(recordIn(error).code), message: messageIn(error) });
	// Other statuses may mean the key, or what was asked for: only a code says what.
	return failure.with({}, { isOfService: [404, 409, 410].includes(status) });
}

const messageIn = (error: unknown): string | undefined => textIn(error, recordIn(error).message);

function unexpectedData(status: number, { method, expects }: Expectation): Failure {
	const wanted = expects === 'list' ? 'a list of records' : 'a record';
	return new Failure({
		code: 'NODE_UNEXPECTED_DATA',
		status,
		message: `The service ${method === 'GET' ? 'answered' : 'accepted the request'} (HTTP ${status}), but its data is not ${wanted}`,
		hint: "Try again. If this keeps happening, contact the service's support with the request ID under 'Error details'.",
	});
}

/** No answer of the service: a proxy's or a login page, an empty body, a wrong address. */
function foreignFailure(status: number, body: unknown, apiUrl: string): Failure {
	const message = messageIn(recordIn(body).error);
	// What a redirect, these three and a server in trouble say holds for a proxy, too.
	if (/^(3|408|413|429|5)/.test(String(status))) return answerFailure(status, { message });
	const isPage = typeof body === 'string' && /^\s*<(!doctype|html|\?xml)/i.test(body);
	const found = isPage ? 'a web page' : 'an empty or unreadable response';
	const said = message ? `: ${message}` : '';
	return new Failure({
		code: status < 300 ? 'NODE_UNEXPECTED_RESPONSE' : `HTTP_${status}`,
		status,
		message: `${new URL(apiUrl).host} answered with ${found} (HTTP ${status}) instead of data${said}`,
		hint: "Check 'Base URL' and 'API Path' in the credential. If they are right, a proxy, a firewall or a login page stands between n8n and the service.",
	});
}
