import omit from 'lodash/omit';
import { deepCopy, type IDataObject } from 'n8n-workflow';

import type { Limit } from '../../api/concurrency';
import { Failure, toFailure, type Outcome } from '../../api/failure';
import { uploadUrlNames, withoutQuery } from '../../api/fileNames';
import { redactor, withoutSignedQueries } from '../../api/redaction';
import { hashOf, type KeyMode } from '../writes/key';
import { withFields, type SentWrite, type Write, type WriteItem } from '../writes/write';
import { addressIdentity, type FileFacts, type Files, type SourceFile } from './files';

/** A file that an item is going to send. */
export interface PlannedFile {
	/** Name of a binary field, or a URL. */
	source: string;
	isBinary: boolean;
	/** Among the files of the item, from 0. */
	position: number;
	count: number;
}

/** A file that is at the service. */
export interface Uploaded {
	/** What the service said of it, without the signed URL. */
	record: IDataObject;
	readUrl: string;
	/** Stands for the file where content decides, instead of its `read_url`. */
	identity: string;
}

/** The item whose files they are. */
interface UploadingItem extends WriteItem {
	readonly keyMode: KeyMode;
	readonly previewOnly: boolean;
	write(write: Write): Promise<SentWrite>;
}

interface UploadOptions {
	/** Bounds the uploads of all items together. */
	limit: Limit;
	/** Their bytes identify files. */
	byContent: boolean;
}

/** Bytes up to which a file may be sent from memory. */
const DIRECT_LIMIT = 50 * 1024 * 1024;

/** One item's uploads: each file once, whatever the number of platforms, and once for all tries of an execution. */
export class Uploads {
	constructor(
		private readonly item: UploadingItem,
		private readonly files: Files,
		private readonly options: UploadOptions,
	) {}

	/** Refuses a binary field that the item doesn't have. */
	requireFile({ isBinary, source }: PlannedFile): void {
		if (isBinary) this.files.requireBinary(this.item.index, source);
	}

	/** What n8n knows of a file without reading it. */
	describe({ isBinary, source }: PlannedFile): FileFacts {
		return isBinary ? this.files.describe(this.item.index, source) : { name: withoutQuery(source) };
	}

	/** What identifies a file before it is read; undefined where its bytes decide. */
	knownIdentity({ isBinary, source }: PlannedFile): string | undefined {
		return isBinary || this.options.byContent ? undefined : addressIdentity(source);
	}

	/** Uploads files, or says what they would be: for each what the service said, or what failed. */
	async all(files: readonly PlannedFile[]): Promise<Outcome[]> {
		const settled = await Promise.allSettled(files.map(async (file) => await this.upload(file)));
		return settled.map((one) => (one.status === 'rejected' ? toFailure(one.reason) : one.value.record));
	}

	/**
	 * The files of a post: all of them or none, so that a post never goes out without a part of its media.
	 * @throws Failure of the first file that could not be uploaded
	 */
	async attached(files: readonly PlannedFile[]): Promise<Uploaded[]> {
		const settled = await Promise.allSettled(files.map(async (file) => await this.upload(file, true)));
		const failed = settled.find((one) => one.status === 'rejected');
		if (failed) throw toFailure(failed.reason).withNotProcessed(true);
		return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
	}

	/** Spec, `POST /media`: whole files in one multipart request each, from memory, one after another. */
	async direct(files: readonly PlannedFile[]): Promise<Outcome[]> {
		const outcomes: Outcome[] = [];
		for (const file of files)
			outcomes.push(
				await this.sendDirectly(file).catch((error: unknown) => named(toFailure(error), file.source)),
			);
		return outcomes;
	}

	/**
	 * What a file would be at the service. Nothing is sent; one behind an address is fetched only where its bytes decide.
	 * @param byContent its bytes identify it
	 */
	async preview({ source, isBinary }: PlannedFile, byContent = this.options.byContent): Promise<Uploaded> {
		const { index, maxWaitMs, keyMode } = this.item;
		try {
			if (!isBinary && keyMode !== 'content') {
				const filename = withoutQuery(source);
				return { record: { filename }, readUrl: placeholder(filename), identity: addressIdentity(source) };
			}
			const { name, contentType, size, identity } = isBinary
				? await this.files.binary(index, source, byContent)
				: await this.files.remote(source, maxWaitMs, true);
			const record = { filename: name, content_type: contentType, size };
			return { record, readUrl: placeholder(name), identity };
		} catch (error) {
			throw named(toFailure(error), isBinary ? source : withoutQuery(source));
		}
	}

	private async upload(planned: PlannedFile, isAttached = false): Promise<Uploaded> {
		const { source, isBinary } = planned;
		const { index, maxWaitMs } = this.item;
		const { byContent } = this.options;
		const fetched = async (isMeasured: boolean): Promise<Uploaded> =>
			await this.options.limit(async () => {
				let file: SourceFile | undefined;
				try {
					file = isBinary
						? await this.files.binary(index, source, byContent)
						: await this.files.remote(source, maxWaitMs, byContent, isMeasured);
					const write = this.writeOf(file, planned, isAttached);
					const { response } = await this.item.write(write);
					return { record: response, readUrl: String(response.read_url), identity: file.identity };
				} finally {
					file?.close?.();
				}
			});
		try {
			return await fetched(byContent).catch(async (error: unknown) => {
				// A server that packs in spite of `identity` announces the length of the packed bytes: count them instead.
				if (!isBinary && toFailure(error).details.code === 'NODE_LENGTH_DIFFERS') return await fetched(true);
				throw error;
			});
		} catch (error) {
			throw named(toFailure(error), isBinary ? source : withoutQuery(source));
		}
	}

	/**
	 * Spec, `/media/upload-url`: a signed URL and a `read_url`, then the bytes.
	 * @param fresh marks a second URL after the first one expired: with the first key the service would return it again
	 */
	private writeOf(file: SourceFile, planned: PlannedFile, isAttached: boolean, fresh = ''): Write {
		const own = { filename: file.name, content_type: file.contentType, size: file.size };
		const body = isAttached ? own : withFields(own, this.item.options.additionalFields);
		return {
			path: '/media/upload-url',
			method: 'POST',
			body,
			name: slotName(
				planned,
				planned.isBinary ? planned.source : addressIdentity(planned.source),
				own,
				fresh,
			),
			...(!isAttached && isOnly(planned) ? { keyPart: fresh } : {}),
			sameAs: { ...body, identity: file.identity },
			...(isAttached ? { isAttached } : {}),
			complete: async (answer) => {
				const url = readTarget(answer);
				const expired = await this.put(file, url);
				if (!expired) return recordOf(answer, file);
				if (fresh) throw expired;
				return (await this.item.write(this.writeOf(file, planned, isAttached, `fresh-${Date.now()}`)))
					.response;
			},
		};
	}

	/** The failure only where the store says that the URL has expired. */
	private async put(file: SourceFile, url: string): Promise<Failure | undefined> {
		try {
			await this.files.transfers.put(file, url, this.item.maxWaitMs);
			return undefined;
		} catch (error) {
			if (error instanceof Failure && error.details.code === 'NODE_UPLOAD_FORBIDDEN') return error;
			throw toFailure(error);
		}
	}

	private async sendDirectly(planned: PlannedFile): Promise<IDataObject> {
		const { index, options } = this.item;
		const { file, bytes, hash } = await this.files.whole(index, planned.source, DIRECT_LIMIT);
		const { name, contentType } = file;
		const form = new FormData();
		form.append('file', new Blob([bytes], { type: contentType }), name);
		for (const [field, value] of Object.entries(options.additionalFields ?? {}))
			form.set(field, typeof value === 'object' ? JSON.stringify(value) : String(value));
		const { response } = await this.item.write({
			path: '/media',
			method: 'POST',
			form,
			name: slotName(planned, hash),
			...(isOnly(planned) ? { keyPart: '' } : {}),
			sameAs: withFields({ name, contentType, hash }, options.additionalFields),
		});
		return response;
	}
}

/** The user's own key for one file stays as it is. */
const isOnly = ({ count }: PlannedFile): boolean => count === 1;

/** Identifies a file of the item; a file with other details is another write. */
const slotName = ({ position }: PlannedFile, ...details: unknown[]): string =>
	`media-${position}-${hashOf(JSON.stringify(details))}`;

/** Stands in a preview where the address of the uploaded file will. */
const placeholder = (filename: string): string => `(address of ${filename} after its upload)`;

/** @throws Failure where the answer has no address to upload to, or none to read from */
function readTarget(answer: IDataObject): string {
	const url = uploadUrlNames.map((name) => answer[name]).find(isAddress);
	const readUrl = [answer.read_url, answer.readUrl].find((one) => typeof one === 'string' && one !== '');
	if (url && readUrl) return url;
	// The node adds these two to an answer.
	const { idempotency_key, request_id, ...rest } = answer;
	throw new Failure({
		code: 'NODE_UPLOAD_URL_MISSING',
		message: url
			? 'The service returned no URL to read the file from'
			: 'The service returned no URL to upload the file to',
		hint: `Its answer has: ${Object.keys(rest).join(', ') || 'nothing'}. Please report this to the maintainers of this package.`,
		...(typeof idempotency_key === 'string' ? { idempotency_key } : {}),
		...(typeof request_id === 'string' ? { request_id } : {}),
	});
}

const isAddress = (value: unknown): value is string =>
	typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);

/** What is handed out of an answer: all but the signed URL, which whoever holds it could write to. */
function recordOf(answer: IDataObject, { name, contentType, size, from }: SourceFile): IDataObject {
	const { readUrl, read_url = readUrl, ...fields } = answer;
	const signed = uploadUrlNames.map((one) => answer[one]).filter(isAddress);
	// The address may stand in fields that nobody knows, too. Where the file is read from, posts need as it is.
	const rest = withoutSignedQueries(redactor(signed)(deepCopy(omit(fields, uploadUrlNames))));
	return { filename: name, content_type: contentType, size, ...rest, read_url, source: from };
}

/** The failure with the file that it is about. */
const named = (failure: Failure, file: string): Failure => failure.with({ file });
