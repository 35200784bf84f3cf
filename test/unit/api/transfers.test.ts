import fc from 'fast-check';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import type { Failure } from '../../../nodes/api/errors';
import { RateLimiter } from '../../../nodes/api/rateLimiter';
import { Transfers } from '../../../nodes/api/transfers';
import { runs } from '../../support/property';

/** Only the clock of what is tested stands still: streams go on by themselves. */
const doNotFake = ['nextTick', 'setImmediate', 'queueMicrotask'] as const;
beforeEach(() => void jest.useFakeTimers({ now: 0, doNotFake: [...doNotFake] }));
afterEach(() => void jest.useRealTimers());

const IDLE = 1_000;
const STORE = 'https://store.example.com/1?signature=abc';
const PHOTO = 'https://a.example/folder/photo%201.png?token=1';

type Answer = (options: IHttpRequestOptions) => unknown;
/** Transfers to whatever answers, with `put` of a file; what was sent. */
function transfersTo(answer: Answer, signal?: AbortSignal) {
	const sent: IHttpRequestOptions[] = [];
	const send = async (options: IHttpRequestOptions) => {
		sent.push(options);
		return (await answer(options)) as never;
	};
	const limiter = new RateLimiter(signal, Date.now, () => 0);
	const transfers = new Transfers(send, limiter, signal, IDLE);
	const put = async (file: ReturnType<typeof fileOf>, most = 60_000) =>
		await ended(transfers.put(file as never, STORE, most));
	const open = async (url = PHOTO, most = 60_000) => await ended(transfers.open(url, most));
	return { sent, transfers, put, open };
}
type End<T> = { value?: T; failure?: Failure; after: number };
/** Goes on until `work` has ended: its value or its failure, and after how many ms. */
async function ended<T>(work: Promise<T>): Promise<End<T>> {
	const start = Date.now();
	let end: End<T> | undefined;
	work.then(
		(value) => (end = { value, after: Date.now() - start }),
		(failure: Failure) => (end = { failure, after: Date.now() - start }),
	);
	for (let step = 0; step < 4_000 && !end; step++) {
		await new Promise(setImmediate);
		await jest.advanceTimersByTimeAsync(50);
	}
	if (!end) throw new Error('It waits for ever');
	return end;
}

/** Takes a stream in as n8n's requests do. */
async function bytesOf(stream: Readable): Promise<Buffer> {
	const chunks: Buffer[] = [];
	stream.on('data', (chunk: Buffer) => chunks.push(chunk));
	await finished(stream);
	return Buffer.concat(chunks);
}
const never = async () => await new Promise<never>(() => undefined);
/** A store that takes everything, and answers with this. */
const storing =
	(statusCode = 200, body: unknown = ''): Answer =>
	async (options) => {
		if (options.body instanceof Readable) await bytesOf(options.body);
		return { statusCode, headers: {}, body };
	};
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
/** A stream that gives four bytes, and then nothing more; or breaks off. */
function begun(error?: Error): PassThrough {
	const stream = new PassThrough();
	stream.write(Buffer.alloc(4));
	if (error) setImmediate(() => stream.destroy(error));
	return stream;
}

describe('the bytes of a file', () => {
	test.each([true, false])(
		'go to the signed address as they are announced (a stream: %s)',
		async (isStream) => {
			const content = Buffer.from('0123456789');
			const taken: Buffer[] = [];
			const { sent, put } = transfersTo(async ({ body }) => {
				taken.push(body instanceof Readable ? await bytesOf(body) : (body as Buffer));
				return { statusCode: 201 };
			});
			const file = fileOf(() => (isStream ? Readable.from([content]) : content));
			await put(file);
			expect(taken).toEqual([content]);
			expect(sent).toEqual([
				{
					...{ method: 'PUT', url: STORE, body: file.opened[0], encoding: 'text' },
					headers: { 'Content-Type': 'image/png', 'Content-Length': 10 },
					...{ disableFollowRedirect: true, ignoreHttpStatusErrors: true, returnFullResponse: true },
					timeout: (isStream ? 10 : 2) * IDLE + (10 / 65_536) * 1000,
					abortSignal: expect.anything(),
				},
			]);
			if (isStream) expect(file.opened[0]!.destroyed).toBe(true);
		},
	);

	test('are as many as announced, or it is a failure, however they come', async () => {
		const lengthsOf = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(lengthsOf, async (lengths) => {
				const file = chunked(...lengths);
				const { failure } = await transfersTo(storing()).put(file);
				const sum = lengths.reduce((a, b) => a + b);
				const few = `Only ${sum} of 10 bytes of 'a.png' arrived`;
				const message = sum < 10 ? few : "'a.png' is larger than the 10 bytes announced";
				if (sum === 10) expect(failure).toBeUndefined();
				else expect(failure!.details).toMatchObject({ code: 'NODE_LENGTH_DIFFERS', message });
				expect([file.opened.length, file.opened[0]!.destroyed]).toEqual([1, true]);
			}),
			runs(40),
		);
	});

	test('that the store did not wait for are noticed', async () => {
		const { put } = transfersTo(() => ({ statusCode: 200 }));
		expect((await put(chunked(4, 6))).failure!.details.code).toBe('NODE_LENGTH_DIFFERS');
	});

	test('are read anew where their source broke off, three times', async () => {
		const file = fileOf(() => begun(new Error('reset')));
		const { failure } = await transfersTo(storing()).put(file);
		expect(failure!.details).toMatchObject({ code: 'NODE_SOURCE_BROKE', retryable: true });
		expect([failure!.message, file.opened.length]).toEqual(["Reading 'a.png' was interrupted", 3]);
	});
});

test.each([
	['ECONNRESET', 'BROKE', 3, 'no connection to %', /problem/],
	['ETIMEDOUT', 'TIMEOUT', 1, '% took too long', /problem/],
	['ECONNABORTED', 'TIMEOUT', 1, '% took too long', /problem/],
	['ENOTFOUND', 'BROKE', 1, '% is not known', /typos/],
] as const)('%s on the way: NODE_TRANSFER_%s, %d attempts', async (code, own, attempts, why, hint) => {
	const { sent, put, open } = transfersTo(() => {
		throw Object.assign(new Error(STORE), { code });
	});
	const facts = { code: `NODE_TRANSFER_${own}`, retryable: attempts > 1, hint: expect.stringMatching(hint) };
	const broke = `The upload of 'a.png' was interrupted: ${why.replace('%', 'store.example.com')}`;
	expect((await put(chunked(10))).failure!.details).toMatchObject({ ...facts, message: broke });
	const [address] = PHOTO.split('?');
	const missing = `The file at ${address} could not be downloaded: ${why.replace('%', 'a.example')}`;
	expect((await open()).failure!.details).toMatchObject({ ...facts, message: missing });
	expect(sent).toHaveLength(2 * attempts);
});

test.each([
	[0, 1],
	[400, 2],
	[60_000, 3],
])('a run that may wait for %d ms makes %d attempts', async (most, attempts) => {
	jest.spyOn(Math, 'random').mockReturnValue(0);
	const { sent, put } = transfersTo(() => ({ statusCode: 500 }));
	await put(chunked(10), most);
	jest.restoreAllMocks();
	expect(sent).toHaveLength(attempts);
});

describe('a transfer that hangs', () => {
	const hanging = async (options: IHttpRequestOptions) => (await storing()(options), await never());
	test.each<[string, () => Readable, Answer, number, RegExp]>([
		['the store takes nothing', begun, never, 1, /^The file store accepted no more of 'a\.png' for 1 sec/],
		[
			'the source gives nothing',
			() => new PassThrough(),
			storing(),
			1,
			/^Nothing more of 'a\.png' arrived for 1 sec/,
		],
		['the source gives no more', begun, storing(), 1, /^Nothing more/],
		[
			'the store never answers',
			() => Readable.from([Buffer.alloc(10)]),
			hanging,
			2,
			/^The file store accepted no more/,
		],
	])('is given up, and not tried again: %s', async (_what, open, answer, times, message) => {
		const file = fileOf(() => open());
		const { sent, put } = transfersTo(answer);
		const { failure, after } = await put(file);
		expect(failure!.details).toMatchObject({ code: 'NODE_TRANSFER_STALLED', retryable: true });
		expect(failure!.message).toMatch(message);
		expect(Math.abs(after - times * IDLE)).toBeLessThan(IDLE / 2);
		expect([sent.length, sent[0]!.abortSignal?.aborted, file.opened[0]!.destroyed]).toEqual([1, true, true]);
	});

	test('is none as long as something moves, however slowly', async () => {
		const stream = new PassThrough();
		const running = transfersTo(storing()).put(fileOf(() => stream));
		for (let n = 1; n <= 10; n++) setTimeout(() => stream.write('x'), n * 800);
		setTimeout(() => stream.end(), 8_100);
		const { failure, after } = await running;
		expect([failure, after > 8_000]).toEqual([undefined, true]);
	});

	test('ends at once when the execution is stopped', async () => {
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 100);
		const { failure, after } = await transfersTo(storing(), stop.signal).put(fileOf(() => new PassThrough()));
		expect(failure!.details.code).toBe('NODE_STOPPED');
		expect([failure!.message, after <= 400]).toEqual([expect.stringContaining("'a.png'"), true]);
	});
});

describe('a file behind an address', () => {
	const from = (headers: object, statusCode = 200, body: Readable = new PassThrough()) =>
		transfersTo(() => ({ statusCode, headers, body }));

	test('is asked for without credentials, unpacked, as a stream', async () => {
		const { sent, open } = from({ 'content-type': 'image/png', 'content-length': '7' });
		const { value } = await open();
		expect(value).toMatchObject({ name: 'photo 1.png', contentType: 'image/png', size: 7 });
		expect(sent[0]).toMatchObject({
			...{ method: 'GET', url: PHOTO, encoding: 'stream', timeout: IDLE },
			headers: { Accept: expect.stringContaining('image/*'), 'Accept-Encoding': 'identity' },
			...{
				sendCredentialsOnCrossOriginRedirect: false,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			},
		});
		// A source that breaks off before it is read is no crash of n8n.
		value!.stream.destroy(new Error('reset'));
		await new Promise(setImmediate);
	});

	const named = (disposition: string) => ({ 'content-disposition': `inline; ${disposition}` });
	test.each<[object, object, string?]>([
		[{}, { name: 'photo 1.png', contentType: 'image/png', size: undefined }],
		[{}, { name: 'file', contentType: 'application/octet-stream' }, 'https://a.example/'],
		[named('filename="a b.jpg"'), { name: 'a b.jpg', contentType: 'image/jpeg' }],
		[named('filename=a.gif; x=1'), { name: 'a.gif', contentType: 'image/gif' }],
		[named("filename=a.gif; filename*=UTF-8''%C3%BC.mp4"), { name: 'ü.mp4', contentType: 'video/mp4' }],
		[named("filename*=UTF-8''%ff"), { name: '%ff' }],
		[
			{ 'content-type': 'Video/MP4; codecs=x', 'content-length': 'x7' },
			{ contentType: 'video/mp4', size: undefined },
		],
		[{ 'content-length': '7x' }, { size: undefined }],
	])('with %j is %j', async (headers, expected, address = PHOTO) =>
		expect((await from(headers).open(address)).value).toMatchObject(expected),
	);

	test.each([true, false])(
		'is let go, and its connection with it, unless it was read to its end (%s)',
		async (read) => {
			const { sent, open } = from({}, 200, Readable.from([Buffer.alloc(5)]));
			const { stream } = (await open()).value!;
			if (read) await bytesOf(stream as Readable);
			stream.destroy();
			expect(sent[0]!.abortSignal?.aborted).toBe(!read);
		},
	);

	test.each<[string, () => Readable, string | number]>([
		['whole', () => Readable.from([Buffer.alloc(3), Buffer.alloc(4)]), 7],
		['silent', begun, 'NODE_TRANSFER_STALLED'],
		['broken', () => begun(new Error('reset')), 'NODE_SOURCE_BROKE'],
	])('is read as long as something comes: a %s one', async (_what, source, expected) => {
		const stream = source();
		const { transfers } = transfersTo(never);
		const { value, failure } = await ended(
			transfers.read(stream, 'a.png', async () => (await bytesOf(stream)).length),
		);
		expect([value ?? failure!.details.code, stream.destroyed]).toEqual([expected, true]);
	});
});

test.each([
	[400, 1],
	[500, 3],
])(
	'a store that answers %d is asked %d times, a source that does, too, and nothing stays open',
	async (status, attempts) => {
		const { sent, put } = transfersTo(storing(status));
		expect((await put(chunked(10))).failure!.details.status).toBe(status);
		expect(sent).toHaveLength(attempts);
		const body = new PassThrough();
		const source = transfersTo(() => ({ statusCode: status, headers: {}, body }));
		expect((await source.open()).failure!.details.status).toBe(status);
		expect([source.sent.length, body.destroyed]).toEqual([attempts, true]);
	},
);
