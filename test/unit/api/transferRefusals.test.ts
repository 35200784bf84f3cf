import type { IDataObject } from 'n8n-workflow';

import type { Failure } from '../../../nodes/api/failure';
import { contentTypeOf, emptyFile, sourceRefusal, storeRefusal } from '../../../nodes/api/transferRefusals';

const PHOTO = 'https://cdn.example/photo%201.png?token=secret';
const png = Buffer.from('89504e470d0a1a0a', 'hex');

describe('the type of a file, as announced, else by its bytes, else by its name', () => {
	const typeOf = async (said: string, bytes: Buffer, name = 'a') =>
		await contentTypeOf(said, PHOTO, async () => await Promise.resolve(bytes), name);

	const unknown = Buffer.from([0]);
	test.each<[said: string, bytes: Buffer, name: string, contentType: string]>([
		['IMAGE/PNG; charset=binary', unknown, 'a', 'image/png'],
		['image/jpg', png, 'a.png', 'image/jpeg'],
		...['', '*/*', 'binary/octet-stream', 'text/plain'].map((vague): [string, Buffer, string, string] => [
			...([vague, png, 'a.jpg', 'image/png'] as const),
		]),
		['application/octet-stream', unknown, 'a.JPG', 'image/jpeg'],
		['application/octet-stream', unknown, 'a', 'application/octet-stream'],
		['', unknown, 'a.constructor', 'application/octet-stream'],
	])('%s, with bytes %j and the name %s: %s', async (said, bytes, name, contentType) =>
		expect(await typeOf(said, bytes, name)).toBe(contentType),
	);

	test.each<[string, string, string]>([
		['text/html', 'x', 'NODE_SOURCE_IS_PAGE'],
		['', '<!doctype html>', 'NODE_SOURCE_IS_PAGE'],
		['application/json', '{}', 'NODE_NO_MEDIA'],
		['image/svg+xml', '<svg/>', 'NODE_NO_MEDIA'],
		['application/octet-stream', '{"error":1}', 'NODE_NO_MEDIA'],
		['text/plain', 'plain', 'NODE_NO_MEDIA'],
		['', '', 'NODE_FILE_EMPTY'],
	])(
		'announced as %s, %j is refused: %s',
		async (said, text, code) =>
			await expect(typeOf(said, Buffer.from(text))).rejects.toMatchObject({ details: { code } }),
	);
});

test.each<[string, string, RegExp, RegExp]>([
	[
		PHOTO,
		'text/html',
		/photo%201\.png is a web page, not an image or a video$/,
		/Google Drive, Dropbox and OneDrive/,
	],
	['data', 'text/csv', /^'data' is of the type text\/csv, not an image/, /node that created the file/],
])('%s of the type %s is no media', async (from, type, message, hint) => {
	const refused = contentTypeOf(type, from, async () => await Promise.resolve(png), 'a');
	const { details } = (await refused.catch((error: unknown) => error)) as Failure;
	expect(details).toMatchObject({
		message: expect.stringMatching(message),
		hint: expect.stringMatching(hint),
	});
	expect(details.message).not.toContain('token');
});

test.each<[number, IDataObject, Partial<Failure['details']> | undefined]>([
	[200, {}, undefined],
	[200, { 'content-length': '0' }, { code: 'NODE_FILE_EMPTY' }],
	[206, {}, { code: 'NODE_SOURCE_REFUSED', status: 206, retryable: false }],
	[403, {}, { code: 'NODE_SOURCE_REFUSED', status: 403, retryable: false }],
	[503, { 'retry-after': '5' }, { code: 'NODE_SOURCE_REFUSED', retryable: true, retry_after_seconds: 5 }],
])('a source that answers %d with %j', (status, headers, details) => {
	const failure = sourceRefusal(PHOTO, status, headers);
	if (details) expect(failure!.details).toMatchObject(details);
	else expect(failure).toBeUndefined();
	expect(failure?.message ?? '').not.toContain('token');
});

test.each<[number, string, boolean]>([
	[200, 'NODE_UPLOAD_CUT', false],
	...[400, 401, 403].map((status): [number, string, boolean] => [status, 'NODE_UPLOAD_FORBIDDEN', false]),
	[411, 'NODE_UPLOAD_REFUSED', false],
	[503, 'NODE_UPLOAD_REFUSED', true],
])('a store that answers %d: %s', (status, code, retryable) =>
	expect(storeRefusal('a.png', status).details).toMatchObject({ code, status, retryable }),
);

test('an empty file says where it comes from', () => {
	expect(emptyFile('data').message).toBe("'data' is empty");
	expect(emptyFile(PHOTO).message).toBe('https://cdn.example/photo%201.png answered with an empty file');
});
