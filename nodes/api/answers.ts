import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { z } from 'zod';

import { Failure, type ErrorDetails } from './failure';
import { answerFailure } from './failureTexts';
import { isRecord, listIn } from './lists';
import { rateLimit, retryAfter } from './rateLimitHeaders';
import { beginning } from './redaction';

/** The envelope of every answer (spec, "Response envelope"): asks only for what the code reads. */
export const envelope = z
	.object({
		success: z.boolean(),
		data: z.unknown().optional(),
		error: z.unknown().optional(),
		request_id: z.unknown().optional(),
	})
	.passthrough();

/** What the service answered, taken out of its envelope (spec, "Response envelope"). */
export interface Answer {
	status: number;
	/** `data` of the envelope; undefined for 204. */
	data: unknown;
	requestId?: string;
	headers: IDataObject;
}

/**
 * What `data` of an answer has to be. `acknowledgement`: a record or nothing, where the spec does not show the answer.
 * `records`: one record or several. A list may be bare or in an object, see `listIn`.
 */
export type Expected =
	'anything' | 'acknowledgement' | 'record' | 'records' | { readonly list: readonly string[] };

/** What the answer is to. */
interface Expectation {
	method: string;
	path: string;
	expects?: Expected;
}

/** The envelope's data, or the failure of the answer. */
export function readAnswer(
	response: IN8nHttpFullResponse,
	about: Partial<ErrorDetails>,
	apiUrl: string,
	asked: Expectation,
): Answer | Failure {
	const { statusCode: status, headers } = response;
	const isSuccess = status >= 200 && status < 300;
	const body = status === 204 ? { success: true } : response.body;
	const { data: read } = envelope.safeParse(body);
	const requestId = read && idOf(read.request_id);
	if (isSuccess && read?.success && fits(read.data, asked.expects))
		return { status, data: read.data, headers, ...(requestId ? { requestId } : {}) };

	const seconds = retryAfter(headers['retry-after']);
	const limit = rateLimit(headers)?.details;
	const more: Partial<ErrorDetails> = {
		...about,
		...(requestId ? { request_id: requestId } : {}),
		...(seconds === undefined ? {} : { retry_after_seconds: seconds }),
		...(limit ? { rate_limit: limit } : {}),
	};
	if (isSuccess && read?.success) return unexpectedData(status, read.data, asked).with(more);
	if (isSuccess) return unexpectedResponse(status, body, apiUrl).with(more);
	const failure = answerFailure(status, errorIn(read?.error), more, asked);
	if (!read && isPage(body)) return failure.with(pageDetails(status, apiUrl));
	const kept = persistedPost(read?.data);
	return kept ? failure.with({ post: kept }) : failure;
}

const MAX_ID_LENGTH = 200;

/** A request's ID, for the support of the service; some services count. */
const idOf = (value: unknown): string | undefined =>
	typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_ID_LENGTH) : undefined;

/** `error` of the envelope: asks only for what is used, a code. */
function errorIn(error: unknown): { code: string; message?: string } | undefined {
	if (!isRecord(error) || typeof error.code !== 'string') return undefined;
	const { code, message } = error;
	return {
		code: code.slice(0, MAX_ID_LENGTH),
		...(typeof message === 'string' ? { message: beginning(message) } : {}),
	};
}

function fits(data: unknown, expects: Expected = 'anything'): boolean {
	if (expects === 'anything') return true;
	if (expects === 'acknowledgement' && (data === undefined || data === null)) return true;
	if (typeof expects === 'object') return listIn(data, expects.list) !== undefined;
	return isRecord(data) || (expects === 'records' && Array.isArray(data) && data.every(isRecord));
}

/** Spec, 422: the post that was persisted; where it stands is not shown: `data.post` or `data`. */
function persistedPost(data: unknown): IDataObject | undefined {
	if (!isRecord(data)) return undefined;
	return isRecord(data.post) ? data.post : data;
}

const isPage = (body: unknown): boolean =>
	typeof body === 'string' && /^\s*<(!doctype|html|\?xml)/i.test(body);

/** An error status with a web page instead of the envelope: not the service itself answered. */
function pageDetails(status: number, apiUrl: string): Partial<ErrorDetails> {
	const { host } = new URL(apiUrl);
	if (status >= 500)
		return {
			message: `The service answered with an error page (HTTP ${status})`,
			hint: `${host}, or a server in front of it, may be down or overloaded. The node has already tried again where that is safe. Run the workflow again in a few minutes.`,
		};
	if (status === 404)
		return {
			message: `${host} doesn't have this endpoint: it answered with a web page (HTTP 404)`,
			hint: "Open the credential and check 'Base URL' and 'API Path': most likely one of them is not the service's.",
		};
	return {
		message: `${host} answered with a web page (HTTP ${status}) instead of data`,
		hint: "A proxy, a firewall or a login page stands between n8n and the service, or 'Base URL' in the credential is not the service's address.",
	};
}

/** The service says that it worked, but not what came of it. */
function unexpectedData(status: number, data: unknown, { method, expects }: Expectation): Failure {
	const wanted = typeof expects === 'object' ? 'a list of records' : 'a record';
	const isRead = method === 'GET';
	return new Failure({
		code: 'NODE_UNEXPECTED_DATA',
		status,
		message: `The service ${isRead ? 'answered' : 'accepted the request'} (HTTP ${status}), but with ${kindOf(data)} where ${wanted} belongs`,
		hint: isRead
			? "Run it again. If it keeps happening, give the service's support the request ID under 'Error details'."
			: "It was probably processed. To be sure, retry this execution: with the same idempotency key, nothing is sent twice. If it keeps happening, give the service's support the request ID under 'Error details'.",
	});
}

/** What a value is, in plain words; never the value itself. */
function kindOf(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (value === null) return 'null';
	if (Array.isArray(value)) return value.every(isRecord) ? 'a list' : 'a list of something else';
	return typeof value === 'object' ? 'an object without a list' : `a ${typeof value}`;
}

const checkAddress =
	"Open the credential and check 'Base URL' and 'API Path'. If they are right, a proxy stands between n8n and the service and changes its answers.";

/** A 2xx that is no answer of the service: a proxy's page, an empty body, a wrong address. */
function unexpectedResponse(status: number, body: unknown, apiUrl: string): Failure {
	const { host } = new URL(apiUrl);
	const found = isPage(body)
		? 'a web page'
		: [undefined, null, ''].includes(body as '')
			? 'nothing'
			: 'another format';
	return new Failure({
		code: 'NODE_UNEXPECTED_RESPONSE',
		status,
		message: `${host} answered with ${found} instead of data`,
		hint: checkAddress,
	});
}
