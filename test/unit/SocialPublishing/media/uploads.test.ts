import type {
	IBinaryData,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { Failure, Outcome } from '../../../../nodes/api/failure';
import { Pace } from '../../../../nodes/api/pace';
import { addressIdentity, type PlannedFile } from '../../../../nodes/SocialPublishing/media/files';
import { Uploads } from '../../../../nodes/SocialPublishing/media/uploads';
import type { KeyMode } from '../../../../nodes/SocialPublishing/writes/key';
import type { Write } from '../../../../nodes/SocialPublishing/writes/write';
import { rejectionOf } from '../../../support/failure';

const content = '0123456789';
const hash = createHash('sha256').update(content).digest('hex');
const inMemory: IBinaryData = { data: btoa(content), mimeType: 'image/png', fileName: 'a.png' };
const inStore: IBinaryData = { ...inMemory, data: 'filesystem', id: 'filesystem:1', bytes: 10 };
const fields = { data: inMemory, stored: inStore, empty: { ...inMemory, data: '' } };

const url = 'https://a.example/folder/photo.png?token=1';
const from = 'https://a.example/folder/photo.png';
const field = (source = 'data', position = 0, count = 1): PlannedFile => ({
	...{ source, position, count, isBinary: true },
});
const address: PlannedFile = { ...field(url), isBinary: false };
const signed = (n: number) => `http://store.example/${n}?signature=${n}`;
/** A file whose server goes away. */
async function* breakingOff() {
	yield Buffer.from(content);
	await new Promise((done) => setTimeout(done, 10));
	throw new Error('ECONNRESET');
}
const thrown =
	(name: string, message = 'x') =>
	() => {
		throw Object.assign(new Error(message), { name });
	};

interface Given {
	/** Binary fields of the item. */
	binary?: Record<string, IBinaryData>;
	/** What n8n has for the node, where that isn't one item with those fields. */
	input?: INodeExecutionData[];
	/** n8n's store of files. */
	metadata?: () => object;
	stream?: () => Readable;
	/** Of the answer to an address. */
	source?: { statusCode?: number; headers?: object; body?: Buffer; stream?: Readable };
	/** Statuses of the file store, one after another. */
	statuses?: number[];
	/** What the service says to the nth write. */
	answer?: (n: number) => IDataObject;
	/** The writes were sent before. */
	isReplayed?: true;
	keyMode?: KeyMode;
	isByContent?: boolean;
	additionalFields?: IDataObject;
	/** For pictures of a page, in bytes. */
	room?: number;
	/** By earlier tries, by place. */
	uploaded?: Record<string, IDataObject>;
}

/** Uploads of one item; what was written, put and fetched, and what went through n8n's store. */
function uploadsOf({ binary = fields, source = {}, statuses = [], answer, ...given }: Given = {}) {
	const { keyMode = 'execution', isByContent = keyMode !== 'execution', additionalFields } = given;
	const seen = {
		...{ written: [] as Write[], puts: [] as Array<[string, unknown, string]>, limited: 0 },
		...{ fetched: [] as Readable[], stored: [] as unknown[] },
	};
	const httpRequest = async ({ method, url: to, body, headers = {} }: IHttpRequestOptions) => {
		if (method === 'PUT') {
			const put = body instanceof Readable ? await text(body) : String(body);
			seen.puts.push([to, headers['Content-Type'], put]);
			return { statusCode: statuses.shift() ?? 200, headers: {} };
		}
		seen.fetched.push(source.stream ?? Readable.from([source.body ?? Buffer.from(content)]));
		const { statusCode = 200, headers: more = { 'content-length': '10' } } = source;
		return { statusCode, headers: { 'content-type': 'image/png', ...more }, body: seen.fetched.at(-1) };
	};
	const helpers = {
		httpRequest,
		assertBinaryData: (_index: number, name: string) => binary[name] ?? thrown('Error', "n8n's words")(),
		getBinaryMetadata: async () => (given.metadata ?? (() => ({ fileSize: 10 })))(),
		getBinaryStream: async () => (given.stream ?? (() => Readable.from([Buffer.from(content)])))(),
		getBinaryDataBuffer: async () => Buffer.from(content),
		prepareBinaryData: async (stream: Readable, ...facts: unknown[]) => {
			seen.stored.push([await text(stream), ...facts]);
			return inStore;
		},
	};
	const getInputData = () => given.input ?? [{ json: {}, binary }];
	const n8n = { helpers, getInputData } as unknown as IExecuteFunctions;
	const write = async (one: Write) => {
		const n = seen.written.push(one);
		const said = answer?.(n) ?? { upload_url: signed(n), read_url: `https://cdn.example/${n}` };
		const response = { ...said, idempotency_key: 'k', request_id: 'r' };
		return { response: (given.isReplayed ? undefined : await one.file?.complete?.(response)) ?? response };
	};
	const room = { bytes: given.room ?? 2 ** 22 };
	const item = {
		index: 0,
		apiFields: additionalFields ?? {},
		maxWaitMs: 0,
		isPreview: false,
		shared: <T>() => room as T,
		keyMode,
		workspaceId: '',
		write,
		uploaded: (place: string) => given.uploaded?.[place],
	};
	const limit = async <T>(task: () => Promise<T>) => (seen.limited++, await task());
	return {
		uploads: new Uploads(item, n8n, new Pace(), {
			limit,
			isByContent,
		}),
		seen,
	};
}
/** What became of a file that is uploaded by itself. */
const uploaded = async (given: Given, file = field()) => {
	const { uploads, seen } = uploadsOf(given);
	const [outcome] = await uploads.all([file]);
	return { ...seen, outcome: outcome as IDataObject, details: (outcome as Failure).details };
};

test('a file is announced, put to the signed address, and known by what it can be read under', async () => {
	const { uploads, seen } = uploadsOf();
	const own = { filename: 'a.png', content_type: 'image/png', size: 10 };
	const record = { ...own, read_url: 'https://cdn.example/1', source: 'stored' };
	expect(await uploads.attached([field('stored')])).toEqual([
		{
			record: { ...record, idempotency_key: 'k', request_id: 'r' },
			...{ readUrl: 'https://cdn.example/1', identity: 'filesystem:1' },
			facts: { name: 'a.png', contentType: 'image/png', looksLike: 'text/plain', sizeBytes: 10 },
		},
	]);
	expect(seen.written).toMatchObject([
		{
			...{
				path: '/media/upload-url',
				body: own,
				says: [{ ...own, identity: 'filesystem:1', write: expect.any(String) }],
			},
			...{
				name: expect.stringMatching(/^media-0-[\w-]{22}$/),
				file: expect.objectContaining({ isAttached: true }),
			},
		},
	]);
	expect([seen.puts, seen.limited]).toEqual([[[signed(1), 'image/png', content]], 1]);
});

test.each<[string, IBinaryData, object]>([
	['in memory', inMemory, { filename: 'a.png' }],
	['without a name', { ...inMemory, fileName: undefined, fileExtension: 'gif' }, { filename: 'data.gif' }],
	['without any', { ...inMemory, fileName: undefined }, { filename: 'data.png' }],
	[
		'of a type without an ending',
		{ ...inMemory, fileName: undefined, mimeType: 'audio/x-a' },
		{ filename: 'data', content_type: 'audio/x-a' },
	],
	['as a data URL', { ...inMemory, data: `data:image/png;base64,${inMemory.data}` }, {}],
	[
		'of a type that its name says',
		{ ...inMemory, mimeType: 'image/jpg', fileName: 'a' },
		{ filename: 'a.jpg', content_type: 'image/jpeg' },
	],
])('a binary field %s: name, type, length and bytes', async (_name, data, more) => {
	const { outcome, puts } = await uploaded({ binary: { data } });
	const facts = { content_type: 'image/png', size: 10, source: 'data', ...more };
	expect(outcome).toMatchObject(facts);
	expect(puts).toEqual([[signed(1), facts.content_type, content]]);
});

test.each<[string, Given]>([
	['FILE_EMPTY', { binary: { data: fields.empty } }],
	['FILE_EMPTY', { binary: { data: { ...fields.empty, mimeType: 'audio/mpeg' } } }],
	['FILE_EMPTY', { metadata: () => ({ fileSize: 0 }) }],
	['FILE_GONE', { metadata: thrown('FileNotFoundError') }],
	['FILE_GONE', { metadata: thrown('Error', 'ENOENT: no such') }],
	['FILE_GONE', { metadata: thrown('Error', 'NoSuchKey') }],
	['FILE_GONE', { metadata: thrown('Error', 'Blob not found') }],
	['FILE_GONE', { metadata: thrown('NotFound') }],
	['FILE_GONE', { stream: thrown('FileNotFoundError') }],
	['FILE_UNREADABLE', { metadata: thrown('Error', 'timeout') }],
	['FILE_UNREADABLE', { metadata: thrown('Error', 'Request to S3 failed: getaddrinfo ENOTFOUND minio') }],
])('NODE_%s: %j', async (code, given) => {
	const { details, puts } = await uploaded({ binary: { data: inStore }, ...given });
	expect(details).toMatchObject({
		...{ code: `NODE_${code}`, file: 'data' },
		...{ message: expect.stringContaining("'data'"), hint: expect.stringMatching(/\w\.$/) },
	});
	expect(puts).toEqual([]);
});

describe('before a file is read', () => {
	test('one that is not there is refused, naming those that are, and so is an empty one', async () => {
		const missing = async (binary: Record<string, IBinaryData>) =>
			(await rejectionOf(uploadsOf({ binary }).uploads.requireFile(field('image')))).details;
		expect(await missing({ a: inMemory, b: inMemory })).toMatchObject({
			...{ code: 'NODE_BINARY_FIELD_MISSING', message: "The item has no binary field 'image'" },
			hint: expect.stringMatching(/^It has: a, b\. /),
		});
		expect((await missing({})).hint).toMatch(/^It has no binary fields\. Add a node/);
		const { uploads } = uploadsOf();
		for (const file of [field(), field('stored'), address]) await uploads.requireFile(file);
		await expect(uploads.requireFile(field('empty'))).rejects.toThrow("'empty' is empty");
		const data = { ...inMemory, mimeType: 'application/json' };
		const refused = uploadsOf({ binary: { data } }).uploads.requireFile(field());
		await expect(refused).rejects.toThrow("'data' is JSON data");
		const large = uploadsOf({ metadata: () => ({ fileSize: 50 * 2 ** 20 + 1 }) }).uploads;
		await large.requireFile(field('stored'));
		await expect(large.requireFile(field('stored'), true)).rejects.toThrow('up to 50 MiB');
	});

	test("files in an item's JSON, as n8n's newest execution logic has them, are its binary fields, too", async () => {
		const input = [{ json: { _files: { 'a.b': {}, gone: {} } }, binary: { own: inMemory } }];
		const { uploads } = uploadsOf({ binary: { '_files["a.b"]': inMemory }, input });
		for (const one of ['a.b', 'own']) await uploads.requireFile(field(one));
		const { details } = await rejectionOf(uploads.requireFile(field('gone')));
		expect(details.hint).toMatch(/^It has: own, a\.b\. /);
		// A tool's call has no item.
		const { hint } = (await rejectionOf(uploadsOf({ input: [] }).uploads.requireFile(field('gone')))).details;
		expect(hint).toMatch(/^It has no binary fields\./);
	});

	test.each([
		[{ ...inMemory, bytes: undefined }, 12],
		[{ ...inMemory, bytes: 7 }, 7],
		[inStore, 10],
		[{ ...inStore, bytes: undefined }, undefined],
	])('what n8n knows of it (%#)', (data, sizeBytes) => {
		const { uploads } = uploadsOf({ binary: { data } });
		expect(uploads.describe(field())).toEqual({ name: 'a.png', contentType: 'image/png', sizeBytes });
		expect(uploads.describe(field('other'))).toEqual({ name: 'other' });
		expect(uploads.describe(address)).toEqual({ name: from });
	});

	test('a name without an ending is the same before and after the file is read: one warning, not two', async () => {
		const data = { ...inMemory, fileName: 'photo' };
		const { uploads } = uploadsOf({ binary: { data } });
		expect([uploads.describe(field()).name, (await uploads.preview(field())).facts!.name]).toEqual([
			'photo.png',
			'photo.png',
		]);
	});

	test('its identity, unless only its bytes tell', async () => {
		const [{ uploads }, content] = [uploadsOf(), uploadsOf({ isByContent: true })];
		const unread = [await uploads.identity(field()), await uploads.identity(address)];
		expect(unread).toEqual([undefined, addressIdentity(url)]);
		expect(addressIdentity(url)).toMatch(/^url:[\w-]{43}$/);
		expect(addressIdentity(`${from}?token=2`)).not.toBe(addressIdentity(url));
		expect(await content.uploads.identity(address)).toBeUndefined();
		for (const file of [field(), field('stored'), address])
			expect(await content.uploads.identity(file, true)).toBe(hash);
	});
});

describe('a file behind an address', () => {
	const stored = [[content, 'photo.png', 'image/png']];
	test.each<[string, Given, number, unknown[]]>([
		['whose length is told is sent as it comes', {}, 1, []],
		['without a length goes through the store of n8n', { source: { headers: {} } }, 1, stored],
		['that counts by its bytes, too', { keyMode: 'content' }, 1, stored],
	])('%s', async (_what, given, fetched, kept) => {
		const upload = await uploaded(given, address);
		expect(upload.outcome).toMatchObject({ filename: 'photo.png', size: 10, source: from });
		expect(upload.puts.at(-1)).toEqual([expect.any(String), 'image/png', content]);
		expect([upload.fetched.length, upload.stored]).toEqual([fetched, kept]);
	});

	test('that was uploaded before is let go unread', async () => {
		const { fetched, puts } = await uploaded({ isReplayed: true }, address);
		expect([fetched[0]!.destroyed, puts]).toEqual([true, []]);
	});
});

test.each<[string, Given, PlannedFile]>([
	['in memory', {}, field()],
	['in a store', {}, field('stored')],
	['behind an address', { source: { headers: { 'content-length': '50' } } }, address],
	['behind an address, by its bytes', { keyMode: 'content' }, address],
])('the proportions of a picture are known once it is opened: %s', async (_where, given, file) => {
	const header = 'ffd8ffc0001108014d029a03';
	const picture = Buffer.from(header.padEnd(100, '0'), 'hex');
	const data = { ...inMemory, data: picture.toString('base64') };
	const { uploads } = uploadsOf({
		...{ binary: { data, stored: inStore }, stream: () => Readable.from([picture]), ...given },
		metadata: () => ({ fileSize: 50 }),
		source: { ...given.source, body: picture },
	});
	const { facts } = (await uploads.attached([file]))[0]!;
	expect(facts).toMatchObject({ contentType: 'image/png', proportions: 2 });
});

test('additional fields are sent with a file of its own, not with one of a post', async () => {
	const { uploads, seen } = uploadsOf({ additionalFields: { note: 1, size: 9 } });
	await uploads.all([field()]);
	await uploads.attached([field()]);
	const [own, attached] = seen.written;
	expect([own!.body, own!.says![0]]).toMatchObject([{ note: 1, size: 9 }, { note: 1 }]);
	for (const one of [attached!.body, attached!.says![0]])
		expect(one).toEqual(expect.not.objectContaining({ note: 1 }));
	expect(attached!.body).toMatchObject({ size: 10 });
});

test('a type among the additional fields is announced and put: the URL is signed for it', async () => {
	const { written, puts } = await uploaded({ additionalFields: { content_type: 'image/webp' } });
	expect([written[0]!.body!.content_type, puts[0]![1]]).toEqual(['image/webp', 'image/webp']);
});

describe('the signed address', () => {
	const read_url = 'https://cdn.example/1?token=read';

	test.each(['upload_url', 'uploadUrl', 'signed_url', 'url'])(
		'may be in %s; no record has it',
		async (name) => {
			const said = { [name]: signed(1), readUrl: read_url, more: 1 };
			const { outcome, puts } = await uploaded({ answer: () => said });
			expect(puts[0]![0]).toBe(signed(1));
			expect(outcome).toMatchObject({ read_url, more: 1 });
			expect(outcome).not.toHaveProperty('readUrl');
			expect(JSON.stringify(outcome)).not.toContain('signature');
		},
	);

	test('in other fields is hidden, too, also in what is kept for retries', async () => {
		const form = [`curl -T - ${signed(1)}`, 'https://b.example/?X-Amz-Signature=2'];
		const answer = () => ({ upload_url: signed(1), read_url, form });
		const hidden = ['curl -T - [hidden]', 'https://b.example/?[hidden]'];
		expect((await uploaded({ answer })).outcome).toMatchObject({ read_url, form: hidden });
	});

	test.each<[IDataObject, string]>([
		[{ upload_url: 'at https://a.example', read_url }, 'upload the file to'],
		[{ upload_url: 'https://', read_url }, 'upload the file to'],
		[{ upload_url: 'javascript:https://a.example', read_url }, 'upload the file to'],
		[{ upload_url: [signed(1)], read_url }, 'upload the file to'],
		[{}, 'upload the file to'],
		[{ upload_url: signed(1), read_url: '' }, 'read the file from'],
	])('has to be in %j, and one to read from', async (said, what) => {
		const { details, puts } = await uploaded({ answer: () => said });
		expect(details).toMatchObject({
			...{ code: 'NODE_UPLOAD_URL_MISSING', message: `The service returned no URL to ${what}` },
			hint: expect.stringContaining(`Its answer has: ${Object.keys(said).join(', ') || 'nothing'}. Please`),
			...{ file: 'data', idempotency_key: 'k', request_id: 'r' },
		});
		expect(JSON.stringify([details, puts])).not.toContain('signature');
	});

	test('that has expired is replaced, with a key of its own, twice', async () => {
		const source = { statusCode: 404 };
		const once = await uploaded({ source, statuses: [403] });
		expect(once.outcome).toMatchObject({ read_url: 'https://cdn.example/2' });
		expect(once.puts.map(([to]) => to)).toEqual([signed(1), signed(2)]);
		const [first, second] = once.written;
		expect(second!.name).not.toBe(first!.name);
		expect([first!.file!.keyPart, second!.file!.keyPart]).toEqual(['', 'fresh-1']);
		expect(second!.body).toEqual(first!.body);
		const never = await uploaded({ source, statuses: [403, 403, 403] });
		expect(never.details).toMatchObject({ code: 'NODE_UPLOAD_FORBIDDEN', file: 'data' });
		const refused = await uploaded({ source, statuses: [404] });
		expect(refused.details.code).toBe('NODE_UPLOAD_REFUSED');
		expect([never.puts.length, refused.puts.length]).toEqual([3, 1]);
	});

	test.each([
		['the file is there', {}, 1],
		['another one is there', { headers: { 'content-length': '11' } }, 2],
		['the file is there, whose length the server does not say', { headers: {} }, 1],
		[
			'a placeholder is there, whose length the server does not say',
			{ headers: {}, body: Buffer.from('none') },
			2,
		],
		['the file is there and breaks off', { headers: {}, stream: Readable.from(breakingOff()) }, 2],
	])('that has expired, where %s', async (_what, source, puts) => {
		const upload = await uploaded({ source, statuses: [403] });
		expect(upload.puts).toHaveLength(puts);
		expect(upload.outcome).toMatchObject({ read_url: `https://cdn.example/${puts}` });
	});

	test.each([409, 412])(
		'whose store takes a file once and answers %d: the file counts if it is there',
		async (status) => {
			const there = await uploaded({ statuses: [status] });
			expect(there.outcome).toMatchObject({ read_url: 'https://cdn.example/1' });
			const other = await uploaded({ source: { headers: { 'content-length': '11' } }, statuses: [status] });
			expect(other.details).toMatchObject({ code: 'NODE_UPLOAD_REFUSED', status });
			expect([there.puts.length, other.puts.length]).toEqual([1, 1]);
		},
	);
});

test('the files of a post: all of them or none, of which nothing was posted', async () => {
	const { uploads } = uploadsOf();
	const two = await uploads.attached([field('stored', 0, 2), field('data', 1, 2)]);
	expect(two.map(({ record }) => record.source)).toEqual(['stored', 'data']);
	const files = [field('data', 0, 2), field('missing', 1, 2)];
	const failure = await rejectionOf(uploads.attached(files));
	expect([failure.details.file, failure.processed]).toEqual(['missing', 'no']);
	expect(await uploads.all(files)).toMatchObject([{ source: 'data' }, { details: { file: 'missing' } }]);
	const { details } = await uploaded({ source: { statusCode: 404 } }, address);
	expect(details).toMatchObject({ code: 'NODE_SOURCE_REFUSED', file: from });
});

test('a file that an earlier try uploaded from an address that no longer opens', async () => {
	const [write] = (await uploaded({}, address)).written;
	const [name, place] = write!.names!;
	expect(name).toBe(write!.name);
	const record = { read_url: 'https://cdn.example/before', source: from };
	const gone: Given = { source: { statusCode: 410 }, uploaded: { [place!]: record } };
	expect((await uploaded(gone, address)).outcome).toEqual(record);
	const { uploads } = uploadsOf({ ...gone, keyMode: 'custom' });
	const identity = addressIdentity(url);
	expect(await uploads.attached([address])).toEqual([{ record, readUrl: record.read_url, identity }]);
	// Only its bytes would tell that the post is the same.
	for (const given of [{ keyMode: 'content' as const }, { uploaded: {} }])
		expect((await uploaded({ ...gone, ...given }, address)).details.code).toBe('NODE_LINK_EXPIRED');
	expect((await uploaded(gone, field('missing'))).details.code).toBe('NODE_BINARY_FIELD_MISSING');
});

describe('the name and key of an upload', () => {
	const nameOf = async (given: Given, file?: PlannedFile) => (await uploaded(given, file)).written[0]!.name;

	test("tell files, details and places apart; the user's own key is a file's alone", async () => {
		expect((await uploaded({})).written[0]!.file!.keyPart).toBe('');
		expect((await uploaded({}, field('data', 0, 2))).written[0]!.file!.keyPart).toBeUndefined();
		const data = (more: object) => ({ binary: { ...fields, data: { ...inMemory, ...more } } });
		const all = [
			...[await nameOf({}), await nameOf({}, field('stored')), await nameOf({}, address)],
			...[await nameOf(data({ data: btoa(`${content}!`) })), await nameOf(data({ fileName: 'b.png' }))],
			...[await nameOf(data({ mimeType: 'image/gif' })), await nameOf({}, field('data', 1, 2))],
		];
		expect(new Set(all).size).toBe(all.length);
		expect(await nameOf({ binary: { data: inStore } })).toBe(all[0]);
	});

	test.each(['content', 'custom'] as const)(
		'in mode %s, tell files apart by their bytes',
		async (keyMode) => {
			const other = { data: { ...inMemory, data: btoa(content.replace(/.$/, '!')) } };
			const named = { keyMode, binary: { data: { ...inStore, fileName: 'photo.png' } } };
			const names = [
				...[await nameOf(named), await nameOf(named, address)],
				...[await nameOf({ keyMode }), await nameOf({ keyMode, binary: other })],
			];
			expect(names.map((name) => names.indexOf(name))).toEqual([0, 0, 2, 3]);
		},
	);

	test('where the bytes decide, say the same wherever these come from', async () => {
		const { uploads, seen } = uploadsOf({
			keyMode: 'content',
			binary: { data: { ...inStore, fileName: 'photo.png' } },
		});
		const both = [...(await uploads.attached([field()])), ...(await uploads.attached([address]))];
		expect(both.map(({ identity }) => identity)).toEqual([hash, hash]);
		const [first, second] = seen.written.map(({ says }) => says);
		expect(second).toEqual(first);
	});
});

describe('in one request', () => {
	test('name, type and bytes go as a form with the additional fields, and the bytes stand for it in keys', async () => {
		const additionalFields = { note: 'a', nested: { a: 1 } };
		const binary = { data: { ...inStore, fileName: 'größe 1.png' } };
		const { uploads, seen } = uploadsOf({ binary, additionalFields });
		expect(await uploads.direct([field()])).toMatchObject([{ idempotency_key: 'k' }]);
		const [write] = seen.written as [Write];
		const { form } = write.file!;
		expect(write).toEqual({
			...{
				path: '/media',
				name: expect.stringMatching(/^media-0-/),
				file: { form: expect.anything(), keyPart: '' },
			},
			says: [
				{
					name: 'größe 1.png',
					contentType: 'image/png',
					hash,
					write: expect.any(String),
					...additionalFields,
				},
			],
		});
		const file = form!.get('file') as File;
		expect([file.name, file.type, await file.text()]).toEqual(['größe 1.png', 'image/png', content]);
		expect([form!.get('note'), form!.get('nested')]).toEqual(['a', '{"a":1}']);
	});

	test('one after another: what fails names the field, and several have a key each', async () => {
		const { uploads, seen } = uploadsOf({ answer: (n) => (n === 1 ? thrown('Error')() : { n }) });
		const outcomes: Outcome[] = await uploads.direct([field('stored', 0, 2), field('data', 1, 2)]);
		expect(outcomes).toMatchObject([{ details: { file: 'stored' } }, { n: 2 }]);
		const [first, second] = seen.written;
		expect([first!.file!.keyPart, second!.file!.keyPart]).toEqual([undefined, undefined]);
		expect(first!.name).not.toBe(second!.name);
	});

	test('up to 50 MiB', async () => {
		const sent = async (fileSize: number) =>
			(await uploadsOf({ metadata: () => ({ fileSize }) }).uploads.direct([field('stored')]))[0];
		expect(await sent(50 * 2 ** 20)).toMatchObject({ idempotency_key: 'k' });
		const message = "The file in 'stored' has 51 MiB; up to 50 MiB go in one request";
		const details = { code: 'NODE_FILE_TOO_LARGE', message, hint: expect.stringContaining("'Upload'") };
		expect(await sent(50 * 2 ** 20 + 1)).toMatchObject({ details });
	});
});

describe('a preview', () => {
	test('of a binary field: what it would be, from its bytes where they decide', async () => {
		const { uploads, seen } = uploadsOf();
		const record = { filename: 'a.png', content_type: 'image/png', size: 10 };
		const facts = { name: 'a.png', contentType: 'image/png', looksLike: 'text/plain', sizeBytes: 10 };
		const shown = { record, readUrl: '(address of a.png after its upload)', identity: 'filesystem:1', facts };
		const write = { path: '/media/upload-url', body: record };
		expect(await uploads.preview(field('stored'))).toMatchObject({ ...shown, write });
		expect((await uploads.preview(field())).identity).toBe(`memory:${hash}`);
		expect((await rejectionOf(uploads.preview(field('missing')))).details.file).toBe('missing');
		expect(seen.written).toEqual([]);
	});

	test('for a page: a small picture itself, wherever it is, while there is room', async () => {
		const shown = async (file: PlannedFile, given: Given = {}) => await uploadsOf(given).uploads.shown(file);
		const picture = { contentType: 'image/png', sizeBytes: 10, bytes: Buffer.from(content) };
		for (const file of [field(), field('stored'), address]) expect(await shown(file)).toMatchObject(picture);
		expect(
			(await shown(address, { source: { body: Buffer.alloc(2 ** 20 + 1), headers: {} } })).bytes,
		).toBeUndefined();
		for (const type of ['video/mp4', 'image/jpeg2000']) {
			const other = { headers: { 'content-type': type, 'content-length': '10' } };
			expect((await shown(address, { source: other })).bytes).toBeUndefined();
		}
		const { uploads } = uploadsOf({ room: 15 });
		expect([(await uploads.shown(field())).bytes?.length, (await uploads.shown(field())).bytes]).toEqual([
			10,
			undefined,
		]);
	});

	test('reads no more files at the same time than are uploaded', async () => {
		const { uploads, seen } = uploadsOf({ keyMode: 'content' });
		await Promise.all([field(), address].map(async (file) => await uploads.preview(file)));
		expect(seen.limited).toBe(2);
	});

	test('of an address: nothing is fetched unless the bytes decide', async () => {
		const { uploads, seen } = uploadsOf({ isByContent: true });
		expect(await uploads.preview(address)).toEqual({
			...{ record: { filename: from }, readUrl: `(address of ${from} after its upload)` },
			identity: addressIdentity(url),
		});
		expect(seen.fetched).toEqual([]);
		const { uploads: read } = uploadsOf({ keyMode: 'content' });
		expect(await read.preview(address)).toMatchObject({ record: { size: 10 }, identity: hash });
	});
});
