import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import pLimit from 'p-limit';

import type { Client } from '../../api/client';
import { canonical, hashOf } from '../idempotency/key';
import type { Pace } from '../../api/rateLimiter';
import { records } from '../../api/paging';
import { Files } from '../media/sources';
import { Ledger } from '../idempotency/record';
import type { Operation } from './operation';
import { findRoot, type Root } from '../idempotency/executionScope';
import { Watch } from './postPoller';

const DEFAULT_CONCURRENCY = 5;

/** What all items of one run share: the client with its pace, the memory of writes, the watch over what is waited for. */
export class Run {
	readonly now = Date.now();

	readonly ledger: Ledger;

	/** Which execution this is a try of. */
	readonly root: Promise<Root>;

	readonly watch: Promise<Watch>;

	/** The node runs as a model's tool: n8n counts runs there by call and try, so that they tell nothing apart. */
	readonly isTool: boolean;

	constructor(
		readonly context: IExecuteFunctions,
		readonly operation: Operation,
		readonly client: Promise<Client>,
	) {
		const chosen = Number(context.getNodeParameter('options.concurrency', 0, DEFAULT_CONCURRENCY));
		this.concurrency = Math.max(1, Math.floor(chosen) || DEFAULT_CONCURRENCY);
		this.uploadSlots = pLimit(this.concurrency);
		this.ledger = new Ledger(context.getContext('node'));
		this.isTool = context.isToolExecution?.() || context.getNode().type.endsWith('Tool');
		this.root = findRoot(context);
		this.watch = client.then(({ pace }) => new Watch(pace));
		// Each item reports what is wrong with them; without this the promises themselves would count as unhandled.
		for (const promise of [client, this.root, this.watch]) promise.catch(() => undefined);
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

	/** Tells an input item from others by what it holds. */
	itemHash(index: number): string {
		return hashOf(canonical(this.context.getInputData()[index]?.json ?? null));
	}

	/** Hands what the service announced to n8n, which shows it at the node. */
	async showWarnings(): Promise<void> {
		const warnings = await this.client.then(
			(client) => [...client.warnings],
			() => [],
		);
		if (warnings.length > 0)
			this.context.addExecutionHints(
				...warnings.map((message) => ({
					message,
					type: 'warning' as const,
					location: 'outputPane' as const,
				})),
			);
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

	/** How many items the user wants to be worked on at the same time. */
	readonly concurrency: number;

	/** Bounds the uploads of all items together to as many. */
	readonly uploadSlots: ReturnType<typeof pLimit>;

	/** What was uploaded, by run, item and file: in the node's context, which n8n hands to every retry of the execution. */
	get uploadMemory(): IDataObject {
		const memory = this.context.getContext('node');
		return (memory.uploads ??= {}) as IDataObject;
	}
}
