import { checkMedia, onlyBinaryFields, sendAll } from '../../media/fields';
import { operation } from '../../engine/operation';

/** Spec: `POST /media`. Its body is not shown there: multipart with a field `file` is our choice. One item a file. */
export const uploadDirect = operation({
	name: 'Upload Directly',
	value: 'uploadDirect',
	action: 'Upload media directly',
	description:
		'Upload small images or videos in one request each, through memory; use Upload for large files',
	method: 'POST',
	fields: [onlyBinaryFields],
	check: ({ binaryFields }, { requireFile, continueOnFail }) =>
		continueOnFail || checkMedia({ mediaFrom: 'binary', binaryFields, mediaUrls: '' }, requireFile),
	run: async (item, { binaryFields }) => await sendAll(item, binaryFields),
});
