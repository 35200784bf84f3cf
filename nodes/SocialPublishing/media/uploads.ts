import { attempt, isError, omit, pick } from 'lodash';
import { deepCopy, type IBinaryData, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import type { Limit } from '../../api/concurrency';
import { Failure, refusal, toFailure, type ErrorDetails, type Outcome } from '../../api/failure';
import { mediaType, safeName, withEnding } from '../../api/fileTypes';
import type { Pace } from '../../api/pace';
import { redactor, withoutSignedQueries } from '../../api/redaction';
import { contentTypeOf, emptyFile } from '../../api/transferRefusals';
import { Transfers, type ByteStream } from '../../api/transfers';
import { shortened, textOf } from '../../api/texts';
import { withFields } from '../writes/body';
import { hashOf } from '../writes/key';
import type { Write, WriteItem } from '../writes/write';
import type { Writer } from '../writes/writer';
import {
	checkedAddress,
	originOf,
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
}

/** Up to which a file may be sent from memory. */
const DIRECT_LIMIT_MIB = 50;
/** Up to which a picture is part of a page. */
const LARGEST_SHOWN_BYTES = 2 ** 20;

/** How many bytes of pictures a page has room for: n8n and mail programs take no page of any size. */
const PICTURES_BYTES = 3 * 2 ** 20;

type ItemWithFiles = WriteItem & {
	readonly apiFields: IDataObject;
	readonly writer: Writer;
	shared<T>(name: string, make: () => T): T;
};

/** One item's files, from n8n's binary data or from addresses: each is uploaded once, for all platforms and all tries. */
export class Uploads {
	private readonly transfers: Transfers;

	/** @param limit bounds how many files of all items are read or sent at a time */
	constructor(
		private readonly item: ItemWithFiles,
		private readonly n8n: IExecuteFunctions,
		pace: Pace,
		private readonly limit: Limit,
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

	/**
	 * What files are, as targets of their uploads: by name, type and size, or by their address without a signature, and by
	 * their number among equal ones of the item.
	 */
	targetsOf(files: readonly PlannedFile[]): string[] {
		const seen: string[] = [];
		return files.map((file) => {
			const { name, contentType, sizeBytes } = this.describe(file);
			const size = sizeBytes ?? (file.isBinary && this.binary(file.source)?.fileSize);
			const about = file.isBinary
				? [name, contentType, size]
				: withoutSignedQueries(checkedAddress(file.source));
			const target = `file-${hashOf(JSON.stringify(about))}`;
			const equal = seen.filter((one) => one === target).length;
			seen.push(target);
			return equal > 0 ? `${target}-${equal}` : target;
		});
	}

	/** The writes of files that are uploaded by themselves. */
	writesOf(
		files: readonly PlannedFile[],
		path: '/media/upload-url' | '/media' = '/media/upload-url',
	): Write[] {
		return this.targetsOf(files).map((target) => ({ path, target, says: this.item.apiFields }));
	}

	/** Uploads files: for each what the service said, or what failed. */
	async all(files: readonly PlannedFile[], writes: readonly Write[]): Promise<Outcome[]> {
		return await Promise.all(
			files.map(async (file, index) => {
				const upload = async () => (await this.upload(file, writes[index]!)).record;
				return await upload().catch(failureOf(file));
			}),
		);
	}

	/**
	 * The files of a post with this text, all of them or none.
	 * @throws Failure of the first that could not be uploaded
	 */
	async attached(files: readonly PlannedFile[], text: string): Promise<Uploaded[]> {
		const { item } = this;
		const writes = this.targetsOf(files).map((target): Write => ({
			path: '/media/upload-url',
			target,
			says: { text },
			isAttached: true,
		}));
		item.writer.ask(item, writes);
		const uploading = files.map(
			async (file, index) => await this.upload(file, writes[index]!).catch(failureOf(file)),
		);
		const all = await Promise.all(uploading);
		return all.map((one) => {
			if (one instanceof Failure) throw one.with({}, { processed: 'no' });
			return one;
		});
	}

	/** Spec, `POST /media`: whole files in one multipart request each, from memory, one after another. */
	async direct(files: readonly PlannedFile[], writes: readonly Write[]): Promise<Outcome[]> {
		const { item } = this;
		const outcomes: Outcome[] = [];
		for (const [index, file] of files.entries()) {
			const write = writes[index]!;
			const send = async () => {
				const form = item.writer.known(write)?.response ? undefined : await this.formOf(file);
				return (await item.writer.send(item, write, { form })).response;
			};
			outcomes.push(await send().catch(failureOf(file)));
		}
		return outcomes;
	}

	/** What a file would be at the service; one behind an address isn't fetched for that. */
	async preview(file: PlannedFile): Promise<Uploaded> {
		if (!file.isBinary) {
			const filename = originOf(file);
			return { record: { filename }, readUrl: placeholder(filename) };
		}
		const opened = await this.limit(async () => await this.ofItem(file.source)).catch(failureOf(file));
		if (opened instanceof Failure) throw opened;
		const { name, contentType, size } = opened;
		return { record: { filename: name, content_type: contentType, size }, readUrl: placeholder(name) };
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
		return await this.limit(read).catch(() => this.describe(file));
	}

	/** Spec, `/media/upload-url`: a signed URL and a `read_url`, then the bytes. What was uploaded isn't opened again. */
	private async upload(planned: PlannedFile, write: Write): Promise<Uploaded> {
		const { item } = this;
		const uploaded = item.writer.known(write)?.response;
		if (uploaded) return { record: uploaded, readUrl: String(uploaded.read_url) };
		return await this.limit(async () => {
			let file = await this.open(planned);
			const own = () => ({ filename: file.name, content_type: file.contentType, size: file.size });
			const body = () => (write.isAttached ? own() : withFields(own(), item.apiFields));
			// The URL is signed for the type that was announced.
			const contentType = textOf(body().content_type) || file.contentType;
			const complete = async (answer: IDataObject) => {
				const { uploadUrl, record } = readUploadUrl(answer);
				const putting = this.put({ ...file, contentType }, uploadUrl, String(record.read_url));
				const isStored = await putting.catch(async (error: unknown) => {
					if (planned.isBinary || toFailure(error).details.code !== 'NODE_LENGTH_DIFFERS') throw error;
					// Its server compressed it, and announced the compressed length: n8n stores it first.
					file = await this.remote(planned.source, true);
					return false;
				});
				return isStored ? { ...own(), ...record, source: originOf(planned) } : undefined;
			};
			const sending = item.writer.send(item, write, { body, complete });
			const { response } = await sending.finally(() => file.close?.());
			return { record: response, readUrl: String(response.read_url) };
		});
	}

	/** Sends a file's bytes, unless they are there. @returns false where the upload URL has expired */
	private async put(file: SourceFile, uploadUrl: string, readUrl: string): Promise<boolean> {
		try {
			await this.transfers.put(file, uploadUrl, this.item.maxWaitMs);
			return true;
		} catch (error) {
			const failure = toFailure(error);
			const { code } = failure.details;
			const isForbidden = code === 'NODE_UPLOAD_FORBIDDEN';
			if (!isForbidden && code !== 'NODE_UPLOAD_REFUSED') throw failure;
			// An earlier run may have uploaded it, and a store may take a file once.
			if (await this.hasArrived(file.size, readUrl)) return true;
			if (!isForbidden) throw failure;
			return false;
		}
	}

	/** Whether the service has a file already: as many bytes, which are counted where its server doesn't say. */
	private async hasArrived(size: number, readUrl: string): Promise<boolean> {
		const found = await this.transfers.open(readUrl, 0).catch(() => undefined);
		if (!found) return false;
		const count = async () => {
			let bytes = 0;
			for await (const chunk of found.stream) bytes += (chunk as Buffer).length;
			return bytes;
		};
		const known = found.size ?? (await this.transfers.read(found.stream, found.name, count).catch(() => -1));
		found.stream.destroy();
		return known === size;
	}

	private async formOf(file: PlannedFile): Promise<FormData> {
		const { name, contentType, size, open } = await this.ofItem(file.source);
		refuseLarge(file.source, size);
		const opened = await open();
		const all = async (stream: ByteStream) => Buffer.concat((await stream.toArray()) as Buffer[]);
		const bytes = Buffer.isBuffer(opened)
			? opened
			: await this.transfers.read(opened, name, async () => await all(opened));
		const form = new FormData();
		form.append('file', new Blob([bytes], { type: contentType }), name);
		for (const [field, value] of Object.entries(this.item.apiFields))
			form.set(field, typeof value === 'object' ? JSON.stringify(value) : String(value));
		return form;
	}

	/** A file, ready to be read. @throws Failure where it isn't there, or is no media */
	private async open({ isBinary, source }: PlannedFile): Promise<SourceFile> {
		return isBinary ? await this.ofItem(source) : await this.remote(source);
	}

	/** A file behind an address; stored by n8n first if its length isn't known, or not to be trusted. */
	private async remote(address: string, isStoredFirst = false): Promise<SourceFile> {
		const url = checkedAddress(address);
		const get = async () => await this.transfers.open(url, this.item.maxWaitMs);
		const { size, stream, ...known } = await get();
		if (size === undefined || isStoredFirst) {
			const { name, contentType } = known;
			const store = async () => await this.n8n.helpers.prepareBinaryData(stream, name, contentType);
			const data = await this.transfers.read(stream, name, store);
			return await this.stored({ ...data, fileName: name, mimeType: contentType }, name);
		}
		let first: ByteStream | undefined = stream;
		const open = async (): Promise<ByteStream> => {
			const opened = first ?? (await get()).stream;
			first = undefined;
			return opened;
		};
		return { ...known, size, open, close: () => first?.destroy() };
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
			const contentType = await contentTypeOf(textOf(data.mimeType), from, head, given);
			return { name: withEnding(given, contentType), contentType };
		};
		if (!id) {
			// Code may have put it there as a data URL.
			const bytes = Buffer.from(textOf(data.data).replace(/^data:[^,]*,/, ''), 'base64');
			if (bytes.length === 0) throw emptyFile(from);
			return { ...(await judge(async () => bytes)), size: bytes.length, open: async () => bytes };
		}
		const { fileSize: size } = await getBinaryMetadata(id).catch(unreadable(from));
		if (size === 0) throw emptyFile(from);
		const open = async () => await getBinaryStream(id).catch(unreadable(from));
		const head = async () => {
			const stream = await open();
			return await this.transfers.head(stream, given).finally(() => stream.destroy());
		};
		return { ...(await judge(head)), size, open };
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

/** What an opened file is; one behind an address is called as before it was opened. */
const factsOf = (file: PlannedFile, { size: sizeBytes, ...known }: SourceFile): FileFacts => ({
	...pick(known, 'contentType'),
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
	const { upload_url: uploadUrl, read_url, ...others } = answer;
	if (isAddress(uploadUrl) && read_url) {
		// The address may stand in other fields, too. Where the file is read from, posts need as it is.
		const rest = withoutSignedQueries(redactor([uploadUrl])(deepCopy(others)));
		return { uploadUrl, record: { ...rest, read_url } };
	}
	const fields = Object.keys(omit(answer, 'idempotency_key', 'request_id'));
	throw refusal(
		'UPLOAD_URL_MISSING',
		"The service's answer has no 'upload_url' or no 'read_url'",
		`Its answer has: ${fields.join(', ') || 'nothing'}. Please report this to the maintainers of this package.`,
	).with(idsOf(answer));
}

const isAddress = (value: unknown): value is string =>
	typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);

const idsOf = (answer: IDataObject) => pick(answer, 'idempotency_key', 'request_id') as Partial<ErrorDetails>;

const failureOf = (file: PlannedFile) => (error: unknown) => toFailure(error).with({ file: originOf(file) });
