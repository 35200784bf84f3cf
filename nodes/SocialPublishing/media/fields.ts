import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { Failure, refusal, toFailure, type Outcome } from '../../api/failure';
import { checkedAddress } from './sources';
import type { Uploaded, Uploads } from './uploads';

/** Fields of operations that take files, and what they mean. */

const binaryDescription = 'Names of the binary fields that hold the files, separated by commas';

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
	description: 'URLs of the image or video files, separated by commas',
} as const satisfies INodeProperties;

/** For `post.create`: no media unless chosen. */
export const optionalMedia = {
	displayName: 'Media From',
	name: 'mediaFrom',
	type: 'options',
	default: 'none',
	description: 'Where to get the images or videos of the post',
	options: [
		{ name: 'No Media', value: 'none', description: 'Publish text only' },
		{
			name: 'File From the Previous Node',
			value: 'binary',
			description: 'Upload binary files of the input item',
		},
		{ name: 'Media URL', value: 'url', description: 'Download files from URLs and upload them' },
		{
			name: 'Uploaded Media',
			value: 'readUrls',
			description: 'Use the read_url of files that were uploaded before',
		},
	],
} as const satisfies INodeProperties;

/** For `media.upload`. */
export const requiredMedia = {
	displayName: 'Media From',
	name: 'mediaFrom',
	type: 'options',
	default: 'binary',
	description: 'Where to get the files',
	options: [
		{
			name: 'File From the Previous Node',
			value: 'binary',
			description: 'Upload binary files of the input item',
		},
		{ name: 'Media URL', value: 'url', description: 'Download files from URLs and upload them' },
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
	throw refusal('PARAMETER_EMPTY', "'Media URLs' is empty", 'Enter the URL of an image or a video.');
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
}

type Sources = Pick<MediaParams, 'binaryFields' | 'mediaUrls'> & { mediaFrom: string };

/** Each file's upload, or its preview; several at the same time, in order. */
function uploads({ uploads: to, previewOnly }: ItemWithFiles, params: Sources, attached = false) {
	const isBinary = params.mediaFrom === 'binary';
	const sources = isBinary ? fieldNames(params.binaryFields) : addresses(params.mediaUrls);
	return sources.map(async (source, position): Promise<Uploaded> => {
		const slot = { position, count: sources.length, attached };
		if (previewOnly) return await to.preview(source, isBinary);
		return isBinary ? await to.binary(source, slot) : await to.remote(source, slot);
	});
}

/** Preview of an upload. */
const previewed = (record: IDataObject, path: string): IDataObject => ({
	preview: true,
	request: { method: 'POST', path },
	...record,
	warnings: [],
});

/** Uploads the item's files: what the service says of each, or what failed. */
export async function uploadAll(item: ItemWithFiles, params: Sources): Promise<Outcome[]> {
	const settled = await Promise.allSettled(uploads(item, params));
	return settled.map((one) => {
		if (one.status === 'rejected') return toFailure(one.reason);
		return item.previewOnly ? previewed(one.value.record, '/media/upload-url') : one.value.record;
	});
}

/** Sends the item's files from memory, one after another. */
export async function sendAll(
	{ uploads: to, previewOnly }: ItemWithFiles,
	names: string,
): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	const fields = fieldNames(names);
	for (const [position, field] of fields.entries()) {
		const sent = previewOnly
			? to.preview(field, true).then(({ record }) => previewed(record, '/media'))
			: to.direct(field, { position, count: fields.length });
		outcomes.push(await sent.catch(toFailure));
	}
	return outcomes;
}

/** What a post refers to. */
export interface PostMedia {
	/** `read_url`s, in the order of the files. */
	urls: string[];
	/** Of the files, where content decides: what is posted counts, not where it lies. */
	identities: string[];
}

export const noMedia: PostMedia = { urls: [], identities: [] };

/**
 * The media of a post: uploaded now, or before. All of it or none: a post never goes out without a part of its media.
 * @throws Failure of the first file that could not be uploaded
 */
export async function mediaOf(item: ItemWithFiles, params: MediaParams): Promise<PostMedia> {
	if (params.mediaFrom === 'none') return noMedia;
	const given = params.mediaFrom === 'readUrls' ? addresses(params.mediaUrls) : undefined;
	if (given) return { urls: given, identities: given };
	const settled = await Promise.allSettled(uploads(item, params, true));
	const files = settled.map((one) => (one.status === 'fulfilled' ? one.value : toFailure(one.reason)));
	const failed = files.find((one) => one instanceof Failure);
	if (failed) throw failed.with({ hint: `${failed.details.hint} Nothing was posted.` });
	const uploaded = files as Uploaded[];
	return {
		urls: uploaded.map(({ readUrl }) => readUrl),
		identities: uploaded.map(({ identity }) => identity),
	};
}
