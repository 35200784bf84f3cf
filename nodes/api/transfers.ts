import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { Failure, refusal } from './errors';
import { hostOf, mediaType, remoteName, withoutQuery } from './fileNames';
import type { RateLimiter } from './rateLimiter';
import { pauseBefore, slowestTransferMs } from './retryPolicy';
import {
	brokeOff,
	lengthDiffers,
	sourceRefusal,
	stalled,
	storeRefusal,
	transferFailure,
} from './transferRefusals';
import { withCancellation } from './withCancellation';

/** Bytes → signed URL, streamed: never a whole file in memory, no API key to other hosts, no redirect followed. */

/** A readable stream, as n8n's helpers hand it out. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** A file that is to be uploaded: everything the store has to be told before the first byte. */
export interface MediaFile {
	name: string;
	/** Lower case, without parameters. */
	contentType: string;
	/** In bytes, at least one. */
	size: number;
	/** The bytes from the start, anew for each attempt; a Buffer only where n8n itself holds the file in memory. */
	open(): Promise<ByteStream | Buffer>;
}

/** A file behind an address, before it is known whether it can be uploaded as it comes. */
export interface Remote {
	name: string;
	contentType: string;
	/** Undefined: the server does not say. */
	size: number | undefined;
	stream: ByteStream;
}

/** Sends a plain HTTP request: no credential, whatever the status. */
export type Send = (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;

/** How long nothing may move before a transfer is given up. */
const IDLE_MS = 60_000;
const MAX_ATTEMPTS = 3;
/** How often a transfer is looked at. */
const CHECK_EVERY_MS = 250;

/** Store and sources of one run. */
export class Transfers {
	constructor(
		private readonly send: Send,
		private readonly limiter: RateLimiter,
		private readonly signal?: AbortSignal,
		private readonly idleMs = IDLE_MS,
	) {}

	/**
	 * PUTs the bytes to a signed URL (spec, `/media/upload-url`) with exact length and type.
	 * @param maxWait ms that the run may spend waiting in all
	 * @throws Failure; `NODE_UPLOAD_FORBIDDEN` where the store says 403: the URL may have expired
	 */
	async put(file: MediaFile, url: string, maxWait: number): Promise<void> {
		await this.retried(maxWait, async () => await this.putOnce(file, url));
	}

	/**
	 * Asks for a file: name, type and length from the headers, the bytes as a stream that waits to be read.
	 * @throws Failure where the address has no media
	 */
	async open(url: string, maxWait: number): Promise<Remote> {
		return await this.retried(maxWait, async () => await this.openOnce(url));
	}

	/** Waits for `consume`, which reads `stream`, and gives up when nothing comes any more. */
	async read<T>(stream: ByteStream, name: string, consume: () => Promise<T>): Promise<T> {
		const flow = watch(stream);
		try {
			return await this.watched(name, flow, async () => await consume());
		} finally {
			stream.destroy();
		}
	}

	private async retried<T>(maxWait: number, action: () => Promise<T | Failure>): Promise<T> {
		for (let attempt = 1; ; attempt++) {
			const start = this.limiter.now();
			const outcome = await action();
			this.limiter.settled('transfer', outcome instanceof Failure ? start : undefined);
			if (!(outcome instanceof Failure)) return outcome;
			const wait = pauseBefore(attempt);
			const again = outcome.details.retryable && outcome.details.code !== 'NODE_TRANSFER_STALLED';
			if (!again || attempt >= MAX_ATTEMPTS || !this.limiter.allows(wait, 'transfer', maxWait)) throw outcome;
			await this.limiter.wait(wait);
		}
	}

	private async putOnce(file: MediaFile, url: string): Promise<void | Failure> {
		let bytes: ByteStream | Buffer | undefined;
		try {
			bytes = await file.open();
			const flow = Buffer.isBuffer(bytes) ? undefined : watch(bytes, file.size);
			const { statusCode, body } = await this.watched(
				file.name,
				flow,
				async (abortSignal) =>
					await this.send({
						method: 'PUT',
						url,
						body: bytes,
						headers: { 'Content-Type': file.contentType, 'Content-Length': file.size },
						disableFollowRedirect: true,
						ignoreHttpStatusErrors: true,
						returnFullResponse: true,
						encoding: 'text',
						// Of a stream the look at what moves decides first.
						timeout: (flow ? 10 : 2) * this.idleMs + slowestTransferMs(file.size),
						abortSignal,
					}),
			);
			if (statusCode >= 200 && statusCode < 300)
				return !flow || flow.bytes === file.size
					? undefined
					: lengthDiffers(file.name, file.size, flow.bytes);
			return storeRefusal(file.name, statusCode, body);
		} catch (error) {
			if (error instanceof Failure) return error;
			return transferFailure(error, `The upload of '${file.name}' was interrupted`, hostOf(url));
		} finally {
			if (bytes && !Buffer.isBuffer(bytes)) bytes.destroy();
		}
	}

	private async openOnce(url: string): Promise<Remote | Failure> {
		const shown = withoutQuery(url);
		const connection = new AbortController();
		let response: IN8nHttpFullResponse;
		try {
			response = await this.watched(
				shown,
				undefined,
				async (abortSignal) =>
					await this.send({
						method: 'GET',
						url,
						// Compressed, the announced length would not be that of the bytes.
						headers: { Accept: 'image/*,video/*,*/*;q=0.8', 'Accept-Encoding': 'identity' },
						sendCredentialsOnCrossOriginRedirect: false,
						ignoreHttpStatusErrors: true,
						returnFullResponse: true,
						encoding: 'stream',
						timeout: this.idleMs,
						abortSignal: AbortSignal.any([abortSignal, connection.signal]),
					}),
			);
		} catch (error) {
			if (error instanceof Failure) return error;
			return transferFailure(
				error,
				`The file at ${shown} could not be downloaded`,
				hostOf(url),
				'Open the URL in a private browser window: the file must open without a login. ',
			);
		}
		const stream = response.body as ByteStream;
		breakOffWith(stream, connection);
		const failure = sourceRefusal(url, response);
		if (failure) {
			stream.destroy();
			return failure;
		}
		// A source that breaks off before it is read must not count as unhandled.
		stream.on('error', () => undefined);
		const header = (name: string) => String(response.headers[name] ?? '');
		const name = remoteName(url, header('content-disposition'));
		const length = header('content-length');
		return {
			name,
			contentType: mediaType(header('content-type'), name),
			size: /^\d+$/.test(length) ? Number(length) : undefined,
			stream,
		};
	}

	/** Runs a transfer; ends it when nothing moves any more, when the lengths differ or when the execution is stopped. */
	private async watched<T>(
		name: string,
		flow: Flow | undefined,
		transfer: (signal: AbortSignal) => Promise<T>,
	): Promise<T> {
		let bytes = 0;
		let movedAt = Date.now();
		const end = (): Failure | undefined => {
			if (this.signal?.aborted)
				return refusal(
					'STOPPED',
					`The execution was stopped while '${name}' was being transferred`,
					'Run it again.',
				);
			if (!flow) return undefined;
			if (flow.failure) return flow.failure(name);
			if (flow.bytes !== bytes) [bytes, movedAt] = [flow.bytes, Date.now()];
			// What is on its way in the network's buffers takes its time after the last byte was handed over.
			const idle = flow.ended ? 2 * this.idleMs : this.idleMs;
			return Date.now() - movedAt >= idle
				? stalled(name, flow.ended || flow.waitsForReader(), idle)
				: undefined;
		};
		// Too many bytes, or a source that broke off, show as a connection that broke.
		const value = await withCancellation(transfer, end, Math.min(CHECK_EVERY_MS, this.idleMs)).catch(
			(error: unknown) => {
				throw flow?.failure?.(name) ?? error;
			},
		);
		if (flow?.failure) throw flow.failure(name);
		return value;
	}
}

/** Destroying n8n's stream waits for bytes that it has asked for: the connection has to be broken off, too. */
function breakOffWith(stream: ByteStream, connection: AbortController): void {
	const destroy = stream.destroy.bind(stream);
	stream.destroy = (error?: Error) => {
		if (!error && !stream.readableEnded) connection.abort();
		return destroy(error);
	};
}

/** What has gone through a stream so far. */
interface Flow {
	bytes: number;
	ended: boolean;
	/** Whether the reader keeps up. */
	waitsForReader: () => boolean;
	/** Set once the source broke off or the bytes are not as many as announced. */
	failure?: (name: string) => Failure;
}

/** Counts along without reading: the stream stays paused until somebody else listens. */
function watch(stream: ByteStream, size?: number): Flow {
	const flow: Flow = { bytes: 0, ended: false, waitsForReader: () => stream.isPaused() };
	stream.pause();
	const compare = () => {
		if (size === undefined || flow.bytes === size) return;
		flow.failure = (name) => lengthDiffers(name, size, flow.bytes);
		// The store would wait for what is missing, or take what is too much for another request.
		stream.destroy();
	};
	stream.on('data', (chunk: Buffer) => {
		flow.bytes += chunk.length;
		if (size !== undefined && flow.bytes > size) compare();
	});
	stream.on('newListener', (event) => {
		if (event === 'data') stream.resume();
	});
	stream.on('end', () => {
		flow.ended = true;
		compare();
	});
	stream.on('error', () => (flow.failure ??= brokeOff));
	return flow;
}
