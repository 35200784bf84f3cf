import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { networkCode } from './connectionFailure';
import { Failure, refusal } from './errors';
import { hostOf, typeOf, withoutQuery } from './fileNames';
import { shareHint } from './sharePages';

/** Why a file could not be downloaded or uploaded, for people. */

export const lengthDiffers = (name: string, size: number, bytes: number): Failure =>
	new Failure({
		code: 'NODE_LENGTH_DIFFERS',
		message:
			bytes > size
				? `'${name}' is larger than the ${size} bytes announced`
				: `Only ${bytes} of ${size} bytes of '${name}' arrived`,
		hint: 'The source is incomplete or changed while it was read. Fetch the file with an HTTP Request node first and upload it from the binary field.',
	});

export const brokeOff = (name: string): Failure =>
	new Failure({
		code: 'NODE_SOURCE_BROKE',
		message: `Reading '${name}' was interrupted`,
		hint: 'The source of the file or the network has a problem. Run the workflow again in a few minutes.',
		retryable: true,
	});

/** @param waitsForStore whether the store, not the source, is what hangs */
export const stalled = (name: string, waitsForStore: boolean, idleMs: number): Failure =>
	new Failure({
		code: 'NODE_TRANSFER_STALLED',
		message: waitsForStore
			? `The file store accepted no more of '${name}' for ${Math.round(idleMs / 1000)} seconds`
			: `Nothing more of '${name}' arrived for ${Math.round(idleMs / 1000)} seconds`,
		hint: 'The network or the other side stopped responding; nothing was posted with this file. Run the workflow again in a few minutes.',
		retryable: true,
	});

/** What the store's refusal means. Its text is left out: stores repeat the signed URL in it. */
export function storeRefusal(name: string, status: number, body: unknown): Failure {
	const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(
		typeof body === 'string' ? body.slice(0, 2000) : '',
	)?.[1];
	const said = code ? ` (${code})` : '';
	if (status === 403)
		return new Failure({
			code: 'NODE_UPLOAD_FORBIDDEN',
			status,
			message: `The file store rejected '${name}'${said}: the upload URL has expired or is invalid`,
			hint: 'The node also tried a new upload URL. Check the clock of the n8n server, and that nothing between n8n and the store changes requests.',
		});
	if (status >= 300 && status < 400)
		return new Failure({
			code: 'NODE_UPLOAD_REDIRECT',
			status,
			message: `The file store redirects the upload of '${name}'`,
			hint: "Files are only sent to the URL that the service provides. Contact the service's support.",
		});
	if (status === 413)
		return new Failure({
			code: 'NODE_UPLOAD_TOO_LARGE',
			status,
			message: `The file store rejected '${name}' as too large${said}`,
			hint: 'Make the file smaller, for example with a lower resolution.',
		});
	const retryable = status >= 500 || status === 429 || status === 408;
	return new Failure({
		code: 'NODE_UPLOAD_REFUSED',
		status,
		message: `The file store answered ${status} to the upload of '${name}'${said}`,
		hint: retryable
			? 'The file store is unavailable. Run the workflow again in a few minutes.'
			: "Check the file's name, type and size.",
		retryable,
	});
}

/** Why what an address answered with is no file to upload; undefined where it is. */
export function sourceRefusal(
	url: string,
	{ statusCode: status, headers }: IN8nHttpFullResponse,
): Failure | undefined {
	const shown = withoutQuery(url);
	if (status < 200 || status >= 300) {
		const gone = status === 404 || status === 410;
		return new Failure({
			code: gone ? 'NODE_SOURCE_NOT_FOUND' : 'NODE_SOURCE_REFUSED',
			status,
			message: gone
				? `There is no file at ${shown}`
				: `${hostOf(url)} answered ${status} when asked for ${shown}`,
			hint: shareHint(url) ?? 'Open the URL in a private browser window: the file must open without a login.',
			retryable: status >= 500 || status === 429,
		});
	}
	const type = typeOf(String(headers['content-type'] ?? ''));
	if (type === 'text/html' || type === 'application/xhtml+xml')
		return refusal(
			'SOURCE_IS_PAGE',
			`${shown} is a web page, not an image or a video`,
			shareHint(url) ?? 'Use the URL of the file itself, not of a page that shows it.',
		);
	if (headers['content-length'] === '0') return emptyFile(shown);
	return undefined;
}

export const emptyFile = (name: string): Failure =>
	refusal('FILE_EMPTY', `'${name}' is empty`, 'Check the node that created the file.');

/**
 * No answer from store or source. The address is left out but for its host: its query may be a key.
 * @param look what helps first
 */
export function transferFailure(error: unknown, what: string, host: string, look = ''): Failure {
	const code = networkCode(error);
	const timedOut = code === 'ECONNABORTED' || code === 'ETIMEDOUT';
	const unknownHost = code === 'ENOTFOUND';
	return new Failure({
		code: timedOut ? 'NODE_TRANSFER_TIMEOUT' : 'NODE_TRANSFER_BROKE',
		message: `${what}: ${timedOut ? `${host} took too long` : unknownHost ? `${host} is not known` : `no connection to ${host}`}`,
		hint: unknownHost
			? `${look}Check the address for typos.`
			: `${look}The network or the other side has a problem. The node has already tried again; run the workflow again in a few minutes.`,
		retryable: !unknownHost && !timedOut,
	});
}

export const fileGone = (what: string): Failure =>
	refusal(
		'FILE_GONE',
		`${what}: n8n no longer has the file`,
		'The binary data was deleted, for example because old executions were pruned. Run the workflow from the node that fetches the file.',
	);
