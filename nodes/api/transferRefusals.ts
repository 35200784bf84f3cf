import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { Failure, refusal } from './failure';
import { hostOf, typeOf, withoutQuery } from './fileNames';
import { networkCode } from './networkFailure';
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

export const sourceInterrupted = (name: string): Failure =>
	new Failure({
		code: 'NODE_SOURCE_BROKE',
		message: `Reading '${name}' was interrupted`,
		hint: 'The source of the file or the network has a problem. Run the workflow again in a few minutes.',
		retryable: true,
	});

interface StoreRow {
	code: string;
	/** @param file its name, and the store's own code */
	message: (file: string, status: number) => string;
	hint: string;
	retryable?: boolean;
}

/** What the store's refusals mean, by status; 300, 400 and 500 are for all others. */
const storeRows: Readonly<Record<number, StoreRow>> = {
	300: {
		code: 'NODE_UPLOAD_REDIRECT',
		message: (file) => `The file store redirects the upload of ${file}`,
		hint: "Files are only sent to the URL that the service provides. Contact the service's support.",
	},
	400: {
		code: 'NODE_UPLOAD_REFUSED',
		message: (file, status) => `The file store answered ${status} to the upload of ${file}`,
		hint: "Check the file's name, type and size.",
	},
	403: {
		code: 'NODE_UPLOAD_FORBIDDEN',
		message: (file) => `The file store rejected ${file}: the upload URL has expired or is invalid`,
		hint: 'The node also tried a new upload URL. Check the clock of the n8n server, and that nothing between n8n and the store changes requests.',
	},
	413: {
		code: 'NODE_UPLOAD_TOO_LARGE',
		message: (file) => `The file store rejected ${file} as too large`,
		hint: 'Make the file smaller, for example with a lower resolution.',
	},
	500: {
		code: 'NODE_UPLOAD_REFUSED',
		message: (file, status) => `The file store answered ${status} to the upload of ${file}`,
		hint: 'The file store is unavailable. Run the workflow again in a few minutes.',
		retryable: true,
	},
};

const isUnavailable = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/** What the store's refusal means. Its text is left out: stores repeat the signed URL in it. */
export function storeRefusal(name: string, status: number, body: unknown): Failure {
	const others = isUnavailable(status) ? 500 : status >= 300 && status < 400 ? 300 : 400;
	const { message, ...row } = storeRows[status] ?? storeRows[others]!;
	const answer = typeof body === 'string' ? body.slice(0, 2000) : '';
	const storeCode = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(answer)?.[1];
	const file = storeCode ? `'${name}' (${storeCode})` : `'${name}'`;
	return new Failure({ ...row, status, message: message(file, status) });
}

/** Why what an address answered with is no file to upload; undefined where it is. */
export function sourceRefusal(
	url: string,
	{ statusCode: status, headers }: IN8nHttpFullResponse,
): Failure | undefined {
	const address = withoutQuery(url);
	const advice = shareHint(url);
	if (status < 200 || status >= 300) {
		const isGone = status === 404 || status === 410;
		return new Failure({
			code: isGone ? 'NODE_SOURCE_NOT_FOUND' : 'NODE_SOURCE_REFUSED',
			status,
			message: isGone
				? `There is no file at ${address}`
				: `${hostOf(url)} answered ${status} when asked for ${address}`,
			hint: advice ?? 'Open the URL in a private browser window: the file must open without a login.',
			retryable: status >= 500 || status === 429,
		});
	}
	const type = typeOf(String(headers['content-type'] ?? ''));
	if (type === 'text/html' || type === 'application/xhtml+xml')
		return refusal(
			'SOURCE_IS_PAGE',
			`${address} is a web page, not an image or a video`,
			advice ?? 'Use the URL of the file itself, not of a page that shows it.',
		);
	return headers['content-length'] === '0' ? emptyFile(address) : undefined;
}

export const emptyFile = (name: string): Failure =>
	refusal('FILE_EMPTY', `'${name}' is empty`, 'Check the node that created the file.');

const tryLater =
	'The network or the other side has a problem. The node has already tried again; run the workflow again in a few minutes.';
interface TransferRow {
	code: string;
	reason: (host: string) => string;
	hint: string;
	retryable?: boolean;
}

const noResponse: TransferRow = {
	code: 'NODE_TRANSFER_TIMEOUT',
	reason: (host) => `${host} didn't respond in time`,
	hint: tryLater,
};
/** Why a transfer failed, by the network's code; '' for all others. */
const transferRows: Readonly<Record<string, TransferRow>> = {
	'': {
		code: 'NODE_TRANSFER_BROKE',
		reason: (host) => `no connection to ${host}`,
		hint: tryLater,
		retryable: true,
	},
	ENOTFOUND: {
		code: 'NODE_TRANSFER_BROKE',
		reason: (host) => `can't find ${host}`,
		hint: 'Check the address for typos.',
	},
	ECONNABORTED: noResponse,
	ETIMEDOUT: noResponse,
};

/**
 * No answer from store or source. The address is left out but for its host: its query may be a key.
 * @param advice what helps first
 */
export function transferFailure(error: unknown, what: string, host: string, advice = ''): Failure {
	const { code, reason, hint, retryable = false } = transferRows[networkCode(error)] ?? transferRows['']!;
	return new Failure({ code, message: `${what}: ${reason(host)}`, hint: advice + hint, retryable });
}

export const fileGone = (what: string): Failure =>
	refusal(
		'FILE_GONE',
		`${what}: n8n no longer has the file`,
		'The binary data was deleted, for example because old executions were pruned. Run the workflow from the node that fetches the file.',
	);
