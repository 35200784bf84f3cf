import { platforms } from '../../../../../nodes/api/contract';
import {
	countText,
	mediaWarnings,
	networks,
	type Sourced,
} from '../../../../../nodes/SocialPublishing/resources/post/networks';

test('every figure has a source and the date on which somebody looked', () => {
	expect(Object.keys(networks).sort()).toEqual([...platforms].sort());
	for (const { text, needs, files = [] } of Object.values(networks)) {
		expect(text.length).toBeGreaterThan(0);
		for (const { source, checked } of [...text, ...files, needs ?? text[0]!] as Sourced[]) {
			expect(source).toMatch(/^https:\/\/\S+$/);
			expect(checked).toMatch(/^20\d\d-\d\d-\d\d$/);
			expect(Date.parse(checked)).not.toBeNaN();
		}
	}
});

test.each([
	['x', 'Hello', '5 of 280'],
	['x', '日本', '4 of 280'],
	['bluesky', '👨‍👩‍👧‍👦é', '2 of 300'],
	['bluesky', '👨‍👩‍👧‍👦'.repeat(140), '3,500 of 3,000 bytes'],
	['linkedin', '👍', '1 of 3,000'],
	['tiktok', '👍', '2 of 2,200'],
	['youtube', 'é', '2 of 5,000 bytes'],
	['facebook', '', '0 of 63,206'],
	['mastodon', 'Hello', ''],
	['constructor', 'Hello', ''],
])('%s counts %s: %s', (platform, text, expected) => {
	expect(countText(platform, text).characters).toBe(expected);
});

test('a text as long as an article is counted without taking all memory of the process', () => {
	expect(countText('bluesky', 'plum '.repeat(40_000)).characters).toBe('200,000 of 300');
});

test.each([
	['x', 280, undefined],
	['x', 300, 'X allows 280: this text counts 300, 20 too many'],
	['bluesky', 301, 'Bluesky allows 300: this text counts 301, 1 too many'],
	['linkedin', 3001, 'LinkedIn allows 3,000: this text counts 3,001, 1 too many'],
	['instagram', 2201, 'Instagram allows 2,200: this text counts 2,201, 1 too many'],
	['tiktok', 2201, 'TikTok allows 2,200: this text counts 2,201, 1 too many'],
	['youtube', 5001, 'YouTube allows 5,000 bytes: this text counts 5,001, 1 too many'],
	['facebook', 63_207, 'Facebook allows 63,206: this text counts 63,207, 1 too many'],
	['mastodon', 100_000, undefined],
])('%s, %d characters: %s', (platform, length, warning) => {
	expect(countText(platform, 'a'.repeat(length)).warning).toBe(warning);
	expect(countText(platform, 'a'.repeat(200)).warning).toBeUndefined();
});

const MB = 1024 ** 2;
test.each([
	['instagram', [], ['Instagram posts need an image or a video: this one has none']],
	['tiktok', [], ['TikTok posts need an image or a video: this one has none']],
	['youtube', [], ['YouTube posts need a video: this one has none']],
	['x', [], []],
	['instagram', [{ name: 'a.jpg', sizeBytes: 8 * MB }, { name: 'b.mov' }], []],
	[
		'instagram',
		[{ name: 'a', contentType: 'image/png', sizeBytes: 8 * MB + 1 }],
		["Instagram takes jpeg images: 'a' is image/png", "Instagram takes images of up to 8 MB: 'a' has 8.1 MB"],
	],
	['instagram', [{ name: 'a.webm' }], ["Instagram takes mp4, quicktime videos: 'a.webm' is video/webm"]],
	[
		'tiktok',
		[{ name: 'https://example.com/a.png?key=secret' }, { name: 'a #1.png' }],
		[
			"TikTok takes jpeg, webp images: 'https://example.com/a.png' is image/png",
			"TikTok takes jpeg, webp images: 'a #1.png' is image/png",
		],
	],
	['youtube', [{ name: 'a.png' }], ["YouTube takes no images: 'a.png' is image/png"]],
	['x', [{ name: 'a.gif', sizeBytes: 6 * MB }], []],
	['x', [{ name: 'a.gif', sizeBytes: 16 * MB }], ["X takes GIFs of up to 15 MB: 'a.gif' has 16 MB"]],
	[
		'x',
		[{ name: 'a.mp4', contentType: 'video/mp4; codecs=avc1', sizeBytes: 1024 * MB }],
		["X takes videos of up to 512 MB: 'a.mp4' has 1,024 MB"],
	],
	// Nothing is known of these.
	['x', [{ name: 'a' }, { name: 'a.pdf', contentType: 'application/pdf', sizeBytes: 1e12 }], []],
	['linkedin', [{ name: 'a.png', sizeBytes: 1e12 }], []],
	['mastodon', [], []],
])('%s, files %j: %j', (platform, files, warnings) => {
	expect(mediaWarnings(platform, files)).toEqual(warnings);
});
