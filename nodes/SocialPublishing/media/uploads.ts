import omit from 'lodash/omit';
import { deepCopy, type IDataObject } from 'n8n-workflow';

import type { Limit } from '../../api/concurrency';
import { Failure, toFailure, type ErrorDetails, type Outcome } from '../../api/failure';
import { uploadUrlNames, withoutQuery } from '../../api/fileNames';
import { redactor, withoutSignedQueries } from '../../api/redaction';
import { emptyFile } from '../../api/transferRefusals';
import { hashOf } from '../writes/key';
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
	write(write: Write): Promise<SentWrite>;
}

/** Bytes up to which a file may be sent from memory. */
const DIRECT_LIMIT = 50 * 1024 * 1024;

/** One item's uploads: each file once, whatever the number of platforms, and once for all tries of an execution. */
export class Uploads {
	/** @param options `limit` bounds the uploads of all items together; `byContent`: their bytes identify files */
	constructor(
		private readonly item: UploadingItem,
		private readonly files: Files,
		private readonly options: { limit: Limit; byContent: boolean },
	) {}

	/** Refuses a binary field that the item doesn't have, and a file that n8n knows to be empty. */
	requireFile(file: PlannedFile): void {
		if (file.isBinary) this.files.requireBinary(this.item.index, file.source);
		if (this.describe(file).sizeBytes === 0) throw emptyFile(file.source);
	}

	/** What n8n knows of a file without reading it. */
	describe({ isBinary, source }: PlannedFile): FileFacts {
		return isBinary ? this.files.describe(this.item.index, source) : { name: withoutQuery(source) };
	}

	/** What identifies a file; where its bytes decide, they are read for that if `isRead`. */
	async identity(planned: PlannedFile, isRead = false): Promise<string | undefined> {
		if (!planned.isBinary && !this.options.byContent) return addressIdentity(planned.source);
		return isRead ? (await this.opened(planned, true)).identity : undefined;
	}

	/** Uploads files: for each what the service said, or what failed. */
	async all(files: readonly PlannedFile[]): Promise<Outcome[]> {
		const upload = async (file: PlannedFile): Promise<IDataObject> => (await this.upload(file)).record;
		return await Promise.all(files.map(async (file) => await upload(file).catch(toFailure)));
	}

	/**
	 * The files of a post: all of them or none, so that a post never goes out without a part of its media.
	 * @throws Failure of the first file that could not be uploaded
	 */
	async attached(files: readonly PlannedFile[]): Promise<Uploaded[]> {
		const all = await Promise.all(files.map(async (file) => await this.upload(file, true).catch(toFailure)));
		return all.map((one) => {
			if (one instanceof Failure) throw one.withNotProcessed(true);
			return one;
		});
	}

	/** Spec, `POST /media`: whole files in one multipart request each, from memory, one after another. */
	async direct(files: readonly PlannedFile[]): Promise<Outcome[]> {
		const outcomes: Outcome[] = [];
		for (const file of files)
			outcomes.push(await naming(file, async () => await this.sendDirectly(file)).catch(toFailure));
		return outcomes;
	}

	/** What a file would be at the service. One behind an address is fetched only where its bytes decide: `byContent`. */
	async preview(planned: PlannedFile, byContent = this.options.byContent): Promise<Uploaded> {
		const { source, isBinary } = planned;
		if (!isBinary && this.item.keyMode !== 'content') {
			const filename = withoutQuery(source);
			return { record: { filename }, readUrl: placeholder(filename), identity: addressIdentity(source) };
		}
		const file = await naming(planned, async () => await this.opened(planned, byContent));
		const { name, contentType, size, identity } = file;
		const record = { filename: name, content_type: contentType, size };
		return { record, readUrl: placeholder(name), identity };
	}

	private async opened({ source, isBinary }: PlannedFile, byContent: boolean, isMeasured = byContent) {
		const { index, maxWaitMs } = this.item;
		if (isBinary) return await this.files.binary(index, source, byContent);
		return await this.files.remote(source, maxWaitMs, byContent, isMeasured);
	}

	private async upload(planned: PlannedFile, isAttached = false): Promise<Uploaded> {
		const { byContent, limit } = this.options;
		const send = async (isMeasured = byContent): Promise<Uploaded> =>
			await limit(async () => {
				const file = await this.opened(planned, byContent, isMeasured);
				try {
					const { response } = await this.item.write(this.writeOf(file, planned, isAttached));
					return { record: response, readUrl: String(response.read_url), identity: file.identity };
				} finally {
					file.close?.();
				}
			});
		return await naming(planned, send).catch(async (error: Failure) => {
			if (planned.isBinary || error.details.code !== 'NODE_LENGTH_DIFFERS') throw error;
			// A server that packs in spite of `identity` announces the length of the packed bytes: count them instead.
			return await naming(planned, async () => await send(true));
		});
	}

	/**
	 * Spec, `/media/upload-url`: a signed URL and a `read_url`, then the bytes.
	 * @param fresh marks a second URL after the first one expired: with the first key the service would return it again
	 */
	private writeOf(file: SourceFile, planned: PlannedFile, isAttached: boolean, fresh = ''): Write {
		const own = { filename: file.name, content_type: file.contentType, size: file.size };
		const body = isAttached ? own : withFields(own, this.item.options.additionalFields);
		const source = planned.isBinary ? planned.source : addressIdentity(planned.source);
		return {
			path: '/media/upload-url',
			body,
			name: slotName(planned, source, own, fresh),
			...(isAttached ? { isAttached } : planned.count === 1 ? { keyPart: fresh } : {}),
			sameAs: { ...body, identity: file.identity },
			complete: async (answer) => {
				const url = readTarget(answer);
				try {
					await this.files.transfers.put(file, url, this.item.maxWaitMs);
					return recordOf(answer, file);
				} catch (error) {
					const isExpired = toFailure(error).details.code === 'NODE_UPLOAD_FORBIDDEN';
					if (!isExpired || fresh) throw toFailure(error);
					const again = this.writeOf(file, planned, isAttached, `fresh-${Date.now()}`);
					return (await this.item.write(again)).response;
				}
			},
		};
	}

	private async sendDirectly(planned: PlannedFile): Promise<IDataObject> {
		const { index, options } = this.item;
		const { name, contentType, bytes, hash } = await this.files.whole(index, planned.source, DIRECT_LIMIT);
		const form = new FormData();
		form.append('file', new Blob([bytes], { type: contentType }), name);
		for (const [field, value] of Object.entries(options.additionalFields ?? {}))
			form.set(field, typeof value === 'object' ? JSON.stringify(value) : String(value));
		const { response } = await this.item.write({
			path: '/media',
			form,
			name: slotName(planned, hash),
			...(planned.count === 1 ? { keyPart: '' } : {}),
			sameAs: withFields({ name, contentType, hash }, options.additionalFields),
		});
		return response;
	}
}

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
	const { idempotency_key, request_id, ...rest } = answer as IDataObject & Partial<ErrorDetails>;
	throw new Failure({
		code: 'NODE_UPLOAD_URL_MISSING',
		message: url
			? 'The service returned no URL to read the file from'
			: 'The service returned no URL to upload the file to',
		hint: `Its answer has: ${Object.keys(rest).join(', ') || 'nothing'}. Please report this to the maintainers of this package.`,
		...{ idempotency_key, request_id },
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

/** Does something with a file; what fails names it. */
async function naming<T>({ source, isBinary }: PlannedFile, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw toFailure(error).with({ file: isBinary ? source : withoutQuery(source) });
	}
}
