import { compact } from 'lodash';

/** What files are called, and what type they are of. */

/** An address as it may be shown: without user, password, query and fragment. */
export const withoutQuery = (url: string): string => url.split(/[?#]/)[0]!.replace(/\/\/[^/]*@/, '//');

const extensions: Readonly<Record<string, string>> = {
	avif: 'image/avif',
	gif: 'image/gif',
	heic: 'image/heic',
	jpeg: 'image/jpeg',
	jpg: 'image/jpeg',
	m4v: 'video/mp4',
	mov: 'video/quicktime',
	mp4: 'video/mp4',
	mpeg: 'video/mpeg',
	pdf: 'application/pdf',
	png: 'image/png',
	webm: 'video/webm',
	webp: 'image/webp',
};

/** Names that n8n, and some servers, give to registered types. */
const registered: Readonly<Record<string, string>> = {
	'image/jpg': 'image/jpeg',
	'image/pjpeg': 'image/jpeg',
	'video/avi': 'video/x-msvideo',
	'video/mov': 'video/quicktime',
	'video/msvideo': 'video/x-msvideo',
	'video/vnd.avi': 'video/x-msvideo',
	'video/x-m4v': 'video/mp4',
};

export function typeOf(header: string): string {
	const type = header.split(/[;,]/)[0]!.trim().toLowerCase();
	return Object.hasOwn(registered, type) ? registered[type]! : type;
}

/** Types that say nothing of a file: its bytes may. */
export const isVague = (type: string): boolean =>
	/^([^/]*|.*\*.*|(application|binary|unknown)\/(octet-stream|(x-)?(binary|(force-)?download|unknown))|text\/plain)$/.test(
		type,
	);

/** The media type of a file: what is said of it, or by its name where that says nothing. */
export function mediaType(said: string | undefined, name: string): string {
	const type = typeOf(said ?? '');
	return (isVague(type) && typeOfName(name)) || type || 'application/octet-stream';
}

function typeOfName(name: string): string | undefined {
	const ending = name.split('.').at(-1)!.toLowerCase();
	return Object.hasOwn(extensions, ending) ? extensions[ending] : undefined;
}

/** A name without folders, short enough for any store; an emoji that is cut in two is no text to a database. */
export const safeName = (name: string, most = 200): string =>
	name.slice(-most).replace(/[\p{Cc}\p{Cs}/\\]/gu, '_') || 'file';

/** A name with the ending of its type, where it has none of a known type. */
export function withEnding(name: string, contentType: string): string {
	const ending = Object.keys(extensions).findLast((one) => extensions[one] === contentType);
	return ending && !typeOfName(name) ? `${safeName(name, 190)}.${ending}` : name;
}

/** A file's name from `Content-Disposition` (RFC 6266), or from its address. */
export function remoteName(url: string, disposition: string): string {
	const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1];
	const plain = /filename="?([^";]+)/i.exec(disposition)?.[1];
	const last = compact(new URL(url).pathname.split('/')).pop() ?? '';
	return safeName(decoded(encoded ?? '') || plain?.trim() || decoded(last));
}

/** A text without percent-encoding; as it is where a percent sign stands for itself. */
export function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** What files begin with: media in hex, then what is no media. */
const signatures: ReadonlyArray<readonly [type: string, start: RegExp]> = [
	['image/jpeg', /^ffd8ff/],
	['image/png', /^89504e47/],
	['image/gif', /^47494638/],
	['image/webp', /^52494646.{8}57454250/],
	['image/avif', /^.{8}6674797061766966/],
	['image/heic', /^.{8}66747970(686569|6d6966)/],
	['video/quicktime', /^.{8}6674797071742020/],
	['video/mp4', /^.{8}66747970/],
	['video/webm', /^1a45dfa3/],
	['application/pdf', /^25504446/],
];
const starts: ReadonlyArray<readonly [type: string, start: RegExp]> = [
	['text/html', /^\s*<(!doctype html|html|head|body)/i],
	['application/xml', /^\s*<[?!\w]/],
	['application/json', /^\s*[[{]/],
	['text/plain', /^[\s\x20-\x7e]+$/],
];

/** By how many of its first bytes the type of a file is told. */
export const HEAD_BYTES = 512;

/** The type of a file by its first bytes; undefined where they say nothing. */
export function typeOfBytes(bytes: Buffer): string | undefined {
	const head = bytes.subarray(0, HEAD_BYTES);
	const media = signatures.find(([, start]) => start.test(head.toString('hex')))?.[0];
	return media ?? starts.find(([, start]) => start.test(head.toString('utf8')))?.[0];
}

/** Types that are no media anywhere: pages, data and plain text. */
export const isText = (type: string): boolean =>
	/^text\/|[/+](json|xml)$|^application\/(javascript|x-ndjson|rtf)$/.test(type);
