import { get, lowerFirst, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { executionStopped, Failure, keepsPost, serviceSays } from './failure';
import { recordIn, textIn } from './lists';
import { isRetryable } from './retryPolicy';

type MessageAndHint = readonly [message: string, hint: string];

const newKey =
	"Paste a valid API key into the credential. You create keys in the service's account dashboard, under API keys.";
const tryLater = 'Try again in a few minutes.';

/** Codes of the spec ("Errors") whose advice differs from that of their status. */
export const wordsOf: Readonly<Record<string, MessageAndHint>> = {
	PUBLIC_API_AUTH_REQUIRED: ['The request had no API key', newKey],
	PUBLIC_API_KEY_INVALID: [
		"The service doesn't recognize this API key",
		`It may be mistyped, revoked or replaced. ${newKey}`,
	],
	PUBLIC_API_KEY_EXPIRED: ['The API key has expired', newKey],
	PUBLIC_API_WORKSPACE_FORBIDDEN: [
		'The API key has no access to this workspace',
		"Check 'Workspace' in the credential and Options → Workspace in the node, or clear both to use the key's own workspace.",
	],
	PUBLIC_API_IDEMPOTENCY_CONFLICT: [
		'This idempotency key was used before with other content',
		'This request was not carried out. Check whether the earlier one was. To send this one as well, run the workflow again.',
	],
	PUBLIC_API_PUBLISH_FAILED: [
		'The platform rejected the post',
		"Correct the content: the service kept this post as failed, so sending the same one again won't help.",
	],
	PUBLIC_API_POST_CANCEL_INVALID_STATE: [
		"It's too late to change or cancel this post",
		'Get the post to see its current status.',
	],
	PUBLIC_API_POST_NOT_FOUND: [
		"The post doesn't exist, or the API key can't access it",
		"Check the post ID and the workspace. In the trigger's events, the post's ID is 'data.post_id', not 'id'.",
	],
};

/** By status; 300, 400 and 500 are for all others. */
const statusTexts: Readonly<Record<number, MessageAndHint>> = {
	300: [
		'The base URL redirects to another address',
		"Enter the address that it redirects to as 'Base URL' in the credential. The API key is never sent to other hosts.",
	],
	400: [
		'The service rejected the request',
		"Correct what the service's message points out. If the fields of a post are right, try the other 'Post Format' in the credential.",
	],
	401: ['The service rejected the API key', newKey],
	402: ['The service asks for a paid plan', "Check the plan in the service's account dashboard."],
	403: [
		'The API key is not allowed to do this',
		"In the service's account dashboard, create a key with the scope that this operation needs. Also check the workspace and the brand.",
	],
	404: [
		"The service doesn't have this endpoint or record",
		"Check the ID and the workspace, and 'Base URL' and 'API Path' in the credential.",
	],
	408: ['The service timed out', tryLater],
	409: [
		'The service reported a conflict',
		'Get the record to see its current status, or whether it already exists.',
	],
	413: ['The request is too large for the service', 'Send a smaller file or text.'],
	429: [
		'Too many requests per minute',
		'Raise Options → Longest Wait (Seconds) so that the node waits for the next minute, process fewer items per run, or switch to a plan with a higher limit.',
	],
	500: [
		"The service couldn't do this",
		`${tryLater} If this keeps happening, contact the service's support with the request ID under 'Error details'.`,
	],
};

function textOfStatus(status: number): MessageAndHint {
	const general = status >= 500 ? 500 : status >= 300 && status < 400 ? 300 : 400;
	return statusTexts[status] ?? statusTexts[general]!;
}

/** What an answer says that is no success; the service's own message is always quoted. */
export function answerFailure(status: number, error: { code?: string; message?: string } = {}): Failure {
	const { code = `HTTP_${status}`, message: own } = error;
	const [message, hint] = (Object.hasOwn(wordsOf, code) && wordsOf[code]) || textOfStatus(status);
	const isForeign = error.code === undefined && status >= 500;
	return new Failure({
		message: `${message}${isForeign ? ` (HTTP ${status})` : ''}${own ? `: ${own}` : ''}`,
		hint,
		code,
		status,
		retryable: isRetryable(status, error.code),
	});
}

/** Of a post that the service accepted, but says to have failed already: as a 422. */
export const publishFailure = (reason?: string): Failure =>
	answerFailure(422, { code: 'PUBLIC_API_PUBLISH_FAILED', message: reason });

/** How to send again what was not confirmed: with its key, where n8n lets the execution be retried or the item come back. */
export const sendAgain = {
	retry:
		'Retry this execution in a few minutes instead of starting a new one: it uses the same idempotency key, so nothing is sent twice.',
	byHand:
		'Click Execute step again in a few minutes, without changing the row: it uses the same idempotency key, so nothing is sent twice.',
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
	// Other requests may have gone through a moment ago.
	const later = code === 'NODE_UNEXPECTED_RESPONSE' ? ` If it happens again, ${lowerFirst(hint)}` : '';
	return failure.with({
		message: `Not confirmed as sent: ${lowerFirst(message)}`,
		hint: isTrouble || code.startsWith('NODE_UNEXPECTED') ? again + later : `${hint} ${again}`,
	});
}

const checkUrl = "Check 'Base URL' in the credential.";
const checkNetwork = 'Check the network of this n8n, then try again.';

/** Why no answer came, by the network's code; the first row that fits counts, the last one fits everything. */
const networkTexts: ReadonlyArray<readonly [pattern: RegExp, code: string, message: string, hint: string]> = [
	[/^(ENOTFOUND|EAI_AGAIN)$/, 'NODE_HOST_NOT_FOUND', "Can't find the host …", `${checkUrl} ${checkNetwork}`],
	[/^ECONNREFUSED$/, 'NODE_UNREACHABLE', 'Nothing answers at …', `${checkUrl} ${checkNetwork}`],
	// By n8n, before anything was sent.
	[
		/^Ssrf/,
		'NODE_BLOCKED',
		"n8n's SSRF protection blocks requests to …",
		`${checkUrl} If it is right, ask the administrator of this n8n to allow it (N8N_SSRF_ALLOWED_HOSTNAMES).`,
	],
	// Refused in the handshake, before anything was sent.
	[
		/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
		'NODE_CERTIFICATE',
		'No secure connection to …',
		"This n8n doesn't trust the certificate.",
	],
	[/^(ECONNABORTED|ETIMEDOUT)$/, 'NODE_TIMEOUT', '… did not respond in time', checkNetwork],
	[/^/, 'NODE_CONNECTION', 'The connection to … failed', `${checkNetwork} ${checkUrl}`],
];

/** Only a person can mend the cause. */
const isLasting = /Ssrf|ENOTFOUND|ERR_FR_|CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/;

/** No answer at all: why, by the network's code. The error's own text is left out. */
export function networkFailure(error: unknown, apiUrl: string): Failure {
	const found = networkCode(error);
	if (found === 'ERR_CANCELED' || found === 'ABORT_ERR') return executionStopped();
	const [, code, text, hint] = networkTexts.find(([pattern]) => pattern.test(found))!;
	// The host that wasn't found may be a proxy's.
	const named = causesOf(error).find(({ hostname }) => hostname)?.hostname;
	const message = text.replace('…', String(named ?? new URL(apiUrl).host));
	return new Failure({ code, message, hint, retryable: !isLasting.test(found) });
}

/** An error and what it wraps: n8n and axios wrap each other's. */
const causesOf = (error: unknown): IDataObject[] =>
	range(5).map((depth) => recordIn(get({ cause: error }, Array<string>(depth + 1).fill('cause'))));

/** The network's code, such as ENOTFOUND, or the name of n8n's own refusal. */
function networkCode(error: unknown): string {
	const said = causesOf(error).flatMap(({ code, httpCode, name }) => [code, httpCode, name]);
	return textIn(...said.filter((one) => /^([A-Z][A-Z0-9_]+|Ssrf\w+)$/.test(String(one)))) ?? '';
}
