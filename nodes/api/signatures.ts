/** What media files begin with, in hex. */
const signatures: ReadonlyArray<readonly [type: string, start: RegExp]> = [
	['image/jpeg', /^ffd8ff/],
	['image/png', /^89504e470d0a1a0a/],
	['image/gif', /^474946383[79]61/],
	['image/webp', /^52494646.{8}57454250/],
	['image/avif', /^.{8}6674797061766966/],
	['image/heic', /^.{8}66747970(68656963|68656978|6d696631|6d736631)/],
	['video/quicktime', /^.{8}(6674797071742020|6d6f6f76|77696465)/],
	['video/mp4', /^.{8}66747970(?!4d3441)/],
	['video/webm', /^1a45dfa3/],
	['video/mpeg', /^000001b[a3]/],
	['application/pdf', /^255044462d/],
	['application/zip', /^504b0304/],
	['audio/mpeg', /^(494433|fff[b32])/],
];

const texts: ReadonlyArray<readonly [type: string, start: RegExp]> = [
	['text/html', /^\s*<(!doctype html|html|head|body)/i],
	['application/xml', /^\s*<[?!\w]/],
	['application/json', /^\s*[[{]/],
	// Nothing but what can stand in a text.
	['text/plain', /^[\s\P{Cc}]+$/u],
];

/** The type of a file by its first bytes, a text's too; undefined where they say nothing. */
export function typeOfBytes(bytes: Buffer): string | undefined {
	const head = bytes.subarray(0, 512);
	const media = signatures.find(([, start]) => start.test(head.toString('hex')))?.[0];
	return media ?? texts.find(([, start]) => start.test(head.toString('utf8')))?.[0];
}

/** Types that are no media anywhere: pages, data and plain text. */
export const isText = (type: string): boolean =>
	/^text\/|[/+](json|xml)$|^application\/(javascript|x-ndjson|rtf)$/.test(type);
