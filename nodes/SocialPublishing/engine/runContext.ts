import clamp from 'lodash/clamp';
import mapValues from 'lodash/mapValues';
import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { limitConcurrency, type Limit } from '../../api/concurrency';
import { credentialName } from '../../api/connect';
import { Failure, type Outcome } from '../../api/failure';
import type { Pace } from '../../api/pace';
import { Files } from '../media/sources';
import { findExecutionScope, type ExecutionScope } from '../writes/executionScope';
import { Journal, postsIn, type Entry, type SentRequest } from '../writes/journal';
import { canonical, hashOf, writeId } from '../writes/key';
import { ManualRerun } from '../writes/manualRerun';
import type { WriteItem, WriteRun } from '../writes/write';
import type { Operation } from './operation';
import { labels } from './postLabels';
import { PostPoller } from './postPoller';

const DEFAULT_CONCURRENCY = 5;
const MAX_CONCURRENCY = 50;

/** What all items of one run share: the client with its rate limiter, the journal of writes, the poller of posts. */
export class RunContext implements WriteRun {
	readonly now = Date.now();

	/** The node runs as a model's tool: n8n counts runs there by call and try, so that they tell nothing apart. */
	readonly isTool: boolean;

	/** Writes are run by hand, and not by a model's call. */
	readonly isByHand: boolean;

	/** Which execution this is a try of. */
	readonly scope: Promise<ExecutionScope>;

	/** What failed runs by hand before this one sent. */
	readonly manualRerun: Promise<ManualRerun | undefined>;

	readonly poller: Promise<PostPoller>;

	/** How many items the user wants to be worked on at the same time. */
	readonly concurrency: number;

	/** Bounds the uploads of all items together to as many. */
	readonly uploadSlots: Limit;

	/** How many writes of this run were sent by an earlier try. */
	replayedCount = 0;

	/** What is said at the node after the run. */
	readonly warnings = new Set<string>();

	/** What is said at the node after the run, and is no warning. */
	readonly notes = new Set<string>();

	/** What is said of posts, and of how many. */
	readonly postWarnings = new Map<string, number>();

	constructor(
		readonly context: IExecuteFunctions,
		readonly operation: Operation,
		readonly client: Promise<Client>,
	) {
		const chosen = Number(context.getNodeParameter('options.concurrency', 0, DEFAULT_CONCURRENCY));
		// The field's bounds hold for what is typed in, not for an expression.
		this.concurrency = clamp(Math.floor(chosen) || DEFAULT_CONCURRENCY, 1, MAX_CONCURRENCY);
		this.uploadSlots = limitConcurrency(this.concurrency);
		this.isTool = context.isToolExecution?.() || context.getNode().type.endsWith('Tool');
		this.isByHand = context.getMode() === 'manual' && !this.isTool && operation.method !== 'GET';
		this.scope = findExecutionScope(context);
		this.manualRerun = client.then(
			async ({ address }) => await (this.isByHand ? manualRerunOf(context, address.apiUrl) : undefined),
		);
		this.poller = client.then(({ pace }) => new PostPoller(pace));
		// Each item reports what is wrong with them; without this the promises themselves would count as unhandled.
		for (const promise of [client, this.scope, this.poller, this.manualRerun]) promise.catch(() => undefined);
	}

	get executionId(): string {
		return this.context.getExecutionId();
	}

	/** Instance, workflow and node. */
	get nodeName(): string[] {
		const { context } = this;
		return [context.getInstanceId(), context.getWorkflow().id ?? '', context.getNode().id];
	}

	private knownRound?: number;

	/** Which round of a loop this is, from 0. */
	get round(): number {
		return (this.knownRound ??= Number(this.context.getWorkflowDataProxy(0).$runIndex));
	}

	private knownJournal?: Journal;

	/** What this execution has written. */
	get journal(): Journal {
		const round = this.isTool ? 'tool' : String(this.round);
		return (this.knownJournal ??= new Journal(this.context.getContext('node'), round));
	}

	/** What a write of an item is found by in a retry. */
	idOf(index: number, path: string, part: string): string {
		return writeId(this.identityOf(index), this.operation.method, path, part);
	}

	/** What an earlier try of this execution sent for a part of an item; a tool's calls are told apart by what they say alone. */
	sentBefore({ index, options, client }: WriteItem, path: string, part: string): SentRequest | undefined {
		if (this.isTool) return undefined;
		const { method } = this.operation;
		const ids = [this.idOf(index, path, part)];
		const workspaceId = options.workspaceId || client.address.workspaceId;
		const { idempotencyKeyMode: mode, idempotencyKey: ownKey } = options;
		const entry = this.journal.lookup({ ids, workspaceId, ...(mode === 'custom' ? { ownKey } : {}) });
		return entry && (entry.request ?? { method, path });
	}

	/** What earlier tries of this round posted, and runs by hand before it that failed. */
	async earlierPosts(): Promise<IDataObject[]> {
		const rerun = await this.manualRerun.catch(() => undefined);
		const pending = rerun?.pending ?? [];
		return [...this.journal.posts, ...postsIn(pending)];
	}

	/** Posts that this execution, or a failed run by hand before it, has sent or may have, in all rounds of a loop. */
	async sentPosts(workspaceId: string): Promise<IDataObject[]> {
		const rerun = await this.manualRerun.catch(() => undefined);
		const entries = [...this.journal.ofAllRounds, ...(rerun?.pending ?? [])];
		return postsIn(
			entries.filter((entry) => entry.workspaceId === workspaceId),
			['succeeded', 'inDoubt'],
		);
	}

	/** The workflow's time zone. */
	get zone(): string {
		return this.context.getTimezone();
	}

	private readonly made = new Map<string, Promise<unknown>>();

	/** What is made once a run and workspace, such as a list that is asked for; a failed try counts for nothing. */
	async once<T>(name: string, workspaceId: string | undefined, make: () => Promise<T>): Promise<T> {
		const key = JSON.stringify([name, workspaceId]);
		const known = (this.made.get(key) as Promise<T> | undefined) ?? make();
		this.made.set(key, known);
		known.catch(() => this.made.delete(key));
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
	async endRound(outcomes: Outcome[]): Promise<void> {
		const rerun = await this.manualRerun.catch(() => undefined);
		if (!rerun) return;
		const failures = outcomes.filter((one): one is Failure => one instanceof Failure);
		const final = failures.filter(({ details }) => finalCodes.has(details.code));
		const finalKeys = new Set(final.flatMap(({ details }) => details.idempotency_key ?? []));
		rerun.endRound(this.round, failures.length > 0, finalKeys);
		if (rerun.reused.length > 0) this.addHint(notSentAgain(rerun.reused, failures.length > 0, this.zone));
	}

	private addHint(message: string, type: 'info' | 'warning' = 'info'): void {
		this.context.addExecutionHints({ message, type, location: 'outputPane' });
	}

	/** Hands what the service announced, and what is to be said of posts, to n8n, which shows it at the node. */
	async showWarnings(): Promise<void> {
		const announced = await this.client.then(
			(client) => [...client.warnings],
			() => [],
		);
		for (const message of [...announced, ...this.warnings]) this.addHint(message, 'warning');
		for (const [message, count] of this.postWarnings)
			this.addHint(`${count === 1 ? 'One post' : `${count} posts`}: ${message}`, 'warning');
		for (const message of this.notes) this.addHint(message);
	}

	/** Says that nothing was sent, where that is so. */
	showPreviews(outcomes: Outcome[]): void {
		const previews = outcomes.filter(
			(one): one is IDataObject => !(one instanceof Failure) && one.preview === true,
		);
		if (previews.length === 0) return;
		const warned = previews.filter(({ warnings }) => (warnings as string[]).length > 0).length;
		const noun = previews.length === 1 ? 'request has' : 'requests have';
		const warnings = warned > 0 ? ` ${warned} of ${previews.length} ${noun} warnings.` : '';
		this.addHint(`Preview: nothing was sent.${warnings}`);
	}

	private files?: Files;

	/** The files of this run; a stop of the execution ends their transfers too. */
	filesWith(pace: Pace): Files {
		return (this.files ??= new Files(this.context, pace));
	}

	/** What was uploaded, by round, item and file: in the node's context, which n8n hands to every retry of the execution. */
	get uploadMemory(): IDataObject {
		const memory = this.context.getContext('node');
		return (memory.uploads ??= {}) as IDataObject;
	}
}

/** Publication failed for good: the post may be sent anew. */
const finalCodes = new Set(['NODE_POST_FAILED', 'NODE_POST_CANCELED']);

async function manualRerunOf(context: IExecuteFunctions, apiUrl: string): Promise<ManualRerun> {
	const { id, credentials } = context.getNode();
	const { apiKey } = await context.getCredentials(credentialName);
	const credential = [credentials?.[credentialName]?.id ?? '', hashOf(String(apiKey)), apiUrl];
	const owner = JSON.stringify([context.getWorkflow().id ?? '', id, ...credential]);
	return new ManualRerun(owner, context.getExecutionId(), Date.now());
}

function notSentAgain(reused: Entry[], failed: boolean, zone: string): string {
	const were = reused.length === 1 ? 'One request was' : `${reused.length} requests were`;
	const posts = postsIn(reused);
	const named = posts.length > 0 ? ` (${labels(posts, zone)})` : '';
	const next = failed ? '' : ' The next run sends everything again.';
	const them = reused.length === 1 ? 'it' : 'them';
	return `${were} not sent again because the previous, failed run had already sent ${them}${named}.${next}`;
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
