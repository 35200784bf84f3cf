import { compact, uniq } from 'lodash';
import { jsonParse, type INodeProperties } from 'n8n-workflow';

import { refusal } from '../../api/failure';
import { isRecord } from '../../api/lists';
import { textOf } from '../../api/texts';
import { checkedAddress, type PlannedFile } from './files';

export const binaryFields = {
	displayName: 'Input Binary Fields',
	name: 'binaryFields',
	type: 'string',
	default: 'data',
	// Not `required`: n8n would stop a node whose *Media From* is an expression before it runs.
	displayOptions: { show: { mediaFrom: ['binary'] } },
	placeholder: 'e.g. data',
	description: 'Names of the binary fields that hold the files, separated by commas',
} as const satisfies INodeProperties;

/** Where files are always binary. */
export const onlyBinaryFields = { ...binaryFields, displayOptions: {}, required: true } as const;

export const mediaUrls = {
	displayName: 'Media URLs',
	name: 'mediaUrls',
	type: 'string',
	default: '',
	displayOptions: { show: { mediaFrom: ['url', 'readUrls'] } },
	placeholder: 'e.g. https://example.com/photo.jpg',
	description: 'URLs of the image or video files, separated by commas',
} as const satisfies INodeProperties;

/** Where files that are uploaded come from. */
const uploadedFrom = [
	{
		name: 'File From the Previous Node',
		value: 'binary',
		description: 'Upload binary files of the input item',
	},
	{ name: 'Media URL', value: 'url', description: 'Download files from URLs and upload them' },
] as const;

export const optionalMedia = {
	displayName: 'Media From',
	name: 'mediaFrom',
	type: 'options',
	default: 'none',
	description: 'Where to get the images or videos of the post',
	options: [
		{ name: 'No Media', value: 'none', description: 'Publish text only' },
		...uploadedFrom,
		{
			name: 'Uploaded Media',
			value: 'readUrls',
			description: 'Use files that were uploaded before, by their read_url',
		},
	],
} as const satisfies INodeProperties;

export const requiredMedia = {
	displayName: 'Media From',
	name: 'mediaFrom',
	type: 'options',
	default: 'binary',
	description: 'Where to get the files',
	options: [...uploadedFrom],
} as const satisfies INodeProperties;

/** How rows without a file are sent beside others. */
export const withoutMedia =
	"For posts without a file, 'Media From' in Post → Create takes an expression that is none for them.";

/** Names of binary fields: separated by commas, or a JSON list. */
export const fieldNames = (text: string): string[] =>
	entriesOf(
		text,
		',',
		'Input Binary Fields',
		`Enter the name of a binary field, usually data. ${withoutMedia}`,
	);

/** Addresses: separated by commas, semicolons, spaces or lines, or a JSON list. A comma inside an address stays. */
export const addresses = (text: string): string[] =>
	entriesOf(
		text,
		/\s+|(?<![,;|])[,;|]+(?=\s|$|https?:\/\/)/i,
		'Media URLs',
		`Enter the URL of an image or a video. ${withoutMedia}`,
	);

/** @throws Failure where there is none, so that no post goes out without its media */
function entriesOf(text: string, separator: string | RegExp, label: string, hint: string): string[] {
	const list = jsonParse<unknown>(text, { fallbackValue: null });
	const isList = Array.isArray(list) || isRecord(list);
	const entries = isList ? compact([list].flat()).map(entryText) : text.split(separator);
	const found = uniq(compact(entries.map((one) => one.replace(/^\p{Cf}+|(?<!\p{Cf})\p{Cf}+$/gu, '').trim())));
	if (found.length === 0) throw refusal('PARAMETER_EMPTY', `'${label}' is empty`, hint);
	return found;
}

/** An entry of a list; of a record, such as an uploaded file's or an attachment's of Airtable, its address. */
const entryText = (entry: unknown): string =>
	textOf(isRecord(entry) ? (entry.read_url ?? entry.url ?? entry) : entry);

export interface MediaParams {
	mediaFrom: 'none' | 'binary' | 'url' | 'readUrls';
	binaryFields: string;
	mediaUrls: string;
}

/** The files that an item uploads. @throws Failure where there is no name, or something that isn't an address */
export function filesOf(params: MediaParams): PlannedFile[] {
	const isBinary = params.mediaFrom === 'binary';
	if (!isBinary && params.mediaFrom !== 'url') return [];
	const sources = isBinary ? fieldNames(params.binaryFields) : addresses(params.mediaUrls);
	if (!isBinary) sources.forEach(checkedAddress);
	return sources.map((source, position) => ({ source, isBinary, position, count: sources.length }));
}
