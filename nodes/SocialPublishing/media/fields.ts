import type { IBinaryData, IDataObject, INodeProperties } from 'n8n-workflow';

import { Failure, refusal, toFailure, type Outcome } from '../../api/errors';
import { withoutQuery } from '../../api/fileNames';
import { checkedAddress } from './sources';
import type { Uploaded, Uploads } from './uploads';

/** Fields of operations that take files, and what they mean. */

const binaryDescription =
	'Names of the binary fields of the input item that hold the files, separated by commas';

export const binaryFields = {
	displayName: 'Input Binary Fields',
	name: 'binaryFields',
	type: 'string',
	default: 'data',
	required: true,
	displayOptions: { show: { mediaFrom: ['binary'] } },
	placeholder: 'e.g. data',
	description: binaryDescription,
} as const satisfies INodeProperties;

/** Where files are always binary. */
export const onlyBinaryFields = {
	displayName: 'Input Binary Fields',
	name: 'binaryFields',
	type: 'string',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	description: binaryDescription,
} as const satisfies INodeProperties;

export const mediaUrls = {
	displayName: 'Media URLs',
	name: 'mediaUrls',
	type: 'string',
	default: '',
	required: true,
	displayOptions: { show: { mediaFrom: ['url', 'readUrls'] } },
	placeholder: 'e.g. https://example.com/photo.jpg',
	description: 'Web addresses of the images or videos, separated by commas, each of the file itself',
} as const satisfies INodeProperties;

/** For `post.create`: no media unless chosen. */
export const optionalMedia = {
	displayName: 'Media From',
	name: 'mediaFrom',
	type: 'options',
	default: 'none',
	description: 'Where the images or videos of the post come from',
	options: [
		{ name: 'No Media', value: 'none', description: 'A post of text only' },
		{
			name: 'File From the Previous Node',
			value: 'binary',
			description: 'Files of the input item; they are uploaded',
		},
		{ name: 'Web Address', value: 'url', description: 'Files behind web addresses; they are uploaded' },
		{
			name: 'Already Uploaded File',
			value: 'readUrls',
			description: 'The read_url of files that were uploaded before; nothing is uploaded',
		},
	],
} as const satisfies INodeProperties;

/** For `media.upload`. */
export const requiredMedia = {
	displayName: 'Media From',
	name: 'mediaFrom',
	type: 'options',
	default: 'binary',
	description: 'Where the files come from',
	options: [
		{ name: 'File From the Previous Node', value: 'binary', description: 'Files of the input item' },
		{ name: 'Web Address', value: 'url', description: 'Files behind web addresses' },
	],
} as const satisfies INodeProperties;

export interface MediaParams {
	mediaFrom: 'none' | 'binary' | 'url' | 'readUrls';
	binaryFields: string;
	mediaUrls: string;
}

/** Names of binary fields: separated by commas, or a JSON list. */
export function fieldNames(text: string): string[] {
	const names = listIn(text) ?? text.split(',');
	const found = names.map((name) => name.trim()).filter((name) => name !== '');
	if (found.length > 0) return [...new Set(found)];
	throw refusal(
		'PARAMETER_EMPTY',
		"'Input Binary Fields' is empty",
		'Enter the name of a binary field, usually data.',
	);
}

/** Addresses: separated by commas, spaces or lines, or a JSON list. A comma inside an address stays. */
export function addresses(text: string): string[] {
	const parts = listIn(text) ?? text.split(/\s+|,(?=\s|$|https?:\/\/)/i);
	const found = parts.map((one) => one.trim()).filter((one) => one !== '');
	if (found.length > 0) return [...new Set(found)];
	throw refusal('PARAMETER_EMPTY', "'Media URLs' is empty", 'Enter the address of an image or a video.');
}

function listIn(text: string): string[] | undefined {
	if (!text.trim().startsWith('[')) return undefined;
	try {
		return (JSON.parse(text) as unknown[]).map(String);
	} catch {
		return undefined;
	}
}

/** Refuses media that can't be there, before anything is sent. */
export function checkMedia(
	{ mediaFrom, binaryFields: names, mediaUrls: urls }: Sources,
	requireFile: (field: string) => void,
): void {
	if (mediaFrom === 'binary') fieldNames(names).forEach(requireFile);
	if (mediaFrom === 'url') addresses(urls).forEach(checkedAddress);
	if (mediaFrom === 'readUrls') addresses(urls);
}

/** How many files an item uploads. */
export const countFiles = ({ mediaFrom, binaryFields: names, mediaUrls: urls }: Sources): number =>
	mediaFrom === 'binary' ? fieldNames(names).length : mediaFrom === 'url' ? addresses(urls).length : 0;

/** What an item has to do with files. */
interface ItemWithFiles {
	readonly uploads: Uploads;
	readonly previewOnly: boolean;
	file(field: string): IBinaryData;
}

type Sources = Pick<MediaParams, 'binaryFields' | 'mediaUrls'> & { mediaFrom: string };

/** Each file's upload; several at the same time, in order. */
function uploads(item: ItemWithFiles, params: Sources, attached = false): Array<Promise<Uploaded>> {
	const binary = params.mediaFrom === 'binary';
	const sources = binary ? fieldNames(params.binaryFields) : addresses(params.mediaUrls);
	return sources.map(async (source, position) => {
		const place = { position, count: sources.length, attached };
		return binary ? await item.uploads.binary(source, place) : await item.uploads.remote(source, place);
	});
}

/** What is known of the item's files without opening them. */
function sourcesOf(item: ItemWithFiles, params: Sources): Array<{ filename: string; content_type?: string }> {
	if (params.mediaFrom === 'binary')
		return fieldNames(params.binaryFields).map((field) => {
			const { fileName = field, mimeType } = item.file(field);
			return { filename: fileName, content_type: mimeType };
		});
	return addresses(params.mediaUrls).map((address) => ({ filename: withoutQuery(address) }));
}

/** Preview of uploads: an item a file. */
const previews = (item: ItemWithFiles, params: Sources, path: string): IDataObject[] =>
	sourcesOf(item, params).map((file) => ({
		preview: true,
		request: { method: 'POST', path },
		...file,
		warnings: [],
	}));

/** Uploads the item's files: what the service says of each, or what failed. */
export async function uploadAll(item: ItemWithFiles, params: Sources): Promise<Outcome[]> {
	if (item.previewOnly) return previews(item, params, '/media/upload-url');
	const settled = await Promise.allSettled(uploads(item, params));
	return settled.map((one) => (one.status === 'fulfilled' ? one.value.record : toFailure(one.reason)));
}

/** Sends the item's files from memory, one after another. */
export async function sendAll(item: ItemWithFiles, names: string): Promise<Outcome[]> {
	const direct = { mediaFrom: 'binary', binaryFields: names, mediaUrls: '' };
	if (item.previewOnly) return previews(item, direct, '/media');
	const outcomes: Outcome[] = [];
	const fields = fieldNames(names);
	for (const [position, field] of fields.entries())
		outcomes.push(
			await item.uploads.direct(field, { position, count: fields.length }).catch((error) => toFailure(error)),
		);
	return outcomes;
}

/** What a post refers to. */
export interface PostMedia {
	/** `read_url`s, in the order of the files. */
	urls: string[];
	/** A body with each file's print instead of its `read_url`, for a key that depends on what is posted, not on where it lies. */
	stable: (body: IDataObject) => IDataObject;
}

/**
 * The media of a post: uploaded now, or before. All of it or none: a post never goes out without a part of its media.
 * @throws Failure of the first file that could not be uploaded
 */
export async function mediaOf(item: ItemWithFiles, params: MediaParams): Promise<PostMedia> {
	if (params.mediaFrom === 'none') return { urls: [], stable: (body) => body };
	if (params.mediaFrom === 'readUrls') return { urls: addresses(params.mediaUrls), stable: (body) => body };
	const settled = await Promise.allSettled(uploads(item, params, true));
	const files = settled.map((one) => (one.status === 'fulfilled' ? one.value : toFailure(one.reason)));
	const failed = files.find((one) => one instanceof Failure);
	if (failed) throw failed.with({ hint: `${failed.details.hint} Nothing was posted.` });
	const uploaded = files as Uploaded[];
	const prints = new Map(uploaded.map(({ readUrl, print }) => [readUrl, print]));
	return {
		urls: uploaded.map(({ readUrl }) => readUrl),
		stable: (body) =>
			JSON.parse(
				JSON.stringify(body, (_key, value: unknown) =>
					typeof value === 'string' ? (prints.get(value) ?? value) : value,
				),
			) as IDataObject,
	};
}
