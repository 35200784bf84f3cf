import { refuseText, sharePageOf, sourceRefusal, storeRefusal } from '../../../nodes/api/transferRefusals';
import { failureOf } from '../../support/failure';

const STORE = 'https://store.example.com/1?signature=abc';
const PHOTO = 'https://a.example/folder/photo%201.png?token=1';
const page = /is a web page, not an image/;
const other = /the URL of the file itself.*private browser/;

const trouble = /store is unavailable/;
const check = /name, type and size/;
test.each<[number, string, boolean, RegExp, RegExp]>([
	[199, 'REFUSED', false, /answered 199/, check],
	[400, 'REFUSED', false, /answered 400 to the upload of 'a\.png' \(TooSmall\)$/, check],
	[429, 'REFUSED', true, /answered 429/, trouble],
	[500, 'REFUSED', true, /answered 500/, trouble],
	[200, 'CUT', false, /answered before it had all of 'a\.png' \(TooSmall\)$/, /again/],
	[300, 'REFUSED', false, /answered 300/, check],
	[403, 'FORBIDDEN', false, /rejected 'a\.png' \(TooSmall\): the upload URL has expired/, /the clock/],
])('a store that answers %d: NODE_UPLOAD_%s, retried: %s', (status, code, retryable, message, hint) => {
	const body = `<Error><Code>TooSmall</Code><Url>${STORE}</Url></Error>`;
	const { details } = storeRefusal('a.png', status, body);
	expect(details).toEqual({
		...{ code: `NODE_UPLOAD_${code}`, status, retryable },
		...{ message: expect.stringMatching(message), hint: expect.stringMatching(hint) },
	});
	expect(JSON.stringify(details)).not.toContain('signature');
});

test.each([
	[400, '<Error><Code>ExpiredToken</Code></Error>', 'FORBIDDEN'],
	[400, '{"statusCode":"400","error":"InvalidJWT","message":"jwt expired"}', 'FORBIDDEN'],
	[400, '{"statusCode":"400","message":"\\"exp\\" claim timestamp check failed"}', 'FORBIDDEN'],
	[401, '{"message":"The signature has expired"}', 'FORBIDDEN'],
	[404, '{"message":"The signature has expired"}', 'REFUSED'],
	[400, 'The Content-Type is wrong', 'REFUSED'],
])('a store that answers %d with %s: NODE_UPLOAD_%s', (status, body, code) => {
	expect(storeRefusal('a.png', status, body).details.code).toBe(`NODE_UPLOAD_${code}`);
});

test.each([{ Code: 'A' }, `${' '.repeat(2000)}<Code>A</Code>`, '<Code>A-1</Code>', undefined])(
	'what a store says that is no short code is left out: %j',
	(body) => expect(storeRefusal('a.png', 400, body).message).toMatch(/'a\.png'$/),
);

test.each<[string, number, object, string, RegExp, RegExp?]>([
	[PHOTO, 403, {}, 'SOURCE_REFUSED', /^a\.example answered with HTTP 403 for .*photo%201\.png$/, other],
	[PHOTO, 300, {}, 'SOURCE_REFUSED', /answered with HTTP 300/],
	[PHOTO, 199, {}, 'SOURCE_REFUSED', /answered with HTTP 199/],
	[PHOTO, 500, {}, 'SOURCE_REFUSED', /answered with HTTP 500/, /unavailable or busy/],
	[PHOTO, 429, {}, 'SOURCE_REFUSED', /answered with HTTP 429/, /unavailable or busy/],
	[PHOTO, 206, {}, 'SOURCE_REFUSED', /answered with HTTP 206/, other],
	[PHOTO, 200, { 'content-length': '0' }, 'FILE_EMPTY', /photo%201\.png answered with an empty file$/, other],
	['https://www.dropbox.com/s/1?dl=0', 404, {}, 'SOURCE_REFUSED', /com\/s\/1$/, /n8n's Dropbox node/],
])('%s that answers %d with %j: NODE_%s', (address, status, headers, code, message, hint = /./) => {
	const { details } = sourceRefusal(address, status, headers as never)!;
	const retryable = status === 429 || status >= 500;
	expect(details).toEqual({
		...{ code: `NODE_${code}`, status: status === 200 ? 0 : status, retryable },
		...{ message: expect.stringMatching(message), hint: expect.stringMatching(hint) },
	});
	expect(details.message).not.toMatch(/token|dl=/);
});

test.each<[number, string, boolean]>([
	[403, '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>', true],
	[403, '<Code>ExpiredToken</Code>', true],
	[403, '{"error":"URL signature expired"}', true],
	[403, 'This link EXPIRED.', true],
	[400, '<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message>', true],
	[403, '<AuthenticationErrorDetail>Signature not valid in the specified time frame: Start', true],
	[403, 'ERROR 9408: URL signature has expired', true],
	[400, '{"error":"InvalidJWT","message":"\\"exp\\" claim timestamp check failed"}', true],
	[401, '{"code":"expired_auth_token"}', true],
	[403, 'The link will expire soon', false],
	[403, '<html>Your session has not expired, but this link is not for you', false],
	[403, 'Subscription expired: this site is suspended', false],
	[410, '', true],
	[403, '<Code>AccessDenied</Code>', false],
	[403, 'unexpired', false],
	[403, '', false],
	[404, 'Request has expired', false],
	[401, 'expired', false],
])('a source that answers %d and %j: the link has expired: %s', (status, start, hasExpired) => {
	const { details } = sourceRefusal(PHOTO, status, {}, start)!;
	expect(details.code).toBe(hasExpired ? 'NODE_LINK_EXPIRED' : 'NODE_SOURCE_REFUSED');
	if (hasExpired)
		expect(details).toMatchObject({
			...{ status, message: 'The link to https://a.example/folder/photo%201.png has expired' },
			hint: expect.stringMatching(/Fetch a new link earlier in the same run/),
		});
});

test.each([
	[PHOTO, 'text/html', page, other],
	[PHOTO, 'application/xhtml+xml', page, other],
	['https://drive.google.com/file/d/1', 'text/html', page, /Google Drive node/],
	[PHOTO, 'application/json', /photo%201\.png is JSON data, not an image or a video$/, other],
	['data', 'text/csv', /^'data' is plain text, not an image or a video$/, /node that created the file/],
	[PHOTO, 'image/svg+xml', /photo%201\.png is an SVG drawing/, /^Convert it to PNG or JPEG/],
	['data', 'application/xml', /^'data' is XML data/, /node that created the file/],
])('%s of the type %s is no media', (from, type, message, hint) => {
	const { details } = failureOf(() => refuseText(type, from));
	expect(details).toMatchObject({
		message: expect.stringMatching(message),
		hint: expect.stringMatching(hint),
	});
	expect(details.message).not.toContain('token');
	expect(() => refuseText('image/png', from)).not.toThrow();
});

test.each([
	['https://drive.google.com/file/d/1/view', 'Google Drive'],
	['https://docs.google.com/document/d/1', 'Google Drive'],
	['https://drive.google.com/uc?export=download&id=1', undefined],
	['https://www.dropbox.com/s/1/a.png?dl=0', 'Dropbox'],
	['https://www.dropbox.com/scl/fi/1/a.png?rlkey=2&dl=1', undefined],
	['https://www.dropbox.com/s/1/a.png?raw=1', undefined],
	['https://1drv.ms/i/s!1', 'OneDrive'],
	['https://example.sharepoint.com/:i:/s/1', 'OneDrive'],
	['https://example.sharepoint.com/a.png?download=1', undefined],
	['https://notdropbox.com/a.png', undefined],
	['https://dropbox.com.example.com/a.png', undefined],
	['https://docs.google.com/document/d/e/1/pub?embedded=true', 'Google Drive'],
	['https://docs.google.com/spreadsheets/d/e/1/pubchart?oid=1&format=interactive', 'Google Drive'],
	['https://example.sharepoint.com/sites/a/Shared%20Documents/Forms/AllItems.aspx?id=a.png', 'OneDrive'],
	['a.png', undefined],
])('the page that %s opens: %s', (url, name) => expect(sharePageOf(url)).toBe(name));

test.each([
	'https://example-my.sharepoint.com/personal/a/_layouts/15/download.aspx?UniqueId=1&tempauth=2',
	'https://drive.google.com/thumbnail?id=1&sz=w1000',
	'https://docs.google.com/presentation/d/1/export/pdf',
	'https://docs.google.com/document/d/1/export?format=pdf',
	'https://dl.dropbox.com/s/1/a.png',
	'https://docs.google.com/spreadsheets/d/e/1/pubchart?oid=1&format=image',
	'https://docs.google.com/drawings/d/e/1/pub?w=960&h=720',
	'https://example.sharepoint.com/sites/a/Shared%20Documents/a.png',
	'https://example.sharepoint.com/sites/a/Shared%20Documents/a.png?tempauth=2',
])("a link that downloads the file, such as those of n8n's OneDrive node, opens no page: %s", (url) =>
	expect(sharePageOf(url)).toBeUndefined(),
);
