import { omit, some } from 'lodash';
import { deepCopy, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import type { Expected } from '../../api/answers';
import type { Client } from '../../api/client';
import { Failure, hasStatus, keepsPost, toFailure } from '../../api/failure';
import { publishFailure } from '../../api/failureTexts';
import { isRecord } from '../../api/lists';
import { readPost } from '../../api/records';
import { findExecutionScope, memoryOf, type ExecutionScope } from './executionScope';
import { alreadyBegun, callReplayed, cannotMatchOriginal } from './hints';
import { Journal, type Before, type Entry, type Method, type Result } from './journal';
import { canonical, hashOf, keyOf, ownKeyOf, timeFields, type KeyMode } from './key';
import { ManualRerun, ownerOf } from './manualRerun';
import { isConflict, told } from './refusals';
import { identify, itemHashOf, roundOf, type RowIdentity } from './rows';

/** One request that changes something, as a row asks for it: enough to tell whether it was sent before. */
export interface Write {
	/** Parts from outside go through `pathSegment`. */
	readonly path: string;
	/** A platform, `platform:account` or a file; part of the user's own ID. Left out: the path, and the ID is the whole key. */
	readonly target?: string;
	/** Its body, with files as their targets; times in it don't count. */
	readonly says: IDataObject;
	/** When it goes out, in *Same Text and Time*: ISO 8601, or `slot`. */
	readonly time?: string;
	/** Its time counts from now, or is a slot: another time is the same content. */
	readonly isRelative?: boolean;
	/** A file of a post: not reported by itself. */
	readonly isAttached?: true;
}

/** What goes out for a write that wasn't sent before. */
export interface Outgoing {
	body?: IDataObject;
	/** The body right before the service sees it for the first time; throws if it's too late. */
	finish?: (body: IDataObject) => IDataObject;
	/** Sent as multipart instead of the body. */
	form?: FormData;
	/** Sends a file's bytes after the answer; its result is what is kept, undefined where the upload URL has expired. */
	complete?: (response: IDataObject) => Promise<IDataObject | undefined>;
}

export interface WriteItem {
	/** Position among the input items, from 0. */
	readonly index: number;
	readonly keyMode: KeyMode;
	/** The user's own, in mode `custom`. */
	readonly ownId?: string;
	/** In force; '' for the API key's own. */
	readonly workspaceId: string;
	/** How long to wait for the service, in ms. */
	readonly maxWaitMs: number;
	hint(message: string, type?: 'info' | 'warning'): void;
}

export interface WriteOperation {
	readonly value: string;
	readonly method: Method;
	/** Others can undo it, so AI tools and sub-workflows send it on every call. */
	readonly setsState?: true;
	/** Its key depends on the content alone, whoever runs it. */
	readonly isOncePerContent?: true;
	/** The answer holds a secret or a signed URL: it isn't kept, and a retry sends the same under the same key. */
	readonly keepsNothing?: true;
}

/** What was sent, now or by an earlier try, and the service's answer. */
export interface SentWrite {
	body?: IDataObject;
	response: IDataObject;
}

/** How many upload URLs of a file in a row may have expired. */
const MAX_RENEWED_URLS = 2;

/** Whether an operation creates something: what else it does may be set back in between, so that it is sent each time. */
export const creates = ({ method, setsState }: WriteOperation): boolean => method === 'POST' && !setsState;

/** The requests that are under way in this process, by key: those with one key go out one after another. */
const underWay = new Map<string, Promise<unknown>>();

async function inTurn<T>(key: string, send: () => Promise<T>): Promise<T> {
	const sent = (underWay.get(key) ?? Promise.resolve()).then(send);
	const done = sent.catch(() => undefined);
	underWay.set(key, done);
	await done;
	if (underWay.get(key) === done) underWay.delete(key);
	return await sent;
}

/** The writes of one run of the node: each is sent once in all tries of an execution, see docs/architecture.md. */
export class Writer {
	readonly journal: Journal;
	readonly rows: readonly RowIdentity[];
	/** Of runs by hand. */
	readonly rerun?: ManualRerun;
	/** Sent in this run. */
	readonly sentNow = new Set<Entry>();
	/** What each write of this run goes on with, or became. */
	private readonly entries = new Map<Write, Entry>();
	private readonly itemHashes: string[];
	/** Which writes of a sub-workflow say the same, by what they say: each has its number. */
	private readonly equalWrites: Record<string, string[]>;
	/** Calls of a tool or a sub-workflow are known by their content. */
	private readonly isCall: boolean;

	private constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly client: Client,
		private readonly operation: WriteOperation,
		private readonly isTool: boolean,
		private readonly scope: ExecutionScope,
		memory: IDataObject,
		owner: string | undefined,
	) {
		this.isCall = isTool || scope.isSubWorkflow;
		this.journal = new Journal(memory);
		this.equalWrites = (memory.equalWrites ??= {}) as Record<string, string[]>;
		const items = n8n.getInputData();
		this.rows = identify(items, this.node, roundOf(n8n, memory));
		this.itemHashes = owner ? items.map(itemHashOf) : [];
		if (owner) this.rerun = new ManualRerun(owner, n8n.getExecutionId());
	}

	/** @throws what n8n throws where it can't read the execution */
	static async open(n8n: IExecuteFunctions, client: Client, operation: WriteOperation, isTool: boolean) {
		const memory = memoryOf(n8n, isTool);
		const scope = await findExecutionScope(n8n, memory);
		const isByHand = n8n.getMode() === 'manual' && !isTool && !scope.isSubWorkflow;
		const owner = isByHand ? await ownerOf(n8n, client.address.apiUrl) : undefined;
		return new Writer(n8n, client, operation, isTool, scope, memory, owner);
	}

	/** This node in this execution, in all its tries; of a sub-workflow, in the execution that called it. */
	private get node(): string {
		const { n8n, scope, operation } = this;
		const place = [n8n.getInstanceId(), String(n8n.getWorkflow().id), n8n.getNode().id];
		return hashOf(canonical([...place, scope.id, operation.value]));
	}

	/** Asks the journal, for the writes of one row in their order, which of them were begun. Called once a write. */
	ask(item: WriteItem, writes: readonly Write[]): void {
		const { journal, rerun } = this;
		const targets = writes.map(({ path, target = path }) => target);
		const ofRow = this.isTool ? undefined : journal.match(this.rows[item.index]!.id, targets);
		for (const write of writes) {
			const { path, target = path } = write;
			const rowId = this.rowOf(item, write);
			if (this.scope.isSubWorkflow) this.numberOf(item, write);
			const contentHash = this.contentHash(item, write);
			const itemHash = this.itemHashes[item.index];
			const own = (ofRow ?? journal.match(rowId, [target])).get(target);
			const entry = own ?? (itemHash && creates(this.operation) && rerun?.takeOver(contentHash, itemHash));
			if (!entry) continue;
			if (!own) journal.note(rowId, entry);
			this.entries.set(write, entry);
			if (entry.workspaceId !== item.workspaceId)
				item.hint(`What an earlier try sent stays in the workspace '${entry.workspaceId}'`, 'info');
		}
	}

	/** What is known of a write: of an earlier try, or of this run once it was sent. */
	known(write: Write): Entry | undefined {
		return this.entries.get(write);
	}

	/** What is known of a row besides the files of its posts, whatever it asks for now; of a tool, of this call. */
	ofRow(index: number): Entry[] {
		const entries = this.isTool ? [...this.entries.values()] : this.journal.ofRow(this.rows[index]!.id);
		return entries.filter(({ isAttached }) => !isAttached);
	}

	/** The key of a write, as it is or will be. @throws Failure where the user's own ID is none */
	keyFor(item: WriteItem, write: Write): string {
		return this.known(write)?.key ?? this.newKey(item, write);
	}

	/** What a write says, without its times: its method, path, workspace, target and body. */
	contentHash({ workspaceId }: Pick<WriteItem, 'workspaceId'>, { path, target = path, says }: Write): string {
		return hashOf(canonical([this.operation.method, path, workspaceId, target, omit(says, timeFields)]));
	}

	/** Sends a write, unless it was sent before. @throws Failure with the key, also of a post that the service keeps as failed */
	async send(item: WriteItem, write: Write, outgoing: Outgoing): Promise<SentWrite> {
		const known = this.known(write);
		if (known?.failure) throw new Failure(deepCopy(known.failure));
		if (known?.response) return { body: deepCopy(known.body), response: deepCopy(known.response) };
		if (this.scope.cannotMatchOriginal && item.keyMode === 'execution') item.hint(cannotMatchOriginal);
		const entry = known ?? this.newEntry(item, write);
		const rowId = this.rowOf(item, write);
		if (!known) this.journal.note(rowId, entry);
		this.entries.set(write, entry);
		const before = known ? (known.state as Before) : 'nothing';
		this.sentNow.add(entry);
		return await inTurn(entry.key, async () => await this.carryOut(item, write, outgoing, entry, before));
	}

	private async carryOut(
		item: WriteItem,
		write: Write,
		outgoing: Outgoing,
		entry: Entry,
		before: Before,
	): Promise<SentWrite> {
		const rowId = this.rowOf(item, write);
		const { complete } = outgoing;
		const first = entry.key;
		for (;;) {
			const answer = await this.request(item, outgoing, entry, before).catch((error: unknown) => {
				throw this.failed(item, write, entry, before, toFailure(error));
			});
			// Where a file's bytes don't arrive, its upload URL is asked for again.
			const response = complete ? await complete(answer) : answer;
			if (response) {
				this.journal.settle(rowId, entry, before, 'done');
				if (!this.operation.keepsNothing) entry.response = deepCopy(response);
				return { body: entry.body, response };
			}
			// With the same key the service would return the same URL again.
			if (++entry.attempt > MAX_RENEWED_URLS) throw uploadUrlsExpired.with({ idempotency_key: entry.key });
			entry.key = `${first}-${entry.attempt}`;
		}
	}

	/** Notes what failed. @returns it in the words that the write's state needs */
	private failed(item: WriteItem, write: Write, entry: Entry, before: Before, error: Failure): Failure {
		const failure = error.with({ idempotency_key: entry.key });
		const result = this.resultOf(item, failure, before);
		this.journal.settle(this.rowOf(item, write), entry, before, result);
		if (result === 'kept') entry.failure = deepCopy(failure.details);
		const isReply = this.operation.isOncePerContent && item.keyMode === 'execution';
		return told(failure, {
			result,
			before,
			isAttached: write.isAttached === true,
			keyMode: isReply ? 'reply' : item.keyMode,
			wayOn: this.wayOn(),
		});
	}

	/** A post that the service accepted has failed: it is kept as failed, and the same failure in every retry. */
	keepAsFailed(write: Write, failure: Failure): void {
		const entry = this.entries.get(write);
		if (!entry) return;
		entry.state = 'keptAsFailed';
		entry.failure = deepCopy(failure.details);
	}

	/** What a write would send: nothing goes out, and nothing is noted. */
	preview(item: WriteItem, write: Write, body?: IDataObject): IDataObject {
		const known = this.known(write);
		const { path, workspaceId } = known ?? { path: write.path, workspaceId: item.workspaceId };
		const said = known?.body ?? body;
		return {
			preview: true,
			...(known ? { warnings: [alreadyBegun[known.state]] } : {}),
			...(workspaceId ? { workspace_id: workspaceId } : {}),
			idempotency_key: this.keyFor(item, write),
			request: { method: this.operation.method, path, ...(said ? { body: said } : {}) },
		};
	}

	private async request(
		item: WriteItem,
		outgoing: Outgoing,
		entry: Entry,
		before: Before,
	): Promise<IDataObject> {
		const { client, operation } = this;
		const { method, path, workspaceId, key } = entry;
		// Of other answers the specification shows nothing.
		const expects: Expected = creates(operation) && !operation.isOncePerContent ? 'record' : 'anything';
		const sending = client.send(
			{
				...{ method, path, expects, idempotencyKey: key },
				workspaceId: workspaceId === client.address.workspaceId ? undefined : workspaceId,
				body: () => this.bodyOf(outgoing, entry, before),
			},
			item.maxWaitMs,
		);
		const sent = await sending.catch((error: unknown) => this.deletedBefore(error, before));
		const { data, requestId, headers, isFirst } = sent;
		const isReplay = before === 'nothing' && isFirst === true && isReplayed(headers);
		if (isReplay) this.replayed(item, entry);
		const record = isRecord(data) ? data : {};
		const ids = { idempotency_key: key, ...(requestId ? { request_id: requestId } : {}) };
		const { status, failureReason } = readPost(record);
		if (path === '/posts' && status === 'failed')
			throw publishFailure(failureReason).with({ request: `${method} ${path}`, post: record, ...ids });
		const isEarlier = isReplay && item.keyMode !== 'execution' && path === '/posts';
		return { ...record, ...(isEarlier ? { sent_before: true } : {}), ...ids };
	}

	/** The body right before it goes out: what may have been carried out stays as it was. */
	private bodyOf({ body: given, finish, form }: Outgoing, entry: Entry, before: Before) {
		if (before !== 'nothing' && entry.body) return entry.body;
		const body = finish && given ? finish(given) : given;
		if (!this.operation.keepsNothing) entry.body = body;
		return form ?? body;
	}

	/** The service had carried it out before this run: for another row or call, or for an execution that is lost. */
	private replayed(item: WriteItem, entry: Entry): void {
		this.sentNow.delete(entry);
		if (this.scope.isSubWorkflow) item.hint(callReplayed);
	}

	/** A DELETE that is answered 404 after an attempt without an answer has succeeded. @throws Failure otherwise */
	private deletedBefore(error: unknown, before: Before) {
		const failure = toFailure(error);
		const mayBeDone = before === 'inDoubt' || failure.isRepeat;
		if (this.operation.method !== 'DELETE' || !mayBeDone || !hasStatus(failure, 404)) throw failure;
		return { data: {}, requestId: undefined, headers: {}, isFirst: false };
	}

	private resultOf(item: WriteItem, failure: Failure, before: Before): Result {
		if (keepsPost(failure.details)) return 'kept';
		// Another write has this key, which says something else.
		const isOthers = before === 'nothing' && !failure.isRepeat && isConflict(failure);
		return failure.processed === 'no' || (isOthers && this.hasContentKey(item)) ? 'notProcessed' : 'unknown';
	}

	/** Whether its key is made of what it says, or of an ID: then another execution may have used it. */
	private hasContentKey({ keyMode }: WriteItem): boolean {
		return keyMode !== 'execution' || this.isCall || this.operation.isOncePerContent === true;
	}

	/** A write as it is noted if it is new. @throws Failure where the user's own ID is none */
	private newEntry(item: WriteItem, write: Write): Entry {
		const { path, target = path, isAttached } = write;
		const itemHash = this.itemHashes[item.index];
		return {
			...{ key: this.newKey(item, write), attempt: 0, state: 'inDoubt' },
			...{ method: this.operation.method, path, workspaceId: item.workspaceId, target },
			contentHash: this.contentHash(item, write),
			...(itemHash ? { itemHash } : {}),
			...(isAttached ? { isAttached } : {}),
		};
	}

	private newKey(item: WriteItem, write: Write): string {
		const { path, target = path, time = '' } = write;
		const { ownId, keyMode } = item;
		if (ownId !== undefined) return ownKeyOf(ownId, write.target);
		if (keyMode === 'content' || this.operation.isOncePerContent)
			return keyOf('content', this.contentHash(item, write), time);
		const rowId = this.rowOf(item, write);
		if (this.isCall && !creates(this.operation)) return keyOf('call', this.callId, rowId, target);
		if (!this.scope.isSubWorkflow) return keyOf('execution', rowId, target);
		return keyOf('execution', this.node, this.said(item, write), this.numberOf(item, write));
	}

	/** What a call says: its content, and its time unless that counts from now. */
	private said(item: WriteItem, write: Write): string {
		const { time = 'now', isRelative } = write;
		const relative = time === 'slot' ? time : 'later';
		return `${this.contentHash(item, write)} ${isRelative ? relative : time}`;
	}

	/** The number of a write among those of this execution that say the same, given when the rows are planned. */
	private numberOf(item: WriteItem, write: Write): number {
		// Equal files of posts that say the same are one.
		if (write.isAttached) return 0;
		const equal = (this.equalWrites[this.said(item, write)] ??= []);
		const rowId = this.rowOf(item, write);
		return equal.includes(rowId) ? equal.indexOf(rowId) : equal.push(rowId) - 1;
	}

	/** A call of a tool has no position: it is known by what it says, or not at all where it is sent each time. */
	private rowOf(item: WriteItem, write: Write): string {
		if (!this.isTool) return this.rows[item.index]!.id;
		return `${this.node}.${creates(this.operation) ? this.said(item, write) : this.callId}`;
	}

	private readonly callId = randomUUID();

	/** How to send again, with its key, what is not confirmed. */
	private wayOn() {
		if (!this.isTool) return this.n8n.continueOnFail() ? 'comeBack' : 'retry';
		// n8n's own agents call without an execution, by which the next call would find it.
		const isFound = creates(this.operation) && this.n8n.getExecutionId();
		return isFound ? 'call' : 'checkFirst';
	}
}

const uploadUrlsExpired = new Failure({
	code: 'NODE_UPLOAD_FORBIDDEN',
	message: 'Each upload URL that the service gave had expired',
	hint: 'Try again in a few minutes.',
	retryable: true,
});

/** Whether the service says that it returned an earlier answer (spec, "Common rules"; row 11 of docs/spec-gaps.md). */
const isReplayed = (headers: IDataObject): boolean =>
	some(headers, (value, name) => /^idempoten(t|cy)-replayed$/i.test(name) && String(value) === 'true');
