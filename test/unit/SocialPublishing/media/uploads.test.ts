import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { Failure, refusal, type Outcome } from '../../../../nodes/api/failure';
import { addressIdentity, type Files, type SourceFile } from '../../../../nodes/SocialPublishing/media/files';
import { Uploads, type PlannedFile } from '../../../../nodes/SocialPublishing/media/uploads';
import type { KeyMode } from '../../../../nodes/SocialPublishing/writes/key';
import type { Write } from '../../../../nodes/SocialPublishing/writes/write';
import { rejectionOf } from '../../../support/failure';

const url = 'https://a.example/photo.png?token=1';
const from = 'https://a.example/photo.png';
const field = (source = 'data', position = 0, count = 1): PlannedFile => ({
	source,
	isBinary: true,
	position,
	count,
});
const address: PlannedFile = { ...field(url), isBinary: false };
const signed = (n: number) => `http://store.example/${n}?signature=${n}`;
const forbidden = new Failure({ code: 'NODE_UPLOAD_FORBIDDEN', message: 'expired', hint: 'try' });
const gone = refusal('SOURCE_NOT_FOUND', 'gone', 'try');

interface Given {
	answer?: (n: number) => IDataObject;
	/** What goes wrong with each transfer, one after another. */
	transfers?: Array<Failure | undefined>;
	keyMode?: KeyMode;
	byContent?: boolean;
	file?: Partial<SourceFile>;
	remote?: (isMeasured: boolean) => Failure | undefined;
	additionalFields?: IDataObject;
}

/** Uploads of one item, with what is written, transferred and closed. */
function uploadsOf({
	answer,
	transfers = [],
	keyMode = 'execution',
	file = {},
	remote,
	...given
}: Given = {}) {
	const { byContent = keyMode === 'content', additionalFields } = given;
	const written: Write[] = [];
	const puts: string[] = [];
	const fetched: boolean[] = [];
	const counts = { closed: 0, limited: 0 };
	const source = (name: string, isByContent = false): SourceFile => ({
		...{ name: 'a.png', contentType: 'image/png', size: 10, from: name },
		identity: isByContent ? 'hash of the bytes' : `id of ${name}`,
		open: async () => Buffer.alloc(10),
		close: () => void counts.closed++,
		...file,
	});
	const files = {
		requireBinary: (_index: number, name: string) => {
			if (name === 'missing') throw gone;
		},
		describe: (_index: number, name: string) => ({ name, sizeBytes: name === 'empty' ? 0 : 10 }),
		binary: async (_index: number, name: string, isByContent: boolean) => {
			if (name === 'missing') throw gone;
			return source(name, isByContent);
		},
		remote: async (_address: string, _maxWait: number, isByContent: boolean, isMeasured = isByContent) => {
			fetched.push(isMeasured);
			const failure = remote?.(isMeasured);
			if (failure) throw failure;
			return source(from, isByContent);
		},
		whole: async (_index: number, name: string, limit: number) => {
			if (limit !== 50 * 2 ** 20) throw new Error('another limit');
			return { ...source(name), bytes: Buffer.from('bytes'), hash: 'h'.repeat(64) };
		},
		transfers: {
			put: async (_file: unknown, to: string) => {
				puts.push(to);
				const failure = transfers.shift();
				if (failure) throw failure;
			},
		},
	} as unknown as Files;
	const write = async (one: Write) => {
		written.push(one);
		const n = written.length;
		const said = answer?.(n) ?? { upload_url: signed(n), read_url: `https://cdn.example/${n}` };
		const response = { ...said, idempotency_key: 'k', request_id: 'r' };
		return { response: (await one.complete?.(response)) ?? response };
	};
	const options = additionalFields ? { additionalFields } : {};
	const item = { index: 0, options, maxWaitMs: 0, previewOnly: false, keyMode, workspaceId: '', write };
	const limit = async <T>(task: () => Promise<T>) => (counts.limited++, await task());
	return { uploads: new Uploads(item, files, { limit, byContent }), written, puts, fetched, counts };
}
/** What was wrong with the only file. */
const detailsOf = (outcomes: Outcome[]) => (outcomes[0] as Failure).details;

describe('a file', () => {
	test('is announced, sent to the signed address, and known by what it can be read under', async () => {
		const { uploads, written, puts, counts } = uploadsOf();
		const [uploaded] = await uploads.attached([field()]);
		const own = { filename: 'a.png', content_type: 'image/png', size: 10 };
		const record = { ...own, read_url: 'https://cdn.example/1', source: 'data' };
		expect(uploaded).toEqual({
			record: { ...record, idempotency_key: 'k', request_id: 'r' },
			readUrl: 'https://cdn.example/1',
			identity: 'id of data',
		});
		expect(written).toEqual([
			{
				...{
					path: '/media/upload-url',
					body: own,
					sameAs: { ...own, identity: 'id of data' },
				},
				...{
					name: expect.stringMatching(/^media-0-[\w-]{22}$/),
					isAttached: true,
					complete: expect.any(Function),
				},
			},
		]);
		expect([puts, counts]).toEqual([[signed(1)], { closed: 1, limited: 1 }]);
	});

	test('of its own has the additional fields, one of a post has not', async () => {
		const { uploads, written } = uploadsOf({ additionalFields: { note: 1, size: 9 } });
		await uploads.all([field()]);
		await uploads.attached([field()]);
		expect(written.map(({ body }) => [body!.note, body!.size])).toEqual([
			[1, 9],
			[undefined, 10],
		]);
		expect(written.map(({ sameAs }) => sameAs!.note)).toEqual([1, undefined]);
	});

	test.each(['upload_url', 'uploadUrl', 'signed_url', 'url'])(
		'goes where %s says, which is in no record',
		async (name) => {
			const { uploads, puts } = uploadsOf({
				answer: () => ({ [name]: signed(1), readUrl: 'https://cdn.example/1', more: 1 }),
			});
			const [record] = await uploads.all([field()]);
			expect(puts).toEqual([signed(1)]);
			expect(record).toMatchObject({ read_url: 'https://cdn.example/1', more: 1 });
			expect(record).not.toHaveProperty('readUrl');
			expect(JSON.stringify(record)).not.toContain('signature');
		},
	);

	test('whose signed address stands in other fields, too: it is in no record, which is what is kept for retries', async () => {
		const read_url = 'https://cdn.example/1?token=read';
		const form = [`curl -T - ${signed(1)}`, 'https://b.example/?X-Amz-Signature=2'];
		const { uploads } = uploadsOf({
			answer: () => ({ upload_url: signed(1), read_url, upload: { put: { to: signed(1) }, form } }),
		});
		const [record] = await uploads.all([field()]);
		const hidden = { put: { to: '[hidden]' }, form: ['curl -T - [hidden]', 'https://b.example/?[hidden]'] };
		expect(record).toMatchObject({ read_url, upload: hidden });
	});

	const read = { read_url: 'https://cdn.example' };
	test.each<[object, RegExp]>([
		...['soon', 'at https://a.example', 'javascript:a', 'https://', 7, undefined].map(
			(upload_url): [object, RegExp] => [
				JSON.parse(JSON.stringify({ upload_url, ...read })) as object,
				/no URL to upload the file to/,
			],
		),
		[{ upload_url: signed(1) }, /no URL to read the file from/],
		[{ upload_url: signed(1), read_url: '' }, /no URL to read the file from/],
		[{}, /no URL to upload the file to/],
	])('is not sent with an answer of %j', async (answer, message) => {
		const { uploads, puts, counts } = uploadsOf({ answer: () => ({ ...answer }) as IDataObject });
		const details = detailsOf(await uploads.all([field()]));
		expect(details).toMatchObject({
			code: 'NODE_UPLOAD_URL_MISSING',
			file: 'data',
			idempotency_key: 'k',
			request_id: 'r',
		});
		expect(details.message).toMatch(message);
		expect(details.hint).toMatch(
			`Its answer has: ${Object.keys(answer).join(', ') || 'nothing'}. Please report this`,
		);
		expect(JSON.stringify(details)).not.toContain('signature');
		expect([puts, counts.closed]).toEqual([[], 1]);
	});

	test('whose address has expired gets a fresh one, with a key of its own, once', async () => {
		const once = uploadsOf({ transfers: [forbidden] });
		expect(await once.uploads.all([field()])).toMatchObject([{ read_url: 'https://cdn.example/2' }]);
		expect([once.puts, once.counts.closed]).toEqual([[signed(1), signed(2)], 1]);
		const [first, second] = once.written;
		expect(second!.name).not.toBe(first!.name);
		expect([first!.keyPart, second!.keyPart]).toEqual(['', expect.stringMatching(/^fresh-\d+$/)]);
		expect({ ...second, name: '', keyPart: '', complete: '' }).toEqual({
			...first,
			name: '',
			keyPart: '',
			complete: '',
		});
		const twice = uploadsOf({ transfers: [forbidden, forbidden] });
		expect(detailsOf(await twice.uploads.all([field()]))).toMatchObject({
			code: 'NODE_UPLOAD_FORBIDDEN',
			file: 'data',
		});
		expect(twice.puts).toHaveLength(2);
	});

	test('that can not be sent is named by where it comes from, without the query', async () => {
		const broken = () => refusal('TRANSFER_BROKE', 'broke off', 'try');
		const { uploads, puts, counts } = uploadsOf({ transfers: [broken(), broken()] });
		const outcomes = await uploads.all([field(), address]);
		expect(outcomes.map((one) => (one as Failure).details.file)).toEqual(['data', from]);
		expect([puts.length, counts.closed]).toEqual([2, 2]);
	});

	test('whose server announces a wrong length is counted', async () => {
		const differs = refusal('LENGTH_DIFFERS', 'too few', 'try');
		const { uploads, fetched } = uploadsOf({ remote: (isMeasured) => (isMeasured ? undefined : differs) });
		expect(await uploads.all([address])).toMatchObject([{ read_url: 'https://cdn.example/1' }]);
		expect(fetched).toEqual([false, true]);
		const other = uploadsOf({ remote: () => gone });
		expect(detailsOf(await other.uploads.all([address])).code).toBe('NODE_SOURCE_NOT_FOUND');
		expect(other.fetched).toEqual([false]);
	});
});

test('the files of a post: all of them or none, of which nothing was posted', async () => {
	const { uploads } = uploadsOf();
	const two = await uploads.attached([field('a', 0, 2), field('b', 1, 2)]);
	expect(two.map(({ identity }) => identity)).toEqual(['id of a', 'id of b']);
	const failure = await rejectionOf(uploads.attached([field('a', 0, 2), field('missing', 1, 2)]));
	expect([failure.details.file, failure.notProcessed]).toEqual(['missing', true]);
	const alone = await uploads.all([field('a', 0, 2), field('missing', 1, 2)]);
	expect(alone).toMatchObject([{ source: 'a' }, { details: { file: 'missing' } }]);
});

test('a file before it is read: there or refused, what is known of it, and its identity unless its bytes decide', async () => {
	const [{ uploads }, content] = [uploadsOf(), uploadsOf({ byContent: true })];
	uploads.requireFile(field());
	uploads.requireFile({ ...address, source: 'missing' });
	expect(() => uploads.requireFile(field('missing'))).toThrow('gone');
	expect(() => uploads.requireFile(field('empty'))).toThrow("'empty' is empty");
	expect([uploads.describe(field()), uploads.describe(address)]).toEqual([
		{ name: 'data', sizeBytes: 10 },
		{ name: from },
	]);
	expect([await uploads.identity(field()), await uploads.identity(address)]).toEqual([
		undefined,
		addressIdentity(url),
	]);
	expect(await content.uploads.identity(address)).toBeUndefined();
	for (const file of [field(), address])
		expect(await content.uploads.identity(file, true)).toBe('hash of the bytes');
});

describe('the name and key of an upload', () => {
	const writeOf = async (given: Given = {}, file = field()) => {
		const { uploads, written } = uploadsOf(given);
		await uploads.all([file]);
		// A write has a `then`: as it is, it would be awaited.
		return omit(written[0]!, 'then');
	};

	test('tell files, details and places apart, whatever the mode', async () => {
		const name = async (given: Given, file?: PlannedFile) => (await writeOf(given, file)).name;
		const all = [
			await name({}),
			await name({}, field('other')),
			await name({}, address),
			await name({ file: { size: 11 } }),
			await name({ file: { name: 'b.png' } }),
			await name({ file: { contentType: 'image/gif' } }),
			await name({}, field('data', 1, 2)),
		];
		expect(new Set(all).size).toBe(all.length);
		for (const given of [
			{},
			{ keyMode: 'content' },
			{ keyMode: 'custom' },
			{ file: { identity: 'other' } },
		] as const)
			expect(await name(given)).toBe(all[0]);
	});

	test("are the user's own key for a file alone; several, and those of a post, get their name behind it", async () => {
		expect((await writeOf()).keyPart).toBe('');
		expect(await writeOf({}, field('data', 0, 2))).not.toHaveProperty('keyPart');
		const { uploads, written } = uploadsOf();
		await uploads.attached([field()]);
		expect(written[0]).not.toHaveProperty('keyPart');
	});

	test('where the bytes decide, say the same wherever these come from', async () => {
		const { uploads, fetched, written } = uploadsOf({ keyMode: 'content' });
		const both = [...(await uploads.attached([field()])), ...(await uploads.attached([address]))];
		expect(both.map(({ identity }) => identity)).toEqual(Array(2).fill('hash of the bytes'));
		expect(written[1]!.sameAs).toEqual(written[0]!.sameAs);
		// The bytes are read for their hash before they are sent.
		expect(fetched).toEqual([true]);
	});
});

describe('in one request', () => {
	test('name, type and bytes go as a form with the additional fields, and the bytes stand for it in keys', async () => {
		const additionalFields = { note: true, nested: { a: 1 } };
		const { uploads, written } = uploadsOf({ file: { name: 'größe 1.png' }, additionalFields });
		expect(await uploads.direct([field()])).toMatchObject([{ idempotency_key: 'k' }]);
		const [{ form, ...write }] = written as [Write];
		expect(write).toEqual({
			...{ path: '/media', name: expect.stringMatching(/^media-0-/), keyPart: '' },
			sameAs: { name: 'größe 1.png', contentType: 'image/png', hash: 'h'.repeat(64), ...additionalFields },
		});
		const file = form!.get('file') as File;
		expect([file.name, file.type, await file.text()]).toEqual(['größe 1.png', 'image/png', 'bytes']);
		expect([form!.get('note'), form!.get('nested')]).toEqual(['true', '{"a":1}']);
	});

	test('one after another: what fails names the field, and several have a key each', async () => {
		const { uploads, written } = uploadsOf({
			answer: (n) => {
				if (n === 1) throw forbidden;
				return { n };
			},
		});
		const outcomes = await uploads.direct([field('photo', 0, 2), field('data', 1, 2)]);
		expect(outcomes).toMatchObject([{ details: { file: 'photo' } }, { n: 2 }]);
		for (const write of written) expect(write).not.toHaveProperty('keyPart');
		expect(written[0]!.name).not.toBe(written[1]!.name);
	});
});

describe('a preview', () => {
	test('of a binary field: what it would be, from its bytes where they decide', async () => {
		const { uploads, written } = uploadsOf();
		const record = { filename: 'a.png', content_type: 'image/png', size: 10 };
		const shown = { record, readUrl: '(address of a.png after its upload)', identity: 'id of data' };
		expect(await uploads.preview(field())).toEqual(shown);
		expect((await uploads.preview(field(), true)).identity).toBe('hash of the bytes');
		expect((await uploadsOf({ byContent: true }).uploads.preview(field())).identity).toBe(
			'hash of the bytes',
		);
		expect(written).toEqual([]);
	});

	test('of an address: nothing is fetched unless the bytes decide, and what fails names the file', async () => {
		const { uploads, fetched } = uploadsOf({ byContent: true });
		const shown = {
			record: { filename: from },
			readUrl: `(address of ${from} after its upload)`,
			identity: addressIdentity(url),
		};
		expect([await uploads.preview(address), fetched]).toEqual([shown, []]);
		const content = uploadsOf({ keyMode: 'content' });
		expect(await content.uploads.preview(address)).toMatchObject({
			record: { size: 10 },
			identity: 'hash of the bytes',
		});
		expect(content.fetched).toEqual([true]);
		const missing = uploadsOf({ keyMode: 'content', remote: () => gone });
		expect((await rejectionOf(missing.uploads.preview(address))).details.file).toBe(from);
		expect((await rejectionOf(missing.uploads.preview(field('missing')))).details.file).toBe('missing');
	});
});
