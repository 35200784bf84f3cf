import {
	addresses,
	fieldNames,
	filesOf,
	type MediaParams,
} from '../../../../nodes/SocialPublishing/media/fields';
import { failureOf } from '../../../support/failure';

const [a, b] = ['https://a.example/1', 'http://b.example/2'];

test.each([
	['data', ['data']],
	[' a , b,,a', ['a', 'b']],
	[' ["a", " b "]', ['a', 'b']],
	['[a', ['[a']],
])('names of binary fields: %j', (text, names) => expect(fieldNames(text)).toEqual(names));

test.each([
	[a, [a]],
	[`${a},${b}`, [a, b]],
	[`${a}, ${b},`, [a, b]],
	[`${a};${b}`, [a, b]],
	[`${a} | ${b}`.replace(' |', '|'), [a, b]],
	[`\ufeff${a}\u200b`, [a]],
	['https://a.example/1;v=2', ['https://a.example/1;v=2']],
	[`${a}\n\n ${b} ${a}`, [a, b]],
	[`${a},HTTPS://c.example`, [a, 'HTTPS://c.example']],
	['https://a.example/w_100,h_200/1', ['https://a.example/w_100,h_200/1']],
	[` ["${a}", " ${b} ", "", null]`, [a, b]],
	// Airtable's attachments.
	[`[{"id":"att1","url":"${a}","filename":"a.jpg","type":"image/jpeg"}]`, [a]],
	[`[{"read_url":"${a}","url":"${b}"},"${b}"]`, [a, b]],
	[`{"read_url":"${a}"}`, [a]],
	['{"id":1}', ['{"id":1}']],
])('addresses of files: %j', (text, found) => expect(addresses(text)).toEqual(found));

test('addresses joined from cells, some of them empty, stay as they are', () => {
	expect(addresses(`,${a},,,${b},,`)).toEqual([a, b]);
	expect(addresses(`${a},, ;${b}`)).toEqual([a, b]);
	const own = 'https://a.example/w_1,,h_2/1.png';
	expect(addresses(`${own},${own}2`)).toEqual([own, `${own}2`]);
});

test.each([
	[fieldNames, ' , ', 'Input Binary Fields', 'name of a binary field'],
	[fieldNames, '[]', 'Input Binary Fields', 'name of a binary field'],
	[addresses, '["", null]', 'Media URLs', 'URL of an image or a video'],
])('%p of %j is refused', (read, text, label, what) =>
	expect(failureOf(() => read(text)).details).toMatchObject({
		...{ code: 'NODE_PARAMETER_EMPTY', message: `'${label}' is empty` },
		hint: expect.stringContaining(`Enter the ${what}`),
	}),
);

describe('the files that an item uploads', () => {
	const of = (mediaFrom: MediaParams['mediaFrom'], binaryFields = '', mediaUrls = '') =>
		filesOf({ mediaFrom, binaryFields, mediaUrls });

	test('each with its place among them, from where they are to come', () => {
		const binary = { isBinary: true, count: 2 };
		expect(of('binary', 'a,b', a)).toEqual([
			{ ...binary, source: 'a', position: 0 },
			{ ...binary, source: 'b', position: 1 },
		]);
		expect(of('url', 'data', b)).toEqual([{ source: b, isBinary: false, position: 0, count: 1 }]);
		for (const mediaFrom of ['none', 'readUrls'] as const) expect(of(mediaFrom, 'data', a)).toEqual([]);
	});

	test('what is no address is refused, and so is nothing', () => {
		expect(failureOf(() => of('url', '', `${a} soon`)).details.code).toBe('NODE_MEDIA_URL');
		for (const mediaFrom of ['binary', 'url'] as const)
			expect(failureOf(() => of(mediaFrom)).details.code).toBe('NODE_PARAMETER_EMPTY');
	});
});

test('a long text is read at once: in linear time', () => {
	const start = performance.now();
	const [commas, invisible] = [','.repeat(100_000), '\u200b'.repeat(100_000)];
	expect(addresses(`${commas}a`)).toEqual([`${commas}a`]);
	expect(fieldNames(`a${invisible}b`)).toEqual([`a${invisible}b`]);
	expect(performance.now() - start).toBeLessThan(2_000);
});
