import type { IDataObject } from 'n8n-workflow';

import { Failure, refusal } from '../../../../nodes/api/failure';
import {
	addressIdentity,
	type Files,
	type SourceFile,
} from '../../../../nodes/SocialPublishing/media/sources';
import type { KeyMode } from '../../../../nodes/SocialPublishing/writes/key';
import type { WriteRequest } from '../../../../nodes/SocialPublishing/writes/write';
import { Uploads, type UploadScope } from '../../../../nodes/SocialPublishing/media/uploads';
import { rejectionOf } from '../../../support/failure';

const alone = { position: 0, count: 1 };
const url = 'https://a.example/photo.png?token=1';
const signed = (n: number) => `http://store.example/${n}?signature=${n}`;
const forbidden = new Failure({ code: 'NODE_UPLOAD_FORBIDDEN', message: 'expired', hint: 'try' });

interface Given {
	answer?: (n: number) => IDataObject;
	/** What goes wrong with each transfer, one after another. */
	transfers?: Array<Failure | undefined>;
	keyMode?: KeyMode;
	byContent?: boolean;
	memory?: IDataObject;
	file?: Partial<SourceFile>;
	remote?: (measured: boolean) => Failure | undefined;
	workspaceId?: string;
	item?: string;
	round?: number;
}

/** Uploads of one item, with what is written, transferred and closed. */
function uploadsOf(given: Given = {}) {
	const { answer, transfers = [], keyMode = 'execution', memory = {}, file = {}, remote } = given;
	const { workspaceId = 'ws', item = 'item', round = 0, byContent = keyMode === 'content' } = given;
	const written: WriteRequest[] = [];
	const puts: string[] = [];
	const asked: boolean[] = [];
	let [closed, slots] = [0, 0];
	const source = (from: string, byContent = false): SourceFile => ({
		...{ name: 'a.png', contentType: 'image/png', size: 10, from },
		identity: byContent ? 'hash of the bytes' : `id of ${from}`,
		open: async () => Buffer.alloc(10),
		close: () => void closed++,
		...file,
	});
	const files = {
		binary: async (_index: number, field: string, byContent: boolean) => source(field, byContent),
		remote: async (_address: string, _maxWait: number, byContent: boolean, measured = byContent) => {
			asked.push(measured);
			const failure = remote?.(measured);
			if (failure) throw failure;
			return source('https://a.example/photo.png', byContent);
		},
		whole: async (_index: number, field: string, limit: number) => {
			if (limit !== 50 * 2 ** 20) throw new Error('another limit');
			return { file: source(field), bytes: Buffer.from('bytes'), hash: 'h'.repeat(64) };
		},
		transfers: {
			put: async (_file: unknown, to: string) => {
				puts.push(to);
				const failure = transfers.shift();
				if (failure) throw failure;
			},
		},
	} as unknown as Files;
	const scope: UploadScope = {
		uploadSlots: async (work) => (slots++, await work()),
		uploadMemory: memory,
		round,
		identityOf: () => item,
	};
	const write = async (request: WriteRequest) => {
		written.push(request);
		const n = written.length;
		return (
			answer?.(n) ?? { upload_url: signed(n), read_url: `https://cdn.example/${n}`, idempotency_key: 'k' }
		);
	};
	const uploads = new Uploads(scope, files, { index: 0, keyMode, byContent, maxWait: 0, workspaceId, write });
	return { uploads, written, puts, asked, memory, closed: () => closed, slots: () => slots };
}

describe('a file', () => {
	test('is announced, sent to the signed address, and known by what it can be read under', async () => {
		const { uploads, written, puts, closed, slots } = uploadsOf();
		expect(await uploads.binary('data', alone)).toMatchObject({
			record: {
				read_url: 'https://cdn.example/1',
				filename: 'a.png',
				content_type: 'image/png',
				size: 10,
				idempotency_key: 'k',
				source: 'data',
			},
			readUrl: 'https://cdn.example/1',
			identity: 'id of data',
		});
		expect(written).toEqual([
			{
				path: '/media/upload-url',
				method: 'POST',
				body: { filename: 'a.png', content_type: 'image/png', size: 10 },
				part: expect.stringMatching(/^media-0-[\w-]{22}$/),
				target: expect.stringMatching(/^media-0-[\w-]{22}$/),
				additional: true,
				secret: true,
			},
		]);
		expect([puts, closed(), slots()]).toEqual([[signed(1)], 1, 1]);
	});

	test.each(['upload_url', 'uploadUrl', 'signed_url', 'url'])(
		'goes where %s says, which is in no output',
		async (name) => {
			const { uploads, puts } = uploadsOf({
				answer: () => ({ [name]: signed(1), readUrl: 'https://cdn.example/1', more: 1 }),
			});
			const { record } = await uploads.binary('data', alone);
			expect(puts).toEqual([signed(1)]);
			expect(record).toMatchObject({ read_url: 'https://cdn.example/1', more: 1 });
			expect(JSON.stringify(record)).not.toContain('signature');
			expect(record).not.toHaveProperty('readUrl');
		},
	);

	test('whose signed address stands in other fields, too: it is in no output and not kept for retries', async () => {
		const readUrl = 'https://cdn.example/1?token=read';
		const { uploads, memory } = uploadsOf({
			answer: () => ({
				...{ upload_url: signed(1), read_url: readUrl, idempotency_key: 'k' },
				upload: {
					put: { to: signed(1) },
					form: [`curl -T - ${signed(1)}`, 'https://b.example/?X-Amz-Signature=2'],
				},
			}),
		});
		const { record } = await uploads.binary('data', alone);
		expect(record).toMatchObject({
			...{ read_url: readUrl, idempotency_key: 'k' },
			upload: { put: { to: '[hidden]' }, form: ['curl -T - [hidden]', 'https://b.example/?[hidden]'] },
		});
		expect(JSON.stringify(memory)).not.toMatch(/signature/i);
	});

	test.each<[object, RegExp]>([
		[{ read_url: 'https://cdn.example' }, /no URL to upload the file to/],
		...['soon', 'at https://a.example', 'javascript:a', 'https://', 7].map((upload_url): [object, RegExp] => [
			{ upload_url, read_url: 'https://cdn.example' },
			/no URL to upload the file to/,
		]),
		[{ upload_url: signed(1) }, /no URL to read the file from/],
		[{ upload_url: signed(1), read_url: '' }, /no URL to read the file from/],
		[{}, /no URL to upload the file to/],
	])('is not sent with an answer of %j', async (answer, message) => {
		const ids = { idempotency_key: 'k', request_id: 'r' };
		const { uploads, puts, closed } = uploadsOf({ answer: () => ({ ...answer, ...ids }) as IDataObject });
		const { details } = await rejectionOf(uploads.binary('data', alone));
		expect(details).toMatchObject({ code: 'NODE_UPLOAD_URL_MISSING', file: 'data', ...ids });
		expect(details.message).toMatch(message);
		const names = Object.keys(answer).join(', ') || 'nothing';
		expect(details.hint).toMatch(`Its answer has: ${names}. Please report this`);
		expect(JSON.stringify(details)).not.toContain('signature');
		expect([puts, closed()]).toEqual([[], 1]);
	});

	test('IDs of an answer that are no texts are in no failure', async () => {
		const { uploads } = uploadsOf({ answer: () => ({ idempotency_key: 1, request_id: 2 }) });
		const { details } = await rejectionOf(uploads.binary('data', alone));
		expect(details).not.toHaveProperty('idempotency_key');
		expect(details).not.toHaveProperty('request_id');
	});

	test('whose address has expired gets a fresh one, once', async () => {
		const once = uploadsOf({ transfers: [forbidden] });
		expect(await once.uploads.binary('data', alone)).toMatchObject({ readUrl: 'https://cdn.example/2' });
		expect(once.puts).toEqual([signed(1), signed(2)]);
		const [first, second] = once.written;
		expect([second!.part === first!.part, second!.target === first!.target]).toEqual([false, false]);
		expect({ ...second, part: '', target: '' }).toEqual({ ...first, part: '', target: '' });
		const twice = uploadsOf({ transfers: [forbidden, forbidden] });
		expect((await rejectionOf(twice.uploads.binary('data', alone))).details).toMatchObject({
			code: 'NODE_UPLOAD_FORBIDDEN',
			file: 'data',
		});
		expect(twice.puts).toHaveLength(2);
	});

	test('that can not be sent is named by where it comes from, without the query', async () => {
		const broken = () => refusal('TRANSFER_BROKE', 'broke off', 'try');
		const { uploads, puts, closed } = uploadsOf({ transfers: [broken(), broken()] });
		expect((await rejectionOf(uploads.binary('data', alone))).details.file).toBe('data');
		expect((await rejectionOf(uploads.remote(url, alone))).details.file).toBe('https://a.example/photo.png');
		expect([puts.length, closed()]).toEqual([2, 2]);
	});

	test('whose server tells a wrong length is counted', async () => {
		const differs = refusal('LENGTH_DIFFERS', 'too few', 'try');
		const { uploads, asked } = uploadsOf({ remote: (twice) => (twice ? undefined : differs) });
		expect(await uploads.remote(url, alone)).toMatchObject({ readUrl: 'https://cdn.example/1' });
		expect(asked).toEqual([false, true]);
		const gone = uploadsOf({ remote: () => refusal('SOURCE_NOT_FOUND', 'gone', 'try') });
		expect((await rejectionOf(gone.uploads.remote(url, alone))).details.code).toBe('NODE_SOURCE_NOT_FOUND');
		expect(gone.asked).toEqual([false]);
	});
});

describe('a retry of the execution', () => {
	const memory: IDataObject = {};
	const upload = async (given: Given, field = 'data', place = alone) => {
		const { uploads, written } = uploadsOf({ memory, ...given });
		return { uploaded: await uploads.binary(field, place), requests: written.length };
	};

	test('does not upload again what is there, until it is another file', async () => {
		const first = await upload({});
		const again = await upload({ memory: JSON.parse(JSON.stringify(memory)) as IDataObject });
		expect([first.requests, again.requests]).toEqual([1, 0]);
		expect(again.uploaded).toMatchObject(first.uploaded);
		expect((await upload({ file: { size: 11 } })).requests).toBe(1);
		expect((await upload({ file: { identity: 'another' } })).requests).toBe(1);
	});

	test('knows each file by run, item, place and workspace', async () => {
		const all: IDataObject = {};
		const requests = async (position: number, more: object = {}) => {
			const { uploads, written } = uploadsOf({ memory: all, ...more });
			await uploads.binary('data', { position, count: 2 });
			return written.length;
		};
		for (const expected of [1, 0]) {
			expect([await requests(0), await requests(1)]).toEqual([expected, expected]);
			for (const more of [{ workspaceId: 'ws_2' }, { item: 'another' }, { round: 1 }])
				expect([more, await requests(0, more)]).toEqual([more, expected]);
		}
	});
});

describe('the key of an upload', () => {
	/** By which requests are told apart. */
	const namesOf = async (given: Given, field = 'data', slot: object = alone) => {
		const { uploads, written } = uploadsOf(given);
		await uploads.binary(field, { ...alone, ...slot });
		return [written[0]!.part, written[0]!.target];
	};

	test('is of its own for each file and place', async () => {
		const all = [
			await namesOf({}),
			await namesOf({}, 'other'),
			await namesOf({ file: { size: 11 } }),
			await namesOf({}, 'data', { position: 1, count: 2 }),
		];
		expect(new Set(all.map(String)).size).toBe(all.length);
		expect(await namesOf({})).toEqual(all[0]);
		expect(all[0]![0]).toMatch(/^media-0-/);
	});

	test("is the user's own for a file alone; several, and one of a post, get a part each", async () => {
		const [[part], [own, target]] = [await namesOf({}), await namesOf({ keyMode: 'custom' })];
		// Found in a retry whatever its mode is by then.
		expect([own, target]).toEqual([part, '']);
		expect((await namesOf({ keyMode: 'custom' }, 'data', { count: 2 }))[1]).toMatch(/^media-0-/);
		expect((await namesOf({ keyMode: 'custom' }, 'data', { attached: true }))[1]).toMatch(/^media-0-/);
		const expired = uploadsOf({ keyMode: 'custom', transfers: [forbidden] });
		await expired.uploads.binary('data', alone);
		expect(expired.written[1]!.target).toMatch(/^fresh-\d+$/);
	});

	test('made of the content is made of the bytes, wherever they come from: they are uploaded once', async () => {
		const { uploads, asked, written } = uploadsOf({ keyMode: 'content' });
		const [one, two] = [await uploads.binary('data', alone), await uploads.remote(url, alone)];
		expect([one.identity, two.identity]).toEqual(['hash of the bytes', 'hash of the bytes']);
		expect(written).toHaveLength(1);
		// The bytes are read for their hash before they are sent.
		expect(asked).toEqual([true]);
		expect(written[0]!.part).toBe((await namesOf({}))[0]);
	});

	test('additional fields are meant for the post that a file belongs to', async () => {
		const { uploads, written } = uploadsOf();
		await uploads.binary('data', { ...alone, attached: true });
		expect(written[0]!.additional).toBe(false);
	});
});

describe('in one request', () => {
	test('name, type and bytes go as a form, and the bytes stand for it in keys', async () => {
		const { uploads, written } = uploadsOf({ file: { name: 'größe 1.png' } });
		await uploads.direct('data', alone);
		const [{ form, ...request }] = written as [WriteRequest];
		expect(request).toEqual({
			path: '/media',
			method: 'POST',
			content: { name: 'größe 1.png', contentType: 'image/png', hash: 'h'.repeat(64) },
			part: expect.stringMatching(/^media-0-/),
			target: expect.stringMatching(/^media-0-/),
		});
		const file = form!.get('file') as File;
		expect([file.name, file.type, await file.text()]).toEqual(['größe 1.png', 'image/png', 'bytes']);
	});

	test('what fails names the field', async () => {
		const { uploads } = uploadsOf({
			answer: () => {
				throw forbidden;
			},
		});
		expect((await rejectionOf(uploads.direct('photo', alone))).details.file).toBe('photo');
	});
});

describe('a preview', () => {
	test('of a binary field: what it would be, from its bytes where they decide', async () => {
		const { uploads, written, closed } = uploadsOf();
		expect(await uploads.preview('data', true)).toEqual({
			record: { filename: 'a.png', content_type: 'image/png', size: 10 },
			readUrl: '(address of a.png after its upload)',
			identity: 'id of data',
		});
		expect([written, closed()]).toEqual([[], 0]);
		expect((await uploadsOf({ byContent: true }).uploads.preview('data', true)).identity).toBe(
			'hash of the bytes',
		);
	});

	test('of an address: nothing is fetched unless the bytes decide, and it is the same as the upload', async () => {
		const from = 'https://a.example/photo.png';
		const { uploads, asked } = uploadsOf({ byContent: true });
		expect(await uploads.preview(url, false)).toEqual({
			record: { filename: from },
			readUrl: `(address of ${from} after its upload)`,
			identity: addressIdentity(url),
		});
		expect(asked).toEqual([]);
		const content = uploadsOf({ keyMode: 'content' });
		expect(await content.uploads.preview(url, false)).toMatchObject({
			record: { filename: 'a.png', size: 10 },
			identity: 'hash of the bytes',
		});
		expect(content.asked).toEqual([true]);
	});

	test('what fails names the file, without the query of an address', async () => {
		const gone = uploadsOf({ keyMode: 'content', remote: () => refusal('SOURCE_NOT_FOUND', 'gone', 'try') });
		expect((await rejectionOf(gone.uploads.preview(url, false))).details.file).toBe(
			'https://a.example/photo.png',
		);
	});
});
