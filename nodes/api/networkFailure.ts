import { executionStopped, Failure } from './failure';

const tryAgain =
	'The node has already tried again where that is safe. Check the network of this n8n, then run the workflow again.';
const untrusted =
	"This n8n doesn't trust the certificate, or 'Base URL' says https where the service uses http.";

/** Why no answer came, by the network's code; the first row that fits counts, the last one fits everything. */
const rows: ReadonlyArray<readonly [pattern: RegExp, code: string, message: string, hint: string]> = [
	[
		/^(ENOTFOUND|EAI_AGAIN)$/,
		'NODE_HOST_NOT_FOUND',
		"The host … can't be found",
		"Check 'Base URL' in the credential for typos. If it is right, this n8n can't resolve host names: check its network.",
	],
	[
		/^ECONNREFUSED$/,
		'NODE_UNREACHABLE',
		'Nothing answers at …',
		"Check 'Base URL' in the credential. If it is right, the service may be down, or something keeps this n8n from reaching it, such as a firewall.",
	],
	// Refused in the handshake, before anything was sent.
	[/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/, 'NODE_CERTIFICATE', 'No secure connection to …', untrusted],
	// May also come from a connection on which something was sent already.
	[/ERR_TLS|ERR_SSL|EPROTO/, 'NODE_SECURE_CONNECTION', 'No secure connection to …', untrusted],
	[/^(ECONNABORTED|ETIMEDOUT)$/, 'NODE_TIMEOUT', '… did not respond in time', tryAgain],
	[/^/, 'NODE_CONNECTION', 'The connection to … failed', tryAgain],
];

/** Only a person can mend the cause. */
const isLasting = /ENOTFOUND|CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/;

/** No answer at all: why, by the network's code. The error's own text is left out. */
export function networkFailure(error: unknown, apiUrl: string): Failure {
	const found = networkCode(error);
	if (found === 'ERR_CANCELED' || found === 'ABORT_ERR') return executionStopped();
	const [, code, text, hint] = rows.find(([pattern]) => pattern.test(found))!;
	const message = text.replace('…', new URL(apiUrl).host);
	return new Failure({ code, message, hint, retryable: !isLasting.test(found) });
}

/** The network's code, out of n8n's wrapping (`httpCode` of a NodeApiError, or `code` somewhere below `cause`). */
export function networkCode(error: unknown): string {
	let inner = error as { code?: unknown; httpCode?: unknown; cause?: unknown } | undefined;
	for (let depth = 0; inner && depth < 5; depth++, inner = inner.cause as typeof inner)
		for (const code of [inner.code, inner.httpCode])
			if (typeof code === 'string' && /^[A-Z]/.test(code)) return code;
	return '';
}
