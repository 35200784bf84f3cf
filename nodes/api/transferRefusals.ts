import type { IDataObject } from 'n8n-workflow';

import { refusal, type Failure } from './failure';
import { isText, isVague, mediaType, proportionsOf, typeOf, typeOfBytes, withoutQuery } from './fileTypes';
import { retryAfter } from './rateLimitHeaders';
import { isTemporary } from './retryPolicy';

/** Why a file could not be downloaded or uploaded, for people. */

export const lengthDiffers = (name: string, size: number, bytes: number): Failure =>
	refusal(
		'LENGTH_DIFFERS',
		`'${name}' has ${bytes} bytes instead of the ${size} announced`,
		'The source is incomplete, was changed while it was read, or sends the file compressed. Fetch the file with an HTTP Request node first and upload it from the binary field.',
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
		? refusal('FILE_EMPTY', `${withoutQuery(from)} answered with an empty file`, directLink(from))
		: refusal('FILE_EMPTY', `'${from}' is empty`, 'Check the node that created the file.');

/** What a refusal of the store means. Its text is left out: stores repeat the signed URL in it. */
export function storeRefusal(name: string, status: number, body: unknown): Failure {
	const start = String(body).slice(0, 2000);
	const storeCode = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(start)?.[1];
	const file = storeCode ? `'${name}' (${storeCode})` : `'${name}'`;
	if (status >= 200 && status < 300)
		return refusal(
			'UPLOAD_CUT',
			`The file store answered before it had all of ${file}`,
			"Try again. If it keeps happening, contact the service's support.",
		).with({ status });
	// Google Cloud Storage, Supabase and S3 with temporary keys say it with 400.
	if (status === 403 || (mayBeExpired(status) && expired.test(start)))
		return refusal(
			'UPLOAD_FORBIDDEN',
			`The file store rejected ${file}: the upload URL has expired or is invalid`,
			'The node also tried a new upload URL. Check the clock of the n8n server, and that nothing between n8n and the store changes requests.',
		).with({ status });
	const retryable = isTemporary(status);
	return refusal(
		'UPLOAD_REFUSED',
		`The file store answered ${status} to the upload of ${file}`,
		retryable
			? 'The file store is unavailable. Try again in a few minutes.'
			: "Check the file's name, type and size.",
	).with({ status, retryable });
}

export interface MediaKind {
	/** Lower case, without parameters. */
	contentType: string;
	/** Of an image or a video: its type by its first bytes, where they are sure, or `text/plain`; of what nothing tells, that. */
	looksLike?: string;
	/** Of a picture: its width by its height, where that is easily known. */
	proportions?: number;
}

/** What a file is: of the announced type or, where that is vague or can't be, as its first bytes say. @throws Failure for no media */
export async function mediaKind(
	announced: string | undefined,
	from: string,
	head: () => Promise<Buffer>,
	name: string,
): Promise<MediaKind> {
	const said = typeOf(announced ?? '');
	const isPicture = /^(image|video)\//.test(said);
	const bytes = isVague(said) || isText(said) || isPicture ? await head() : undefined;
	if (bytes?.length === 0) throw emptyFile(from);
	const found = bytes && typeOfBytes(bytes);
	const isMedia = found !== undefined && !isText(found);
	// Some servers announce files as pages, and pages as files; of plain text the bytes aren't sure enough.
	const isWrong = isText(said) ? isMedia : !isMedia && found !== 'text/plain';
	const unknown = isText(said) ? said : mediaType('', name);
	const contentType = isVague(said) || (found && isWrong) ? (found ?? unknown) : said;
	refuseText(contentType, from);
	// These bytes may be those of several kinds of videos.
	const told = isPicture && found !== 'video/mp4' ? found : undefined;
	// Nothing tells: networks are not known to take it.
	const looksLike = isVague(contentType) ? contentType : told;
	return { contentType, looksLike, proportions: bytes && proportionsOf(bytes) };
}

/** @throws Failure for a type that is no media */
export function refuseText(type: string, from: string): void {
	if (!isText(type)) return;
	const [, found = 'plain text'] = textTypes.find(([pattern]) => pattern.test(type)) ?? [];
	const isAddress = URL.canParse(from);
	const name = isAddress ? withoutQuery(from) : `'${from}'`;
	if (/svg/.test(type))
		throw refusal(
			'NO_MEDIA',
			`${name} is an SVG drawing, which networks don't take as an image`,
			'Convert it to PNG or JPEG first.',
		);
	throw refusal(
		found === 'a web page' ? 'SOURCE_IS_PAGE' : 'NO_MEDIA',
		`${name} is ${found}, not an image or a video`,
		isAddress
			? directLink(from)
			: 'Check the node that created the file: it must output an image or a video.',
	);
}

const textTypes = [
	[/html/, 'a web page'],
	[/json/, 'JSON data'],
	[/xml/, 'XML data'],
] as const;

/** Services whose links to a file open a page, and what stands in links that open the file itself. */
const sharePages: ReadonlyArray<readonly [name: string, host: RegExp, direct: RegExp]> = [
	[
		'Google Drive',
		/(^|\.)(drive|docs)\.google\.com$/,
		/\/(uc|thumbnail)\?|[?&](export=download|format=image)|\/export[/?]|\/drawings\/.*\/pub\b/,
	],
	['Dropbox', /^(?!dl\.)(.+\.)?dropbox\.com$/, /[?&](dl|raw)=1/],
	[
		'OneDrive',
		/(^|\.)(1drv\.ms|onedrive\.live\.com|sharepoint\.com)$/,
		/[?&]download=1|\/download(\.aspx)?\?|^https?:\/\/[^/]+sharepoint\.com(?!.*(\/:\w:\/|\.aspx))/,
	],
];

export function sharePageOf(url: string): string | undefined {
	if (!URL.canParse(url)) return undefined;
	const { hostname } = new URL(url);
	return sharePages.find(([, host, direct]) => host.test(hostname) && !direct.test(url))?.[0];
}

function directLink(url: string): string {
	const service = sharePageOf(url);
	return service
		? `${service} links open a page, not the file. Download the file with n8n's ${service} node and upload it from the binary field.`
		: 'Use the URL of the file itself. Open it in a private browser window: the file must open without a login.';
}

/** What stores say of a signed link whose time is over: S3, Google, Azure, Cloudflare, Supabase. */
const expired =
	/\b(request|token|jwt|url|link|signature|policy)\b[^<>{}]{0,40}\bexpired\b|\bexpired_?(token|request|auth)|not valid in the specified time frame|"exp\W{1,3}claim/i;

/** Whether such a refusal may say that the link has expired. */
export const mayBeExpired = (status: number): boolean => [400, 401, 403].includes(status);

/** Why what an address answered with can't be uploaded; undefined where it may be. `start`: of what it answered. */
export function sourceRefusal(
	url: string,
	status: number,
	headers: IDataObject,
	start = '',
): Failure | undefined {
	const address = withoutQuery(url);
	if (status === 410 || (mayBeExpired(status) && expired.test(start) && !/<html/i.test(start)))
		return refusal(
			'LINK_EXPIRED',
			`The link to ${address} has expired`,
			'Signed links work for a short time. Fetch a new link earlier in the same run, right before this node.',
		).with({ status });
	// A part of the file (206) was never asked for.
	if (status < 200 || status >= 300 || status === 206) {
		const retryable = isTemporary(status);
		return refusal(
			'SOURCE_REFUSED',
			`${new URL(url).hostname} answered with HTTP ${status} for ${address}`,
			retryable
				? 'The server of the file is unavailable or busy. Try again in a few minutes.'
				: directLink(url),
		).with({ status, retryable, retry_after_seconds: retryAfter(headers) });
	}
	return headers['content-length'] === '0' ? emptyFile(url) : undefined;
}
