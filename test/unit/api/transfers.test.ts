import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import { refusal } from '../../../nodes/api/failure';
import { Pace } from '../../../nodes/api/pace';
import { Transfers } from '../../../nodes/api/transfers';
import { ended } from '../../support/virtualTime';

/** Only the clock of what is tested stands still: streams go on by themselves. */
const doNotFake = ['nextTick', 'setImmediate', 'queueMicrotask'] as const;
beforeEach(() => void jest.useFakeTimers({ now: 0, doNotFake: [...doNotFake] }));
afterEach(() => void jest.useRealTimers());

const TIMEOUT = 120_000;
const STORE = 'https://store.example.com/1?signature=abc';
const PHOTO = 'https://a.example/folder/photo%201.png?token=1';

/** How work ends whose streams go on while time passes. */
async function streamed<T>(work: Promise<T>) {
	const beat = setInterval(() => undefined, 10);
	return await ended(work.finally(() => clearInterval(beat)));
}

/** An answer's headers and body are left out where nothing reads them. */
type Reply = Partial<IN8nHttpFullResponse> & { statusCode: number };
type Answer = (options: IHttpRequestOptions) => Reply | Promise<Reply>;
/** Transfers to whatever answers, with `put` of a file; what was sent. */
function transfersTo(answer: Answer) {
	const sent: IHttpRequestOptions[] = [];
	const send = async (options: IHttpRequestOptions) => {
		sent.push(options);
		// As n8n's requests do.
		const aborted = new Promise<never>((_resolve, reject) => {
			const abort = () => reject(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
			(options.abortSignal as AbortSignal).addEventListener('abort', abort);
		});
		const reply = await Promise.race([(async () => await answer(options))(), aborted]);
		return { headers: {}, body: '', ...reply };
	};
	const transfers = new Transfers(send, new Pace());
	const put = async (file: ReturnType<typeof fileOf>, most = 60_000) =>
		await streamed(transfers.put(file, STORE, most));
	const open = async (url = PHOTO) => await streamed(transfers.open(url, 60_000));
	return { sent, transfers, put, open };
}
/** Takes a stream in as n8n's requests do. */
async function bytesOf(stream: Readable): Promise<Buffer> {
	const chunks: Buffer[] = [];
	stream.pipe(new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk)));
	await finished(stream);
	await new Promise(setImmediate);
	return Buffer.concat(chunks);
}
const incomplete = expect.stringContaining('is incomplete, or was changed');
const never = async () => await new Promise<never>(() => undefined);
/** A store that takes everything, and answers with this. */
const storing =
	(statusCode = 200): Answer =>
	async ({ body }) => {
		if (body instanceof Readable) await bytesOf(body);
		return { statusCode, headers: {}, body: '' };
	};
/** One that takes everything, and never answers. */
const hanging: Answer = async (options) => (await storing()(options), await never());
/** One that never answers, whatever comes. */
const listening: Answer = async ({ body }) => (
	(body as Readable).pipe(new PassThrough().resume()),
	await never()
);
/** A file of 10 bytes, as announced, with what `open` gives each time; all that were opened. */
function fileOf(open: () => Readable | Buffer) {
	const opened: Readable[] = [];
	return {
		...{ opened, name: 'a.png', contentType: 'image/png', size: 10 },
		async open() {
			opened.push(open() as Readable);
			return opened.at(-1)!;
		},
	};
}
const chunked = (...lengths: number[]) =>
	fileOf(() => Readable.from(lengths.map((length) => Buffer.alloc(length))));
/** A stream that gives so many bytes, and then nothing more; or breaks off. */
function begun(length = 4, error?: Error): PassThrough {
	const stream = new PassThrough();
	stream.write(Buffer.alloc(length));
	if (error) setImmediate(() => stream.destroy(error));
	return stream;
}

describe('the bytes of a file', () => {
	test.each(['a stream', 'a buffer'])('go to the signed address as they are announced: %s', async (kind) => {
		const isStream = kind === 'a stream';
		const content = Buffer.from('0123456789');
		const taken: Buffer[] = [];
		const { sent, put } = transfersTo(async ({ body }) => {
			taken.push(body instanceof Readable ? await bytesOf(body) : (body as Buffer));
			return { statusCode: 201 };
		});
		const file = fileOf(() => (isStream ? Readable.from([content]) : content));
		expect((await put(file)).error).toBeUndefined();
		expect(taken).toEqual([content]);
		expect(sent).toEqual([
			{
				...{ method: 'PUT', url: STORE, body: file.opened[0], encoding: 'text' },
				headers: { 'Content-Type': 'image/png', 'Content-Length': 10 },
				...{ disableFollowRedirect: true, ignoreHttpStatusErrors: true, returnFullResponse: true },
				timeout: TIMEOUT + (10 / 65_536) * 1000,
				abortSignal: expect.anything(),
			},
		]);
		if (isStream) expect(file.opened[0]!.destroyed).toBe(true);
	});

	test.each([
		[[4, 6], 10],
		[[1, 2, 3], 6],
		[[10, 1], 11],
	])('are as many as announced, or it is a failure: parts of %j', async (lengths, sum) => {
		const message = sum !== 10 && `'a.png' has ${sum} bytes instead of the 10 announced`;
		// A store that waits for the rest, or with what is too much for another request, is not waited for.
		for (const answer of message ? [storing(), hanging] : [storing()]) {
			const file = chunked(...lengths);
			const { error } = await transfersTo(answer).put(file);
			if (message)
				expect(error.details).toMatchObject({ code: 'NODE_LENGTH_DIFFERS', message, hint: incomplete });
			else expect(error).toBeUndefined();
			expect([file.opened.length, file.opened[0]!.destroyed]).toEqual([1, true]);
		}
	});

	test.each([
		['that the store did not wait for', () => chunked(4, 6), () => ({ statusCode: 200 }), 'UPLOAD_CUT'],
		['that are too few, of which the store says nothing', () => chunked(4), listening],
		['that are more than announced, from a source that goes on', () => fileOf(() => begun(11)), storing()],
	])('%s are noticed at once', async (_what, file, answer, code = 'LENGTH_DIFFERS') => {
		const { error, after } = await transfersTo(answer).put(file());
		expect([error.details.code, after < 1_000]).toEqual([`NODE_${code}`, true]);
	});

	test('are not waited for longer than the slowest transfer takes, and the connection is closed', async () => {
		const { sent, put } = transfersTo(hanging);
		const { error, after } = await put(chunked(10));
		expect(error.details.code).toBe('NODE_TIMEOUT');
		expect(Math.abs(after - TIMEOUT)).toBeLessThan(1_000);
		expect([sent.length, sent[0]!.abortSignal?.aborted]).toEqual([1, true]);
	});

	test('that can not be read: their own failure', async () => {
		const failure = refusal('FILE_GONE', 'gone', 'again');
		const file = fileOf(() => {
			throw failure;
		});
		expect((await transfersTo(storing()).put(file)).error).toBe(failure);
	});

	test('are read anew where their source broke off, five times', async () => {
		const file = fileOf(() => begun(4, new Error('reset')));
		const { error } = await transfersTo(storing()).put(file);
		expect(error.details).toMatchObject({
			...{ code: 'NODE_SOURCE_BROKE', retryable: true },
			hint: expect.stringContaining('check the source of the file and the network'),
		});
		expect([error.message, file.opened.length]).toEqual(["Reading 'a.png' was interrupted", 5]);
	});

	test('whose source broke off before they were asked for are read anew at once', async () => {
		const broken = new PassThrough().on('error', () => undefined).destroy(new Error('reset'));
		await new Promise(setImmediate);
		const file = fileOf(() => (file.opened.length === 0 ? broken : Readable.from([Buffer.alloc(10)])));
		// As n8n's requests do, it waits for the end of what it is given.
		const taking: Answer = async ({ body }) => {
			await new Promise((end) => (body as Readable).pipe(new PassThrough().resume()).on('finish', end));
			return { statusCode: 200 };
		};
		const { error, after } = await transfersTo(taking).put(file);
		expect([error, file.opened.length, after < 1_000]).toEqual([undefined, 2, true]);
	});
});

test.each([
	['ECONNRESET', 'NODE_CONNECTION', 5, 'the connection to % failed'],
	['ENOTFOUND', 'NODE_HOST_NOT_FOUND', 1, "can't find the host %"],
] as const)('%s on the way: %s, %d attempts', async (code, own, attempts, why) => {
	const { sent, put, open } = transfersTo(() => {
		throw Object.assign(new Error(STORE), { code });
	});
	const details = { code: own, hint: expect.stringMatching(/^Check the URL/) };
	expect((await put(chunked(10))).error.details).toMatchObject({
		...details,
		message: `The upload of 'a.png' was interrupted: ${why.replace('%', 'store.example.com')}`,
	});
	expect((await open()).error.details).toMatchObject({
		...details,
		message: `The file at ${PHOTO.split('?')[0]} could not be downloaded: ${why.replace('%', 'a.example')}`,
	});
	expect(sent).toHaveLength(2 * attempts);
});

test.each([
	[0, 1],
	[600, 2],
])('a run that may wait for %d ms makes %d attempts', async (most, attempts) => {
	jest.spyOn(Math, 'random').mockReturnValue(0);
	const { sent, put } = transfersTo(() => ({ statusCode: 500 }));
	await put(chunked(10), most);
	jest.restoreAllMocks();
	expect(sent).toHaveLength(attempts);
});

test.each([[404], [200], [503, 200]])(
	'trouble after a file that was answered (first with %d), and after a long transfer, is waited for as long as ever',
	async (...first) => {
		const later = async () => await new Promise((resolve) => setTimeout(resolve, 90_000));
		const { sent, put } = transfersTo(async () => {
			const status = first[sent.length - 1];
			if (status) return { statusCode: status };
			await later();
			return { statusCode: 503 };
		});
		await put(fileOf(() => Buffer.alloc(10)));
		jest.advanceTimersByTime(70_000);
		await put(fileOf(() => Buffer.alloc(10)));
		expect(sent).toHaveLength(first.length + 2);
	},
);

describe('a file behind an address', () => {
	const from = (headers: IDataObject, body = Readable.from([Buffer.alloc(1)]), statusCode = 200) =>
		transfersTo(() => ({ statusCode, headers, body }));

	test('is asked for without credentials, unpacked, as a stream', async () => {
		const { sent, open } = from({ 'content-type': 'application/pdf', 'content-length': '70' });
		const { value } = await open();
		expect(value).toMatchObject({ name: 'photo 1.png', contentType: 'application/pdf', size: 70 });
		expect(sent[0]).toMatchObject({
			...{ method: 'GET', url: PHOTO, encoding: 'stream', timeout: TIMEOUT },
			...{ sendCredentialsOnCrossOriginRedirect: false, ignoreHttpStatusErrors: true },
			returnFullResponse: true,
			headers: { Accept: expect.stringMatching(/^image/), 'Accept-Encoding': 'identity' },
		});
		// A source that breaks off before it is read is no crash of n8n.
		value!.stream.destroy(new Error('reset'));
		await new Promise(setImmediate);
	});

	test.each<[IDataObject, object, string?]>([
		[{}, { name: 'photo 1.png', contentType: 'image/png', size: undefined }],
		[{}, { name: 'file.png' }, 'https://a.example/'],
		[{ 'content-disposition': 'inline; filename="a b.jpg"' }, { name: 'a b.jpg' }],
		[{ 'content-type': 'image/jpg' }, { name: 'a.jpg', contentType: 'image/jpeg' }, 'https://a.example/a'],
		[{ 'content-length': 'x7' }, { size: undefined }],
	])(
		'is named, typed and measured by its headers, else by its address: %#',
		async (headers, expected, url = PHOTO) => {
			const { value } = await from({ 'content-type': 'image/png', ...headers }).open(url);
			expect(value).toMatchObject(expected);
		},
	);

	const png = `\x89PNG\r\n\x1a\n${'\0'.repeat(9)}`;
	// Every type: transferRefusals.test.ts.
	test.each<[string, string, string, number?]>([
		['text/plain; charset=utf-8', png, 'image/png'],
		['video/mp4', '\0\x01\x02', 'video/mp4'],
		['', '<!DOCTYPE html><html>', 'NODE_SOURCE_IS_PAGE'],
		['application/octet-stream', '', 'NODE_FILE_EMPTY'],
		['text/html', '<html>Forbidden', 'NODE_SOURCE_REFUSED', 403],
	])('announced as %j, with the bytes %j, is: %s', async (type, bytes, expected, status = 200) => {
		const body = Readable.from(bytes ? [Buffer.from(bytes, 'latin1')] : []);
		const { value, error } = await from({ 'content-type': type }, body, status).open();
		expect(value?.contentType ?? error.details.code).toBe(expected);
		if (value) expect((await bytesOf(value.stream as Readable)).toString('latin1')).toBe(bytes);
		else expect([body.destroyed, error.message]).toEqual([true, expect.not.stringContaining('token')]);
	});

	test.each([
		['in one byte and the rest', [png.slice(0, 1), png.slice(1)], 0],
		['byte by byte', [...png], 0],
		['slowly', [png, '\0'.repeat(600)], 2_500],
	])('that comes %s is judged by enough of it', async (_how, chunks, pauseMs) => {
		const body = new PassThrough();
		const send = async () => {
			for (const chunk of chunks) {
				body.write(Buffer.from(chunk, 'latin1'));
				await new Promise((resolve) => (pauseMs ? setTimeout(resolve, pauseMs) : setImmediate(resolve)));
			}
			body.end();
		};
		void send();
		const { value, after } = await from({ 'content-type': '' }, body).open();
		expect(value!.contentType).toBe('image/png');
		expect(after).toBeLessThanOrEqual(1_000);
		expect((await streamed(bytesOf(value!.stream as Readable))).value!.toString('latin1')).toBe(
			chunks.join(''),
		);
	});

	test('that breaks off, or stays silent, before its first byte is tried again, then named', async () => {
		for (const event of ['error', 'close']) {
			const { open } = transfersTo(() => {
				const body = new PassThrough();
				setImmediate(() => body.emit(event));
				return { statusCode: 200, headers: {}, body };
			});
			const { error, after } = await open();
			// Without a wait for what can't come any more.
			expect([error.details.code, after < TIMEOUT]).toEqual(['NODE_SOURCE_BROKE', true]);
		}
		const silent = transfersTo(() => ({ statusCode: 200, headers: {}, body: new PassThrough() }));
		expect((await silent.open()).error.details.code).toBe('NODE_SOURCE_BROKE');
	});

	test('is read once, also where its reader pauses', async () => {
		const body = Readable.from([Buffer.alloc(600)]);
		const { stream } = (await from({ 'content-type': 'video/mp4' }, body).open()).value!;
		let length = 0;
		stream.on('data', (chunk: Buffer) => (length += chunk.length)).pause();
		await jest.advanceTimersByTimeAsync(2_000);
		await finished(stream.resume());
		expect(length).toBe(600);
	});

	test.each([true, false])(
		'is let go, and its connection with it, unless it was read to its end (%s)',
		async (read) => {
			const { sent, open } = from({ 'content-type': 'video/mp4' }, Readable.from([Buffer.alloc(5)]));
			const { stream } = (await open()).value!;
			if (read) await bytesOf(stream as Readable);
			stream.destroy();
			expect(sent[0]!.abortSignal?.aborted).toBe(!read);
		},
	);

	test.each<[string, () => Readable, string | number]>([
		['whole', () => Readable.from([Buffer.alloc(3), Buffer.alloc(4)]), 7],
		['silent', begun, 'NODE_SOURCE_BROKE'],
		['broken', () => begun(4, new Error('reset')), 'NODE_SOURCE_BROKE'],
	])('is read for an hour at most: a %s one', async (_what, source, expected) => {
		const stream = source();
		const { transfers } = transfersTo(never);
		// A reader that takes what came for all of it.
		const consume = async () => (await bytesOf(stream).catch(() => '')).length;
		const { value, error } = await ended(transfers.read(stream, 'a.png', consume));
		expect([value ?? error.details.code, stream.destroyed]).toEqual([expected, true]);
	});
});

test.each([199, 300, 400, 500])(
	'a store or a source that answers %d is asked again where that may help, and nothing stays open',
	async (status) => {
		const attempts = status === 500 ? 5 : 1;
		const { sent, put } = transfersTo(() => ({ statusCode: status }));
		const file = fileOf(() => begun());
		expect((await put(file)).error.details.status).toBe(status);
		const isClosed = file.opened.map(({ destroyed }, i) => destroyed && sent[i]!.abortSignal!.aborted);
		expect(isClosed).toEqual(Array(attempts).fill(true));
		const body = new PassThrough();
		const source = transfersTo(() => ({ statusCode: status, headers: {}, body }));
		expect((await source.open()).error.details.status).toBe(status);
		expect([source.sent.length, body.destroyed]).toEqual([attempts, true]);
	},
);
