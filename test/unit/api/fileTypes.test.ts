import fc from 'fast-check';

import {
	isText,
	mediaType,
	proportionsOf,
	safeName,
	typeOfBytes,
	withEnding,
	withoutQuery,
} from '../../../nodes/api/fileTypes';
import { runs } from '../../support/property';

test.each([
	['https://user:password@a.example:8443/b?c=1#d', 'https://a.example:8443/b'],
	['mailto:a?b=1', 'mailto:a'],
	['blob:https://a.example/1#2', 'blob:https://a.example/1'],
	['file:///tmp/a.jpg', 'file:///tmp/a.jpg'],
	['ftp://user:password@a.example/b?c', 'ftp://a.example/b'],
	['no address?token=1', 'no address'],
	[`${'x'.repeat(200)}#`, 'x'.repeat(100)],
	[`http://a.example/${'x'.repeat(100)}?c`, `http://a.example/${'x'.repeat(100)}`],
])('%s may be shown as %s', (address, shown) => expect(withoutQuery(address)).toBe(shown));

test.each([
	['IMAGE/PNG ; q=1', 'a.mp4', 'image/png'],
	['', 'a.JPEG', 'image/jpeg'],
	['application/octet-stream', 'a.b.webm', 'video/webm'],
	['binary/octet-stream', 'a.heic', 'image/heic'],
	['text/plain', 'a.mov', 'video/quicktime'],
	['text/plain', 'a.txt', 'text/plain'],
	['', 'a', 'application/octet-stream'],
	['', 'mov', 'application/octet-stream'],
	['image/jpeg, image/jpeg', 'a', 'image/jpeg'],
	...[
		'image/*',
		'*/*',
		'binary',
		'image',
		'application/unknown',
		'unknown/unknown',
		'application/download',
	].map((vague): [string, string, string] => [vague, 'a.gif', 'image/gif']),
	['', 'constructor', 'application/octet-stream'],
	// n8n's binary data of a node that names no type.
	[undefined, 'a.png', 'image/png'],
	[undefined, 'a', 'application/octet-stream'],
	['IMAGE/JPG', 'a', 'image/jpeg'],
	['image/pjpeg', 'a', 'image/jpeg'],
	['image/jpg; charset=binary', 'a', 'image/jpeg'],
])('what is said to be %j, by the name of %s, is %s', (said, name, type) =>
	expect(mediaType(said, name)).toBe(type),
);

test.each([
	['photo', 'image/jpeg', 'photo.jpg'],
	['photo.', 'image/png', 'photo.png'],
	['clip', 'video/quicktime', 'clip.mov'],
	['Plum jam, 3 for 2', 'video/mp4', 'Plum jam, 3 for 2.mp4'],
	['2026.12.25', 'image/webp', '2026.12.25.webp'],
	['v1.2', 'image/gif', 'v1.2.gif'],
	['data.tmp', 'image/jpeg', 'data.jpg'],
	['photo.php', 'image/jpeg', 'photo.jpg'],
	['photo.asp', 'image/jpeg', 'photo.jpg'],
	['photo.jsp', 'image/jpeg', 'photo.jpg'],
	['Image.ashx', 'image/png', 'Image.png'],
	['photo.download', 'image/png', 'photo.download.png'],
	['photo.jpeg', 'image/jpeg', 'photo.jpeg'],
	['photo.heif', 'image/heic', 'photo.heif'],
	['photo', 'image/x-new', 'photo'],
	['日本', 'application/pdf', '日本.pdf'],
])('%s of the type %s is called %s', (name, type, called) => expect(withEnding(name, type)).toBe(called));

test('a name has no folders and no control characters, and is at most 200 long', () => {
	expect(safeName('a/b\\c\u0000d\n.png')).toBe('a_b_c_d_.png');
	expect(safeName(`${'x'.repeat(300)}.png`)).toBe(`${'x'.repeat(196)}.png`);
	expect(safeName('')).toBe('file');
});

test('a long name of emoji has no half of one', () => {
	expect(safeName(`${'😀'.repeat(130)}a.png`)).toBe(`_${'😀'.repeat(97)}a.png`);
	expect(withEnding('😀'.repeat(100) + 'a', 'image/png')).toBe(`_${'😀'.repeat(94)}a.png`);
});

test.each([
	['89504e470d0a1a0a00', 'image/png'],
	['ffd8ffe000104a46', 'image/jpeg'],
	['474946383961', 'image/gif'],
	['524946460000000057454250', 'image/webp'],
	['00000018667479706d703432', 'video/mp4'],
	['000000146674797071742020', 'video/quicktime'],
	['1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'video/webm'],
	// Its length in two bytes.
	['1a45dfa342824004' + '7765626d', 'video/webm'],
	['1a45dfa3a34286810142f7810142f2810442f3810842828' + '86d6174726f736b61', 'video/x-matroska'],
	// A title.
	['1a45dfa37765626d', 'video/x-matroska'],
	['1a45dfa3', 'video/x-matroska'],
	['255044462d312e37', 'application/pdf'],
	['504b030414', 'application/zip'],
	['00000018667479704d344120', 'audio/mp4'],
	['00000008667265650000', 'video/quicktime'],
	['0000001c66747970336770', 'video/mp4'],
	['524946460000000041564920', 'video/x-msvideo'],
	['524946460000000057415645', undefined],
	['424d3600000000000000', 'image/bmp'],
	['424d36000000deadbeef', undefined],
	['49492a0008', 'image/tiff'],
	['4d4d002a00', 'image/tiff'],
	[`47${'00'.repeat(187)}47`, 'video/mp2t'],
	[`47${'00'.repeat(187)}48`, undefined],
	['3026b2758e66cf11', 'video/x-ms-wmv'],
	['d0cf11e0a1b1', 'application/msword'],
	['1f8b0800', undefined],
	// A video of an old camera, pictures of a phone, an animated AVIF.
	['00000014706e6f7400', 'video/quicktime'],
	['00000008736b697000', 'video/quicktime'],
	['000000186674797068656973', 'image/heic'],
	['000000186674797068657663', 'image/heic'],
	['000000186674797061766973', 'image/avif'],
	['000000186674797061766966', 'image/avif'],
	['0000001c667479706d69663100000000617669666d696631', 'image/avif'],
	['0000001c667479706d69663100000000686569636d696631', 'image/heic'],
	['ff', undefined],
	['ffd8', undefined],
	['0001fe', undefined],
])('a file that begins with %s is %s', (hex, type) =>
	expect(typeOfBytes(Buffer.from(hex, 'hex'))).toBe(type),
);

test.each([
	[' <!DOCTYPE html><p>', 'text/html'],
	['<?xml version="1.0"?>', 'application/xml'],
	['{"error":"no"}', 'application/json'],
	['Not Found', 'text/plain'],
	['<!-- a --> <!-- b --><html>', 'text/html'],
	[`${'<!---->'.repeat(70)}<p>`, 'application/xml'],
	[`${'<!a>'.repeat(120)}`, 'application/xml'],
	[`${' '.repeat(500)}\0`, undefined],
	['<svg xmlns="a">', 'image/svg+xml'],
	['<?xml version="1.0"?>\n<!-- by hand -->\n<svg>', 'image/svg+xml'],
	[`${'a'.repeat(511)}ü`, 'text/plain'],
	['a\u0000b', undefined],
	// Bytes of an unknown kind of file may begin with any character.
	['[1, 2, 3\n\t]', 'application/json'],
	['[\u0000\u0001', undefined],
	['{a\nb\u007f', undefined],
	['<a\u0002', undefined],
])('%j is %s', (text, type) => expect(typeOfBytes(Buffer.from(text))).toBe(type));

test.each([
	[true, 'text/html application/json application/ld+json image/svg+xml'],
	[false, 'application/pdf image/png application/octet-stream'],
	// Nor those whose names have the name of a text in them.
	[false, 'richtext/video application/json.zip x-application/rtf application/rtfd'],
])('types that are texts (%s): %s', (is, types) => {
	for (const type of types.split(' ')) expect([type, isText(type)]).toEqual([type, is]);
});

describe('width by height', () => {
	const hex = (...parts: string[]) => Buffer.from(parts.join('') + '00'.repeat(20), 'hex');
	const be = (value: number, bytes: number) => value.toString(16).padStart(2 * bytes, '0');
	const frame = (marker: string, width: number, height: number) =>
		`ff${marker}001108${be(height, 2)}${be(width, 2)}03`;
	/** Behind a segment of metadata of so many bytes. */
	const jpeg = (width: number, height: number, marker = 'c0', metadata = 16) =>
		hex('ffd8', `ffe1${be(metadata, 2)}`, '00'.repeat(metadata - 2), frame(marker, width, height));

	test('is read off any JPEG', () => {
		const side = fc.integer({ min: 1, max: 16_000 });
		fc.assert(
			fc.property(side, side, fc.integer({ min: 2, max: 60_000 }), (width, height, metadata) => {
				for (const marker of ['c0', 'c2'])
					expect(proportionsOf(jpeg(width, height, marker, metadata))).toBe(width / height);
			}),
			runs(50),
		);
	});

	test.each<[string, Buffer]>([
		['a JPEG that was read to the end of its sides', jpeg(4, 3, 'c0', 40).subarray(0, 53)],
		['a JPEG with the last marker of a frame', jpeg(4, 3, 'cf')],
		['a JPEG with a fill byte before its frame', hex('ffd8', 'ff', frame('c0', 4, 3))],
		['a JPEG with a segment of the first marker', hex('ffd8', 'ff0100040000', frame('c0', 4, 3))],
	])('is read off %s', (_what, bytes) => expect(proportionsOf(bytes)).toBe(4 / 3));

	test.each<[string, Buffer]>([
		['no picture', Buffer.from('Not Found, sorry for that, really')],
		['a GIF', Buffer.from(`GIF89a${'\0'.repeat(40)}`)],
		['nothing', Buffer.alloc(0)],
		['less than its frame', jpeg(1, 2).subarray(0, 28)],
		['a picture without height', jpeg(100, 0)],
		['a picture without width', jpeg(0, 100)],
		['a PNG', hex('89504e470d0a1a0a', '0000000d49484452', be(4, 4), be(3, 4))],
		['a JPEG whose frame is behind what was read', jpeg(4, 3, 'c0', 60_000).subarray(0, 4096)],
		['a JPEG without a frame', jpeg(4, 3, 'c4')],
		['a JPEG that is broken', hex('ffd8', 'ffe10000', 'ab'.repeat(40))],
		['a JPEG that ends within its frame', jpeg(4, 3, 'c0', 40).subarray(0, 52)],
		[
			'a JPEG with something else before its frame',
			hex('ffd8', 'ffe10002', frame('c0', 4, 3).replace('ff', '00')),
		],
		['a JPEG of fill bytes', hex('ffd8', 'ff'.repeat(60))],
	])('is not known of %s', (_what, bytes) => expect(proportionsOf(bytes)).toBeUndefined());
});
