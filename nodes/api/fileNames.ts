/** What files are called, and what type they are of. */

/** An address as it may be shown: without user, password, query and fragment. */
export function withoutQuery(url: string): string {
	if (!URL.canParse(url)) return url.split(/[?#]/)[0]!.slice(0, 100);
	const { origin, pathname, protocol } = new URL(url);
	return `${origin === 'null' ? protocol : origin}${pathname}`;
}

export const hostOf = (url: string): string => new URL(url).hostname;

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
	png: 'image/png',
	webm: 'video/webm',
	webp: 'image/webp',
};

export const typeOf = (header: string): string => header.split(';')[0]!.trim().toLowerCase();

/** The media type of a file: what is said of it, or by its name where that says nothing. */
export function mediaType(said: string | undefined, name: string): string {
	const type = typeOf(said ?? '');
	const vague = /^(|(application|binary)\/octet-stream|text\/plain)$/.test(type);
	const byName = extensions[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
	return (vague && byName) || type || 'application/octet-stream';
}

/** A name without folders, short enough for any store. */
export const safeName = (name: string): string => name.replace(/[\p{Cc}/\\]/gu, '_').slice(-200) || 'file';

/** A file's name from `Content-Disposition`, or from its address. */
export function remoteName(url: string, disposition: string): string {
	const encoded = /filename\*=(?:UTF-8|utf-8)''([^;]+)/.exec(disposition)?.[1];
	const plain = /filename="?([^";]+)"?/.exec(disposition)?.[1];
	const last = new URL(url).pathname.split('/').pop()!;
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
