import { isObject, mapValues, omit, pick } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { refusal } from '../../api/failure';
import { isRecord } from '../../api/lists';
import { canonical, hashOf } from './key';

/** Which row of an execution an input item is. */
export interface RowIdentity {
	/** `<node>.<round>.<index>`: the same in every try, since n8n hands each the same items in the same order. */
	id: string;
	/** Another item of this run is that row already. */
	isDivided: boolean;
	/** It failed in another node, or in another execution. */
	isForeign: boolean;
}

/** The round of a loop: after a crash n8n counts the run that is lost, so they count from the first one that is known. */
export function roundOf(n8n: IExecuteFunctions, memory: IDataObject): number {
	const run = Number(n8n.getWorkflowDataProxy(0).$runIndex);
	memory.firstRun ??= run;
	return run - Number(memory.firstRun);
}

/**
 * Identifies input items by their position; one that comes back from the error output is the row that it was.
 * @param node hash of instance, workflow, node, operation and execution
 * @param round of a loop, from 0
 */
export function identify(items: INodeExecutionData[], node: string, round: number): RowIdentity[] {
	const seen = new Set<string>();
	return items.map((item, index) => {
		const given = rowIdIn(item);
		const isBack = given?.startsWith(`${node}.`) === true;
		const id = isBack ? given : `${node}.${round}.${index}`;
		const isDivided = seen.has(id);
		seen.add(id);
		return { id, isDivided, isForeign: given !== undefined && !isBack };
	});
}

/** The row that a failed item was, in the error that the node gave it. */
function rowIdIn({ json }: INodeExecutionData): string | undefined {
	const { error } = json;
	return isRecord(error) && typeof error.row_id === 'string' ? error.row_id : undefined;
}

export const dividedRow = refusal(
	'ROW_DIVIDED',
	'Another input item has the same row_id in its error, so it is the same row',
	"Only the first of them is sent. If this item is a row of its own now, remove the field 'error' from it.",
);

/**
 * What an input item holds, as a hash: its JSON without an error, and name, type and size of its files. At each press of
 * *Execute step*, n8n stores the same file under another ID.
 */
export function itemHashOf({ json, binary }: INodeExecutionData): string {
	const given = omit(json, 'error');
	// Where n8n's newest execution logic has an item's files.
	const inJson = isRecord(given._files) ? { _files: filesIn(given._files) } : {};
	return hashOf(canonical([{ ...given, ...inJson }, filesIn(binary)]));
}

const filesIn = (files: object = {}): IDataObject =>
	mapValues(files, (file: unknown) =>
		isObject(file) ? pick(file, 'fileName', 'mimeType', 'bytes', 'fileSize') : file,
	) as IDataObject;
