import { remoteName, safeName, typeOfBytes, withEnding, withoutQuery } from '../../../nodes/api/fileTypes';

test.each([
	['https://me:pw@a.example/b.png?sig=1#c', 'https://a.example/b.png'],
	['no address?a', 'no address'],
])('%s is shown as %s', (url, shown) => expect(withoutQuery(url)).toBe(shown));

const url = 'https://a.example/photos/jam%20jar.png?sig=1';
test.each([
	['', 'jam jar.png'],
	['attachment; filename="plum.png"', 'plum.png'],
	['attachment; filename=plum.png; size=1', 'plum.png'],
	["attachment; filename=a.png; filename*=UTF-8''caf%C3%A9.png", 'café.png'],
	['attachment; filename="../../etc/passwd"', '.._.._etc_passwd'],
])('with Content-Disposition %j, the file is called %s', (disposition, name) =>
	expect(remoteName(url, disposition)).toBe(name),
);

test('a name is short enough for any store, and has the ending of its type', () => {
	expect(safeName('a'.repeat(300))).toHaveLength(200);
	expect(safeName('')).toBe('file');
	expect(withEnding('download', 'image/png')).toBe('download.png');
	expect(withEnding('a.jpeg', 'image/png')).toBe('a.jpeg');
});

test.each([
	['ffd8ffe0', 'image/jpeg'],
	['89504e470d0a1a0a', 'image/png'],
	['474946383961', 'image/gif'],
	['524946460000000057454250', 'image/webp'],
	['000000206674797061766966', 'image/avif'],
	['000000206674797068656963', 'image/heic'],
	['00000020667479706d703432', 'video/mp4'],
	['000000206674797071742020', 'video/quicktime'],
	['1a45dfa3', 'video/webm'],
	['255044462d', 'application/pdf'],
	[Buffer.from('\n<!DOCTYPE html>').toString('hex'), 'text/html'],
	[Buffer.from('<?xml version="1.0"?>').toString('hex'), 'application/xml'],
	[Buffer.from('{"error":1}').toString('hex'), 'application/json'],
	[Buffer.from('Not Found').toString('hex'), 'text/plain'],
	['00', undefined],
])('a file that begins with %s is %s', (hex, type) =>
	expect(typeOfBytes(Buffer.from(hex, 'hex'))).toBe(type),
);
