import {
	binaryFields,
	checkMedia,
	countFiles,
	mediaUrls,
	requiredMedia,
	uploadAll,
} from '../../media/fields';
import { operation } from '../../engine/operation';

/** Spec: `POST /media/upload-url`, then PUT of the bytes to the signed URL, streamed. One item a file. */
export const upload = operation({
	name: 'Upload',
	value: 'upload',
	action: 'Upload media',
	description: 'Upload images or videos of any size, for use in posts',
	method: 'POST',
	parallel: true,
	fields: [requiredMedia, binaryFields, mediaUrls],
	check: (params, { requireFile, continueOnFail }) => continueOnFail || checkMedia(params, requireFile),
	countRequests: countFiles,
	run: async (item, params) => await uploadAll(item, params),
});
