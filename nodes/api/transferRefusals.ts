import type { IDataObject } from 'n8n-workflow';

import { refusal, type Failure } from './failure';
import { isText, isVague, mediaType, typeOf, typeOfBytes, withoutQuery } from './fileTypes';
import { retryAfter } from './rateLimitHeaders';
import { isTemporary } from './retryPolicy';

/** Why a file could not be downloaded or uploaded, for people. */

export const lengthDiffers = (name: string, size: number, bytes: number): Failure =>
	refusal(
		'LENGTH_DIFFERS',
		`'${name}' has ${bytes} bytes instead of the ${size} announced`,
		'The source is incomplete, or was changed while it was read. Fetch the file with an HTTP Request node first and upload it from the binary field.',
	);

export const sourceInterrupted = (name: string): Failure =>
	refusal(
		'SOURCE_BROKE',
		`Reading '${name}' was interrupted`,
		'Try again in a few minutes. If it keeps happening, check the source of the file and the network.',
	).with({ retryable: true });

/** @param from the binary field, or the address */
export const emptyFile = (from: string): Failure =>
	URL.canParse(from)
		? refusal('FILE_EMPTY', `${withoutQuery(from)} answered with an empty file`, directLink)
		: refusal('FILE_EMPTY', `'${from}' is empty`, 'Check the node that created the file.');

/** What a refusal of the store means. Its text is left out: stores repeat the signed URL in it. */
export function storeRefusal(name: string, status: number): Failure {
	if (status >= 200 && status < 300)
		return refusal(
			'UPLOAD_CUT',
			`The file store answered before it had all of '${name}'`,
			"Try again. If it keeps happening, contact the service's support.",
		).with({ status });
	// Stores say with these that the address has expired, or is not as it was signed.
	if ([400, 401, 403].includes(status))
		return refusal(
			'UPLOAD_FORBIDDEN',
			`The file store rejected '${name}' (HTTP ${status}): the upload URL may have expired`,
			'The node also tried a new upload URL. Check the clock of the n8n server, and that nothing between n8n and the store changes requests.',
		).with({ status });
	const retryable = isTemporary(status);
	return refusal(
		'UPLOAD_REFUSED',
		`The file store answered ${status} to the upload of '${name}'`,
		retryable
			? 'The file store is unavailable. Try again in a few minutes.'
			: "Check the file's name, type and size.",
	).with({ status, retryable });
}

/**
 * The content type of a file, in lower case and without parameters: the announced one or, where that is vague, what its first
 * bytes or its name say. @throws Failure for no media
 */
export async function contentTypeOf(
	announced: string,
	from: string,
	head: () => Promise<Buffer>,
	name: string,
): Promise<string> {
	const said = typeOf(announced);
	if (!isVague(said)) return checkedType(said, from);
	const bytes = await head();
	if (bytes.length === 0) throw emptyFile(from);
	return checkedType(typeOfBytes(bytes) ?? mediaType(said, name), from);
}

/** @throws Failure for a type that is no media */
function checkedType(type: string, from: string): string {
	if (!isText(type)) return type;
	const isAddress = URL.canParse(from);
	const name = isAddress ? withoutQuery(from) : `'${from}'`;
	const isPage = /html/.test(type);
	throw refusal(
		isPage ? 'SOURCE_IS_PAGE' : 'NO_MEDIA',
		`${name} is ${isPage ? 'a web page' : `of the type ${type}`}, not an image or a video`,
		isAddress ? directLink : 'Check the node that created the file: it must output an image or a video.',
	);
}

const directLink =
	"Use the URL of the file itself: it must open in a private browser window, without a login. Links of Google Drive, Dropbox and OneDrive open a page: download such a file with the service's own n8n node and upload it from the binary field. A signed link works for a short time: fetch it right before this node.";

/** Why what an address answered with can't be uploaded; undefined where it may be. */
export function sourceRefusal(url: string, status: number, headers: IDataObject): Failure | undefined {
	if (status !== 200) {
		const retryable = isTemporary(status);
		return refusal(
			'SOURCE_REFUSED',
			`${new URL(url).hostname} answered with HTTP ${status} for ${withoutQuery(url)}`,
			retryable ? 'The server of the file is unavailable or busy. Try again in a few minutes.' : directLink,
		).with({ status, retryable, retry_after_seconds: retryAfter(headers) });
	}
	return headers['content-length'] === '0' ? emptyFile(url) : undefined;
}
