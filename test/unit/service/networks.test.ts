import { refusalOf } from '../../service/networks';
import type { Media, Platform, Post } from '../../service/types';

const files = new Map([
	['video', { contentType: 'video/mp4' } as Media],
	['image', { contentType: 'image/jpeg' } as Media],
	['png', { contentType: 'image/png' } as Media],
]);

test.each<[Platform, string, string[], string]>([
	['x', 'a'.repeat(280), [], ''],
	['x', 'a'.repeat(281), [], 'The text has 281 of 280 characters.'],
	['x', `${'a'.repeat(257)}https://example.com/${'b'.repeat(99)}`, [], ''],
	['x', '面'.repeat(141), [], 'The text has 282 of 280 characters.'],
	['x', '👩‍👩‍👧'.repeat(140), [], ''],
	['bluesky', '👩‍👩‍👧'.repeat(300), [], ''],
	['bluesky', 'a'.repeat(301), [], 'The text has 301 of 300 characters.'],
	['linkedin', 'a'.repeat(3001), [], 'The text has 3001 of 3000 characters.'],
	['instagram', 'No picture', [], 'The post needs an image or a video.'],
	['instagram', 'A picture', ['image'], ''],
	['instagram', 'A picture', ['image', 'png'], 'Images have to be JPEG.'],
	['youtube', 'No video', ['image'], 'The post needs a video.'],
	['youtube', 'A video', ['video'], ''],
])('%s takes or refuses a post (%#)', (platform, text, media, expected) => {
	expect(refusalOf(platform, { text, media } as Post, files)).toBe(expected);
});
