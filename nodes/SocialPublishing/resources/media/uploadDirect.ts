import { filesOf, onlyBinaryFields } from '../../media/fields';
import { operation } from '../../engine/operation';
import { previewFiles } from './previewFiles';

/** Spec: `POST /media` (row 19 of docs/spec-gaps.md: multipart with a field `file`). One item a file. */
export const uploadDirect = operation({
	name: 'Upload Directly',
	value: 'uploadDirect',
	action: 'Upload media directly',
	description:
		'Upload small images or videos in one request each, through memory; use Upload for large files',
	method: 'POST',
	fields: [onlyBinaryFields],
	plan: async ({ binaryFields }, item) => {
		const files = filesOf({ mediaFrom: 'binary', binaryFields, mediaUrls: '' });
		if (!item.continueOnFail) for (const file of files) item.uploads.requireFile(file);
		return { files };
	},
	send: async ({ files }, item) => await item.uploads.direct(files),
	preview: previewFiles('/media'),
});
