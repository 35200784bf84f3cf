import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { networkCode } from './connectionFailure';
import { Failure, refusal } from './errors';
import type { RateLimiter } from './rateLimiter';
import { pauseBefore } from './retryPolicy';
import { supervised } from './supervise';

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

/** How long nothing may move before a transfer is given up, in ms. */
const IDLE = 60_000;
/** What the slowest transfer that is waited for manages, in bytes a second. */
const SLOWEST = 64 * 1024;
const MAX_ATTEMPTS = 3;
/** How often a transfer is looked at, in ms. */
const LOOK = 250;

/** Store and sources of one run. */
export class Transfers {
	constructor(
		private readonly send: Send,
		private readonly limiter: RateLimiter,
		private readonly signal?: AbortSignal,
		private readonly idle = IDLE,
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
						timeout: (flow ? 10 : 2) * this.idle + (file.size / SLOWEST) * 1000,
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
			return transferFailure(error, `The upload of '${file.name}' broke off`, hostOf(url));
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
						timeout: this.idle,
						abortSignal: AbortSignal.any([abortSignal, connection.signal]),
					}),
			);
		} catch (error) {
			if (error instanceof Failure) return error;
			return transferFailure(
				error,
				`The file at ${shown} could not be fetched`,
				hostOf(url),
				'Open the address in a browser: the file has to come up without a login. ',
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
					`The execution was stopped while '${name}' was on its way`,
					'Run it again.',
				);
			if (!flow) return undefined;
			if (flow.failure) return flow.failure(name);
			if (flow.bytes !== bytes) [bytes, movedAt] = [flow.bytes, Date.now()];
			// What is on its way in the network's buffers takes its time after the last byte was handed over.
			const idle = flow.ended ? 2 * this.idle : this.idle;
			return Date.now() - movedAt >= idle ? stalled(name, flow, idle) : undefined;
		};
		// Too many bytes, or a source that broke off, show as a connection that broke.
		const value = await supervised(transfer, end, Math.min(LOOK, this.idle)).catch((error: unknown) => {
			throw flow?.failure?.(name) ?? error;
		});
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

const lengthDiffers = (name: string, size: number, bytes: number): Failure =>
	new Failure({
		code: 'NODE_LENGTH_DIFFERS',
		message:
			bytes > size
				? `'${name}' has more than the ${size} bytes that were announced`
				: `Of '${name}' only ${bytes} of ${size} bytes came`,
		hint: 'The source is incomplete or changes while it is read. Fetch the file with an HTTP Request node first and upload it from the binary field.',
	});

const brokeOff = (name: string): Failure =>
	new Failure({
		code: 'NODE_SOURCE_BROKE',
		message: `'${name}' broke off while it was read`,
		hint: 'The source of the file, or the network to it, has trouble. Run the workflow again in a few minutes.',
		retryable: true,
	});

const stalled = (name: string, flow: Flow, idle: number): Failure =>
	new Failure({
		code: 'NODE_TRANSFER_STALLED',
		message:
			flow.waitsForReader() || flow.ended
				? `The store took no more of '${name}' for ${Math.round(idle / 1000)} seconds`
				: `Nothing more of '${name}' came for ${Math.round(idle / 1000)} seconds`,
		hint: 'The network or the other side hangs; nothing was posted with this file. Run the workflow again in a few minutes.',
		retryable: true,
	});

/** What the store's refusal means. Its text is left out: stores repeat the signed URL in it. */
function storeRefusal(name: string, status: number, body: unknown): Failure {
	const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(
		typeof body === 'string' ? body.slice(0, 2000) : '',
	)?.[1];
	const said = code ? ` (${code})` : '';
	if (status === 403)
		return new Failure({
			code: 'NODE_UPLOAD_FORBIDDEN',
			status,
			message: `The store refuses '${name}'${said}: the upload address has expired or is not valid`,
			hint: 'A fresh address was tried too. Check the clock of the n8n server, and that nothing between n8n and the store changes requests.',
		});
	if (status >= 300 && status < 400)
		return new Failure({
			code: 'NODE_UPLOAD_REDIRECT',
			status,
			message: `The store redirects the upload of '${name}' elsewhere`,
			hint: 'Files are only sent to the address that the service gave. Tell the support of the service.',
		});
	if (status === 413)
		return new Failure({
			code: 'NODE_UPLOAD_TOO_LARGE',
			status,
			message: `The store finds '${name}' too large${said}`,
			hint: 'Make the file smaller, for example with a lower resolution.',
		});
	const retryable = status >= 500 || status === 429 || status === 408;
	return new Failure({
		code: 'NODE_UPLOAD_REFUSED',
		status,
		message: `The store answered ${status} to the upload of '${name}'${said}`,
		hint: retryable
			? 'The store has trouble right now. Run the workflow again in a few minutes.'
			: 'Check name, type and size of the file.',
		retryable,
	});
}

/** Why what an address answered with is no file to upload; undefined where it is. */
function sourceRefusal(
	url: string,
	{ statusCode: status, headers }: IN8nHttpFullResponse,
): Failure | undefined {
	const shown = withoutQuery(url);
	if (status < 200 || status >= 300) {
		const gone = status === 404 || status === 410;
		return new Failure({
			code: gone ? 'NODE_SOURCE_NOT_FOUND' : 'NODE_SOURCE_REFUSED',
			status,
			message: gone
				? `There is no file at ${shown}`
				: `${hostOf(url)} answered ${status} when asked for ${shown}`,
			hint:
				shareHint(url) ??
				'Open the address in a private browser window: the file has to come up without a login.',
			retryable: status >= 500 || status === 429,
		});
	}
	const type = typeOf(String(headers['content-type'] ?? ''));
	if (type === 'text/html' || type === 'application/xhtml+xml')
		return refusal(
			'SOURCE_IS_PAGE',
			`${shown} is a web page, not an image or a video`,
			shareHint(url) ?? 'Use the address of the file itself, not of the page that shows it.',
		);
	if (headers['content-length'] === '0') return emptyFile(shown);
	return undefined;
}

/** What helps with pages of services that share files. */
function shareHint(url: string): string | undefined {
	const host = hostOf(url);
	if (/(^|\.)(drive|docs)\.google\.com$/.test(host))
		return "Google Drive shows a page there. Download the file with n8n's Google Drive node and upload it from the binary field.";
	if (/(^|\.)dropbox\.com$/.test(host))
		return "Dropbox shows a page there. Put dl=1 instead of dl=0 at the end of the address, or use n8n's Dropbox node.";
	if (/(^|\.)(1drv\.ms|onedrive\.live\.com|sharepoint\.com)$/.test(host))
		return "OneDrive shows a page there. Download the file with n8n's OneDrive node and upload it from the binary field.";
	return undefined;
}

export const emptyFile = (name: string): Failure =>
	refusal('FILE_EMPTY', `'${name}' is empty`, 'Check the node that made the file: it has no bytes.');

/**
 * No answer from store or source. The address is left out but for its host: its query may be a key.
 * @param look what helps first
 */
function transferFailure(error: unknown, what: string, host: string, look = ''): Failure {
	const code = networkCode(error);
	const timedOut = code === 'ECONNABORTED' || code === 'ETIMEDOUT';
	const unknownHost = code === 'ENOTFOUND';
	return new Failure({
		code: timedOut ? 'NODE_TRANSFER_TIMEOUT' : 'NODE_TRANSFER_BROKE',
		message: `${what}: ${timedOut ? `${host} took too long` : unknownHost ? `${host} is not known` : `no connection to ${host}`}`,
		hint: unknownHost
			? `${look}Check the address for typing mistakes.`
			: `${look}The network or the other side has trouble. The node has tried again already; run the workflow again in a few minutes.`,
		retryable: !unknownHost && !timedOut,
	});
}

export const fileGone = (what: string): Failure =>
	refusal(
		'FILE_GONE',
		`${what}: n8n no longer has the file`,
		'The binary data was deleted, for example because old executions were pruned. Run the workflow from the node that fetches the file.',
	);

const hostOf = (url: string): string => new URL(url).hostname;

/** An address as it may be shown: without user, password, query and fragment. */
export function withoutQuery(url: string): string {
	if (!URL.canParse(url)) return url.split(/[?#]/)[0]!.slice(0, 100);
	const { origin, pathname, protocol } = new URL(url);
	return `${origin === 'null' ? protocol : origin}${pathname}`;
}

/** The upload address of an answer to `/media/upload-url` (its name is not shown in the spec). */
export const uploadUrlNames = ['upload_url', 'uploadUrl', 'signed_url', 'url'] as const;

const extensions: Readonly<Record<string, string>> = {
	avif: 'image/avif',
	gif: 'image/gif',
	heic: 'image/heic',
	jpeg: 'image/jpeg',
	jpg: 'image/jpeg',
	m4v: 'video/x-m4v',
	mov: 'video/quicktime',
	mp4: 'video/mp4',
	mpeg: 'video/mpeg',
	png: 'image/png',
	webm: 'video/webm',
	webp: 'image/webp',
};

const typeOf = (header: string): string => header.split(';')[0]!.trim().toLowerCase();

/** The media type of a file: what is said of it, or by its name where that says nothing. */
export function mediaType(said: string | undefined, name: string): string {
	const type = typeOf(said ?? '');
	const vague = ['', 'application/octet-stream', 'binary/octet-stream', 'text/plain'].includes(type);
	const byName = extensions[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
	return (vague && byName) || type || 'application/octet-stream';
}

/** A name without folders, short enough for any store. */
export const safeName = (name: string): string => name.replace(/[\p{Cc}/\\]/gu, '_').slice(-200) || 'file';

/** A file's name from `Content-Disposition`, or from its address. */
function remoteName(url: string, disposition: string): string {
	const encoded = /filename\*=(?:UTF-8|utf-8)''([^;]+)/.exec(disposition)?.[1];
	const plain = /filename="?([^";]+)"?/.exec(disposition)?.[1];
	const last = new URL(url).pathname.split('/').pop() ?? '';
	return safeName(decoded(encoded ?? '') || plain?.trim() || decoded(last));
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
