import { binaryFields, filesOf, mediaUrls, requiredMedia } from '../../media/fields';
import { operation } from '../../engine/operation';
import { previewFiles } from './previewFiles';

/** Spec: `POST /media/upload-url`, then PUT of the bytes to the signed URL, streamed. One item a file. */
export const upload = operation({
	name: 'Upload',
	value: 'upload',
	action: 'Upload media',
	description: 'Upload images or videos of any size, for use in posts',
	method: 'POST',
	parallel: true,
	fields: [requiredMedia, binaryFields, mediaUrls],
	plan: async (params, item) => {
		const files = filesOf(params);
		// Each file fails by itself where the node goes on.
		if (!item.continueOnFail) for (const file of files) item.uploads.requireFile(file);
		return { files };
	},
	send: async ({ files }, item) => await item.uploads.all(files),
	preview: previewFiles('/media/upload-url'),
});
