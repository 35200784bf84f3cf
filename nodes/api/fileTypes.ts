import { compact } from 'lodash';

/** What files are called, and what type they are of. */

/** An address as it may be shown: without user, password, query and fragment. */
export function withoutQuery(url: string): string {
	if (!/^https?:/i.test(url) || !URL.canParse(url))
		return url
			.split(/[?#]/)[0]!
			.slice(0, 100)
			.replace(/\/\/[^/]*@/, '//');
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}

/** The upload address of an answer to `/media/upload-url` (its name is not shown in the spec). */
export const uploadUrlNames = ['upload_url', 'uploadUrl', 'signed_url', 'url'] as const;

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

/** Names that clients give to registered types. */
const registered = new Map([
	['image/jpg', 'image/jpeg'],
	['image/pjpeg', 'image/jpeg'],
	['image/x-png', 'image/png'],
	['application/mp4', 'video/mp4'],
	['video/x-m4v', 'video/mp4'],
	['video/mov', 'video/quicktime'],
	['video/avi', 'video/x-msvideo'],
	['video/msvideo', 'video/x-msvideo'],
	['video/vnd.avi', 'video/x-msvideo'],
	['application/x-pdf', 'application/pdf'],
]);

export function typeOf(header: string): string {
	const type = header.split(/[;,]/)[0]!.trim().toLowerCase();
	return registered.get(type) ?? type;
}

/** Types that say nothing of a file: its bytes may. */
export const isVague = (type: string): boolean =>
	/^([^/]*|.*\*.*|(application|binary|unknown)\/(octet-stream|(x-)?(binary|(force-)?download|unknown))|text\/plain)$/.test(
		type,
	);

/** The media type of a file: what is said of it, or by its name where that says nothing. */
export function mediaType(said: string | undefined, name: string): string {
	const type = typeOf(said ?? '');
	const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
	const byName = Object.hasOwn(extensions, ending) && extensions[ending];
	return (isVague(type) && byName) || type || 'application/octet-stream';
}

/** A name without folders, short enough for any store; an emoji that is cut in two is no text to a database. */
export const safeName = (name: string, most = 200): string =>
	name.slice(-most).replace(/[\p{Cc}\p{Cs}/\\]/gu, '_') || 'file';

/** A name with the ending of its type, where it has none, or that of a program that makes files. */
export function withEnding(name: string, contentType: string): string {
	const ending = Object.keys(extensions).findLast((one) => extensions[one] === contentType);
	const bare = name.replace(/\.(ashx|aspx?|bin|cgi|dat|do|jspx?|php|tmp)?$/i, '');
	return ending && !/\.\d*[a-z]\w{1,4}$/i.test(bare) ? `${safeName(bare, 190)}.${ending}` : name;
}

/** A file's name from `Content-Disposition`, or from its address. */
export function remoteName(url: string, disposition: string): string {
	// Some servers have spaces around `=`, and quotes where none belong.
	const encoded = /(?:^|[;\s])filename\*\s*=\s*"?[\w-]*'[\w-]*'([^;"]+)/i.exec(disposition)?.[1] ?? '';
	const [, quoted, plain = ''] =
		/(?:^|[;\s])filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^";]+))/i.exec(disposition) ?? [];
	const own = fromBytes(quoted?.replace(/\\(.)/g, '$1') ?? plain).trim();
	const last = compact(new URL(url).pathname.split('/')).pop() ?? '';
	const bytes = encoded.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
	return safeName(fromBytes(bytes).trim() || own || decoded(last));
}

/** Bytes that were read as Latin-1, as headers are: UTF-8 where they are that. */
function fromBytes(text: string): string {
	const utf8 = /[^\0-\xff]/.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');
	return utf8.includes('\ufffd') ? text : utf8;
}

/** A text without percent-encoding; as it is where a percent sign stands for itself. */
export function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** What media files begin with, in hex. */
const signatures: ReadonlyArray<readonly [type: string, start: RegExp]> = [
	['image/jpeg', /^ffd8ff/],
	['image/png', /^89504e470d0a1a0a/],
	['image/gif', /^474946383[79]61/],
	['image/webp', /^52494646.{8}57454250/],
	// Also of the brand of HEIF, where AVIF is among those that the file is compatible with.
	['image/avif', /^.{8}66747970(617669(66|73)|6d696631.{8}(.{8}){0,7}61766966)/],
	['image/heic', /^.{8}66747970(686569[6373]|68657663|68657678|6d696631|6d736631)/],
	['image/bmp', /^424d.{8}00000000/],
	['image/tiff', /^(49492a00|4d4d002a)/],
	['video/quicktime', /^.{8}(6674797071742020|6d6f6f76|77696465|6d646174|66726565|736b6970|706e6f74)/],
	['audio/mp4', /^.{8}667479704d3441/],
	['video/mp4', /^.{8}66747970/],
	['video/webm', /^1a45dfa3.*4282.{2,16}7765626d/],
	['video/x-matroska', /^1a45dfa3/],
	['video/mpeg', /^000001b[a3]/],
	['video/mp2t', /^47.{374}47/],
	['video/x-msvideo', /^52494646.{8}415649/],
	['video/x-ms-wmv', /^3026b2758e66cf11/],
	['video/x-flv', /^464c5601/],
	['application/pdf', /^255044462d/],
	['application/msword', /^d0cf11e0/],
	['application/zip', /^504b0304/],
	['audio/mpeg', /^(494433|fff[b32])/],
];

const starts: ReadonlyArray<readonly [type: string, start: RegExp]> = [
	['text/html', /^\s*(<!--(?:(?!-->)[^])*-->\s*)*<(!doctype html|html|head|body)/i],
	['image/svg+xml', /^\s*(<[?!][^>]*>\s*)*<svg\b/i],
	// The first character alone says nothing: in a text, none of the others is a control character.
	['application/xml', /^(?!.*[^\s\P{Cc}])\s*<[?!\w]/su],
	['application/json', /^(?!.*[^\s\P{Cc}])\s*[[{]/su],
	// Nothing but what can stand in a text; the last character may be cut off.
	['text/plain', /^(?!\ufffd|.*\ufffd.)[\s\P{Cc}]+$/su],
];

/** By how many of its first bytes the type of a file is told. */
export const HEAD_BYTES = 512;

/** The type of a file by its first bytes, a text's too; undefined where they say nothing. */
export function typeOfBytes(bytes: Buffer): string | undefined {
	const head = bytes.subarray(0, HEAD_BYTES);
	const media = signatures.find(([, start]) => start.test(head.toString('hex')))?.[0];
	return media ?? starts.find(([, start]) => start.test(head.toString('utf8')))?.[0];
}

/** Types that are no media anywhere: pages, data and plain text. */
export const isText = (type: string): boolean =>
	/^text\/|[/+](json|xml)$|^application\/(javascript|x-ndjson|rtf)$/.test(type);

/** Width by height of a JPEG, segment by segment up to the frame's: the only files whose shape a network is known to refuse. */
export function proportionsOf(bytes: Buffer): number | undefined {
	if (typeOfBytes(bytes) !== 'image/jpeg') return undefined;
	for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
		const marker = bytes[at + 1]!;
		const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
		const height = bytes.readUInt16BE(at + 5);
		if (isFrame) return (height && bytes.readUInt16BE(at + 7) / height) || undefined;
		at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
	}
	return undefined;
}
