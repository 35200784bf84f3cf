import { Failure, refusal } from './errors';

/** The certificate was refused in the handshake, before anything was sent. */
const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;
/** May also come from a connection on which something was sent already. */
const secureCodes = /ERR_TLS|ERR_SSL|EPROTO/;

const tryAgain =
	'The node has already tried again where that is safe. Check the network of this n8n, then run the workflow again.';

/** The execution was stopped while a request was under way. */
export const stoppedOnTheWay = (): Failure =>
	refusal(
		'STOPPED',
		'The execution was stopped while the service was working',
		'Retry this execution to continue.',
	);

export const tookTooLong = (apiUrl: string): Failure =>
	new Failure({
		code: 'NODE_TIMEOUT',
		message: `${new URL(apiUrl).host} did not respond in time`,
		hint: tryAgain,
		retryable: true,
	});

/** No answer at all: which of name, connection, certificate or time it was. The error's own text is left out. */
export function connectionFailure(error: unknown, apiUrl: string): Failure {
	const code = networkCode(error);
	const host = new URL(apiUrl).host;
	if (code === 'ERR_CANCELED' || code === 'ABORT_ERR') return stoppedOnTheWay();
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
		return new Failure({
			code: 'NODE_HOST_NOT_FOUND',
			message: `The host ${host} can't be found`,
			hint: "Open the credential and check 'Base URL' for typos. If it is right, this n8n can't resolve host names: check its network.",
			retryable: code === 'EAI_AGAIN',
		});
	if (code === 'ECONNREFUSED')
		return new Failure({
			code: 'NODE_UNREACHABLE',
			message: `Nothing answers at ${host}`,
			hint: "Open the credential and check 'Base URL'. If it is right, the service may be down, or something keeps this n8n from reaching it, such as a firewall.",
			retryable: true,
		});
	// A route may also be lost after sending.
	if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
		return new Failure({
			code: 'NODE_NO_ROUTE',
			message: `This n8n can't reach ${host}`,
			hint: "Check the network of this n8n, such as a firewall or a VPN, and 'Base URL' in the credential.",
			retryable: true,
		});
	if (certificateCodes.test(code) || secureCodes.test(code))
		return new Failure({
			code: certificateCodes.test(code) ? 'NODE_CERTIFICATE' : 'NODE_SECURE_CONNECTION',
			message: `No secure connection to ${host}`,
			hint: "This n8n doesn't trust the certificate, or 'Base URL' says https where the service uses http.",
		});
	if (code === 'ECONNABORTED' || code === 'ETIMEDOUT') return tookTooLong(apiUrl);
	return new Failure({
		code: 'NODE_CONNECTION',
		message: `The connection to ${host} was interrupted`,
		hint: tryAgain,
		retryable: true,
	});
}

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
