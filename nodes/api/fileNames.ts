/** What files are called, and what type they are of. */

/** An address as it may be shown: without user, password, query and fragment. */
export function withoutQuery(url: string): string {
	if (!URL.canParse(url)) return url.split(/[?#]/)[0]!.slice(0, 100);
	const { origin, pathname, protocol } = new URL(url);
	return origin === 'null' ? `${protocol}${pathname.slice(0, 100)}` : `${origin}${pathname}`;
}

/** The upload address of an answer to `/media/upload-url` (its name is not shown in the spec). */
export const uploadUrlNames = ['upload_url', 'uploadUrl', 'signed_url', 'url'] as const;

const extensions: Readonly<Record<string, string>> = {
	avif: 'image/avif',
	gif: 'image/gif',
	heic: 'image/heic',
	jpeg: 'image/jpeg',
	jpg: 'image/jpeg',
	m4v: 'video/x-m4v',
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
	['application/x-pdf', 'application/pdf'],
]);

export function typeOf(header: string): string {
	const type = header.split(';')[0]!.trim().toLowerCase();
	return registered.get(type) ?? type;
}

/** Types that say nothing of a file: its bytes may. */
export const isVague = (type: string): boolean =>
	/^(|(application|binary)\/(octet-stream|binary|x-download|force-download)|text\/plain)$/.test(type);

/** The media type of a file: what is said of it, or by its name where that says nothing. */
export function mediaType(said: string | undefined, name: string): string {
	const type = typeOf(said ?? '');
	const byName = extensions[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
	return (isVague(type) && byName) || type || 'application/octet-stream';
}

/** A name without folders, short enough for any store. */
export const safeName = (name: string): string => name.replace(/[\p{Cc}/\\]/gu, '_').slice(-200) || 'file';

/** A name with the ending of its type, where it has none. */
export function withEnding(name: string, contentType: string): string {
	const ending = Object.keys(extensions).findLast((one) => extensions[one] === contentType);
	const bare = name.replace(/\.(bin|dat|tmp)?$/i, '');
	return ending && !/\.\d*[a-z]\w{1,4}$/i.test(bare) ? `${bare.slice(-190)}.${ending}` : name;
}

/** A file's name from `Content-Disposition`, or from its address. */
export function remoteName(url: string, disposition: string): string {
	const encoded = /(?:^|[;\s])filename\*=[\w-]*'[\w-]*'([^;]+)/i.exec(disposition)?.[1] ?? '';
	const [, quoted, plain = ''] =
		/(?:^|[;\s])filename=\s*(?:"((?:[^"\\]|\\.)*)"|([^";]+))/i.exec(disposition) ?? [];
	const own = fromBytes(quoted?.replace(/\\(.)/g, '$1') ?? plain).trim();
	const last = new URL(url).pathname.split('/').pop()!;
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
