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
		...['[object Object]', 'undefined', ' null ', 'NaN', 'Invalid Date', 'Invalid DateTime', '#REF!', '#N/A'],
		...['[object Object],[object Object]', '[object Promise]', '{{ $json.text }}', '={{ $json.text }}'],
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
const file = (name: string, sizeMb?: number, contentType?: string) => ({
	...{ name, contentType, sizeBytes: sizeMb && sizeMb * MB },
});
const files = (count: number) => Array.from({ length: count }, (_, n) => file(`${n}.jpg`));
const hidden = 'https://example.com/a.png';
test.each([
	['instagram', [], 'Instagram posts need an image or a video: this one has none'],
	['youtube', [], 'YouTube posts need a video: this one has none'],
	['mastodon', [], ''],
	['instagram', [file('a.jpg', 8), file('b.mov')], ''],
	['instagram', [file('a', 8, 'image/png')], "Instagram takes only JPEG images: 'a' is image/png"],
	['instagram', [file('a.jpg', 8.1)], "Instagram takes images of up to 8 MB: 'a.jpg' has 8.1 MB"],
	['instagram', [file('a.webm')], "Instagram takes only MP4, MOV videos: 'a.webm' is video/webm"],
	['tiktok', [file(`${hidden}?key=1`)], `TikTok takes only JPEG, WEBP images: '${hidden}' is image/png`],
	['tiktok', [file('a #1.png')], "TikTok takes only JPEG, WEBP images: 'a #1.png' is image/png"],
	['youtube', [file('a.png')], "YouTube takes no images: 'a.png' is image/png"],
	['x', [file('a.gif', 16)], "X takes GIFs of up to 15 MB: 'a.gif' has 16 MB"],
	['x', [file('a', 600, 'video/mp4; codecs=a')], "X takes videos of up to 512 MB: 'a' has 600 MB"],
	['bluesky', [file('a.webp', 2)], ''],
	['bluesky', [file('a.jpg', 3)], "Bluesky takes images of up to 2 MB: 'a.jpg' has 3 MB"],
	['linkedin', [file('a.pdf')], ''],
	['linkedin', [file('a.pdf', 101)], "LinkedIn takes documents of up to 100 MB: 'a.pdf' has 101 MB"],
	// Nothing is known of the first.
	['x', [file('a')], ''],
	['x', [file('a.pdf')], "X takes no such files: 'a.pdf' is application/pdf"],
	['mastodon', [file('a.pdf')], ''],
	['facebook', [file('a', 1, 'audio/mpeg')], "Facebook takes no such files: 'a' is audio/mpeg"],
	['x', [file('a.jpg'), file('b.mp4')], 'X takes a video only by itself: this post has 2 files'],
	['x', [file('a.gif'), file('b.jpg')], 'X takes a GIF only by itself: this post has 2 files'],
	['instagram', [file('a.jpg'), file('b.mp4')], ''],
	['x', files(4), ''],
	['x', files(5), 'X takes up to 4 files: this post has 5'],
	['instagram', files(10), ''],
	['instagram', files(11), 'Instagram takes up to 10 files: this post has 11'],
	// Schedulers disagree on how many.
	['facebook', files(30), ''],
	['bluesky', files(11), 'Bluesky takes up to 10 files: this post has 11'],
	['youtube', [file('a.mp4'), file('b.mp4')], 'YouTube takes up to 1 file: this post has 2'],
	// Other names of types that are taken.
	['facebook', [file('clip', 1, 'video/mpeg')], ''],
	['linkedin', [file('clip', 1, 'video/vnd.avi')], ''],
	['linkedin', [file('clip', 1, 'video/msvideo')], ''],
	['instagram', [file('clip', 1, 'video/x-m4v')], ''],
	['instagram', [file('https://example.com/clip.m4v')], ''],
	['bluesky', [file('clip', 1, 'video/quicktime')], ''],
])('%s, files %j: %j', (platform, files, warning) =>
	expect(mediaWarnings(platform, files)).toEqual(warning ? [warning] : []),
);
