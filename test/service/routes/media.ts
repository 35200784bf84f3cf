import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseBody } from '../check';
import { newId, newRequestId } from '../envelope';
import { bodyInvalid } from '../errors';
import type { Service } from '../index';
import { created, drop, hang, record, sendBare, type Context, type Route } from '../pipeline';
import type { Media } from '../types';

/** Bytes are kept up to this size, so that the page can show a picture; of larger ones only hash and size. */
const KEEP_UP_TO = 8 * 1024 * 1024;
/** How long an upload URL holds: an hour, also in real time where the clock runs fast. */
const HOUR = 3_600_000;

/** Spec: "Uploads images or videos for use in posts." */
const contentType = z
	.string()
	.regex(/^(image|video)\/[\w.+-]+$/, 'has to be an image or a video, such as image/png');

/** Request fields: not shown; these names are ours. */
const uploadUrlBody = z
	.object({
		filename: z
			.string()
			.min(1)
			.max(255)
			.refine((name) => !/[/\\\0]/.test(name), 'is a path'),
		content_type: contentType,
		size: z.number().int().positive('has to be at least one byte').max(Number.MAX_SAFE_INTEGER),
	})
	.passthrough();

/** What is known of bytes that came in. */
interface Received {
	size: number;
	sha256: string;
	bytes?: Buffer;
}

/** Counts and hashes; never holds more than `KEEP_UP_TO`. */
async function receive(stream: Readable): Promise<Received> {
	const hash = createHash('sha256');
	let kept: Buffer[] | undefined = [];
	let size = 0;
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		size += chunk.length;
		hash.update(chunk);
		if (size > KEEP_UP_TO) kept = undefined;
		else kept?.push(chunk);
	}
	return { size, sha256: hash.digest('hex'), bytes: kept && Buffer.concat(kept) };
}

function newMedia({ service, workspace }: Context, filename: string, type: string, size: number): Media {
	const { clock, store } = service;
	const id = newId('med');
	const media: Media = {
		id,
		workspaceId: workspace.id,
		filename,
		contentType: type,
		size,
		readUrl: `${service.url}/media/${id}`,
		createdAt: clock.iso(),
		expiresAt: clock.now() + HOUR * Math.max(1, clock.speed),
		uploaded: false,
		uploads: 0,
	};
	store.addMedia(media);
	return media;
}

function arrived(service: Service, media: Media, { sha256, bytes }: Received): void {
	Object.assign(media, { uploaded: true, sha256, uploads: media.uploads + 1 });
	service.store.keepBytes(media, bytes);
}

const signatureOf = (service: Service, id: string, expires: string) =>
	createHmac('sha256', service.signingSecret).update(`${id}.${expires}`).digest('hex');

function createUploadUrl(context: Context) {
	const { service } = context;
	const { filename, content_type: type, size } = parseBody(uploadUrlBody, context.body);
	const media = newMedia(context, filename, type.toLowerCase(), size);
	const expires = String(media.expiresAt);
	const query = `signature=${signatureOf(service, media.id, expires)}&expires=${expires}`;
	return created({
		id: media.id,
		upload_url: `${service.url}/upload/${media.id}?${query}`,
		read_url: media.readUrl,
		expires_at: service.clock.iso(media.expiresAt),
	});
}

/** A file of a multipart body, as `readMultipart` hands it on. `content` is the hash, so that keys compare bytes. */
interface MultipartFile {
	filename: string;
	contentType: string;
	size: number;
	content: string;
	received: () => Received;
}

/** Takes in the one file of a multipart body (field `file`; the name is ours: not shown). */
export async function readMultipart(request: FastifyRequest): Promise<unknown> {
	if (!request.isMultipart()) throw bodyInvalid('Send the file as multipart/form-data.');
	let file: MultipartFile | undefined;
	try {
		for await (const part of request.parts({ limits: { fileSize: Infinity } })) {
			if (part.type !== 'file') continue;
			const received = await receive(part.file);
			if (part.fieldname !== 'file')
				throw bodyInvalid(`${part.fieldname}: the file belongs in the field file`);
			if (file) throw bodyInvalid('file: one file a request');
			file = {
				filename: part.filename,
				contentType: part.mimetype.toLowerCase(),
				size: received.size,
				content: received.sha256,
				received: () => received,
			};
		}
	} catch (error) {
		throw error instanceof Error && 'status' in error ? error : bodyInvalid('The multipart body is broken.');
	}
	if (!file) throw bodyInvalid('file: is missing');
	if (file.size === 0) throw bodyInvalid('file: is empty');
	if (!file.filename) throw bodyInvalid('file: has no filename');
	parseBody(z.object({ contentType }).passthrough(), file);
	return file;
}

function uploadDirect(context: Context) {
	const file = context.body as MultipartFile;
	const media = newMedia(context, file.filename, file.contentType, file.size);
	arrived(context.service, media, file.received());
	return created({
		id: media.id,
		read_url: media.readUrl,
		filename: media.filename,
		content_type: media.contentType,
		size: media.size,
		created_at: media.createdAt,
	});
}

export const media: Route[] = [
	{ method: 'POST', path: '/media/upload-url', scope: 'media:write', handle: createUploadUrl },
	{ method: 'POST', path: '/media', scope: 'media:write', body: 'multipart', handle: uploadDirect },
];

/** A refusal of the storage behind the signed URL: plain text, no envelope. Undefined: go on. */
function refusal(service: Service, request: FastifyRequest, media: Media | undefined) {
	const { headers } = request;
	const { signature, expires } = request.query as Record<string, unknown>;
	if (headers.authorization !== undefined)
		return [400, 'A signed URL takes no Authorization header.'] as const;
	const valid =
		media && typeof signature === 'string' && typeof expires === 'string'
			? equal(signature, signatureOf(service, media.id, expires))
			: false;
	if (!media || !valid) return [403, 'The signature does not match.'] as const;
	if (Number(expires) <= service.clock.now()) return [403, 'The URL has expired.'] as const;
	if (headers['transfer-encoding'] !== undefined || headers['content-length'] === undefined) {
		return [411, 'Content-Length is required.'] as const;
	}
	if (headers['content-type']?.toLowerCase() !== media.contentType) {
		return [400, `Content-Type has to be ${media.contentType}, as declared.`] as const;
	}
	if (Number(headers['content-length']) !== media.size) {
		return [400, `Content-Length has to be ${media.size}, as declared.`] as const;
	}
	return undefined;
}

const equal = (a: string, b: string) =>
	a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** The storage: PUT to the signed URL, GET of the read_url. Neither is under the API's path. */
export async function storage(app: FastifyInstance, { service }: { service: Service }): Promise<void> {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, _payload, done) => done(null));

	app.put<{ Params: { id: string } }>('/upload/:id', async (request, reply) => {
		const path = request.url.split('?')[0]!;
		const entry = record(service, request, path, newRequestId());
		const fault = service.faults.meet(request.method, path);
		if (fault) entry.fault = fault.kind;
		if (fault?.kind === 'delay') await sleep(fault.ms ?? 1000);
		if (fault?.kind === 'hang' && !fault.act) return hang(fault, request, reply, service);
		if (fault?.kind === 'dropBefore') return drop(request, reply);
		const bare = fault && ['error', 'status', 'html'].includes(fault.kind) ? fault : undefined;
		if (bare && !bare.act) {
			request.raw.resume();
			sendBare({ ...bare, kind: bare.kind === 'error' ? 'status' : bare.kind }, reply, entry);
			return reply;
		}
		const answer = (status: number, text: string) => {
			entry.status = status;
			return reply.code(status).type('text/plain; charset=utf-8').send(text);
		};
		const media = service.store.media.get(request.params.id);
		const refused = refusal(service, request, media);
		if (refused || !media) {
			request.raw.resume();
			const [status, text] = refused ?? [403, 'The signature does not match.'];
			return answer(status, text);
		}
		let received;
		try {
			received = await receive(request.raw);
		} catch {
			return drop(request, reply);
		}
		if (received.size !== media.size) return answer(400, 'The bytes are not as many as declared.');
		arrived(service, media, received);
		if (fault?.kind === 'dropAfter') return drop(request, reply);
		if (fault?.kind === 'hang') return hang(fault, request, reply, service);
		if (fault && ['errorAfter', 'status', 'html', 'empty'].includes(fault.kind)) {
			sendBare({ ...fault, kind: fault.kind === 'errorAfter' ? 'status' : fault.kind }, reply, entry);
			return reply;
		}
		reply.header('etag', `"${received.sha256}"`);
		return answer(200, '');
	});

	app.get<{ Params: { id: string } }>('/media/:id', async (request, reply: FastifyReply) => {
		const media = service.store.media.get(request.params.id);
		if (!media?.uploaded) return reply.code(404).type('text/plain').send('Nothing has been uploaded here.');
		reply.header('x-content-sha256', media.sha256);
		// Larger files are not kept: there is something there, but nothing to send.
		if (!media.bytes) return reply.code(410).type('text/plain').send('The bytes were not kept.');
		return reply.type(media.contentType).send(media.bytes);
	});
}
