import { attempt, compact, isError, omit, pick } from 'lodash';
import { deepCopy, type IBinaryData, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import type { Limit } from '../../api/concurrency';
import { Failure, refusal, toFailure, type ErrorDetails, type Outcome } from '../../api/failure';
import { mediaType, safeName, uploadUrlNames, withEnding } from '../../api/fileTypes';
import type { Pace } from '../../api/pace';
import { redactor, withoutSignedQueries } from '../../api/redaction';
import { emptyFile, mediaKind } from '../../api/transferRefusals';
import { Transfers, type ByteStream } from '../../api/transfers';
import { shortened, textOf } from '../../api/texts';
import { hashOf } from '../writes/key';
import { withFields, type SentWrite, type Write, type WriteItem } from '../writes/write';
import {
	addressIdentity,
	checkedAddress,
	originOf,
	sha256,
	unreadable,
	type FileFacts,
	type PlannedFile,
	type SourceFile,
} from './files';
import { withoutMedia } from './fields';

/** A file that is at the service. */
export interface Uploaded {
	/** What the service said of it, without the signed URL. */
	record: IDataObject;
	readUrl: string;
	/** Stands for the file where content decides, instead of its `read_url`. */
	identity: string;
	/** What it is, known once it was opened. */
	facts?: FileFacts;
}

/** Up to which a file may be sent from memory. */
const DIRECT_LIMIT_MIB = 50;
/** How many upload URLs in a row may have expired. */
const MAX_RENEWED_URLS = 2;
/** Up to which a picture is part of a page. */
const LARGEST_SHOWN_BYTES = 2 ** 20;

/** How many bytes of pictures a page has room for: n8n and mail programs take no page of any size. */
const PICTURES_BYTES = 3 * 2 ** 20;

/** One item's files, from n8n's binary data or from addresses: each is uploaded once, for all platforms and all tries. */
export class Uploads {
	private readonly transfers: Transfers;
	/** What was read before, to find it again: exactly these bytes are uploaded. */
	private readonly known = new Map<PlannedFile, SourceFile>();

	/** @param options `limit` bounds how many files of all items are read or sent at a time; `isByContent`: whether its bytes identify a file */
	constructor(
		private readonly item: WriteItem & {
			write(write: Write): Promise<SentWrite>;
			uploaded(place: string): IDataObject | undefined;
			shared<T>(name: string, make: () => T): T;
		},
		private readonly n8n: IExecuteFunctions,
		pace: Pace,
		private readonly options: {
			limit: Limit;
			isByContent: boolean;
		},
	) {
		// Far from the credential: nothing of it goes to other hosts.
		this.transfers = new Transfers(async (request) => await n8n.helpers.httpRequest(request), pace);
	}

	/** Refuses a file of the item that isn't there, is empty, too large for one request, or no media. */
	async requireFile(file: PlannedFile, isDirect = false): Promise<void> {
		if (!file.isBinary) return;
		const { size } = await this.ofItem(file.source);
		if (isDirect) refuseLarge(file.source, size);
	}

	/** What n8n knows of a file without reading it. */
	describe(file: PlannedFile): FileFacts {
		const name = originOf(file);
		const data = file.isBinary && this.binary(name);
		if (!data) return { name };
		const { fileName = name, mimeType, bytes, id } = data;
		const contentType = mediaType(mimeType, fileName);
		const sizeBytes = bytes ?? (id ? undefined : Math.floor((textOf(data.data).length * 3) / 4));
		return { name: withEnding(safeName(fileName), contentType), contentType, sizeBytes };
	}

	/** What identifies a file; where its bytes decide, they are read for that if `isRead`. */
	async identity(file: PlannedFile, isRead = false): Promise<string | undefined> {
		if (!file.isBinary && !this.options.isByContent) return addressIdentity(file.source);
		if (!isRead) return undefined;
		const opened = await this.open(file);
		this.known.set(file, opened);
		return opened.identity;
	}

	/** Uploads files: for each what the service said, or what failed. */
	async all(files: readonly PlannedFile[]): Promise<Outcome[]> {
		const all = await Promise.all(files.map(async (file) => await this.upload(file)));
		return all.map((one) => (one instanceof Failure ? one : one.record));
	}

	/** The files of a post, all of them or none. @throws Failure of the first that could not be uploaded */
	async attached(files: readonly PlannedFile[]): Promise<Uploaded[]> {
		const all = await Promise.all(files.map(async (file) => await this.upload(file, true)));
		return all.map((one) => {
			if (one instanceof Failure) throw one.with({}, { processed: 'no' });
			return one;
		});
	}

	/** Spec, `POST /media`: whole files in one multipart request each, from memory, one after another. */
	async direct(files: readonly PlannedFile[]): Promise<Outcome[]> {
		const outcomes: Outcome[] = [];
		for (const file of files) {
			const send = async () => (await this.item.write(await this.directWriteOf(file))).response;
			outcomes.push(await send().catch(failureOf(file)));
		}
		return outcomes;
	}

	/** What a file would be at the service. One behind an address is fetched only where its bytes decide. */
	async preview(file: PlannedFile): Promise<Uploaded & { write?: Write }> {
		const isRead = this.item.keyMode === 'content' || this.known.has(file);
		if (!file.isBinary && !isRead) {
			const filename = originOf(file);
			return { record: { filename }, readUrl: placeholder(filename), identity: addressIdentity(file.source) };
		}
		const opened = await this.options.limit(async () => await this.open(file)).catch(failureOf(file));
		if (opened instanceof Failure) throw opened;
		const { name, contentType, size, identity } = opened;
		const record = { filename: name, content_type: contentType, size };
		const write = this.writeOf(opened, file, false);
		return { record, readUrl: placeholder(name), identity, facts: factsOf(file, opened), write };
	}

	/** What a page shows of a file: what is known of it, and a small picture itself while there is room. */
	async shown(file: PlannedFile): Promise<FileFacts> {
		const room = this.item.shared('room for pictures', () => ({ bytes: PICTURES_BYTES }));
		const read = async (): Promise<FileFacts> => {
			const opened = await this.open(file);
			const { size, contentType, name, close } = opened;
			const isPicture = /^image\/(gif|jpeg|png|webp)$/.test(contentType);
			if (!isPicture || size > Math.min(LARGEST_SHOWN_BYTES, room.bytes)) {
				close?.();
				return factsOf(file, opened);
			}
			room.bytes -= size;
			const source = await opened.open();
			const all = async () => Buffer.concat((await (source as ByteStream).toArray()) as Buffer[]);
			const bytes = Buffer.isBuffer(source) ? source : await this.transfers.read(source, name, all);
			return { ...factsOf(file, opened), bytes };
		};
		return await this.options.limit(read).catch(() => this.describe(file));
	}

	private async upload(planned: PlannedFile, isAttached = false): Promise<Uploaded | Failure> {
		const send = async (): Promise<Uploaded> => {
			const file = await this.open(planned).catch(toFailure);
			if (file instanceof Failure) return this.earlier(planned, file);
			try {
				const { response } = await this.item.write(this.writeOf(file, planned, isAttached));
				const facts = factsOf(planned, file);
				return { record: response, readUrl: String(response.read_url), identity: file.identity, facts };
			} finally {
				file.close?.();
			}
		};
		return await this.options.limit(send).catch(failureOf(planned));
	}

	/** What an earlier try uploaded from an address that can't be read any more. @throws Failure where none did */
	private earlier(planned: PlannedFile, failure: Failure): Uploaded {
		const place = this.placeOf(planned);
		const record = place && this.item.uploaded(place);
		if (!record) throw failure;
		return { record, readUrl: String(record.read_url), identity: addressIdentity(planned.source) };
	}

	/** Names a file behind an address, whatever lies there, unless its bytes are part of the post's key. */
	private placeOf(file: PlannedFile): string | undefined {
		if (file.isBinary || (this.options.isByContent && this.item.keyMode !== 'custom')) return undefined;
		return writeNameOf(file, addressIdentity(file.source));
	}

	/**
	 * Spec, `/media/upload-url`: a signed URL and a `read_url`, then the bytes.
	 * @param renewed counts the URLs that had expired: with the same key the service would return the same one again
	 */
	private writeOf(file: SourceFile, planned: PlannedFile, isAttached: boolean, renewed = 0): Write {
		const own = { filename: file.name, content_type: file.contentType, size: file.size };
		const body = isAttached ? own : withFields(own, this.item.apiFields);
		const place = planned.isBinary ? planned.source : addressIdentity(planned.source);
		// Another file may be as large and have the same name, and a signed link is another one at each read.
		const source = this.options.isByContent ? file.identity : place;
		const fresh = renewed > 0 ? `fresh-${renewed}` : '';
		const name = writeNameOf(planned, source, own, fresh);
		return {
			path: '/media/upload-url',
			body,
			name,
			names: compact([name, this.placeOf(planned)]),
			says: [{ ...body, identity: file.identity, write: name }],
			file: {
				isAttached,
				keyPart: keyPartOf(planned, fresh),
				complete: async (answer) => {
					const { uploadUrl, record } = readUploadUrl(answer);
					const stored = { ...own, ...record, source: originOf(planned) };
					try {
						// The URL is signed for the type that was announced.
						const contentType = textOf(body.content_type) || file.contentType;
						await this.transfers.put({ ...file, contentType }, uploadUrl, this.item.maxWaitMs);
						return stored;
					} catch (error) {
						const failure = toFailure(error).with(idsOf(answer));
						const { code } = failure.details;
						const isForbidden = code === 'NODE_UPLOAD_FORBIDDEN';
						if (!isForbidden && code !== 'NODE_UPLOAD_REFUSED') throw failure;
						// An earlier run may have uploaded it, and a store may take a file once.
						if (await this.hasArrived(file, String(record.read_url))) return stored;
						if (!isForbidden || renewed === MAX_RENEWED_URLS) throw failure;
						return (await this.item.write(this.writeOf(file, planned, isAttached, renewed + 1))).response;
					}
				},
			},
		};
	}

	/** Whether the service has a file already: as many bytes, which are counted where its server doesn't say. */
	private async hasArrived({ size }: SourceFile, readUrl: string): Promise<boolean> {
		const found = await this.transfers.open(readUrl, 0).catch(() => undefined);
		if (!found) return false;
		const all = { ...found, size: 0, identity: '', open: async () => found.stream };
		const known = found.size === undefined ? await this.hash(all).catch(() => undefined) : found;
		found.stream.destroy();
		return known?.size === size;
	}

	async directWriteOf(file: PlannedFile): Promise<Write> {
		const { apiFields } = this.item;
		const { name, contentType, size, open } = await this.ofItem(file.source);
		refuseLarge(file.source, size);
		const opened = await open();
		const all = async (stream: ByteStream) => Buffer.concat((await stream.toArray()) as Buffer[]);
		const bytes = Buffer.isBuffer(opened)
			? opened
			: await this.transfers.read(opened, name, async () => await all(opened));
		const form = new FormData();
		form.append('file', new Blob([bytes], { type: contentType }), name);
		for (const [field, value] of Object.entries(apiFields))
			form.set(field, typeof value === 'object' ? JSON.stringify(value) : String(value));
		const hash = sha256(bytes);
		const write = writeNameOf(file, hash, '');
		return {
			path: '/media',
			name: write,
			says: [withFields({ name, contentType, hash, write }, apiFields)],
			file: { form, keyPart: keyPartOf(file, '') },
		};
	}

	/** A file, ready to be read: what was read before isn't fetched again. @throws Failure where it isn't there, or is no media */
	private async open(planned: PlannedFile): Promise<SourceFile> {
		const known = this.known.get(planned);
		if (known) return known;
		const { isBinary, source } = planned;
		const { isByContent } = this.options;
		const file = isBinary ? await this.ofItem(source) : await this.remote(source, isByContent || undefined);
		return isByContent ? { ...file, ...(await this.hash(file)) } : file;
	}

	/** A file behind an address; stored by n8n first if `isStored` or, where that is left out, if its length isn't known. */
	private async remote(address: string, isStored?: boolean): Promise<SourceFile> {
		const url = checkedAddress(address);
		const identity = addressIdentity(url);
		const get = async () => await this.transfers.open(url, this.item.maxWaitMs);
		const { size = NaN, stream, ...known } = await get();
		if (isStored ?? Number.isNaN(size)) {
			const { name, contentType } = known;
			const store = async () => await this.n8n.helpers.prepareBinaryData(stream, name, contentType);
			const data = await this.transfers.read(stream, name, store);
			return { ...(await this.stored({ ...data, fileName: name, mimeType: contentType }, name)), identity };
		}
		let first: ByteStream | undefined = stream;
		const open = async (): Promise<ByteStream> => {
			const opened = first ?? (await get()).stream;
			first = undefined;
			return opened;
		};
		return { ...known, size, identity, open, close: () => first?.destroy() };
	}

	/** A binary field of the item. @throws Failure naming the fields that there are */
	private async ofItem(field: string): Promise<SourceFile> {
		const data = this.binary(field);
		if (data) return await this.stored(data, field);
		const { json, binary } = this.n8n.getInputData()[this.item.index] ?? {};
		const present = Object.keys({ ...binary, ...Object(json?._files) }).filter((name) => this.binary(name));
		throw refusal(
			'BINARY_FIELD_MISSING',
			`The item has no binary field '${shortened(field)}'`,
			present.length > 0
				? `It has: ${present.join(', ')}. Enter the right name in 'Input Binary Fields'.`
				: `It has no binary fields. Add a node before this one that outputs a file. ${withoutMedia}`,
		);
	}

	/** What n8n knows of a file of the item; in n8n's newest execution logic most files are in `_files` of its JSON. */
	private binary(field: string): IBinaryData | undefined {
		const { index } = this.item;
		const find = (path: string) => {
			const found = attempt(() => this.n8n.helpers.assertBinaryData(index, path));
			return isError(found) ? [] : found;
		};
		const own = this.n8n.getInputData()[index]?.binary;
		if (own && Object.hasOwn(own, field)) return own[field];
		return [field, `_files[${JSON.stringify(field)}]`].flatMap(find)[0];
	}

	private async stored(data: IBinaryData, from: string): Promise<SourceFile> {
		const { getBinaryMetadata, getBinaryStream } = this.n8n.helpers;
		const given = safeName(data.fileName ?? [from, data.fileExtension].filter(Boolean).join('.'));
		const { id } = data;
		const judge = async (head: () => Promise<Buffer>) => {
			const kind = await mediaKind(data.mimeType, from, head, given);
			return { name: withEnding(given, kind.contentType), ...kind };
		};
		if (!id) {
			// Code may have put it there as a data URL.
			const bytes = Buffer.from(textOf(data.data).replace(/^data:[^,]*,/, ''), 'base64');
			if (bytes.length === 0) throw emptyFile(from);
			const identity = `memory:${sha256(bytes)}`;
			return { ...(await judge(async () => bytes)), size: bytes.length, identity, open: async () => bytes };
		}
		const { fileSize: size } = await getBinaryMetadata(id).catch(unreadable(from));
		if (size === 0) throw emptyFile(from);
		const open = async () => await getBinaryStream(id).catch(unreadable(from));
		const head = async () => {
			const stream = await open();
			return await this.transfers.head(stream, given).finally(() => stream.destroy());
		};
		return { ...(await judge(head)), size, identity: id, open };
	}

	/** The hash of a file's bytes, and how many they are. */
	private async hash(file: SourceFile): Promise<{ identity: string; size: number }> {
		const source = await file.open();
		const chunks: AsyncIterable<Buffer> | Buffer[] = Buffer.isBuffer(source) ? [source] : source;
		const hash = createHash('sha256');
		let size = 0;
		const digest = async () => {
			for await (const chunk of chunks) {
				size += chunk.length;
				hash.update(chunk);
			}
			return { identity: hash.digest('hex'), size };
		};
		return Buffer.isBuffer(source) ? await digest() : await this.transfers.read(source, file.name, digest);
	}
}

function refuseLarge(field: string, sizeBytes = 0): void {
	if (sizeBytes <= DIRECT_LIMIT_MIB * 2 ** 20) return;
	throw refusal(
		'FILE_TOO_LARGE',
		`The file in '${field}' has ${Math.ceil(sizeBytes / 2 ** 20)} MiB; up to ${DIRECT_LIMIT_MIB} MiB go in one request`,
		"Use the operation 'Upload': it streams files of any size.",
	);
}

/** Identifies a file of the item: one with other details is another write. */
const writeNameOf = ({ position }: PlannedFile, ...details: unknown[]): string =>
	`media-${position}-${hashOf(JSON.stringify(details))}`;

/** The only file has the user's own key. */
const keyPartOf = ({ count }: PlannedFile, fresh: string): string | undefined =>
	count === 1 ? fresh : undefined;

/** What an opened file is; one behind an address is called as before it was opened. */
const factsOf = (file: PlannedFile, { size: sizeBytes, ...known }: SourceFile): FileFacts => ({
	...pick(known, 'contentType', 'looksLike', 'proportions'),
	name: file.isBinary ? known.name : originOf(file),
	sizeBytes,
});

/** Stands in a preview where the address of the uploaded file will. */
const placeholder = (filename: string): string => `(address of ${filename} after its upload)`;

/**
 * Where to upload a file to, and what is handed out of the answer: all but that signed URL, which whoever holds it could
 * write to. @throws Failure where there is none, or no address to read the file from
 */
function readUploadUrl(answer: IDataObject): { uploadUrl: string; record: IDataObject } {
	const { readUrl, read_url = readUrl, ...others } = answer;
	const signed = uploadUrlNames.map((name) => others[name]).filter(isAddress);
	const [uploadUrl] = signed;
	if (uploadUrl && read_url) {
		// The address may stand in fields that nobody knows, too. Where the file is read from, posts need as it is.
		const rest = withoutSignedQueries(redactor(signed)(deepCopy(omit(others, uploadUrlNames))));
		return { uploadUrl, record: { ...rest, read_url } };
	}
	const fields = Object.keys(omit(answer, 'idempotency_key', 'request_id'));
	throw refusal(
		'UPLOAD_URL_MISSING',
		`The service returned no URL to ${uploadUrl ? 'read the file from' : 'upload the file to'}`,
		`Its answer has: ${fields.join(', ') || 'nothing'}. Please report this to the maintainers of this package.`,
	).with(idsOf(answer));
}

const isAddress = (value: unknown): value is string =>
	typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);

const idsOf = (answer: IDataObject) => pick(answer, 'idempotency_key', 'request_id') as Partial<ErrorDetails>;

const failureOf = (file: PlannedFile) => (error: unknown) => toFailure(error).with({ file: originOf(file) });
