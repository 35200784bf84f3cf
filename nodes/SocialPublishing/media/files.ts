import type { IBinaryData, IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { refusal } from '../../api/failure';
import { mediaType, safeName, withoutQuery } from '../../api/fileNames';
import type { Pace } from '../../api/pace';
import { emptyFile, fileGone } from '../../api/transferRefusals';
import { Transfers, type ByteStream, type MediaFile } from '../../api/transfers';

/** A file of an item, ready to be uploaded, and what identifies it. */
export interface SourceFile extends MediaFile {
	/** Where it comes from, for people: the binary field, or the address without its query. */
	from: string;
	/** The same file, the same text: made of where it lies, or of its bytes where those are to decide. */
	identity: string;
	/** Lets go of what was opened and not read. */
	close?: () => void;
}

/** What is known of a file before it is read. */
export interface FileFacts {
	name: string;
	contentType?: string;
	sizeBytes?: number;
}

/** The files of a run: out of n8n's binary data in whichever mode it keeps them, or from addresses. */
export class Files {
	readonly transfers: Transfers;

	constructor(
		private readonly context: IExecuteFunctions,
		pace: Pace,
	) {
		// Far from the credential: nothing of it goes to other hosts.
		const send = async (options: IHttpRequestOptions): Promise<IN8nHttpFullResponse> =>
			(await context.helpers.httpRequest(options)) as IN8nHttpFullResponse;
		this.transfers = new Transfers(send, pace);
	}

	/** What n8n knows of a binary field without reading it; of a missing one its name. */
	describe(index: number, field: string): FileFacts {
		const data = this.context.getInputData()[index]?.binary?.[field];
		if (!data) return { name: field };
		const { fileName: name = field, mimeType: contentType, bytes, id } = data;
		const sizeBytes = bytes ?? (id ? undefined : Math.floor((data.data.length * 3) / 4));
		return { name, contentType, sizeBytes };
	}

	/**
	 * A binary field of an input item, as n8n's own look-up finds it: it knows where the workflow keeps its files.
	 * @throws Failure naming the fields that there are
	 */
	requireBinary(index: number, field: string): IBinaryData {
		try {
			return this.context.helpers.assertBinaryData(index, field);
		} catch {
			const present = Object.keys(this.context.getInputData()[index]?.binary ?? {});
			throw refusal(
				'BINARY_FIELD_MISSING',
				`The item has no binary field '${field}'`,
				present.length > 0
					? `It has: ${present.join(', ')}. Enter the right name in 'Input Binary Fields'.`
					: 'It has no binary fields. Add a node before this one that outputs a file, such as HTTP Request with the response format File.',
			);
		}
	}

	/** A binary field, see {@link requireBinary}; `byContent`: its bytes identify it, and are read for that. */
	async binary(index: number, field: string, byContent = false): Promise<SourceFile> {
		const file = await this.stored(this.requireBinary(index, field), field);
		return byContent ? { ...file, identity: await this.hash(file) } : file;
	}

	/**
	 * A file behind an address. One without a known length, or to be read twice, goes through n8n's binary data first.
	 * @param byContent its bytes identify it
	 * @param measured its bytes are counted before they are uploaded
	 * @throws Failure where there is no media
	 */
	async remote(address: string, maxWait: number, byContent: boolean, measured = byContent) {
		const url = checkedAddress(address);
		const [from, identity] = [withoutQuery(url), addressIdentity(url)];
		const { size, stream, name, contentType } = await this.transfers.open(url, maxWait);
		if (size === undefined || measured) {
			const { prepareBinaryData } = this.context.helpers;
			const store = async () => await prepareBinaryData(stream, name, contentType);
			const data = await this.transfers.read(stream, from, store);
			const file = await this.stored({ ...data, fileName: name, mimeType: contentType }, from);
			return { ...file, identity: byContent ? await this.hash(file) : identity };
		}
		let first: ByteStream | undefined = stream;
		const open = async (): Promise<ByteStream> => {
			const opened = first ?? (await this.transfers.open(url, maxWait)).stream;
			first = undefined;
			return opened;
		};
		return { name, contentType, size, from, identity, open, close: () => first?.destroy() };
	}

	/**
	 * A binary field as a whole, in memory.
	 * @param limit in bytes
	 * @throws Failure where it is larger
	 */
	async whole(index: number, field: string, limit: number) {
		const file = await this.binary(index, field);
		if (file.size > limit)
			throw refusal(
				'FILE_TOO_LARGE',
				`The file in '${field}' has ${Math.ceil(file.size / 2 ** 20)} MiB; up to ${limit / 2 ** 20} MiB go in one request`,
				"Use the operation 'Upload': it streams files of any size.",
			);
		const bytes = await this.context.helpers.getBinaryDataBuffer(index, field);
		return { ...file, bytes, hash: sha256(bytes) };
	}

	/** The hash of a file's bytes, read once. */
	private async hash(file: MediaFile): Promise<string> {
		const bytes = await file.open();
		if (Buffer.isBuffer(bytes)) return sha256(bytes);
		const hash = createHash('sha256');
		return await this.transfers.read(bytes, file.name, async () => {
			for await (const chunk of bytes) hash.update(chunk as Buffer);
			return hash.digest('hex');
		});
	}

	private async stored(data: IBinaryData, from: string): Promise<SourceFile> {
		const { helpers } = this.context;
		const name = safeName(data.fileName ?? `${from}.${data.fileExtension ?? 'bin'}`);
		const contentType = mediaType(data.mimeType, name);
		const { id } = data;
		if (!id) {
			const bytes = Buffer.from(data.data, 'base64');
			if (bytes.length === 0) throw emptyFile(from);
			const identity = `memory:${sha256(bytes)}`;
			return { name, contentType, size: bytes.length, from, identity, open: async () => bytes };
		}
		const { fileSize } = await helpers.getBinaryMetadata(id).catch(unreadable(from));
		const size = fileSize ?? data.bytes;
		if (size === 0) throw emptyFile(from);
		if (typeof size !== 'number')
			throw refusal(
				'SIZE_UNKNOWN',
				`n8n doesn't know the size of the file in '${from}'`,
				"Fetch the file again in the previous node: an upload needs the file's size.",
			);
		const open = async () => await helpers.getBinaryStream(id).catch(unreadable(from));
		return { name, contentType, size, from, identity: id, open };
	}
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A file behind an address, as {@link SourceFile.identity}: a hash, since its query may be secret. */
export const addressIdentity = (address: string): string =>
	`url:${createHash('sha256').update(checkedAddress(address)).digest('base64url')}`;

export function checkedAddress(address: string): string {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url && /^https?:$/.test(url.protocol)) return url.href;
	throw refusal(
		'MEDIA_URL',
		`'Media URLs' contains something that isn't a URL: ${withoutQuery(address)}`,
		'Enter URLs that start with https://, separated by commas.',
	);
}

/** Throws what n8n says when its store of files fails: gone, or out of reach. */
const unreadable =
	(from: string) =>
	({ name, message }: Error): never => {
		if (/FileNotFound|ENOENT|NoSuchKey|not.?found/i.test(`${name} ${message}`)) throw fileGone(`'${from}'`);
		throw refusal(
			'FILE_UNREADABLE',
			`n8n couldn't read the file in '${from}'`,
			"Check n8n's storage for binary data (N8N_DEFAULT_BINARY_DATA_MODE) and the log of n8n.",
		);
	};
