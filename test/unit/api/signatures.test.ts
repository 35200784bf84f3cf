import { isText, typeOfBytes } from '../../../nodes/api/signatures';

test.each([
	['89504e470d0a1a0a00', 'image/png'],
	['ffd8ffe000104a46', 'image/jpeg'],
	['474946383961', 'image/gif'],
	['524946460000000057454250', 'image/webp'],
	['00000018667479706d703432', 'video/mp4'],
	['000000146674797071742020', 'video/quicktime'],
	['1a45dfa3', 'video/webm'],
	['255044462d312e37', 'application/pdf'],
	['504b030414', 'application/zip'],
	['00000018667479704d344120', undefined],
	['0001fe', undefined],
])('a file that begins with %s is %s', (hex, type) =>
	expect(typeOfBytes(Buffer.from(hex, 'hex'))).toBe(type),
);

test.each([
	[' <!DOCTYPE html><p>', 'text/html'],
	['<?xml version="1.0"?>', 'application/xml'],
	['{"error":"no"}', 'application/json'],
	['Not Found', 'text/plain'],
	['a\u0000b', undefined],
])('%j is %s', (text, type) => expect(typeOfBytes(Buffer.from(text))).toBe(type));

test.each([
	['text/html', true],
	['application/json', true],
	['application/ld+json', true],
	['image/svg+xml', true],
	['application/pdf', false],
	['image/png', false],
	['application/octet-stream', false],
])('%s is a text: %s', (type, is) => expect(isText(type)).toBe(is));
