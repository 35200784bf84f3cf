import type { FastifyInstance, FastifyRequest } from 'fastify';
import pick from 'lodash/pick';
import { createHash, createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { parseBody } from '../check';
import { newId } from '../envelope';
import { bodyInvalid } from '../errors';
import { takesEffect, type Fault } from '../faults';
import type { Service } from '../index';
import { answerInstead, created, drop, meet, record, type Context, type Route } from '../pipeline';
import type { Media } from '../types';
import { present } from './lists';

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

/** The file of a multipart body. `content` is the hash, so that keys compare bytes. */
interface MultipartFile {
	fieldname: string;
	filename: string;
	contentType: string;
	size: number;
	content: string;
	received: () => Received;
}

/** Takes in the one file of a multipart body (field `file`; the name is ours: not shown). */
async function readFile(request: FastifyRequest): Promise<MultipartFile> {
	if (!request.isMultipart()) throw bodyInvalid('Send the file as multipart/form-data.');
	const files: MultipartFile[] = [];
	try {
		for await (const part of request.parts({ limits: { fileSize: Infinity } })) {
			if (part.type !== 'file') continue;
			const { fieldname, filename, mimetype } = part;
			const received = await receive(part.file);
			const { size, sha256: content } = received;
			const contentType = mimetype.toLowerCase();
			files.push({ fieldname, filename, contentType, size, content, received: () => received });
		}
	} catch {
		throw bodyInvalid('The multipart body is broken.');
	}
	const other = files.find(({ fieldname }) => fieldname !== 'file');
	if (other) throw bodyInvalid(`${other.fieldname}: the file belongs in the field file`);
	const [file, second] = files;
	if (!file) throw bodyInvalid('file: is missing');
	if (second) throw bodyInvalid('file: one file a request');
	if (file.size === 0) throw bodyInvalid('file: is empty');
	if (!file.filename) throw bodyInvalid('file: has no filename');
	parseBody(z.object({ contentType }), file);
	return file;
}

function uploadDirect(context: Context) {
	const file = context.body as MultipartFile;
	const media = newMedia(context, file.filename, file.contentType, file.size);
	arrived(context.service, media, file.received());
	return created(present(pick(media, ['id', 'readUrl', 'filename', 'contentType', 'size', 'createdAt'])));
}

export const media: Route[] = [
	{ method: 'POST', path: '/media/upload-url', scope: 'media:write', handle: createUploadUrl },
	{ method: 'POST', path: '/media', scope: 'media:write', readFile, handle: uploadDirect },
];

/** Why the storage behind the signed URL refuses an upload, with the status. */
function refusal(
	service: Service,
	{ headers, query }: FastifyRequest,
	media: Media,
): [number, string] | undefined {
	const { signature, expires } = query as Record<string, string>;
	if (signature !== signatureOf(service, media.id, String(expires))) {
		return [403, 'The signature does not match.'];
	}
	if (Number(expires) <= service.clock.now()) return [403, 'The URL has expired.'];
	if (headers['transfer-encoding'] !== undefined || headers['content-length'] === undefined) {
		return [411, 'Content-Length is required.'];
	}
	if (headers['content-type']?.toLowerCase() !== media.contentType) {
		return [400, `Content-Type has to be ${media.contentType}, as declared.`];
	}
	if (Number(headers['content-length']) !== media.size) {
		return [400, `Content-Length has to be ${media.size}, as declared.`];
	}
	return undefined;
}

/** As a fault is met on the way to the storage, which has no envelope. */
const bare = (fault: Fault): Fault =>
	fault.kind === 'error' || fault.kind === 'errorAfter' ? { ...fault, kind: 'status' } : fault;

/** The storage: PUT to the signed URL, GET of the read_url. Neither is under the API's path. */
export async function storage(app: FastifyInstance, { service }: { service: Service }): Promise<void> {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, _payload, done) => done(null));

	app.put<{ Params: { id: string } }>('/upload/:id', async (request, reply) => {
		const entry = record(service, request);
		const fault = await meet(service, entry, entry.path);
		const isSpoiled = () => fault !== undefined && answerInstead(bare(fault), request, reply, entry);
		if (fault && !takesEffect(fault) && isSpoiled()) return reply;
		const answer = (status: number, text = '') => {
			request.raw.resume();
			entry.status = status;
			return reply.code(status).type('text/plain; charset=utf-8').send(text);
		};
		if (request.headers.authorization !== undefined) {
			return answer(400, 'A signed URL takes no Authorization header.');
		}
		const media = service.store.media.get(request.params.id);
		if (!media) return answer(403, 'The signature does not match.');
		const refused = refusal(service, request, media);
		if (refused) return answer(...refused);
		let received;
		try {
			received = await receive(request.raw);
		} catch {
			return drop(request, reply);
		}
		if (received.size !== media.size) return answer(400, 'The bytes are not as many as declared.');
		arrived(service, media, received);
		if (isSpoiled()) return reply;
		reply.header('etag', `"${received.sha256}"`);
		return answer(200);
	});

	app.get<{ Params: { id: string } }>('/media/:id', async (request, reply) => {
		const media = service.store.media.get(request.params.id);
		if (!media?.uploaded) return reply.code(404).type('text/plain').send('Nothing has been uploaded here.');
		reply.header('x-content-sha256', media.sha256);
		// Larger files are not kept: there is something there, but nothing to send.
		if (!media.bytes) return reply.code(410).type('text/plain').send('The bytes were not kept.');
		return reply.type(media.contentType).send(media.bytes);
	});
}
