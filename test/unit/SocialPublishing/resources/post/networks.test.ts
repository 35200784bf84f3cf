import { compact } from 'lodash';

import { platforms } from '../../../../../nodes/api/contract';
import {
	countText,
	foldOf,
	mediaWarnings,
	networks,
	textWarnings,
	type Sourced,
} from '../../../../../nodes/SocialPublishing/resources/post/networks';

test('every figure has a source', () => {
	expect(Object.keys(networks).sort()).toEqual([...platforms].sort());
	for (const { text, fold, needs, count, alone, files = [] } of Object.values(networks)) {
		const figures: Sourced[] = [...text, ...files, ...compact([fold, needs, count, alone])];
		for (const { source } of figures) expect(source).toMatch(/^https:\/\/\S+$/);
	}
});

test.each([
	['x', '日本', '4 of 280'],
	['bluesky', '👨‍👩‍👧‍👦é', '2 of 300'],
	['bluesky', '👨‍👩‍👧‍👦'.repeat(140), '3,500 of 3,000 bytes'],
	['bluesky', '👨‍👩‍👧‍👦'.repeat(120), '120 of 300'],
	['bluesky', 'e\u0301'.repeat(1500), '1,500 of 300'],
	['linkedin', '👍', '1 of 3,000'],
	['tiktok', '👍', '2 of 2,200'],
	['youtube', 'é', '2 of 5,000 bytes'],
	['facebook', '', '0 of 63,206'],
	['instagram', '', '0 of 2,200'],
	['constructor', 'Hello', ''],
])('%s counts %s: %s', (platform, text, expected) => {
	expect(countText(platform, text).characters).toBe(expected);
});

test('a text as long as an article is counted without taking all memory of the process', () => {
	expect(countText('bluesky', 'plum '.repeat(40_000)).characters).toBe('200,000 of 300');
});

test('a text is split into characters only up to where its network hides the rest', () => {
	const segments = new Intl.Segmenter().segment('')[Symbol.iterator]();
	const next = jest.spyOn(Object.getPrototypeOf(segments), 'next');
	const folds = ['x', 'instagram', 'mastodon'].map((platform) => foldOf(platform, 'é'.repeat(2000)));
	expect([folds, next.mock.calls.length]).toEqual([[undefined, 125, undefined], 126]);
	next.mockRestore();
});

test.each([
	['x', 280, undefined],
	['x', 300, 'X allows 280 characters: this text counts as 300, 20 too many'],
	['youtube', 5001, 'YouTube allows 5,000 bytes: this text counts as 5,001, 1 too many'],
	['mastodon', 100_000, undefined],
])('%s, %d characters: %s', (platform, length, warning) => {
	expect(countText(platform, 'a'.repeat(length)).warning).toBe(warning);
});

test.each([
	...[
		'[object Object]',
		'undefined',
		' null ',
		'NaN',
		'Invalid Date',
		'Invalid DateTime',
		'#REF!',
		'#N/A',
		'[object Object],[object Object]',
		'[object Promise]',
		'{{ $json.text }}',
		'={{ $json.text }}',
	].map((text): [string, string, string[]] => [
		...(['mastodon', text] as const),
		[`The whole text is '${text.trim()}': check the expression`],
	]),
	['x', 'Hello [object Object]!', ["The text contains '[object Object]': check the expression"]],
	['x', 'Hello {{ $json.name }}!', ["The text contains '{{ $json.name }}': check the expression"]],
	['x', 'New: undefined', ["The text contains 'undefined': check the expression"]],
	['x', 'undefined undefined', ["The text contains 'undefined undefined': check the expression"]],
	['x', 'null and undefined', []],
	['x', 'An undefined term: what it means', []],
	['x', 'Big news!\\n\\nWe are live', ["The text contains '\\n': it should be a line break"]],
	['x', 'Save it to C:\\notes, or match \\d+', []],
	['x', '```\nHello\n```', ["The text contains '```': remove the code fence"]],
	['x', 'Fish &amp; chips', ["The text contains '&amp;': use a field without HTML"]],
	['x', 'One<br />Two', ["The text contains '<br />': use a field without HTML"]],
	['x', 'a < b, p > q, <3, R&D; and <a b', []],
	['x', '{"post": "Hello"}', ['The whole text is JSON: choose the field that holds the text']],
	['x', '[Update] {live}', []],
	['x', '#REF! in the sheet', []],
	['x', '#NA', []],
	['x', 'Write {{ name }} there', []],
])('%s, text %j: %j', (platform, text, warnings) => expect(textWarnings(platform, text)).toEqual(warnings));

const MB = 1024 ** 2;
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `${n}.jpg` }));
test.each([
	['instagram', [], ['Instagram posts need an image or a video: this one has none']],
	['youtube', [], ['YouTube posts need a video: this one has none']],
	['instagram', [{ name: 'a.jpg', sizeBytes: 8 * MB }, { name: 'b.mov' }], []],
	[
		'instagram',
		[{ name: 'a', contentType: 'image/png', sizeBytes: 8 * MB + 1 }],
		[
			"Instagram takes only JPEG images: 'a' is image/png",
			"Instagram takes images of up to 8 MB: 'a' has 8.1 MB",
		],
	],
	['instagram', [{ name: 'a.webm' }], ["Instagram takes only MP4, MOV videos: 'a.webm' is video/webm"]],
	[
		'tiktok',
		[{ name: 'https://example.com/a.png?key=secret' }, { name: 'a #1.png' }],
		[
			"TikTok takes only JPEG, WEBP images: 'https://example.com/a.png' is image/png",
			"TikTok takes only JPEG, WEBP images: 'a #1.png' is image/png",
		],
	],
	['youtube', [{ name: 'a.png' }], ["YouTube takes no images: 'a.png' is image/png"]],
	['x', [{ name: 'a.gif', sizeBytes: 16 * MB }], ["X takes GIFs of up to 15 MB: 'a.gif' has 16 MB"]],
	[
		'x',
		[{ name: 'a.mp4', contentType: 'video/mp4; codecs=avc1', sizeBytes: 1024 * MB }],
		["X takes videos of up to 512 MB: 'a.mp4' has 1,024 MB"],
	],
	// Nothing is known of these.
	['x', [{ name: 'a' }], []],
	['x', [{ name: 'a.pdf' }], ["X takes no such files: 'a.pdf' is application/pdf"]],
	['x', [{ name: 'a.jpg' }, { name: 'b.mp4' }], ['X takes a video only by itself: this post has 2 files']],
	['x', [{ name: 'a.mp4' }, { name: 'b.mp4' }], ['X takes a video only by itself: this post has 2 files']],
	['x', [{ name: 'a.gif' }, { name: 'b.jpg' }], ['X takes a GIF only by itself: this post has 2 files']],
	['x', many(4), []],
	['instagram', [{ name: 'a.jpg' }, { name: 'b.mp4' }], []],
	[
		'bluesky',
		[{ name: 'a.jpg' }, { name: 'b.mp4' }],
		['Bluesky takes a video only by itself: this post has 2 files'],
	],
	['linkedin', [{ name: 'a.pdf' }], []],
	[
		'linkedin',
		[{ name: 'a.pdf', sizeBytes: 101 * MB }],
		["LinkedIn takes documents of up to 100 MB: 'a.pdf' has 101 MB"],
	],
	[
		'linkedin',
		[{ name: 'a', contentType: 'application/zip' }],
		["LinkedIn takes no such files: 'a' is application/zip"],
	],
	[
		'facebook',
		[{ name: 'a', contentType: 'audio/mpeg' }],
		["Facebook takes no such files: 'a' is audio/mpeg"],
	],
	[
		'instagram',
		[{ name: 'a.heic', contentType: 'image/heic' }],
		["Instagram takes only JPEG images: 'a.heic' is image/heic"],
	],
	['facebook', [{ name: 'a.jpg', contentType: 'image/jpeg' }], []],
	['bluesky', [{ name: 'a.webp', sizeBytes: 2 * MB }], []],
	[
		'bluesky',
		[{ name: 'a.jpg', sizeBytes: 3 * MB }],
		["Bluesky takes images of up to 2 MB: 'a.jpg' has 3 MB"],
	],
	['x', many(5), ['X takes up to 4 files: this post has 5']],
	['instagram', many(10), []],
	// Schedulers disagree on how many.
	['facebook', many(30), []],
	['instagram', many(15), ['Instagram takes up to 10 files: this post has 15']],
	['bluesky', many(11), ['Bluesky takes up to 10 files: this post has 11']],
	['youtube', [{ name: 'a.mp4' }, { name: 'b.mp4' }], ['YouTube takes up to 1 file: this post has 2']],
	['mastodon', [], []],
	['mastodon', [{ name: 'a.pdf' }], []],
])('%s, files %j: %j', (platform, files, warnings) => {
	expect(mediaWarnings(platform, files)).toEqual(warnings);
});

test.each([
	['facebook', 'video/mpeg', 'an MPEG'],
	['linkedin', 'video/vnd.avi', 'an AVI as n8n tells it by its bytes'],
	['linkedin', 'video/msvideo', 'an AVI as some servers call it'],
	['linkedin', 'video/avi', 'an AVI'],
	['instagram', 'video/x-m4v', 'an MP4 as Apple calls it'],
	['bluesky', 'video/quicktime', 'a film of an iPhone, of which Bluesky makes an MP4'],
])('%s: no warning of %s, which is %s', (platform, contentType) =>
	expect(mediaWarnings(platform, [{ name: 'clip', contentType }])).toEqual([]),
);

test('a file that is called .m4v is an MP4', () => {
	expect(mediaWarnings('instagram', [{ name: 'https://example.com/clip.m4v' }])).toEqual([]);
});
