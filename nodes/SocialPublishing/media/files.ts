import { refusal } from '../../api/failure';
import { withoutQuery } from '../../api/fileTypes';
import type { MediaFile } from '../../api/transfers';
import { shortened } from '../../api/texts';

/** A file that an item is going to send. */
export interface PlannedFile {
	/** Name of a binary field, or a URL. */
	source: string;
	isBinary: boolean;
	/** Among the files of the item, from 0. */
	position: number;
	count: number;
}

/** What is known of a file before it is read. */
export interface FileFacts {
	name: string;
	contentType?: string;
	sizeBytes?: number;
	/** Of a small picture that was read: all of it. */
	bytes?: Buffer;
}

export interface SourceFile extends MediaFile {
	/** Lets go of what was opened and not read. */
	close?: () => void;
}

/** Where a file comes from, for people. */
export const originOf = ({ isBinary, source }: PlannedFile): string =>
	isBinary ? source : withoutQuery(source);

export function checkedAddress(address: string): string {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url && /^https?:$/.test(url.protocol)) return url.href;
	throw refusal(
		'MEDIA_URL',
		`'Media URLs' contains something that isn't a URL: ${shortened(withoutQuery(address) || address)}`,
		'Enter URLs that start with https://, separated by commas.',
	);
}

/** Throws what n8n says when its store of files fails: gone, or out of reach. */
export const unreadable =
	(from: string) =>
	({ name, message }: Error): never => {
		// A host that isn't found (ENOTFOUND) says nothing of the file.
		if (/FileNotFound|ENOENT|NoSuchKey|(?<!\be)not.?found/i.test(`${name} ${message}`))
			throw refusal(
				'FILE_GONE',
				`'${from}': n8n no longer has the file`,
				'The binary data was deleted, for example because old executions were pruned. Run the workflow from the node that fetches the file.',
			);
		throw refusal(
			'FILE_UNREADABLE',
			`n8n couldn't read the file in '${from}'`,
			"Check n8n's storage for binary data (N8N_DEFAULT_BINARY_DATA_MODE) and the log of n8n.",
		);
	};
