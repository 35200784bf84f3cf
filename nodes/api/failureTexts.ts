import { get, lowerFirst, mapValues } from 'lodash';

import { executionStopped, Failure, keepsPost, serviceSays } from './failure';
import { isRetryable } from './retryPolicy';

type MessageAndHint = readonly [message: string, hint: string];

const newKey =
	"Paste a valid API key into the credential. You create keys in the service's account dashboard, under API keys.";
const tryLater = 'Try again in a few minutes.';
const tryLaterOrAsk = `${tryLater} If it keeps happening, give the service's support the request ID under 'Error details'.`;

export const inDetails =
	"see 'From Social Publishing' under 'Error details', or 'post' in the item of an error output";

const couldNot = {
	PUBLIC_API_CONTEXT_ERROR: 'determine the workspace',
	PUBLIC_API_AUTH_ERROR: 'check the API key',
	PUBLIC_API_MEDIA_CREATE_FAILED: 'prepare the file',
	PUBLIC_API_UPLOAD_URL_FAILED: 'provide an upload URL',
	PUBLIC_API_POST_LIST_FAILED: 'list the posts',
	PUBLIC_API_POST_CREATE_FAILED: 'store the post',
	PUBLIC_API_POST_FETCH_FAILED: 'load the post',
	PUBLIC_API_POST_CANCEL_FAILED: 'cancel the post',
	PUBLIC_API_CONNECTIONS_FETCH_FAILED: 'list the social connections',
	PUBLIC_API_WEBHOOK_CREATE_FAILED: 'create the webhook',
	PUBLIC_API_USAGE_FETCH_FAILED: 'calculate the usage',
	PUBLIC_API_ANALYTICS_SUMMARY_FAILED: 'create the analytics summary',
	PUBLIC_API_ANALYTICS_UNIFIED_FAILED: 'collect the analytics',
};

/** Every code of the spec ("Errors"), in words for people who build workflows. */
export const wordsOf: Readonly<Record<string, MessageAndHint>> = {
	PUBLIC_API_AUTH_REQUIRED: ['The request had no API key', newKey],
	PUBLIC_API_KEY_INVALID: [
		"The service doesn't recognize this API key",
		`It may be mistyped, revoked or replaced. ${newKey}`,
	],
	PUBLIC_API_KEY_EXPIRED: ['The API key has expired', newKey],
	PUBLIC_API_SCOPE_FORBIDDEN: [
		'The API key is not allowed to do this',
		"In the service's account dashboard, create a key with the scope that this operation needs, and enter it in the credential.",
	],
	PUBLIC_API_WORKSPACE_FORBIDDEN: [
		'The API key has no access to this workspace',
		"Check 'Workspace' in the credential and in the node's options, or clear both to use the key's own workspace.",
	],
	PUBLIC_API_BRAND_FORBIDDEN: [
		'The API key has no access to this brand',
		'Choose a brand of the workspace that the key belongs to, or use a key of that brand.',
	],
	PUBLIC_API_RATE_LIMITED: [
		"This API key's rate limit is exceeded",
		"Raise 'Longest Wait (Seconds)' in the node's options so that the node waits for the next minute, process fewer items per run, or move to a plan with a higher limit.",
	],
	PUBLIC_API_IDEMPOTENCY_REQUIRED: [
		'The service requires an idempotency key',
		"Set 'Avoid Duplicates' in the node's options back to its default.",
	],
	PUBLIC_API_IDEMPOTENCY_KEY_INVALID: [
		'The service rejected the idempotency key',
		"Use 1 to 255 letters, digits and symbols, without spaces, in 'My Own ID'.",
	],
	PUBLIC_API_IDEMPOTENCY_CONFLICT: [
		'This idempotency key was used before with other content',
		'An earlier attempt used this key with other content, so this request was not carried out. Check whether the earlier one went out. To send this one as well, run the workflow again.',
	],
	PUBLIC_API_BODY_INVALID: [
		'The service rejected the content of this request',
		"Correct the fields of the node that the service's message names. If a post's fields are right, try the other 'Post Format' in the credential.",
	],
	PUBLIC_API_CURSOR_INVALID: [
		'The service rejected the page cursor',
		"Remove 'cursor' from the query to start from the first page.",
	],
	PUBLIC_API_QUERY_INVALID: [
		'The service rejected a filter',
		"Check the node's dates, platform names, options and 'Limit'.",
	],
	PUBLIC_API_PUBLISH_FAILED: [
		'The platform rejected the post',
		`Correct the content and create a new post: sending the same one again does not help. The service kept this one as failed, ${inDetails}.`,
	],
	PUBLIC_API_POST_NOT_FOUND: [
		"The post doesn't exist, or the API key can't access it",
		"Check the post ID and the workspace: a post of another workspace is not found. 'From List' shows the posts that the key can access.",
	],
	PUBLIC_API_POST_CANCEL_INVALID_STATE: [
		"This post can't be changed in its current status",
		'It may be published, failed or canceled already, or wait for approval: get the post to see its status.',
	],
	...mapValues(couldNot, (what): MessageAndHint => [`The service couldn't ${what}`, tryLaterOrAsk]),
};

/** Codes whose text here is complete: the service's own would only repeat it. */
const selfExplaining =
	/^PUBLIC_API_(AUTH_REQUIRED|KEY_INVALID|KEY_EXPIRED|RATE_LIMITED|IDEMPOTENCY_REQUIRED|IDEMPOTENCY_CONFLICT|POST_NOT_FOUND)$/;

/** For codes added later and answers without an envelope, by status; 300 and 400 are for all others. */
const statusTexts: Readonly<Record<number, MessageAndHint>> = {
	300: [
		'The base URL redirects to another address',
		"Enter the address that it redirects to as 'Base URL' in the credential. The API key is never sent to other hosts.",
	],
	400: ['The service rejected the request', wordsOf.PUBLIC_API_BODY_INVALID![1]],
	401: ['The service rejected the API key', newKey],
	402: ['The service asks for a paid plan', "Check the plan in the service's account dashboard."],
	403: ['The API key is not allowed to do this', 'Check the scopes of the key and the workspace.'],
	404: [
		"The service doesn't have this endpoint or record",
		"Check the ID and the workspace, and 'Base URL' and 'API Path' in the credential.",
	],
	408: ['The service timed out', tryLater],
	409: [
		'The service refused this because of a conflict',
		"Follow the service's message. If it says nothing, check the record's status, and whether there is one already.",
	],
	413: ['The request is too large for the service', 'Send a smaller file or text.'],
	429: [
		'Too many requests for the service, or for something in front of it (HTTP 429)',
		wordsOf.PUBLIC_API_RATE_LIMITED![1],
	],
};

function textOfStatus(status: number): MessageAndHint {
	if (status >= 500) return [`The service answered with HTTP ${status}`, tryLater];
	return statusTexts[status] ?? statusTexts[status >= 300 && status < 400 ? 300 : 400]!;
}

export function answerFailure(status: number, error?: { code?: string; message?: string }): Failure {
	const code = error?.code ?? `HTTP_${status}`;
	const [message, hint] = (Object.hasOwn(wordsOf, code) && wordsOf[code]) || textOfStatus(status);
	const own = error?.message ?? '';
	const repeats = ['', message, `${message}.`].includes(own) || selfExplaining.test(code);
	return new Failure({
		message: repeats ? message : `${message}: ${own}`,
		hint,
		service_message: (repeats && own) || undefined,
		code,
		status,
		retryable: isRetryable(status, error?.code),
	});
}

/** Of a post that the service accepted, but says to have failed already: as a 422. */
export const publishFailure = (reason?: string): Failure =>
	answerFailure(422, { code: 'PUBLIC_API_PUBLISH_FAILED', message: reason });

/** How to send again what was not confirmed: with its key, where n8n lets the execution be retried or the item come back. */
export const sendAgain = {
	retry:
		'Retry this execution in a few minutes instead of starting a new one: it uses the same idempotency key, so nothing is sent twice.',
	// n8n retries no execution that went on after a failure.
	comeBack:
		'To send this item again, route it back to this node in the same execution, with its error field, for example through a Wait node: the same idempotency key is used, so nothing is sent twice.',
	call: 'Make the same call again in this execution: it uses the same idempotency key, so nothing is sent twice.',
	checkFirst: 'Check whether it was carried out before you make this call again: it would be sent again.',
};

/** A service may remember idempotency keys for each API key (row 35d of docs/spec-gaps.md). */
export const otherKey =
	'With another API key, the service may not recognize what may have been sent: check there before you send it again.';

/** The failure of a write; where the service may have acted, its message begins with that. */
export function notConfirmed(failure: Failure, way: keyof typeof sendAgain): Failure {
	const { message, hint, status, code } = failure.details;
	// A conflict, or a post that is kept as failed, settles a write although the service has acted.
	if (failure.processed === 'no' || status === 409 || keepsPost(failure.details)) return failure;
	const isForeign = status === 422 && !serviceSays(failure, 422);
	const isTrouble = status === 0 || status >= 500 || status === 408 || isForeign;
	const again = status === 401 || status === 403 ? otherKey : sendAgain[way];
	return failure.with({
		message: `Not confirmed as sent: ${lowerFirst(message)}`,
		hint: isTrouble || code === 'NODE_UNEXPECTED_DATA' ? again : `${hint} ${again}`,
	});
}

const checkUrl = "Check 'Base URL' in the credential.";
const checkNetwork = 'Check the network of this n8n, then try again.';
const untrusted =
	"This n8n doesn't trust the certificate, or 'Base URL' says https where the service uses http.";

/** Why no answer came, by the network's code; the first row that fits counts, the last one fits everything. */
const networkTexts: ReadonlyArray<readonly [pattern: RegExp, code: string, message: string, hint: string]> = [
	[
		/^(ENOTFOUND|EAI_AGAIN)$/,
		'NODE_HOST_NOT_FOUND',
		"The host … can't be found",
		"Check 'Base URL' in the credential for typos. If it is right, this n8n can't resolve host names: check its network, and its proxy if it has one.",
	],
	[
		/^ECONNREFUSED$/,
		'NODE_UNREACHABLE',
		'Nothing answers at …',
		"Check 'Base URL' in the credential. If it is right, the service may be down, or something keeps this n8n from reaching it, such as a firewall.",
	],
	// By n8n, before anything was sent.
	[
		/^SSRF/,
		'NODE_BLOCKED',
		"n8n's SSRF protection blocks requests to …",
		"Check 'Base URL' in the credential. If it is right, ask the administrator of this n8n to allow it, for example with N8N_SSRF_ALLOWED_HOSTNAMES.",
	],
	// Refused in the handshake, before anything was sent.
	[/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/, 'NODE_CERTIFICATE', 'No secure connection to …', untrusted],
	// May also come from a connection on which something was sent already.
	[/ERR_TLS|ERR_SSL|EPROTO/, 'NODE_SECURE_CONNECTION', 'No secure connection to …', untrusted],
	[/^ERR_FR_/, 'NODE_REDIRECTS', '… redirects in a loop or to an invalid address', checkUrl],
	[/^(ECONNABORTED|ETIMEDOUT)$/, 'NODE_TIMEOUT', '… did not respond in time', checkNetwork],
	[/^/, 'NODE_CONNECTION', 'The connection to … failed', checkNetwork],
];

/** Only a person can mend the cause. */
const isLasting = /SSRF|ENOTFOUND|ERR_FR_|CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/;

/** No answer at all: why, by the network's code. The error's own text is left out. */
export function networkFailure(error: unknown, apiUrl: string): Failure {
	const found = networkCode(error);
	if (found === 'ERR_CANCELED' || found === 'ABORT_ERR') return executionStopped();
	const [, code, text, hint] = networkTexts.find(([pattern]) => pattern.test(found))!;
	// The host that wasn't found may be a proxy's.
	const named = ['', 'cause.', 'cause.cause.'].map((path): unknown => get(error, `${path}hostname`));
	const message = text.replace('…', String(named.find(Boolean) ?? new URL(apiUrl).host));
	return new Failure({ code, message, hint, retryable: !isLasting.test(found) });
}

/** The network's code, out of n8n's wrapping (`httpCode` of a NodeApiError, or `code` somewhere below `cause`). */
function networkCode(error: unknown): string {
	let inner = error as { code?: unknown; httpCode?: unknown; name?: string; cause?: unknown } | undefined;
	for (let depth = 0; inner && depth < 5; depth++, inner = inner.cause as typeof inner) {
		for (const code of [inner.code, inner.httpCode])
			if (typeof code === 'string' && /^[A-Z]/.test(code)) return code;
		if (inner.name?.startsWith('Ssrf')) return 'SSRF';
	}
	return '';
}
