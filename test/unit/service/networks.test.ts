import fc from 'fast-check';

import { mediaWarnings, textWarnings } from '../../../nodes/SocialPublishing/resources/post/networks';
import { platforms } from '../../../nodes/api/contract';
import { refusalOf } from '../../service/networks';
import type { Media, Platform, Post } from '../../service/types';
import { runs } from '../../support/property';

const file = (contentType: string, megabytes = 1): Media =>
	({ filename: 'a file', contentType, size: Math.ceil(megabytes * 1024 ** 2) }) as Media;
const refusal = (platform: Platform, text: string, files: Media[]): string => {
	const media = files.map((_, i) => `https://files.example/${i}`);
	return refusalOf(platform, { text, media } as Post, new Map(media.map((url, i) => [url, files[i]!])));
};

test.each<[Platform, string, Media[], string]>([
	['x', 'a'.repeat(281), [], 'The text has 281 of 280 characters.'],
	['x', `${'a'.repeat(257)}https://example.com/${'b'.repeat(99)}`, [], ''],
	['x', '面'.repeat(141), [], 'The text has 282 of 280 characters.'],
	['bluesky', 'a'.repeat(301), [], 'The text has 301 of 300 characters.'],
	['instagram', 'No picture', [], 'The post needs an image or a video.'],
	['instagram', 'A PNG', [file('image/jpeg'), file('image/png')], 'a file is image/png, which is not taken.'],
	['youtube', 'No video', [file('image/jpeg')], 'The post needs a video.'],
	['youtube', '<b>', [file('video/mp4')], "The text has '<' or '>'."],
	['facebook', 'A large picture', [file('image/jpeg', 10.1)], 'a file is larger than 10 MB.'],
	['x', 'Five pictures', Array<Media>(5).fill(file('image/png')), 'The post has 5 of 4 files.'],
])(
	'the embedded service publishes a post on %s only within its limits (%#)',
	(platform, text, media, expected) => {
		expect(refusal(platform, text, media)).toBe(expected);
	},
);

test('the embedded service refuses what the node warns of, and nothing else', () => {
	const part = fc.constantFrom('a', '面', '😀', '👩‍👩‍👧', ' #bread', ' @bakery', '<', ' https://example.com/a ');
	const text = fc
		.array(fc.tuple(part, fc.constantFrom(1, 20, 21, 30, 31, 140, 141, 281, 300, 1000, 2200, 2201, 3001)), {
			...{ minLength: 1, maxLength: 3 },
		})
		.map((parts) =>
			parts
				.map(([one, count]) => one.repeat(count))
				.join('')
				.slice(0, 3_300),
		);
	const types = ['jpeg', 'png', 'webp', 'gif', 'bmp', 'heic'].map((one) => `image/${one}`);
	const type = fc.constantFrom(
		...types,
		...['mp4', 'quicktime', 'webm', 'x-msvideo', 'mpeg'].map((one) => `video/${one}`),
		...['audio/mpeg', 'application/pdf', 'application/zip', 'application/vnd.ms-powerpoint'],
	);
	const megabytes = fc.constantFrom(
		1,
		2,
		2.1,
		5,
		5.1,
		8,
		8.1,
		10,
		10.1,
		15,
		15.1,
		20.1,
		100.1,
		513,
		1025,
		4097,
		5121,
	);
	const files = fc.array(fc.tuple(type, megabytes), { maxLength: 5 });
	const many = fc.tuple(type, fc.constantFrom(10, 11, 20, 21, 35, 36)).map(([one, count]) => {
		return Array<[string, number]>(count).fill([one, 1]);
	});
	fc.assert(
		fc.property(fc.constantFrom(...platforms), text, fc.oneof(files, many), (platform, said, given) => {
			const media = given.map(([one, size]) => file(one, size));
			const facts = media.map(({ filename: name, contentType, size: sizeBytes }) => ({
				name,
				contentType,
				sizeBytes,
			}));
			const warnings = [...textWarnings(platform, said), ...mediaWarnings(platform, facts)];
			expect([warnings.length > 0, warnings]).toEqual([refusal(platform, said, media) !== '', warnings]);
		}),
		runs(2000),
	);
});
