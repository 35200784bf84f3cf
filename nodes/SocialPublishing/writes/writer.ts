import { compact, groupBy, intersection, isEmpty, map, omit, omitBy, pickBy } from 'lodash';
import { deepCopy, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import type { Client } from '../../api/client';
import { Failure } from '../../api/failure';
import type { sendAgain } from '../../api/failureTexts';
import { findExecutionScope, memoryOf, type ExecutionScope } from './executionScope';
import { alreadyBegun, cannotMatchOriginal } from './hints';
import { Journal, type Before, type Entry } from './journal';
import { canonical, hashOf, keyOf, ownKeyOf, timeFields, type KeyMode } from './key';
import { ManualRerun, ownerOf } from './manualRerun';
import { identify, roundOf, type RowIdentity } from './rows';
import { Sending } from './sending';
import {
	creates,
	type Outgoing,
	type Sender,
	type SentWrite,
	type Write,
	type WriteItem,
	type WriteOperation,
} from './write';

/** The requests that are under way in this process, by key: those with one key go out one after another. */
const underWay = new Map<string, Promise<unknown>>();

async function oneByOne<T>(key: string, send: () => Promise<T>): Promise<T> {
	const sent = Promise.resolve(underWay.get(key)).then(send);
	const done = sent.catch(() => undefined);
	underWay.set(key, done);
	await done;
	if (underWay.get(key) === done) underWay.delete(key);
	return await sent;
}

/**
 * The writes of one run of the node: each is sent once in all tries of an execution, see docs/architecture.md. Where n8n
 * kept the node's context, the journal says what was sent. After a crash it is empty: only the key, made of the execution's
 * scope and the row's position, is the same then, and the service says what it has carried out.
 */
export class Writer implements Sender {
	readonly journal: Journal;
	readonly rows: readonly RowIdentity[];
	/** Of runs by hand that create something. */
	readonly rerun?: ManualRerun;
	/** Asked of the service in this run, and not sent before. */
	readonly sentNow = new Set<Entry>();
	/** What each write of this run goes on with, or became. */
	private readonly entries = new Map<Write, Entry>();
	/** Which writes of a sub-workflow say the same, by what they say: each has its number. */
	private readonly equalWrites: Record<string, string[]>;
	readonly creates: boolean;
	/** A call of a tool that isn't known by what it says. */
	private readonly callId = randomUUID();

	private constructor(
		private readonly n8n: IExecuteFunctions,
		readonly client: Client,
		readonly operation: WriteOperation,
		private readonly isTool: boolean,
		readonly scope: ExecutionScope,
		memory: IDataObject,
		owner: string | undefined,
	) {
		this.journal = new Journal(memory);
		this.creates = creates(operation);
		this.equalWrites = (memory.equalWrites ??= {}) as Record<string, string[]>;
		const items = n8n.getInputData();
		this.rows = identify(items, this.node, roundOf(n8n, memory));
		if (owner) this.rerun = new ManualRerun(owner, n8n.getExecutionId(), items);
	}

	/** @throws what n8n throws where it can't read the execution */
	static async open(n8n: IExecuteFunctions, client: Client, operation: WriteOperation, isTool: boolean) {
		const memory = memoryOf(n8n);
		const scope = await findExecutionScope(n8n, memory, creates(operation));
		const isByHand = n8n.getMode() === 'manual' && creates(operation) && !isTool && !scope.isSubWorkflow;
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
		for (const [rowId, ofRow] of Object.entries(groupBy(writes, (write) => this.rowOf(item, write)))) {
			const found = this.journal.match(rowId, map(ofRow, 'target'));
			for (const write of ofRow) {
				const entry = found.get(write.target) ?? this.takenOver(item, write);
				if (entry) this.goOn(item, write, entry);
			}
		}
	}

	private goOn(item: WriteItem, write: Write, entry: Entry): void {
		this.entries.set(write, entry);
		if (entry.workspaceId !== item.workspaceId)
			item.hint(`What an earlier try sent stays in the workspace '${entry.workspaceId}'`, 'info');
	}

	/** By hand: what an earlier run wrote for an item that held the same and said the same. */
	private takenOver(item: WriteItem, write: Write): Entry | undefined {
		const entry = this.rerun?.takeOver(item.index, this.contentHash(item, write));
		if (entry) this.journal.note(this.rowOf(item, write), entry);
		return entry;
	}

	/** What is known of a write: of an earlier try, or of this run once it was sent. */
	known(write: Write): Entry | undefined {
		return this.entries.get(write);
	}

	/** What is known of a row besides the files of its posts, whatever it asks for now; of a tool, of this call. */
	ofRow(index: number): Entry[] {
		const entries = this.isTool
			? intersection(this.journal.all, [...this.entries.values()])
			: this.journal.ofRow(this.rows[index]!.id);
		return entries.filter(({ isAttached }) => !isAttached);
	}

	/** The key of a write, as it is or will be. @throws Failure where the user's own ID is none */
	keyFor(item: WriteItem, write: Write): string {
		return this.known(write)?.key ?? this.newKey(item, write);
	}

	/** What a write says, without its times: its method, path, workspace, target and body. */
	contentHash({ workspaceId }: Pick<WriteItem, 'workspaceId'>, { path, target, says }: Write): string {
		return hashOf(canonical([this.operation.method, path, workspaceId, target, omit(says, timeFields)]));
	}

	/** Sends a write, unless it was sent before. @throws Failure with the key, also of a post that the service keeps as failed */
	async send(item: WriteItem, write: Write, outgoing: Outgoing): Promise<SentWrite> {
		const known = this.known(write);
		if (known?.failure) throw new Failure(deepCopy(known.failure));
		if (known?.response) return { body: deepCopy(known.body), response: deepCopy(known.response) };
		if (this.scope.cannotMatchOriginal && item.keyMode === 'execution') item.hint(cannotMatchOriginal);
		const entry = known ?? this.newEntry(item, write);
		// One that is kept as failed threw above.
		const before = known ? (known.state as Before) : 'nothing';
		this.entries.set(write, entry);
		this.sentNow.add(entry);
		const sending = new Sending(this, item, outgoing, entry, before, this.rowOf(item, write));
		return await oneByOne(entry.key, async () => await sending.send());
	}

	/** A post that the service accepted has failed: it is kept as failed, and the same failure in every retry. */
	keepAsFailed(write: Write, failure: Failure): void {
		const kept: Partial<Entry> = { state: 'keptAsFailed', failure: deepCopy(failure.details) };
		Object.assign(this.entries.get(write)!, kept);
	}

	/** What a write would send, and what a person is warned of: nothing goes out, and nothing is noted. */
	preview(item: WriteItem, write: Write, body?: IDataObject, more: readonly string[] = []): IDataObject {
		const known = this.known(write);
		const warnings = compact([known && alreadyBegun[known.state], ...more]);
		for (const warning of warnings) item.hint(warning);
		const asNew = { path: write.path, workspaceId: item.workspaceId, body };
		const { path, workspaceId, body: sent } = { ...asNew, ...known };
		const shown = {
			warnings,
			workspace_id: workspaceId,
			idempotency_key: this.keyFor(item, write),
			request: pickBy({ method: this.operation.method, path, body: sent }),
		};
		return { preview: true, ...omitBy(shown, isEmpty) };
	}

	/** Notes a new write. @throws Failure where the user's own ID is none */
	private newEntry(item: WriteItem, write: Write): Entry {
		const { path, target, isAttached } = write;
		const entry: Entry = {
			...{ key: this.newKey(item, write), state: 'inDoubt' },
			...{ method: this.operation.method, path, workspaceId: item.workspaceId, target },
			...{
				contentHash: this.contentHash(item, write),
				itemHash: this.rerun?.itemHashes[item.index],
				isAttached,
			},
		};
		this.journal.note(this.rowOf(item, write), entry);
		return entry;
	}

	private newKey(item: WriteItem, write: Write): string {
		const { path, target, time = '' } = write;
		if (item.ownId !== undefined) return ownKeyOf(item.ownId, target === path ? undefined : target);
		if (this.modeOf(item) === 'content') return keyOf('content', this.contentHash(item, write), time);
		if (!this.scope.isSubWorkflow) return keyOf('execution', this.rowOf(item, write), target);
		return keyOf('execution', this.node, this.said(item, write), this.numberOf(item, write));
	}

	/** A reply without an ID of the user's has one key, whoever sends it. */
	private modeOf({ keyMode }: WriteItem): KeyMode {
		return this.operation.isOncePerContent ? 'content' : keyMode;
	}

	/** Whether its key is made of what it says, or of an ID: then another execution, or call, may have used it. */
	mayShareKey(item: WriteItem): boolean {
		return this.modeOf(item) !== 'execution' || this.isTool || this.scope.isSubWorkflow;
	}

	/** What a write says: its content, and its time unless that counts from now. */
	said(item: WriteItem, write: Write): string {
		const { time = 'now', isRelative } = write;
		const relative = time === 'slot' ? time : 'later';
		return `${this.contentHash(item, write)} ${isRelative ? relative : time}`;
	}

	/** The number of a write among those of this execution that say the same, given when it is first sent. */
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
		return `${this.node}.${this.creates ? this.said(item, write) : this.callId}`;
	}

	/** How to send again, with its key, what is not confirmed. */
	wayOn(): keyof typeof sendAgain {
		if (this.rerun) return 'byHand';
		if (!this.isTool) return this.n8n.continueOnFail() ? 'comeBack' : 'retry';
		// n8n's own agents call without an execution, by which the next call would find it.
		const isFound = this.creates && this.n8n.getExecutionId();
		return isFound ? 'call' : 'checkFirst';
	}
}
