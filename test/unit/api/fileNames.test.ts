import { mediaType, safeName, withEnding, withoutQuery } from '../../../nodes/api/fileNames';

test.each([
	['https://user:password@a.example:8443/b?c=1#d', 'https://a.example:8443/b'],
	['mailto:a?b=1', 'mailto:a'],
	['no address?token=1', 'no address'],
	[`${'x'.repeat(200)}#`, 'x'.repeat(100)],
])('%s may be shown as %s', (address, shown) => expect(withoutQuery(address)).toBe(shown));

test.each([
	['IMAGE/PNG ; q=1', 'a.mp4', 'image/png'],
	['', 'a.JPEG', 'image/jpeg'],
	['application/octet-stream', 'a.b.webm', 'video/webm'],
	['binary/octet-stream', 'a.heic', 'image/heic'],
	['text/plain', 'a.mov', 'video/quicktime'],
	['text/plain', 'a.txt', 'text/plain'],
	['', 'a', 'application/octet-stream'],
	// n8n's binary data of a node that names no type.
	[undefined, 'a.png', 'image/png'],
])('what is said to be %j, by the name of %s, is %s', (said, name, type) =>
	expect(mediaType(said, name)).toBe(type),
);

test.each([
	['photo', 'image/jpeg', 'photo.jpg'],
	['photo', 'image/png', 'photo.png'],
	['photo.', 'image/png', 'photo.png'],
	['clip', 'video/quicktime', 'clip.mov'],
	['Plum jam, 3 for 2', 'video/mp4', 'Plum jam, 3 for 2.mp4'],
	['2026.12.25', 'image/webp', '2026.12.25.webp'],
	['v1.2', 'image/gif', 'v1.2.gif'],
	['data.bin', 'image/png', 'data.png'],
	['data.tmp', 'image/jpeg', 'data.jpg'],
	['photo.jpeg', 'image/jpeg', 'photo.jpeg'],
	['photo.heif', 'image/heic', 'photo.heif'],
	['photo', 'image/x-new', 'photo'],
	['日本', 'application/pdf', '日本.pdf'],
])('%s of the type %s is called %s', (name, type, called) => expect(withEnding(name, type)).toBe(called));

test.each(['image/jpg', 'IMAGE/JPG', 'image/pjpeg', ' image/jpeg ', 'image/jpg; charset=binary'])(
	'%j is image/jpeg',
	(said) => expect(mediaType(said, 'a')).toBe('image/jpeg'),
);

test('a name has no folders and no control characters, and is at most 200 long', () => {
	expect(safeName('a/b\\c\u0000d\n.png')).toBe('a_b_c_d_.png');
	expect(safeName(`${'x'.repeat(300)}.png`)).toBe(`${'x'.repeat(196)}.png`);
	expect(safeName('')).toBe('file');
});
