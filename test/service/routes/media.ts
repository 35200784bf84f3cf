import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pick } from 'lodash';
import { createHash, createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { parseBody } from '../check';
import { bodyInvalid, newId } from '../envelope';
import { takesEffect } from '../faults';
import type { Service } from '../index';
import { created, meet, record, send, type Context, type Route } from '../pipeline';
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

/** Counts and hashes what comes in; never holds more than `KEEP_UP_TO`. */
async function receive(stream: Readable) {
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

type File = Pick<Media, 'filename' | 'contentType' | 'size'>;

function newMedia({ service, workspace }: Context, file: File): Media {
	const { clock, store } = service;
	const id = newId('med');
	const media: Media = {
		id,
		workspaceId: workspace.id,
		...pick(file, ['filename', 'contentType', 'size']),
		readUrl: `${service.url}/media/${id}`,
		createdAt: clock.iso(),
		expiresAt: clock.now() + HOUR * Math.max(1, clock.speed),
		uploaded: false,
	};
	store.media.set(id, media);
	store.mediaByUrl.set(media.readUrl, media);
	return media;
}

function arrived(media: Media, bytes: Buffer | undefined): void {
	media.uploaded = true;
	media.bytes = bytes;
}

const signatureOf = (service: Service, id: string, expires: string) =>
	createHmac('sha256', service.signingSecret).update(`${id}.${expires}`).digest('hex');

function createUploadUrl(context: Context) {
	const { service } = context;
	const { filename, content_type, size } = parseBody(uploadUrlBody, context.body);
	const media = newMedia(context, { filename, contentType: content_type.toLowerCase(), size });
	const expires = String(media.expiresAt);
	const query = `signature=${signatureOf(service, media.id, expires)}&expires=${expires}`;
	return created({
		id: media.id,
		upload_url: `${service.url}/upload/${media.id}?${query}`,
		read_url: media.readUrl,
		expires_at: service.clock.iso(media.expiresAt),
	});
}

/** The file of a multipart body. The hash is there so that keys compare bytes; the bytes are no part of that. */
interface MultipartFile extends File {
	sha256: string;
	bytes: () => Buffer | undefined;
}

/** Takes in the one file of a multipart body (field `file`; the name is ours: not shown). */
async function readFile(request: FastifyRequest): Promise<MultipartFile> {
	if (!request.isMultipart()) throw bodyInvalid('Send the file as multipart/form-data.');
	const files: Array<MultipartFile & { fieldname: string }> = [];
	try {
		for await (const part of request.parts({ limits: { fileSize: Infinity } })) {
			if (part.type !== 'file') continue;
			const { fieldname, filename, mimetype } = part;
			const { bytes, ...rest } = await receive(part.file);
			files.push({ fieldname, filename, contentType: mimetype.toLowerCase(), ...rest, bytes: () => bytes });
		}
	} catch {
		throw bodyInvalid('The multipart body is broken.');
	}
	const [file] = files;
	if (files.length !== 1 || file?.fieldname !== 'file') throw bodyInvalid('file: one file, in this field');
	if (file.size === 0) throw bodyInvalid('file: is empty');
	if (!file.filename) throw bodyInvalid('file: has no filename');
	parseBody(z.object({ contentType }), file);
	return file;
}

function uploadDirect(context: Context) {
	const file = context.body as MultipartFile;
	const media = newMedia(context, file);
	arrived(media, file.bytes());
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
	media: Media | undefined,
): [number, string] | undefined {
	const { signature, expires } = query as Record<string, string>;
	const ofApi = Object.keys(headers).find((name) =>
		/^(authorization|idempotency-key|x-service-.*)$/.test(name),
	);
	if (ofApi) return [400, `A signed URL takes no header ${ofApi}.`];
	if (!media || signature !== signatureOf(service, media.id, String(expires))) {
		return [403, 'The signature does not match.'];
	}
	if (Number(expires) <= service.clock.now()) return [403, 'The URL has expired.'];
	if (headers['content-length'] === undefined) return [411, 'Content-Length is required.'];
	if (headers['content-type']?.toLowerCase() !== media.contentType) {
		return [400, `Content-Type has to be ${media.contentType}, as declared.`];
	}
	if (Number(headers['content-length']) !== media.size) {
		return [400, `Content-Length has to be ${media.size}, as declared.`];
	}
	return undefined;
}

type ById = { Params: { id: string } };

/** The storage: PUT to the signed URL, GET of the read_url. Neither is under the API's path. */
export async function storage(app: FastifyInstance, { service }: { service: Service }): Promise<void> {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, _payload, done) => done(null));

	app.put<ById>('/upload/:id', async (request, reply) => {
		const entry = record(service, request);
		const fault = await meet(service, entry, entry.path);
		const answer = (status = 200, body = '') =>
			send(request, reply, entry, { status, headers: { 'content-type': 'text/plain' }, body }, fault);
		if (fault && !takesEffect(fault)) return answer();
		const media = service.store.media.get(request.params.id);
		const refused = refusal(service, request, media);
		if (refused) return answer(...refused);
		try {
			const { bytes } = await receive(request.raw);
			arrived(media!, bytes);
		} catch {
			// The sender has hung up.
			return reply.hijack();
		}
		return answer();
	});

	app.get<ById>('/media/:id', async (request, reply) => {
		const media = service.store.media.get(request.params.id);
		if (!media?.uploaded) return reply.code(404).type('text/plain').send('Nothing has been uploaded here.');
		// Larger files are not kept: there is something there, but nothing to send.
		if (!media.bytes) return reply.code(410).type('text/plain').send('The bytes were not kept.');
		return reply.type(media.contentType).send(media.bytes);
	});
}
