import { operation } from '../../engine/operation';
import { filesOf, onlyBinaryFields } from '../../media/fields';
import { checkFiles, kindsOfFiles, planFiles, previewFiles } from './upload';

/** Spec: `POST /media` (row 19 of docs/spec-gaps.md: multipart with a field `file`). One item a file. */
export const uploadDirect = operation({
	name: 'Upload Directly',
	value: 'uploadDirect',
	action: 'Upload media directly',
	description:
		'Upload small images or videos in one request each, through memory; use Upload for large files',
	method: 'POST',
	duplicates: kindsOfFiles,
	fields: [onlyBinaryFields],
	plan: async ({ binaryFields }, item) =>
		planFiles(filesOf({ mediaFrom: 'binary', binaryFields, mediaUrls: '' }), item, '/media'),
	check: async (plans) => await checkFiles(plans, true),
	send: async ({ item, files, writes }) => await item.uploads.direct(files, writes),
	preview: async (plans) => await previewFiles(plans),
});
