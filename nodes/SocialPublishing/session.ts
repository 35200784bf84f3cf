import type { IDataObject, IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { Client } from '../api/client';
import { records } from '../api/paging';
import type { Operation } from './operation';

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

	private readonly lists = new Map<string, Promise<IDataObject[]>>();

	/** The connected accounts of a workspace, asked for once a run. */
	async accounts(workspaceId: string | undefined, ask: () => Promise<unknown>): Promise<IDataObject[]> {
		return await this.list('/accounts', workspaceId, ask);
	}

	/** The records of a list, asked for once a run and workspace; a failed try counts for nothing. */
	async list(
		path: string,
		workspaceId: string | undefined,
		ask: () => Promise<unknown>,
	): Promise<IDataObject[]> {
		const key = JSON.stringify([path, workspaceId]);
		const known = this.lists.get(key) ?? ask().then(records);
		this.lists.set(key, known);
		known.catch(() => this.lists.delete(key));
		return await known;
	}

	/** The first execution's ID: kept in the node's context, which n8n hands to every retry of the execution. */
	get rootExecution(): string {
		const memory = this.context.getContext('node');
		memory.root ??= this.context.getExecutionId();
		return String(memory.root);
	}
}
