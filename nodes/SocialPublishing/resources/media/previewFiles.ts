import { toFailure, type Outcome } from '../../../api/failure';
import type { PlannedFile } from '../../media/uploads';
import type { Plan, Planned } from '../../engine/operation';

/** The files of an item. */
export interface FilesPlan extends Plan {
	files: PlannedFile[];
}

/** What uploads to `path` would send: one item a file. */
export const previewFiles =
	(path: string) =>
	async (planned: ReadonlyArray<Planned<FilesPlan>>): Promise<Outcome[][]> =>
		await Promise.all(
			planned.map(
				async ({ item, plan }) =>
					await Promise.all(
						plan.files.map(
							async (file) =>
								await item.uploads
									.preview(file)
									.then(
										({ record }) => ({ preview: true, ...record, request: { method: 'POST', path } }),
										toFailure,
									),
						),
					),
			),
		);
