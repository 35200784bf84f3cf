import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';

import { Pace } from '../../../../nodes/api/pace';
import { addressIdentity, checkedAddress, Files } from '../../../../nodes/SocialPublishing/media/files';
import { failureOf, rejectionOf } from '../../../support/failure';

const content = Buffer.from('0123456789');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const inMemory: IBinaryData = { data: content.toString('base64'), mimeType: 'image/png', fileName: 'a.png' };
const inStore: IBinaryData = { ...inMemory, data: 'filesystem', id: 'filesystem:1', bytes: 10 };
const url = 'https://a.example/folder/photo.png?token=1';

interface Given {
	fields?: Record<string, IBinaryData>;
	metadata?: () => object;
	stream?: () => Readable;
	/** Headers of the answer to an address. */
	headers?: object;
}

/** Files of a run whose item has these fields, and what is fetched and stored meanwhile. */
function filesOf({ fields = {}, metadata = () => ({ fileSize: 10 }), stream, headers = {} }: Given) {
	const fetched: Readable[] = [];
	const stored: Array<[name: string | undefined, type: string | undefined]> = [];
	const helpers = {
		assertBinaryData: (_index: number, field: string) => {
			if (!fields[field]) throw new Error('n8n has its own words');
			return fields[field];
		},
		getBinaryMetadata: async () => metadata(),
		getBinaryStream: async () => (stream ?? (() => Readable.from([content])))(),
		getBinaryDataBuffer: async () => content,
		prepareBinaryData: async (source: Readable, name?: string, type?: string) => {
			await bytesOf(source);
			stored.push([name, type]);
			return inStore;
		},
		httpRequest: async () => {
			fetched.push(Readable.from([content]));
			return { statusCode: 200, headers: { 'content-type': 'image/png', ...headers }, body: fetched.at(-1) };
		},
	};
	const context = {
		helpers,
		getInputData: () => [{ json: {}, binary: fields }],
		getExecutionCancelSignal: () => undefined,
	} as unknown as IExecuteFunctions;
	return { fetched, stored, files: new Files(context, new Pace()) };
}
const detailsOf = async (work: Promise<unknown>) => (await rejectionOf(work)).details;
async function bytesOf(source: Readable | Buffer): Promise<Buffer> {
	if (Buffer.isBuffer(source)) return source;
	const chunks: Buffer[] = [];
	for await (const chunk of source) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

describe('a binary field', () => {
	test.each<[string, IBinaryData, object]>([
		['in memory', inMemory, { identity: `memory:${sha256(content)}` }],
		['in a store', inStore, { identity: 'filesystem:1' }],
		['without a name', { ...inMemory, fileName: undefined, fileExtension: 'gif' }, { name: 'data.gif' }],
		['without any', { ...inMemory, fileName: undefined }, { name: 'data.bin' }],
		[
			'of a type that its name tells',
			{ ...inMemory, mimeType: '', fileName: 'a.mp4' },
			{ name: 'a.mp4', contentType: 'video/mp4' },
		],
	])('%s: name, type, length and bytes, as often as they are opened', async (_name, data, more) => {
		const file = await filesOf({ fields: { data } }).files.binary(0, 'data');
		const { name, contentType, size, from } = file;
		expect({ name, contentType, size, from, identity: file.identity }).toMatchObject({
			...{ size: 10, from: 'data', name: 'a.png', contentType: 'image/png' },
			...more,
		});
		for (let i = 0; i < 2; i++) expect(await bytesOf((await file.open()) as Readable)).toEqual(content);
	});

	test('the length is what the store says, else what the field says', async () => {
		const sizeOf = async (metadata: object) =>
			(await filesOf({ fields: { data: inStore }, metadata: () => metadata }).files.binary(0, 'data')).size;
		expect([await sizeOf({ fileSize: 7 }), await sizeOf({})]).toEqual([7, 10]);
	});

	const thrown = (name: string, message: string) => () => {
		throw Object.assign(new Error(message), { name });
	};
	test.each<[string, Given, string]>([
		['empty in memory', { fields: { data: { ...inMemory, data: '' } } }, 'NODE_FILE_EMPTY'],
		['empty in a store', { fields: { data: inStore }, metadata: () => ({ fileSize: 0 }) }, 'NODE_FILE_EMPTY'],
		[
			'of unknown length',
			{ fields: { data: { ...inStore, bytes: undefined } }, metadata: () => ({}) },
			'NODE_SIZE_UNKNOWN',
		],
		['gone', { fields: { data: inStore }, metadata: thrown('FileNotFoundError', 'x') }, 'NODE_FILE_GONE'],
		...['ENOENT: no such', 'NoSuchKey', 'Blob not found', 'NotFound'].map(
			(message): [string, Given, string] => [
				`gone (${message})`,
				{ fields: { data: inStore }, metadata: thrown('Error', message) },
				'NODE_FILE_GONE',
			],
		),
		[
			'out of reach',
			{ fields: { data: inStore }, metadata: thrown('Error', 'timeout') },
			'NODE_FILE_UNREADABLE',
		],
	])('that is %s is refused', async (_name, given, code) => {
		expect(await detailsOf(filesOf(given).files.binary(0, 'data'))).toMatchObject({
			...{ code, message: expect.stringContaining("'data'"), hint: expect.stringMatching(/\w\.$/) },
		});
	});

	test('that vanished when it is opened is gone', async () => {
		const stream = thrown('FileNotFoundError', 'x');
		const file = await filesOf({ fields: { data: inStore }, stream }).files.binary(0, 'data');
		expect(await detailsOf(file.open())).toMatchObject({ code: 'NODE_FILE_GONE' });
	});

	test('that is not there: those that are', () => {
		const missing = (fields: Record<string, IBinaryData>) =>
			failureOf(() => filesOf({ fields }).files.requireBinary(0, 'image')).details;
		expect(missing({ a: inMemory, b: inMemory })).toMatchObject({
			code: 'NODE_BINARY_FIELD_MISSING',
			message: "The item has no binary field 'image'",
			hint: expect.stringMatching(/^It has: a, b\. /),
		});
		expect(missing({}).hint).toMatch(/^It has no binary fields\. Add a node/);
	});

	test.each([
		['in memory', { ...inMemory, bytes: undefined }, 12],
		['with a length', { ...inMemory, bytes: 7 }, 7],
		['in a store', inStore, 10],
		['in a store, of unknown length', { ...inStore, bytes: undefined }, undefined],
	])('%s is described without being read', (_name, data, sizeBytes) => {
		const { files } = filesOf({ fields: { data } });
		const facts = {
			name: 'a.png',
			contentType: 'image/png',
			...(sizeBytes ? { sizeBytes } : {}),
		};
		expect(files.describe(0, 'data')).toEqual(facts);
		expect(files.describe(0, 'other')).toEqual({ name: 'other' });
		files.requireBinary(0, 'data');
	});

	test('as a whole, up to a limit', async () => {
		const { files } = filesOf({ fields: { data: inStore } });
		expect(await files.whole(0, 'data', 10)).toMatchObject({ bytes: content, hash: sha256(content) });
		const large = filesOf({ fields: { data: inStore }, metadata: () => ({ fileSize: 2 ** 20 + 1 }) });
		expect(await detailsOf(large.files.whole(0, 'data', 2 ** 20))).toMatchObject({
			code: 'NODE_FILE_TOO_LARGE',
			message: "The file in 'data' has 2 MiB; up to 1 MiB go in one request",
			hint: expect.stringContaining("'Upload'"),
		});
	});

	test.each([inMemory, inStore])('is identified by its bytes where they decide', async (data) => {
		const { files } = filesOf({ fields: { data } });
		expect((await files.binary(0, 'data', true)).identity).toBe(sha256(content));
		expect((await files.binary(0, 'data')).identity).not.toBe(sha256(content));
	});
});

describe('a file behind an address', () => {
	test('whose length is told is handed on as it comes, and fetched again where it is read again', async () => {
		const { files, fetched, stored } = filesOf({ headers: { 'content-length': '10' } });
		const file = await files.remote(url, 0, false);
		expect(file).toMatchObject({
			...{ name: 'photo.png', contentType: 'image/png', size: 10 },
			...{ from: 'https://a.example/folder/photo.png', identity: expect.stringMatching(/^url:[\w-]{43}$/) },
		});
		for (let i = 1; i <= 2; i++) {
			expect(await bytesOf((await file.open()) as Readable)).toEqual(content);
			expect(fetched).toHaveLength(i);
		}
		expect(stored).toEqual([]);
		const identityOf = async (address: string) => (await files.remote(address, 0, false)).identity;
		expect([await identityOf(url), addressIdentity(url)]).toEqual([file.identity, file.identity]);
		expect(await identityOf(url.replace('token=1', 'token=2'))).not.toBe(file.identity);
	});

	test.each<[object, boolean, boolean, string]>([
		[{}, false, false, addressIdentity(url)],
		[{ 'content-length': '10' }, false, true, addressIdentity(url)],
		[{ 'content-length': '10' }, true, true, sha256(content)],
	])(
		'with %j, by content %s, measured %s, goes through the store of n8n first',
		async (headers, byContent, measured, identity) => {
			const { files, fetched, stored } = filesOf({ headers });
			const file = await files.remote(url, 0, byContent, measured);
			expect(stored).toEqual([['photo.png', 'image/png']]);
			expect(file).toMatchObject({ name: 'photo.png', size: 10, identity });
			for (let i = 0; i < 2; i++) await bytesOf((await file.open()) as Readable);
			expect(fetched).toHaveLength(1);
		},
	);

	test('that is not read is let go', async () => {
		const { files, fetched } = filesOf({ headers: { 'content-length': '10' } });
		const file = await files.remote(url, 0, false);
		file.close!();
		expect(fetched[0]!.destroyed).toBe(true);
		const read = await files.remote(url, 0, false);
		const stream = (await read.open()) as PassThrough;
		read.close!();
		expect(stream.destroyed).toBe(false);
	});

	test.each(['photo.png?token=1', 'ftp://a.example/photo.png', 'web+http://a', 'https-a://a', ''])(
		'%j is none',
		async (address) => {
			const { files, fetched } = filesOf({});
			expect(await detailsOf(files.remote(address, 0, false))).toMatchObject({
				...{ code: 'NODE_MEDIA_URL', hint: expect.stringContaining('https://') },
				message: expect.stringMatching(/^'Media URLs' contains/),
			});
			expect(failureOf(() => checkedAddress(address)).message).not.toContain('token');
			expect(fetched).toEqual([]);
		},
	);

	test('needs no encryption', () => expect(checkedAddress('http://a.example/1')).toBe('http://a.example/1'));
});
