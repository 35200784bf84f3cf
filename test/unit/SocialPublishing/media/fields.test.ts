import { refusal } from '../../../../nodes/api/failure';
import {
	addresses,
	checkMedia,
	countFiles,
	fieldNames,
	mediaOf,
	sendAll,
	uploadAll,
} from '../../../../nodes/SocialPublishing/media/fields';
import { failureOf } from '../../../support/failure';

describe('names of binary fields', () => {
	test.each([
		['data', ['data']],
		[' a , b,,a', ['a', 'b']],
		[' ["a", " b "]', ['a', 'b']],
		['[a', ['[a']],
	])('%j', (text, names) => expect(fieldNames(text)).toEqual(names));
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
});

test.each([
	...['', ' , ', '[]'].map(
		(text) => [fieldNames, text, 'Input Binary Fields', 'the name of a binary field, usually data'] as const,
	),
	...['', ' \n', '[""]'].map(
		(text) => [addresses, text, 'Media URLs', 'the URL of an image or a video'] as const,
	),
])('%p of %j is refused', (read, text, label, what) =>
	expect(failureOf(() => read(text)).details).toMatchObject({
		code: 'NODE_PARAMETER_EMPTY',
		message: `'${label}' is empty`,
		hint: `Enter ${what}.`,
	}),
);

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
	const upload = (kind: string) => async (source: string, more: unknown) => {
		asked.push([kind, source, more]);
		if (source.includes('bad')) throw refusal('FILE', `no ${source}`, 'Try.');
		return { record: { file: source }, readUrl: `read ${source}`, identity: `id of ${source}` };
	};
	const uploads = {
		binary: upload('binary'),
		remote: upload('remote'),
		direct: async (source: string, place: object) => (await upload('direct')(source, place)).record,
		preview: upload('preview'),
	};
	return { asked, item: { uploads, previewOnly } as never };
};
const binary = { mediaFrom: 'binary' as const, binaryFields: 'a,bad', mediaUrls: '' };
const address = 'https://x.example/1?sig=2';
const remote = { mediaFrom: 'url' as const, binaryFields: '', mediaUrls: address };
const failed = expect.objectContaining({ message: 'no bad' });

test.each([
	[binary, 2],
	[{ ...remote, mediaUrls: `${address} https://x.example/2` }, 2],
	[{ ...remote, mediaFrom: 'readUrls' }, 0],
	[{ ...binary, mediaFrom: 'none' }, 0],
])('of %j, %d are uploaded', (sources, count) => expect(countFiles(sources)).toBe(count));

describe('uploads of an item', () => {
	test('each file is an item or a failure', async () => {
		const { item, asked } = itemWith();
		expect(await uploadAll(item, binary)).toEqual([{ file: 'a' }, failed]);
		expect(await uploadAll(item, remote)).toEqual([{ file: address }]);
		expect(asked).toEqual([
			['binary', 'a', { position: 0, count: 2, attached: false }],
			['binary', 'bad', { position: 1, count: 2, attached: false }],
			['remote', address, { position: 0, count: 1, attached: false }],
		]);
	});

	test('sent directly, one after another', async () => {
		const { item, asked } = itemWith();
		expect(await sendAll(item, 'a,bad')).toEqual([{ file: 'a' }, failed]);
		expect(asked).toEqual([
			['direct', 'a', { position: 0, count: 2 }],
			['direct', 'bad', { position: 1, count: 2 }],
		]);
	});

	test('a preview sends nothing', async () => {
		const { item, asked } = itemWith(true);
		const of = (path: string, file: string) => ({
			preview: true,
			request: { method: 'POST', path },
			file,
			warnings: [],
		});
		expect(await uploadAll(item, binary)).toEqual([of('/media/upload-url', 'a'), failed]);
		expect(await uploadAll(item, remote)).toEqual([of('/media/upload-url', address)]);
		expect(await sendAll(item, 'a,bad')).toEqual([of('/media', 'a'), failed]);
		expect(asked).toEqual([
			['preview', 'a', true],
			['preview', 'bad', true],
			['preview', address, false],
			['preview', 'a', true],
			['preview', 'bad', true],
		]);
	});
});

describe('the media of a post', () => {
	test('none, or uploaded before: known by its address', async () => {
		const { item, asked } = itemWith();
		const urls = ['https://a.example'];
		expect(await mediaOf(item, { ...binary, mediaFrom: 'none' })).toEqual({ urls: [], identities: [] });
		expect(await mediaOf(item, { ...binary, mediaFrom: 'readUrls', mediaUrls: urls[0]! })).toEqual({
			urls,
			identities: urls,
		});
		expect(asked).toEqual([]);
	});

	test.each([
		[false, ['binary', 'a', { position: 0, count: 2, attached: true }]],
		[true, ['preview', 'a', true]],
	])('uploaded now (in a preview: %j), in order, known by its identity', async (previewOnly, first) => {
		const { item, asked } = itemWith(previewOnly);
		expect(await mediaOf(item, { ...binary, binaryFields: 'a,b' })).toEqual({
			urls: ['read a', 'read b'],
			identities: ['id of a', 'id of b'],
		});
		expect(asked[0]).toEqual(first);
	});

	test('all of it or none', async () => {
		await expect(mediaOf(itemWith().item, binary)).rejects.toMatchObject({
			details: { message: 'no bad', hint: 'Try. Nothing was posted.' },
		});
	});
});
