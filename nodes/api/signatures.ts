/** What media files begin with, in hex. */
const signatures: ReadonlyArray<readonly [type: string, start: RegExp]> = [
	['image/jpeg', /^ffd8ff/],
	['image/png', /^89504e470d0a1a0a/],
	['image/gif', /^474946383[79]61/],
	['image/webp', /^52494646.{8}57454250/],
	['image/avif', /^.{8}6674797061766966/],
	['image/heic', /^.{8}66747970(68656963|68656978|6d696631|6d736631)/],
	['image/bmp', /^424d.{8}00000000/],
	['image/tiff', /^(49492a00|4d4d002a)/],
	['video/quicktime', /^.{8}(6674797071742020|6d6f6f76|77696465|6d646174|66726565)/],
	['audio/mp4', /^.{8}667479704d3441/],
	['video/mp4', /^.{8}66747970/],
	['video/webm', /^1a45dfa3/],
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
	return media ?? starts.find(([, start]) => start.test(head.toString('utf8')))?.[0];
}

/** Types that are no media anywhere: pages, data and plain text. */
export const isText = (type: string): boolean =>
	/^text\/|[/+](json|xml)$|^application\/(javascript|x-ndjson|rtf)$/.test(type);

/** Width by height of a PNG, JPEG or WebP; undefined where its first bytes don't say so. */
export function proportionsOf(bytes: Buffer): number | undefined {
	const size = bytes.length < 30 ? undefined : sizes.get(typeOfBytes(bytes) ?? '');
	const [width, height] = size?.(bytes) ?? [];
	return width && height ? width / height : undefined;
}

const sizes = new Map<string, (bytes: Buffer) => number[]>([
	['image/png', (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]],
	['image/webp', webpSize],
	['image/jpeg', jpegSize],
]);

function webpSize(bytes: Buffer): number[] {
	const form = bytes.toString('latin1', 12, 16);
	if (form === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
	if (form === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
	const packed = bytes.readUInt32LE(21);
	return [(packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1];
}

/** Segment by segment up to the frame's. */
function jpegSize(bytes: Buffer): number[] {
	for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
		const marker = bytes[at + 1]!;
		const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
		if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
		at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
	}
	return [];
}
