import { map } from 'lodash';

import { limitConcurrency } from '../../../api/concurrency';
import { toFailure, type Outcome } from '../../../api/failure';
import type { Item } from '../../engine/item';
import { operation, type Plan } from '../../engine/operation';
import type { DuplicateKinds } from '../../engine/options';
import { binaryFields, filesOf, mediaUrls, requiredMedia } from '../../media/fields';
import type { PlannedFile } from '../../media/files';

export const kindsOfFiles: DuplicateKinds = {
	execution: ['When I Retry', 'Retrying an execution uploads nothing twice. Each new run uploads again.'],
	content: ['Same File', 'The same file is uploaded once, even by different runs and workflows'],
	custom: ['My Own ID', 'Each ID that you provide, such as a row number, is uploaded once'],
};

/** Spec: `POST /media/upload-url`, then PUT of the bytes to the signed URL, streamed. One item a file. */
export const upload = operation({
	name: 'Upload',
	value: 'upload',
	action: 'Upload media',
	description: 'Upload images or videos of any size, for use in posts',
	method: 'POST',
	duplicates: kindsOfFiles,
	parallel: true,
	fields: [requiredMedia, binaryFields, mediaUrls],
	plan: async (params, item) => await planFiles(filesOf(params), item),
	send: async ({ item, files }) => await item.uploads.all(files),
	preview: async (plans) => await previewFiles(plans),
});

interface FilesPlan extends Plan {
	files: PlannedFile[];
}

/** @throws Failure for a file that isn't there; where the node goes on after an error, each file fails by itself later */
export async function planFiles(files: PlannedFile[], item: Item, isDirect = false): Promise<FilesPlan> {
	if (!item.continueOnFail) for (const file of files) await item.uploads.requireFile(file, isDirect);
	return { item, files, names: map(files, 'source') };
}

/** What uploads would send: one item a file. Of one that isn't opened for that, key and body aren't known. */
export async function previewFiles(plans: readonly FilesPlan[], isDirect = false): Promise<Outcome[][]> {
	const previewOf = async (item: Item, file: PlannedFile): Promise<Outcome> => {
		const { record, write: own } = await item.uploads.preview(file);
		const write = isDirect ? { ...(await item.uploads.directWriteOf(file)), body: item.apiFields } : own;
		const request = { method: 'POST', path: '/media/upload-url' };
		return { preview: true, ...record, ...(write ? item.writer.preview(item, write) : { request }) };
	};
	// Directly uploaded files are read whole.
	const limit = limitConcurrency(isDirect ? 1 : Infinity);
	const ofRow = plans.map(async ({ item, files }) => {
		const previews = files.map(
			async (file) => await limit(async () => await previewOf(item, file)).catch(toFailure),
		);
		return await Promise.all(previews);
	});
	return await Promise.all(ofRow);
}
