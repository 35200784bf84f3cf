import { isEmpty } from 'lodash';

import { toFailure, type Failure, type Outcome } from '../../../api/failure';
import type { Item } from '../../engine/item';
import { operation, type Plan } from '../../engine/operation';
import type { DuplicateKinds } from '../../engine/options';
import { withFields } from '../../writes/body';
import { notSent } from '../../writes/hints';
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
	plan: async (params, item) => planFiles(filesOf(params), item),
	check: async (plans) => await checkFiles(plans),
	send: async ({ item, files, writes }) => await item.uploads.all(files, writes),
	preview: async (plans) => await previewFiles(plans),
});

interface FilesPlan extends Plan {
	files: PlannedFile[];
}

export const planFiles = (
	files: PlannedFile[],
	item: Item,
	path: '/media/upload-url' | '/media' = '/media/upload-url',
): FilesPlan => ({ item, files, writes: item.uploads.writesOf(files, path) });

/** Files that aren't there; where the node goes on after an error, each fails by itself later. */
export async function checkFiles(
	plans: readonly FilesPlan[],
	isDirect = false,
): Promise<Map<FilesPlan, Failure>> {
	const wrong = new Map<FilesPlan, Failure>();
	for (const plan of plans) {
		const { item, files, writes } = plan;
		if (item.continueOnFail) continue;
		const left = files.filter((_file, index) => !item.writer.known(writes[index]!));
		const check = async () => {
			for (const file of left) await item.uploads.requireFile(file, isDirect);
		};
		await check().catch((error: unknown) => wrong.set(plan, toFailure(error)));
	}
	return wrong;
}

/** What uploads would send: one item a file. Of one behind an address, which isn't opened for that, the body isn't known. */
export async function previewFiles(plans: readonly FilesPlan[]): Promise<Outcome[][]> {
	const previewOf = async ({ item, files, writes }: FilesPlan, index: number): Promise<Outcome> => {
		const { record } = await item.uploads.preview(files[index]!);
		item.hint(notSent, 'info');
		const isKnown = files[index]!.isBinary && writes[index]!.path !== '/media';
		const body = isKnown ? withFields(record, item.apiFields) : item.apiFields;
		return { ...record, ...item.writer.preview(item, writes[index]!, isEmpty(body) ? undefined : body) };
	};
	const ofRow = async (plan: FilesPlan) =>
		await Promise.all(plan.files.map(async (_file, index) => await previewOf(plan, index).catch(toFailure)));
	return await Promise.all(plans.map(ofRow));
}
