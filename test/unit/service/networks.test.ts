import fc from 'fast-check';

import { mediaWarnings, textWarnings } from '../../../nodes/SocialPublishing/resources/post/networks';
import { platforms } from '../../../nodes/api/contract';
import { refusalOf } from '../../service/networks';
import type { Media, Post } from '../../service/types';
import { runs } from '../../support/property';

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
			const files = given.map(([contentType, megabytes], i) => ({
				...{ name: `file ${i}`, contentType, sizeBytes: Math.ceil(megabytes * 1024 ** 2) },
			}));
			const media = files.map(({ name }) => name);
			const uploaded = files.map(({ name: filename, contentType, sizeBytes: size }) => {
				return [filename, { filename, contentType, size } as Media] as const;
			});
			const refusal = refusalOf(platform, { text: said, media } as Post, new Map(uploaded));
			const warnings = [...textWarnings(platform, said), ...mediaWarnings(platform, files)];
			expect([warnings.length > 0, warnings]).toEqual([refusal !== '', warnings]);
		}),
		runs(2000),
	);
});
