import type { IDataObject } from 'n8n-workflow';

import { refusal, type Failure } from '../../../../nodes/api/errors';
import {
	addresses,
	checkMedia,
	fieldNames,
	mediaOf,
	sendAll,
	uploadAll,
} from '../../../../nodes/SocialPublishing/media/fields';

describe('names of binary fields', () => {
	test.each([
		['data', ['data']],
		[' a , b,,a', ['a', 'b']],
		[' ["a", " b "]', ['a', 'b']],
		['[a', ['[a']],
	])('%j', (text, names) => expect(fieldNames(text)).toEqual(names));

	test.each(['', ' , ', '[]'])('%j is refused', (text) =>
		expect(() => fieldNames(text)).toThrow(
			expect.objectContaining({
				details: expect.objectContaining({
					code: 'NODE_PARAMETER_EMPTY',
					message: "'Input Binary Fields' is empty",
					hint: 'Enter the name of a binary field, usually data.',
				}),
			}),
		),
	);
});

describe('addresses of files', () => {
	const [a, b] = ['https://a.example/1', 'http://b.example/2'];
	test.each([
		[a, [a]],
		[`${a},${b}`, [a, b]],
		[`${a}, ${b},`, [a, b]],
		[`${a}\n\n ${b} ${a}`, [a, b]],
		[`${a},HTTPS://c.example`, [a, 'HTTPS://c.example']],
		['https://a.example/w_100,h_200/1', ['https://a.example/w_100,h_200/1']],
		[` ["${a}", " ${b} ", ""]`, [a, b]],
	])('%j', (text, found) => expect(addresses(text)).toEqual(found));

	test.each(['', ' \n', '[""]'])('%j is refused', (text) =>
		expect(() => addresses(text)).toThrow(
			expect.objectContaining({
				details: expect.objectContaining({
					code: 'NODE_PARAMETER_EMPTY',
					message: "'Media URLs' is empty",
					hint: 'Enter the address of an image or a video.',
				}),
			}),
		),
	);
});

test('media that can not be there are refused', () => {
	const needed: string[] = [];
	const check = (mediaFrom: string, binaryFields: string, mediaUrls: string) =>
		checkMedia({ mediaFrom, binaryFields, mediaUrls }, (field) => void needed.push(field));
	check('none', '', '');
	check('binary', 'a,b', '');
	check('url', '', 'https://a.example');
	check('readUrls', '', 'https://a.example');
	expect(needed).toEqual(['a', 'b']);
	expect(() => check('url', '', 'soon')).toThrow();
	expect(() => check('url', '', '')).toThrow();
	expect(() => check('readUrls', '', '')).toThrow();
});

/** An item whose uploads are noted; those of `bad` fail. */
const itemWith = (previewOnly = false) => {
	const asked: unknown[] = [];
	const upload = (kind: string) => async (source: string, place: object) => {
		asked.push([kind, source, place]);
		if (source.includes('bad')) throw refusal('FILE', `no ${source}`, 'Try.');
		return { record: { file: source }, readUrl: `read ${source}`, print: `print ${source}` };
	};
	const uploads = {
		binary: upload('binary'),
		remote: upload('remote'),
		direct: async (source: string, place: object) => (await upload('direct')(source, place)).record,
	};
	const file = (field: string) =>
		field === 'a' ? { fileName: 'a.png', mimeType: 'image/png' } : { mimeType: 'b/c' };
	return { asked, item: { uploads, previewOnly, file } as never };
};
const binary = { mediaFrom: 'binary' as const, binaryFields: 'a,bad', mediaUrls: '' };
const remote = { mediaFrom: 'url' as const, binaryFields: '', mediaUrls: 'https://x.example/1?sig=2' };

describe('uploads of an item', () => {
	test('each file is an item or a failure', async () => {
		const { item, asked } = itemWith();
		const [first, second] = await uploadAll(item, binary);
		expect(first).toEqual({ file: 'a' });
		expect((second as Failure).message).toBe('no bad');
		expect(asked).toEqual([
			['binary', 'a', { position: 0, count: 2, attached: false }],
			['binary', 'bad', { position: 1, count: 2, attached: false }],
		]);
		expect(await uploadAll(item, remote)).toEqual([{ file: 'https://x.example/1?sig=2' }]);
		expect(asked[2]).toEqual([
			'remote',
			'https://x.example/1?sig=2',
			{ position: 0, count: 1, attached: false },
		]);
	});

	test('sent directly, one after another', async () => {
		const { item, asked } = itemWith();
		const outcomes = await sendAll(item, 'a,bad');
		expect(outcomes).toHaveLength(2);
		expect(outcomes[0]).toEqual({ file: 'a' });
		expect((outcomes[1] as Failure).message).toBe('no bad');
		expect(asked).toEqual([
			['direct', 'a', { position: 0, count: 2 }],
			['direct', 'bad', { position: 1, count: 2 }],
		]);
	});

	test('a preview sends nothing', async () => {
		const { item, asked } = itemWith(true);
		const of = (path: string, file: IDataObject) => ({
			preview: true,
			request: { method: 'POST', path },
			...file,
			warnings: [],
		});
		expect(await uploadAll(item, { ...binary, binaryFields: 'a,b' })).toEqual([
			of('/media/upload-url', { filename: 'a.png', content_type: 'image/png' }),
			of('/media/upload-url', { filename: 'b', content_type: 'b/c' }),
		]);
		expect(await uploadAll(item, remote)).toEqual([
			of('/media/upload-url', { filename: 'https://x.example/1' }),
		]);
		expect(await sendAll(item, 'a')).toEqual([
			of('/media', { filename: 'a.png', content_type: 'image/png' }),
		]);
		expect(asked).toEqual([]);
	});
});

describe('the media of a post', () => {
	const body = { text: 'read a', media: ['read a', 'read b'], size: 1 };

	test('none, or uploaded before: the body is what it is', async () => {
		const { item, asked } = itemWith();
		const none = await mediaOf(item, { ...binary, mediaFrom: 'none' });
		const known = await mediaOf(item, { ...binary, mediaFrom: 'readUrls', mediaUrls: 'https://a.example' });
		expect([none.urls, known.urls]).toEqual([[], ['https://a.example']]);
		expect([none.stable(body), known.stable(body)]).toEqual([body, body]);
		expect(asked).toEqual([]);
	});

	test('uploaded now: with prints in place of addresses', async () => {
		const { item, asked } = itemWith();
		const { urls, stable } = await mediaOf(item, { ...binary, binaryFields: 'a,b' });
		expect(urls).toEqual(['read a', 'read b']);
		expect(stable(body)).toEqual({ text: 'print a', media: ['print a', 'print b'], size: 1 });
		expect(stable({ text: 'other' })).toEqual({ text: 'other' });
		expect(asked[0]).toEqual(['binary', 'a', { position: 0, count: 2, attached: true }]);
	});

	test('all of it or none', async () => {
		await expect(mediaOf(itemWith().item, binary)).rejects.toMatchObject({
			details: { message: 'no bad', hint: 'Try. Nothing was posted.' },
		});
	});
});
