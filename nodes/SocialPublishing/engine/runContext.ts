import clamp from 'lodash/clamp';
import mapValues from 'lodash/mapValues';
import { deepCopy } from 'n8n-workflow';
import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { credentialName } from '../../api/connect';
import { limitConcurrency, type Limit } from '../../api/concurrency';
import { Failure, type Outcome } from '../../api/errors';
import { canonical, hashOf } from '../idempotency/key';
import type { RateLimiter } from '../../api/rateLimiter';
import { Files } from '../media/sources';
import { ByHand } from '../idempotency/byHand';
import { IdempotencyRecord } from '../idempotency/record';
import type { Operation } from './operation';
import { findExecutionScope, type ExecutionScope } from '../idempotency/executionScope';
import { PostPoller } from './postPoller';

const DEFAULT_CONCURRENCY = 5;
const MOST_CONCURRENCY = 50;

/** What all items of one run share: the client with its rate limiter, the idempotency record, the poller of posts. */
export class RunContext {
	readonly now = Date.now();

	readonly record: IdempotencyRecord;

	/** For previews: what they freeze is forgotten. */
	readonly draft: IdempotencyRecord;

	/** How many writes of this run were sent by an earlier try. */
	givenBack = 0;

	/** A run by hand, and no call of a model. */
	readonly remembersByHand: boolean;

	readonly byHand: Promise<ByHand | undefined>;

	/** Whether nothing of this execution can have been sent yet by this node. */
	readonly isFirstTry: boolean;

	/** Which execution this is a try of. */
	readonly scope: Promise<ExecutionScope>;

	readonly poller: Promise<PostPoller>;

	/** The node runs as a model's tool: n8n counts runs there by call and try, so that they tell nothing apart. */
	readonly isTool: boolean;

	constructor(
		readonly context: IExecuteFunctions,
		readonly operation: Operation,
		readonly client: Promise<Client>,
	) {
		const chosen = Number(context.getNodeParameter('options.concurrency', 0, DEFAULT_CONCURRENCY));
		// The field's bounds hold for what is typed in, not for an expression.
		this.concurrency = clamp(Math.floor(chosen) || DEFAULT_CONCURRENCY, 1, MOST_CONCURRENCY);
		this.uploadSlots = limitConcurrency(this.concurrency);
		this.record = new IdempotencyRecord(context.getContext('node'));
		this.isFirstTry = !this.record.hasSent;
		this.draft = new IdempotencyRecord(deepCopy(context.getContext('node')));
		this.isTool = context.isToolExecution?.() || context.getNode().type.endsWith('Tool');
		this.scope = findExecutionScope(context);
		this.remembersByHand = context.getMode() === 'manual' && !this.isTool;
		this.byHand = client.then(({ address }) =>
			this.remembersByHand ? byHandOf(context, address.apiUrl) : undefined,
		);
		this.poller = client.then(({ limiter }) => new PostPoller(limiter));
		// Each item reports what is wrong with them; without this the promises themselves would count as unhandled.
		for (const promise of [client, this.scope, this.poller, this.byHand]) promise.catch(() => undefined);
	}

	private readonly lists = new Map<string, Promise<IDataObject[]>>();

	/** The records of a list, asked for once a run and workspace; a failed try counts for nothing. */
	async list(
		path: string,
		workspaceId: string | undefined,
		ask: () => Promise<IDataObject[]>,
	): Promise<IDataObject[]> {
		const key = JSON.stringify([path, workspaceId]);
		const known = this.lists.get(key) ?? ask();
		this.lists.set(key, known);
		known.catch(() => this.lists.delete(key));
		return await known;
	}

	private identities?: string[];

	/** Tells an input item from others by what it holds, its files too, and equal ones by their order. */
	identityOf(index: number): string {
		this.identities ??= identitiesOf(this.context.getInputData());
		return this.identities[index] ?? '';
	}

	/** Outcomes as they may leave the node: n8n's own words for a failure, or a parameter in it, may hold the API key. */
	async withoutKey(outcomes: Outcome[]): Promise<Outcome[]> {
		const client = await this.client.catch(() => undefined);
		return outcomes.map((one) => (client && one instanceof Failure ? client.withoutKey(one) : one));
	}

	/** A round has ended: what it sent is remembered where it was run by hand and something failed. */
	async ended(failed: boolean): Promise<void> {
		const byHand = await this.byHand.catch(() => undefined);
		if (!byHand) return;
		byHand.ended(this.runIndex(0), failed);
		if (byHand.taken === 0) return;
		const were = byHand.taken === 1 ? 'One request was' : `${byHand.taken} requests were`;
		const next = failed ? '' : ' Now that nothing failed, the next run sends everything anew.';
		this.context.addExecutionHints({
			message: `${were} not sent again: the run before, which failed, had sent the same.${next}`,
			type: 'info',
			location: 'outputPane',
		});
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
	filesWith(limiter: RateLimiter): Files {
		return (this.files ??= new Files(this.context, limiter));
	}

	/** How many items the user wants to be worked on at the same time. */
	readonly concurrency: number;

	/** Bounds the uploads of all items together to as many. */
	readonly uploadSlots: Limit;

	/** What was uploaded, by run, item and file: in the node's context, which n8n hands to every retry of the execution. */
	get uploadMemory(): IDataObject {
		const memory = this.context.getContext('node');
		return (memory.uploads ??= {}) as IDataObject;
	}
}

function byHandOf(context: IExecuteFunctions, apiUrl: string): ByHand {
	const { id, credentials } = context.getNode();
	const node = [context.getWorkflow().id ?? '', id, credentials?.[credentialName]?.id ?? '', apiUrl];
	return new ByHand(JSON.stringify(node), context.getExecutionId(), Date.now());
}

function identitiesOf(items: INodeExecutionData[]): string[] {
	const seen = new Map<string, number>();
	return items.map(({ json, binary = {} }) => {
		const hash = hashOf(canonical([json ?? null, filesOf(binary)]));
		const before = seen.get(hash) ?? 0;
		seen.set(hash, before + 1);
		return `${hash}#${before}`;
	});
}

/** A file by its place in n8n's store; one in memory by its bytes. */
const filesOf = (binary: IBinaryKeyData): unknown =>
	mapValues(binary, ({ id, data, fileName, mimeType }) => [id ?? hashOf(data), fileName, mimeType]);
