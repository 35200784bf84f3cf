import { executionStopped, Failure } from './failure';

const tryAgain =
	'The node has already tried again where that is safe. Check the network of this n8n, then run the workflow again.';
const untrusted =
	"This n8n doesn't trust the certificate, or 'Base URL' says https where the service uses http.";

interface Row {
	/** Of the network's code. */
	pattern: RegExp;
	code: string;
	message: (host: string) => string;
	hint: string;
	retryable?: boolean;
}

const hostNotFound: Row = {
	pattern: /^ENOTFOUND$/,
	code: 'NODE_HOST_NOT_FOUND',
	message: (host) => `The host ${host} can't be found`,
	hint: "Open the credential and check 'Base URL' for typos. If it is right, this n8n can't resolve host names: check its network.",
};

/** Why no answer came; the first row that fits counts, the last one fits everything. */
const rows: readonly Row[] = [
	hostNotFound,
	{ ...hostNotFound, pattern: /^EAI_AGAIN$/, retryable: true },
	{
		pattern: /^ECONNREFUSED$/,
		code: 'NODE_UNREACHABLE',
		message: (host) => `Nothing answers at ${host}`,
		hint: "Open the credential and check 'Base URL'. If it is right, the service may be down, or something keeps this n8n from reaching it, such as a firewall.",
		retryable: true,
	},
	{
		// A route may also be lost after sending.
		pattern: /^(EHOSTUNREACH|ENETUNREACH)$/,
		code: 'NODE_NO_ROUTE',
		message: (host) => `This n8n can't reach ${host}`,
		hint: "Check the network of this n8n, such as a firewall or a VPN, and 'Base URL' in the credential.",
		retryable: true,
	},
	{
		// Refused in the handshake, before anything was sent.
		pattern: /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
		code: 'NODE_CERTIFICATE',
		message: (host) => `No secure connection to ${host}`,
		hint: untrusted,
	},
	{
		// May also come from a connection on which something was sent already.
		pattern: /ERR_TLS|ERR_SSL|EPROTO/,
		code: 'NODE_SECURE_CONNECTION',
		message: (host) => `No secure connection to ${host}`,
		hint: untrusted,
	},
	{
		pattern: /^(ECONNABORTED|ETIMEDOUT)$/,
		code: 'NODE_TIMEOUT',
		message: (host) => `${host} did not respond in time`,
		hint: tryAgain,
		retryable: true,
	},
	{
		pattern: /^/,
		code: 'NODE_CONNECTION',
		message: (host) => `The connection to ${host} was interrupted`,
		hint: tryAgain,
		retryable: true,
	},
];

/** No answer at all: why, by the network's code. The error's own text is left out. */
export function networkFailure(error: unknown, apiUrl: string): Failure {
	const found = networkCode(error);
	if (found === 'ERR_CANCELED' || found === 'ABORT_ERR') return executionStopped();
	const { code, message, hint, retryable = false } = rows.find(({ pattern }) => pattern.test(found))!;
	return new Failure({ code, message: message(new URL(apiUrl).host), hint, retryable });
}

export const requestTimedOut = (apiUrl: string): Failure => networkFailure({ code: 'ETIMEDOUT' }, apiUrl);

/** The network's code, out of n8n's wrapping (`httpCode` of a NodeApiError, or `code` somewhere below `cause`). */
export function networkCode(error: unknown): string {
	for (
		let e = error as { code?: unknown; httpCode?: unknown; cause?: unknown } | undefined, depth = 0;
		e && depth < 5;
		depth++
	) {
		for (const code of [e.code, e.httpCode]) if (typeof code === 'string' && /^[A-Z]/.test(code)) return code;
		e = e.cause as typeof e;
	}
	return '';
}
