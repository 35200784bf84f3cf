import { compact, lowerFirst } from 'lodash';
import {
	sleep,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { Failure, toFailure } from './failure';
import { HEAD_BYTES, remoteName, withEnding, withoutQuery } from './fileTypes';
import { networkFailure } from './failureTexts';
import type { Pace } from './pace';
import { pauseAfter, slowestTransferMs } from './retryPolicy';
import {
	lengthDiffers,
	contentTypeOf,
	sourceInterrupted,
	sourceRefusal,
	storeRefusal,
} from './transferRefusals';

/** A readable stream, as n8n's helpers hand it out. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** A file that is to be uploaded: everything that a request for it needs before the first byte. */
export interface MediaFile {
	name: string;
	contentType: string;
	/** In bytes, at least one. */
	size: number;
	/** The bytes from the start, anew for each attempt; a Buffer only where n8n itself holds the file in memory. */
	open(): Promise<ByteStream | Buffer>;
}

/** How long an answer may take; more for a file's size. */
const TIMEOUT_MS = 120_000;
/** How long more of a file's beginning is waited for. */
const HEAD_MS = 1_000;
/** The longest download of a file whose length the server doesn't say. */
const MAX_DOWNLOAD_MS = 3_600_000;

/** Store and sources of one run: streamed, never a whole file in memory, and no API key to other hosts. */
export class Transfers {
	/** @param send a plain HTTP request: no credential, whatever the status */
	constructor(
		private readonly send: (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>,
		private readonly pace: Pace,
	) {}

	/**
	 * PUTs the bytes to a signed URL (spec, `/media/upload-url`) with exact length and type.
	 * @throws Failure; `NODE_UPLOAD_FORBIDDEN` where the store says that the URL may have expired
	 */
	async put(file: MediaFile, url: string, maxWaitMs: number): Promise<void> {
		const { name, contentType, size } = file;
		await this.retried(maxWaitMs, async () => {
			const connection = new AbortController();
			const bytes = await file.open();
			const stream = Buffer.isBuffer(bytes) ? undefined : bytes;
			// Its server may have closed it while the upload URL was waited for: a request would wait for it in vain.
			if (stream?.destroyed) throw sourceInterrupted(name);
			const sent: ReturnType<typeof count> = stream ? count(stream, name, size, connection) : { bytes: size };
			const put: IHttpRequestOptions = {
				method: 'PUT',
				url,
				body: bytes,
				headers: { 'Content-Type': contentType, 'Content-Length': size },
				disableFollowRedirect: true,
				encoding: 'text',
				timeout: TIMEOUT_MS + slowestTransferMs(size),
			};
			try {
				const what = `The upload of '${name}' was interrupted`;
				const { statusCode } = await this.request(connection, put, what);
				const isStored = statusCode >= 200 && statusCode < 300 && sent.bytes === size;
				if (!isStored) throw storeRefusal(name, statusCode);
			} catch (error) {
				throw sent.failure ?? error;
			} finally {
				connection.abort();
				stream?.destroy();
			}
		});
	}

	/**
	 * A file's name and type, its size unless the server doesn't say, and its bytes as a stream that waits.
	 * @throws Failure where there is no media
	 */
	async open(url: string, maxWaitMs: number) {
		const get: IHttpRequestOptions = {
			method: 'GET',
			url,
			// Compressed, the announced length would not be that of the bytes.
			headers: { Accept: 'image/*,video/*,*/*;q=0.8', 'Accept-Encoding': 'identity' },
			sendCredentialsOnCrossOriginRedirect: false,
			encoding: 'stream',
			timeout: TIMEOUT_MS,
		};
		const what = `The file at ${withoutQuery(url)} could not be downloaded`;
		return await this.retried(maxWaitMs, async () => {
			const connection = new AbortController();
			const { statusCode, headers, body } = await this.request(connection, get, what);
			const stream = body as ByteStream;
			closeWith(stream, connection);
			// A source that is interrupted before it is read must not count as unhandled.
			stream.on('error', () => undefined);
			const header = (name: string) => String(headers[name] ?? '');
			const name = remoteName(url, header('content-disposition'));
			const head = async () => await this.head(stream, name);
			try {
				const failure = sourceRefusal(url, statusCode, headers);
				if (failure) throw failure;
				const contentType = await contentTypeOf(header('content-type'), url, head, name);
				// Of a compressed answer it counts the compressed bytes; n8n may have decompressed it and say nothing of that.
				const length = header('content-encoding') ? '' : header('content-length');
				const size = /^\d+$/.test(length) ? Number(length) : undefined;
				return { name: withEnding(name, contentType), contentType, size, stream };
			} catch (error) {
				stream.destroy();
				throw toFailure(error);
			}
		});
	}

	/**
	 * The first bytes of a stream, which stay in it: as many as tell its type, or what comes within a second of the first.
	 * @throws Failure where it is interrupted before
	 */
	async head(stream: ByteStream, name: string): Promise<Buffer> {
		const found = async () =>
			await new Promise<Buffer>((resolve, reject) => {
				let isTaken = false;
				const take = (least: number): void => {
					// Nothing, unless there are so many, or no more are to come.
					const start = isTaken ? null : (stream.read(least) as Buffer | null);
					if (!start) return;
					isTaken = true;
					stream.off('readable', takeEnough);
					const head = Buffer.concat(compact([start, stream.read() as Buffer | null]));
					stream.unshift(head);
					resolve(head);
				};
				const takeEnough = () => take(HEAD_BYTES);
				stream.on('readable', takeEnough);
				stream.once('readable', () => void sleep(HEAD_MS).then(() => take(stream.readableLength)));
				stream.once('end', () => resolve(Buffer.alloc(0)));
				for (const event of ['error', 'close']) stream.once(event, () => reject(sourceInterrupted(name)));
			});
		return await this.pace.within(TIMEOUT_MS, found, () => sourceInterrupted(name));
	}

	/** Waits for `consume`, which reads `stream`. @throws Failure where it is interrupted, or takes too long */
	async read<T>(
		stream: ByteStream,
		name: string,
		consume: () => Promise<T>,
		limit = { ms: MAX_DOWNLOAD_MS, exceeded: () => sourceInterrupted(name) },
	): Promise<T> {
		let isInterrupted = false;
		stream.on('error', () => (isInterrupted = true));
		const consumed = async () =>
			await consume().finally(() => {
				if (isInterrupted) throw sourceInterrupted(name);
			});
		return await this.pace.within(limit.ms, consumed, limit.exceeded).finally(() => stream.destroy());
	}

	private async retried<T>(maxWaitMs: number, action: () => Promise<T>): Promise<T> {
		for (let attempt = 1; ; attempt++) {
			const start = this.pace.now();
			const outcome = await action().catch(toFailure);
			if (!(outcome instanceof Failure)) {
				this.pace.noteOutcome('transfer');
				return outcome;
			}
			const { retryable, code } = outcome.details;
			// What is refused for good says nothing of others; a long transfer counts from its end, unless it hung.
			if (retryable) this.pace.noteOutcome('transfer', code === 'NODE_TIMEOUT' ? start : this.pace.now());
			const pause = pauseAfter(outcome.details, attempt);
			if (pause === undefined || !this.pace.allows(pause, 'transfer', maxWaitMs)) throw outcome;
			await this.pace.wait(pause);
		}
	}

	/** The response, whatever its status. @throws Failure that names only the host: the address may hold a key */
	private async request(connection: AbortController, options: IHttpRequestOptions, what: string) {
		const { url, timeout = 0 } = options;
		const failed = (error: unknown): Failure => {
			const failure = networkFailure(error, url);
			return failure.with({
				message: `${what}: ${lowerFirst(failure.message)}`,
				hint: 'Check the URL and the network of this n8n, then try again.',
			});
		};
		const whole = { ignoreHttpStatusErrors: true, returnFullResponse: true, abortSignal: connection.signal };
		const send = async () => await this.send({ ...options, ...whole });
		try {
			return await this.pace.within(timeout, send, () => failed({ code: 'ETIMEDOUT' }));
		} catch (error) {
			connection.abort();
			throw error instanceof Failure ? error : failed(error);
		}
	}
}

/** Destroying n8n's stream waits for bytes that it has asked for: the connection has to be closed, too. */
function closeWith(stream: ByteStream, connection: AbortController): void {
	const destroy = stream.destroy.bind(stream);
	stream.destroy = (error?: Error) => {
		if (!error && !stream.readableEnded) connection.abort();
		return destroy(error);
	};
}

/** Counts along, paused until the request pipes it. A store would wait for missing bytes: the connection is closed. */
function count(stream: ByteStream, name: string, size: number, connection: AbortController) {
	const sent: { bytes: number; failure?: Failure } = { bytes: 0 };
	const fail = (failure: Failure) => {
		sent.failure ??= failure;
		connection.abort();
	};
	stream.pause();
	stream.on('data', (chunk: Buffer) => {
		sent.bytes += chunk.length;
		if (sent.bytes > size) fail(lengthDiffers(name, size, sent.bytes));
	});
	stream.on('end', () => {
		if (sent.bytes < size) fail(lengthDiffers(name, size, sent.bytes));
	});
	stream.on('error', () => fail(sourceInterrupted(name)));
	return sent;
}
