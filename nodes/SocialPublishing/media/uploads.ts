import omit from 'lodash/omit';
import { deepCopy, type IDataObject } from 'n8n-workflow';

import { Failure } from '../../api/failure';
import type { Limit } from '../../api/concurrency';
import { redactor, withoutSignedQueries } from '../../api/redaction';
import { uploadUrlNames, withoutQuery } from '../../api/fileNames';
import { hashOf, type KeyMode } from '../writes/key';
import type { WriteRequest } from '../writes/write';
import { addressIdentity, type Files, type SourceFile } from './sources';

/** A file that is at the service. */
export interface Uploaded {
	/** What the service said of it, without the signed URL. */
	record: IDataObject;
	readUrl: string;
	/** Stands for the file where content decides, instead of its `read_url`. */
	identity: string;
}

/** A file's slot among those of its item. */
export interface Slot {
	/** From 0. */
	position: number;
	count: number;
	/** It belongs to a post: the user's own key and additional fields are meant for that. */
	attached?: boolean;
}

/** Bytes up to which a file may be sent from memory. */
const DIRECT_LIMIT = 50 * 1024 * 1024;

/** What a retry of the same execution finds of an upload. */
interface Remembered extends Uploaded {
	size: number;
}

/** What the uploads of all items of a run share. */
export interface UploadScope {
	/** Bounds the uploads of all items together. */
	readonly uploadSlots: Limit;
	/** What was uploaded, by run, item and file; handed to every retry of the execution. */
	readonly uploadMemory: IDataObject;
	/** Which round of a loop this is, from 0. */
	readonly round: number;
	/** Tells an input item from others wherever it stands. */
	identityOf(index: number): string;
}

interface Options {
	index: number;
	keyMode: KeyMode;
	/** Their bytes identify files. */
	byContent: boolean;
	/** In ms, for the whole run. */
	maxWait: number;
	/** A file is at the service once for each workspace; '' stands for the API key's own. */
	workspaceId: string;
	write: (request: WriteRequest) => Promise<IDataObject>;
}

/** One item's uploads: each file once, whatever the number of platforms, and once for all retries of an execution. */
export class Uploads {
	constructor(
		private readonly run: UploadScope,
		private readonly files: Files,
		private readonly options: Options,
	) {}

	async binary(field: string, slot: Slot): Promise<Uploaded> {
		const { index, byContent } = this.options;
		return await this.upload(field, async () => await this.files.binary(index, field, byContent), slot);
	}

	async remote(url: string, slot: Slot): Promise<Uploaded> {
		const { maxWait, byContent } = this.options;
		const from = withoutQuery(url);
		const fetched = async (measured: boolean) =>
			await this.upload(from, async () => await this.files.remote(url, maxWait, byContent, measured), slot);
		return await fetched(byContent).catch(async (error: unknown) => {
			// A server that packs in spite of `identity` announces the length of the packed bytes: count them instead.
			if (error instanceof Failure && error.details.code === 'NODE_LENGTH_DIFFERS')
				return await fetched(true);
			throw error;
		});
	}

	/** Spec, `POST /media`: the whole file in one multipart request, from memory. */
	async direct(field: string, slot: Slot): Promise<IDataObject> {
		try {
			const { file, bytes, hash } = await this.files.whole(this.options.index, field, DIRECT_LIMIT);
			const { name, contentType } = file;
			const form = new FormData();
			form.append('file', new Blob([bytes], { type: contentType }), name);
			return await this.options.write({
				path: '/media',
				method: 'POST',
				form,
				content: { name, contentType, hash },
				part: slotName(slot, hash),
				target: this.isOnly(slot) ? '' : slotName(slot, hash),
			});
		} catch (error) {
			throw named(error, field);
		}
	}

	/** The user's own key for one file stays as it is. */
	private isOnly({ count, attached }: Slot): boolean {
		return !attached && count === 1 && this.options.keyMode === 'custom';
	}

	/** So many of a run's uploads at the same time as {@link UploadScope.uploadSlots} has; what fails names its file. */
	private async upload(from: string, ask: () => Promise<SourceFile>, slot: Slot): Promise<Uploaded> {
		return await this.run.uploadSlots(async () => {
			let file: SourceFile | undefined;
			try {
				file = await ask();
				return await this.transfer(file, slot);
			} catch (error) {
				throw named(error, from);
			} finally {
				file?.close?.();
			}
		});
	}

	private async transfer(file: SourceFile, slot: Slot): Promise<Uploaded> {
		const { index, workspaceId } = this.options;
		const { identity, size } = file;
		const place = [this.run.round, this.run.identityOf(index), slot.position, workspaceId].join(':');
		const memory = this.run.uploadMemory as Record<string, Remembered | undefined>;
		const known = memory[place];
		if (known?.identity === identity && known.size === size) return known;

		const target = await this.target(file, slot);
		const expired = await this.put(file, target.url);
		const final = expired ? await this.target(file, slot, `fresh-${Date.now()}`) : target;
		if (expired) {
			const refused = await this.put(file, final.url);
			if (refused) throw refused;
		}
		const uploaded = { record: final.record, readUrl: final.readUrl, identity };
		memory[place] = { ...uploaded, size };
		return uploaded;
	}

	/** What a file would be at the service. Nothing is sent; one behind an address is fetched only where its bytes decide. */
	async preview(source: string, isBinary: boolean): Promise<Uploaded> {
		const { index, maxWait, keyMode, byContent } = this.options;
		try {
			if (!isBinary && keyMode !== 'content') {
				const filename = withoutQuery(source);
				return { record: { filename }, readUrl: placeholder(filename), identity: addressIdentity(source) };
			}
			const { name, contentType, size, identity } = isBinary
				? await this.files.binary(index, source, byContent)
				: await this.files.remote(source, maxWait, true);
			const record = { filename: name, content_type: contentType, size };
			return { record, readUrl: placeholder(name), identity };
		} catch (error) {
			throw named(error, isBinary ? source : withoutQuery(source));
		}
	}

	/** The failure only where the store says that the URL is no longer valid. */
	private async put(file: SourceFile, url: string): Promise<Failure | undefined> {
		const error: unknown = await this.files.transfers.put(file, url, this.options.maxWait).then(
			() => undefined,
			(reason: unknown) => reason,
		);
		if (error === undefined) return undefined;
		if (error instanceof Failure && error.details.code === 'NODE_UPLOAD_FORBIDDEN') return error;
		throw error as Error;
	}

	/** Spec, `/media/upload-url`: a signed URL and a `read_url`. A file with other details, or a fresh URL, needs another key. */
	private async target(file: SourceFile, slot: Slot, fresh = '') {
		const body = { filename: file.name, content_type: file.contentType, size: file.size };
		const answer = await this.options.write({
			path: '/media/upload-url',
			method: 'POST',
			body,
			part: slotName(slot, file.from, body, fresh),
			target: this.isOnly(slot) ? fresh : slotName(slot, file.identity, body, fresh),
			additional: !slot.attached,
			secret: true,
		});
		return { ...readTarget(answer), record: recordOf(answer, file) };
	}
}

/** Tells the files of an item apart. */
const slotName = ({ position }: Slot, ...details: unknown[]): string =>
	`media-${position}-${hashOf(JSON.stringify(details))}`;

/** Stands in a preview where the address of the uploaded file will. */
const placeholder = (filename: string): string => `(address of ${filename} after its upload)`;

/** @throws Failure where the answer has no address to upload to, or none to read from */
function readTarget(answer: IDataObject): { url: string; readUrl: string } {
	const url = uploadUrlNames.map((name) => answer[name]).find(isAddress);
	const readUrl = [answer.read_url, answer.readUrl].find((one) => typeof one === 'string' && one !== '');
	if (url && typeof readUrl === 'string') return { url, readUrl };
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
const named = (error: unknown, from: string): unknown =>
	error instanceof Failure ? error.with({ file: from }) : error;
