import type { IDataObject, IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import pLimit from 'p-limit';

import type { Client } from '../api/client';
import type { Pace } from '../api/pace';
import { records } from '../api/paging';
import { Files } from './files';
import type { Operation } from './operation';

/** Uploads at the same time, over all items of a run: more gains nothing on one line, and holds more open. */
const UPLOADS_AT_ONCE = 5;

/** What all items of one run share: the client with its pace, the keys' memory, hints for the user. */
export class Run {
	readonly hints: NodeExecutionHint[] = [];

	readonly now = Date.now();

	constructor(
		readonly context: IExecuteFunctions,
		readonly operation: Operation,
		readonly client: Promise<Client>,
	) {
		// Each item reports a credential that is wrong; without this the promise itself would count as unhandled.
		client.catch(() => undefined);
	}

	private readonly accountLists = new Map<string, Promise<IDataObject[]>>();

	/** The connected accounts of a workspace, asked for once a run. */
	accounts(workspaceId: string | undefined, ask: () => Promise<unknown>): Promise<IDataObject[]> {
		const key = workspaceId ?? '';
		const known = this.accountLists.get(key) ?? ask().then(records);
		this.accountLists.set(key, known);
		return known;
	}

	/** The first execution's ID: kept in the node's context, which n8n hands to every retry of the execution. */
	get rootExecution(): string {
		const memory = this.context.getContext('node');
		memory.root ??= this.context.getExecutionId();
		return String(memory.root);
	}

	/** Which round of a loop this is, from 0. */
	runIndex(index: number): number {
		return Number(this.context.getWorkflowDataProxy(index).$runIndex);
	}

	private files?: Files;

	/** The files of this run; a stop of the execution ends their transfers too. */
	filesWith(pace: Pace): Files {
		return (this.files ??= new Files(this.context, pace));
	}

	/** Bounds the uploads of all items together. */
	readonly uploadSlots = pLimit(UPLOADS_AT_ONCE);

	/** What was uploaded, by run, item and file: in the node's context, which n8n hands to every retry of the execution. */
	get uploadMemory(): IDataObject {
		const memory = this.context.getContext('node');
		return (memory.uploads ??= {}) as IDataObject;
	}
}
