import {
	attempt,
	intersection,
	isEqual,
	isError,
	isString,
	mapValues,
	mergeWith,
	omit,
	pick,
	pickBy,
	some,
	sortBy,
} from 'lodash';
import {
	deepCopy,
	type IBinaryData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import type { Expected } from '../../api/answers';
import { credentialName, type Client } from '../../api/client';
import { Failure, refusal, serviceSays, toFailure } from '../../api/failure';
import { notConfirmed, publishFailure, type sendAgain } from '../../api/failureTexts';
import { isRecord } from '../../api/lists';
import { textOf } from '../../api/texts';
import { readPost } from '../../api/records';
import { continued, type NamedDestination } from './continued';
import { findExecutionScope, memoryOf, type ExecutionScope } from './executionScope';
import {
	isBack,
	isRefused,
	isSent,
	Journal,
	type Entry,
	type Method,
	type Sent,
	type State,
} from './journal';
import { canonical, customKey, hashOf, keyOf, targetIn, timeFields, type KeyMode } from './key';
import { ManualRerun } from './manualRerun';

/** One request that changes something, sent with the method of its operation. */
export interface Write {
	/** Parts from outside go through `pathSegment`. */
	path: string;
	body?: IDataObject;
	/** Which of the item's writes: a part of its key. Left out: the item has one. */
	name?: string;
	/** What a retry finds it by: platforms, accounts and files as the user gave them, and the accounts that were meant. Left out: {@link name}. */
	names?: string[];
	fixedTime?: string;
	/** Compared instead of the body, a part for each platform: files by their bytes, without a relative time. */
	says?: IDataObject[];
	/** The body right before the service sees it for the first time; throws if it's too late. */
	finish?: (body: IDataObject) => IDataObject;
	file?: FileWrite;
}

/** What a write that carries a file has besides. */
interface FileWrite {
	/** Sent as multipart instead of the body. */
	form?: FormData;
	/** Sends the bytes after the answer; its result is what is kept and returned. */
	complete?: (response: IDataObject) => Promise<IDataObject>;
	/** Of a post: not reported by itself. */
	isAttached?: boolean;
	/** Appended to the user's own key. Left out: the name. */
	keyPart?: string;
}

/** What a row is going to create, for a match with what was begun. */
export interface Asked extends Pick<Write, 'path' | 'fixedTime'> {
	/** What it says on each platform. */
	parts: IDataObject[];
	/** The same without its files, where it has any. */
	bare?: IDataObject[];
	/** Its files were not read, so that nobody knows what they hold. */
	isUnread?: boolean;
}

export interface WriteItem {
	/** Position among the input items, from 0. */
	readonly index: number;
	/** The user's own, merged into every request. */
	readonly apiFields: IDataObject;
	readonly keyMode: KeyMode;
	/** The user's own, in mode `custom`. */
	readonly ownKey?: string;
	readonly isPreview: boolean;
	/** In force; '' for the API key's own. */
	readonly workspaceId: string;
	/** How long to wait for the service, in ms. */
	readonly maxWaitMs: number;
}

export interface WriteOperation {
	readonly value: string;
	/** Decides which of the common options the operation has, and how its request is sent. */
	readonly method: Method;
	/** Others can undo it, so AI tools and sub-workflows send it on every call. */
	readonly setsState?: true;
	/** Its key depends on the content alone, whoever runs it. */
	readonly isOncePerContent?: true;
	/** The answer holds a secret or a signed URL: it isn't kept for retries. */
	readonly keepsNothing?: true;
}

/** The platforms on which a post was not published; nothing more becomes of it. */
export type Unpublished = readonly string[] | 'all';

/** What was sent, now or by an earlier try, and the service's answer. */
export type SentWrite = Pick<Entry, 'body'> & Required<Pick<Entry, 'response'>>;

/** Lists of the user's fields stand instead of the node's; objects are merged. */
export const withFields = (body: IDataObject | undefined, added: IDataObject = {}): IDataObject =>
	mergeWith({}, body, added, (_mine: unknown, theirs: unknown) =>
		Array.isArray(theirs) ? theirs : undefined,
	) as IDataObject;

const serviceReplayed =
	'The service had already processed this request. It returned the earlier result and sent nothing again.';
const sentElsewhere = (wanted: string, sentIn: string) =>
	`This 'My Own ID' was already used in the workspace '${sentIn}', so nothing was sent in '${wanted}'. To post in both, use different IDs, for example with the workspace's name in front.`;
const callReplayed =
	"An identical call in this execution already sent this, so the service returned its result. To send it again, give it a time of its own, or set 'Avoid Duplicates' to 'My Own ID'.";
const cannotCorrect =
	"The idempotency key comes from the content, so this execution can't send a corrected version. Check whether it went out. If it did not, correct it and run the workflow again.";
const cannotMatchOriginal =
	"n8n did not keep what the original execution sent, and before version 2.14 a retry can't be matched with it, so posts may have been sent twice. To prevent this, set 'Avoid Duplicates' to 'My Own ID', or update n8n.";

/** The writes of one run of the node: each is sent once, in all tries of an execution, see docs/idempotency.md. */
export class Writer {
	/** What the person at the node has to know of it. */
	readonly hints = new Map<string, 'info' | 'warning'>();
	/** Rows whose error is about nothing that this node sent in this execution, and that were sent as new. */
	readonly sentAnew = new Set<number>();
	/** Of runs by hand; they find files again by their bytes. */
	readonly rerun?: ManualRerun;
	private readonly round: number;
	private readonly journal: Journal;
	private readonly identities: string[];
	/** Rows whose error has a key that this node doesn't know in this execution. */
	private readonly unknown = new Set<number>();
	/** Sent in this run, or only now known from an earlier request, as the service says. */
	private readonly sentNow = new Map<Entry, 'new' | 'replayed'>();
	/** The number that a key was given last, so that not all of thousands are tried for each equal row. */
	private readonly numbers = new Map<string, number>();
	/** Which row of this run has an ID of the user's first, and what it says. */
	private readonly ownIds = new Map<string, { index: number; said: string }>();
	/** Calls of a tool or a sub-workflow have no position that identifies them: their content does. */
	private readonly isCall: boolean;

	private constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly client: Client,
		private readonly operation: WriteOperation,
		private readonly isTool: boolean,
		private readonly scope: ExecutionScope,
		memory: IDataObject,
		/** Of runs by hand: names node, credential, key and address. */
		owner: string | undefined,
	) {
		this.isCall = isTool || scope.isSubWorkflow;
		const run = Number(n8n.getWorkflowDataProxy(0).$runIndex);
		// After a crash n8n counts the run that is lost, and the retry repeats it under its keys.
		// A journal without it counted from 0.
		const { firstRun = (memory.firstRun = memory.writes ? 0 : run) } = memory as { firstRun?: number };
		this.round = run - firstRun;
		this.journal = new Journal(memory, isTool ? 'tool' : String(this.round));
		const rowBack = (index: number, held: string): string | undefined => {
			const key = keyInError(n8n, index);
			const row = key ? this.journal.comesBack(key, held) : undefined;
			if (key && !row) this.unknown.add(index);
			return row;
		};
		this.identities = identitiesOf(n8n.getInputData(), rowBack, owner !== undefined);
		const at = { executionId: n8n.getExecutionId(), round: this.round, items: this.identities };
		if (owner) this.rerun = new ManualRerun(owner, this.journal, at);
	}

	/** Only the content tells what its writes may have to do with others. */
	get isByContent(): boolean {
		return this.isCall || this.rerun !== undefined;
	}

	/** Whether a failed run by hand, or another call of a tool, may have sent the same: only the bytes of files tell. */
	get mayRecognize(): boolean {
		return (this.rerun?.pending.size ?? 0) > 0 || (this.isTool && this.journal.entries.length > 0);
	}

	/** @throws what n8n throws where it can't read the execution */
	static async open(n8n: IExecuteFunctions, client: Client, operation: WriteOperation, isTool: boolean) {
		const memory = memoryOf(n8n, isTool);
		const scope = await findExecutionScope(n8n, memory);
		// A retry of a run by hand goes on with what that began.
		memory.isByHand ||= n8n.getMode() === 'manual' && !isTool && !scope.isSubWorkflow;
		const isByHand = memory.isByHand === true;
		const owner = isByHand ? await ownerOf(n8n, client.address.apiUrl) : undefined;
		return new Writer(n8n, client, operation, isTool, scope, memory, owner);
	}

	/** What was sent, or may have been, in `this` round of a loop (of a tool: in this call) or in `all` of the execution. */
	sent(round: 'this' | 'all' = 'this'): Sent[] {
		const ofRound = this.isTool ? [...this.sentNow.keys()] : this.journal.entries;
		const own = round === 'all' ? this.journal.ofAllRounds : ofRound;
		return this.reported([...own, ...(this.rerun?.pending ?? [])]);
	}

	/** Several failures of one row may come back from the error output: the first of them, which is the row. */
	firstOfRow(index: number): number {
		const row = this.identities[index] ?? '';
		// Of thousands of rows, only those that came back are looked for.
		return isBack(row) ? this.identities.indexOf(row) : index;
	}

	/** What was sent for a row, whatever it says now (of a tool by this call), and the key by which it is known if it comes back. */
	ofRow(index: number): { sent: Sent[]; key?: string } {
		const begun = this.isTool ? [] : this.journal.begunOf(this.identityOf({ index }));
		const sent = this.reported(this.isTool ? [...this.sentNow.keys()] : begun);
		return { sent, key: begun[0]?.key ?? keyInError(this.n8n, index) };
	}

	/** Which of a row's places an earlier try began, see `continued.ts`. @throws Failure where that can't be told */
	continued<One extends NamedDestination>(item: WriteItem, { path, parts }: Asked, places: readonly One[]) {
		return continued(places, this.begun(item, path, parts), this.isByContent);
	}

	private begun(item: WriteItem, path: string, parts: IDataObject[]): Sent[] {
		const { workspaceId, ownKey } = item;
		const wanted = { item: this.identityOf(item), method: this.operation.method, path, workspaceId, ownKey };
		const contents = this.contentsOf(item, path, parts);
		return this.journal.adoptBegun(wanted, contents).map((entry) => this.sentOf(entry));
	}

	/** By hand: finds what failed runs began of these rows. @returns rows of which that can't be told, and what they may have begun */
	recognize(rows: ReadonlyArray<{ item: WriteItem; asked: Asked }>): Array<{ index: number; sent: Sent[] }> {
		const asked = rows.flatMap(({ item, asked: { path, parts, bare = parts, fixedTime, isUnread } }) => {
			const contents = isUnread ? parts.map(() => undefined) : this.contentsOf(item, path, parts);
			this.journal.adopt(this.identityOf(item), contents);
			const said = this.rerun ? this.contentsOf(item, path, bare) : [];
			const known = { item: this.identityOf(item), fixedTime };
			return contents.map((content, at) => ({ ...known, content, said: said[at] }));
		});
		const unclear = this.rerun?.recognize(asked);
		return rows.flatMap(({ item }) => {
			const entries = unclear?.get(this.identityOf(item));
			return entries ? [{ index: item.index, sent: entries.map((entry) => this.sentOf(entry)) }] : [];
		});
	}

	/** Sends a write, unless an earlier try did. @throws Failure with the key, also of a post that the service keeps as failed */
	async send(item: WriteItem, write: Write): Promise<SentWrite> {
		const known = this.find(item, write);
		if (known) return await this.resume(item, known, write);
		const entry = this.entryOf(item, write);
		// What a tool sends each time isn't noted: no call is to find it.
		if (!this.isTool || !this.isRepeatable(item)) this.journal.add(entry);
		// A caller that is retried makes the same keys in each execution.
		const isAnew = creates(this.operation) && !this.isCall && this.isByExecution(item);
		return await this.carryOut(item, write, entry, 'new').finally(() => {
			const mayBeTwice = isAnew && entry.upload !== 'ofPost' && isSent(entry);
			if (mayBeTwice && this.unknown.has(item.index)) this.sentAnew.add(item.index);
		});
	}

	/**
	 * Gives back what an earlier try sent; what may have been carried out goes out again with its key, as it was. Where the
	 * service has refused that, `write` corrects it.
	 */
	async resume(item: WriteItem, { entry }: Sent, write: Write = { path: entry.path }): Promise<SentWrite> {
		const own = this.rerun?.pending.has(entry) ? this.rerun.carryOver(entry, this.identityOf(item)) : entry;
		return await this.carryOut(item, write, own, own.state);
	}

	private find(item: WriteItem, write: Write): Sent | undefined {
		const { path, name = '', names = [name] } = write;
		const parts = saysOf(write);
		if (write.file) this.rerun?.assignFile(this.identityOf(item), this.contentsOf(item, path, parts));
		// A file isn't found by its place alone: another may lie there.
		const wanted = write.file ? [name] : names;
		return this.begun(item, path, parts).find((sent) => intersection(sent.names, wanted).length > 0);
	}

	/** What an earlier try uploaded from a place, whatever lies there by now. */
	uploaded(item: WriteItem, place: string): IDataObject | undefined {
		const all = this.begun(item, '/media/upload-url', []);
		const isThere = ({ names, response }: Sent) => names.includes(place) && response !== undefined;
		return deepCopy(all.findLast(isThere)?.response);
	}

	private async carryOut(item: WriteItem, write: Write, entry: Entry, before: State): Promise<SentWrite> {
		if (this.scope.cannotMatchOriginal && this.isByExecution(item))
			this.hints.set(cannotMatchOriginal, 'warning');
		if (entry.error) throw new Failure(deepCopy(entry.error));
		if (entry.response) return { body: deepCopy(entry.body), response: deepCopy(entry.response) };
		this.sentNow.set(entry, 'new');
		const answer = await this.request(item, write, entry, before);
		const response = (await write.file?.complete?.(answer)) ?? answer;
		this.journal.settle(entry, before, this.operation.keepsNothing ? undefined : response);
		return { body: entry.body, response };
	}

	private async request(item: WriteItem, write: Write, entry: Entry, before: State): Promise<IDataObject> {
		const { method, path, workspaceId, key } = entry;
		const { file } = write;
		// Of other answers the specification shows nothing.
		const expects: Expected =
			creates(this.operation) && !this.operation.isOncePerContent ? 'record' : 'anything';
		const isNew = before === 'new';
		const isCorrected = this.mayCorrect(item, entry, write);
		const request = {
			...{ method, path, idempotencyKey: key },
			expects,
			workspaceId: workspaceId === this.client.address.workspaceId ? undefined : workspaceId,
			body: () => {
				if (isNew || isCorrected) this.sayNow(item, write, entry);
				return file?.form ?? entry.body ?? write.body;
			},
		};
		try {
			const { data, requestId, headers, isFirst } = await this.client.send(request, item.maxWaitMs);
			const wasSentBefore = isNew && isFirst && isReplayed(headers);
			if (wasSentBefore) {
				this.sentNow.set(entry, 'replayed');
				if (this.scope.isSubWorkflow) this.hints.set(callReplayed, 'warning');
				else this.hints.set(serviceReplayed, 'info');
			}
			const record = isRecord(data) ? data : {};
			const sentIn = textOf(record.workspace_id);
			if (wasSentBefore && item.ownKey && workspaceId && sentIn && sentIn !== workspaceId)
				this.hints.set(sentElsewhere(workspaceId, sentIn), 'warning');
			const { status, failureReason } = readPost(record);
			if (path === '/posts' && status === 'failed')
				throw publishFailure(failureReason).with({
					...{ request: `${method} ${path}`, post: record, request_id: requestId },
				});
			return {
				...record,
				...(wasSentBefore && item.keyMode !== 'execution' && path === '/posts' ? { sent_before: true } : {}),
				idempotency_key: key,
				...(requestId ? { request_id: requestId } : {}),
			};
		} catch (error) {
			const failed = toFailure(error).with({ idempotency_key: key });
			// A correction that was not carried out: what is in doubt is still what it said before.
			const isUndone = isConflict(failed) || (isCorrected && failed.processed === 'no');
			if (isUndone && entry.saidBefore && !entry.wasRefused)
				Object.assign(entry, entry.saidBefore, { wasRefused: true });
			// An earlier attempt may have been carried out, whatever became of this one.
			const known = before === 'inDoubt' ? failed.with({}, { processed: 'maybe' }) : failed;
			// Without its file a post isn't sent, whatever became of the file.
			const told = entry.upload === 'ofPost' ? failed : notConfirmed(known, this.wayOn(item, write, failed));
			const isStuck = !entry.upload && !this.isTool && this.hasContentKey(item);
			const failure =
				isStuck && isRefused(told) && told.processed === 'maybe' ? told.with({ hint: cannotCorrect }) : told;
			// Gone, as the service says, not a gateway: an earlier attempt, whose answer was lost, may have deleted it.
			const isGone = method === 'DELETE' && serviceSays(failure, 404);
			if (isGone && failure.processed === 'maybe') return { idempotency_key: key };
			if (!isConflict(failure) || this.isByExecution(item)) {
				this.journal.settle(entry, before, failure);
				throw failure;
			}
			const others = failure.with({ hint: conflictHints[item.keyMode] });
			// Another write sent it: the service doesn't have what this one says.
			const isUnsent = isNew || (entry.body !== undefined && !entry.wasRefused);
			this.journal.settle(
				entry,
				isUnsent ? 'new' : before,
				others.with({}, { processed: isUnsent ? 'no' : 'maybe' }),
			);
			throw others;
		}
	}

	/** Whether another execution would send it under another key. */
	private isByExecution({ keyMode }: WriteItem): boolean {
		return keyMode === 'execution' && !this.operation.isOncePerContent;
	}

	/** Whether this may go out under the key of what is in doubt and was refused since: other content may not have its key from that. */
	mayCorrect(item: WriteItem, entry: Entry, write: Write): boolean {
		if (entry.state !== 'inDoubt' || !entry.wasRefused || !write.body) return false;
		if (!this.hasContentKey(item)) return true;
		if (!this.isByExecution(item)) return this.keyOf(item, write) === entry.key;
		return this.saysSame(item, entry, write);
	}

	/** Whether it differs in nothing but its time, or the account's ID, from what an entry said. */
	saysSame(item: WriteItem, entry: Entry, write: Write): boolean {
		const { contents = this.contentsOf(item, write.path, [entry.body ?? {}]) } = entry;
		return isEqual(contents, this.contentsOf(item, write.path, saysOf(write)));
	}

	/** Notes what the service is about to see. @throws Failure where that is too late */
	private sayNow(item: WriteItem, write: Write, entry: Entry): void {
		const said = this.saidIn(item, write);
		const finished = attempt(() => said.body && (write.finish?.(said.body) ?? said.body));
		// The service may still know what was said in time.
		if (isError(finished) && entry.wasRefused && this.saysSame(item, entry, write)) return;
		if (isError(finished)) throw finished;
		if (finished) said.body = finished;
		const { fixedTime, contents, body } = entry;
		const saidBefore = { fixedTime, contents, body };
		// Its answer may be lost: until it is refused, too, it stays as it is.
		Object.assign(entry, said, entry.wasRefused ? { saidBefore, wasRefused: false } : {});
	}

	/** Whether its key is made of what it says. */
	private hasContentKey(item: WriteItem): boolean {
		return item.ownKey === undefined && (this.isCall || !this.isByExecution(item));
	}

	/** How to send again, with its key, what is not confirmed. */
	private wayOn(item: WriteItem, write: Write, failure: Failure): keyof typeof sendAgain {
		if (!this.isTool) return this.n8n.continueOnFail() ? 'comeBack' : 'retry';
		// A time that counts from now is another one in the next call, and in this mode part of the key.
		const isTimed = saysOf(write).some((one) => timeFields.some((name) => one[name]));
		const moves = item.keyMode === 'content' && isTimed && !write.fixedTime;
		// n8n's own agents call without an execution, by which the next call would find it; a corrected call has another key.
		const isUnfound = moves || (this.isByExecution(item) && !this.n8n.getExecutionId());
		return isUnfound || isRefused(failure) || this.isRepeatable(item) ? 'checkFirst' : 'call';
	}

	/** @throws Failure where nobody can tell whether an earlier try began it, or where a new one can't be sent */
	refuseUnsendable(item: WriteItem, write: Write): void {
		if (!this.find(item, write)) this.finished(item, write);
	}

	/** Why a write can't be sent beside another row's with the same ID of the user's: the service would take only the first. */
	sharedId(item: WriteItem, write: Write): Failure | undefined {
		const { index, isPreview, workspaceId } = item;
		// The specification doesn't say whether a key counts in all workspaces.
		const name = `${isPreview} ${workspaceId} ${this.keyOf(item, write)}`;
		const said = hashOf(canonical([write.path, saysOf(write)]));
		const first = this.ownIds.get(name) ?? { index, said };
		this.ownIds.set(name, first);
		if (first.index === index || first.said === said) return undefined;
		const row = first.index + 1;
		return refusal(
			'OWN_ID_SHARED',
			`Row ${row} has the same 'My Own ID', but different content`,
			'Give each row an ID of its own. Each ID is sent once, so rows may share one only if they are the same post.',
		);
	}

	private finished(item: WriteItem, write: Write): IDataObject | undefined {
		// Posts were compared with their files (see `check.ts`).
		const shared = item.ownKey !== undefined && write.path !== '/posts' && this.sharedId(item, write);
		if (shared) throw shared;
		return write.finish?.(write.body!) ?? write.body;
	}

	/** What a write would send, with a warning where it would be refused: nothing goes out, and nothing is noted. */
	preview(item: WriteItem, write: Write): IDataObject {
		const known = this.find(item, write);
		if (known) {
			const body = this.mayCorrect(item, known, write) ? undefined : known.body;
			return this.previewOf({ ...known, body: body ?? write.body });
		}
		const late = attempt(() => this.finished(item, write));
		const [body, warnings] = isError(late) ? [write.body, [late.message]] : [late, []];
		return this.previewOf({ ...this.entryOf(item, write), body }, warnings);
	}

	/** What was sent already, as a preview shows it. */
	previewOf(
		{ method, path, workspaceId, key, body, state }: Entry,
		warnings = [
			state === 'inDoubt'
				? 'May already have been sent. It goes out again with the same key, so the service carries it out only once.'
				: "Already sent: it won't be sent again",
		],
	): IDataObject {
		return {
			preview: true,
			...(warnings.length > 0 ? { warnings } : {}),
			...(workspaceId ? { workspace_id: workspaceId } : {}),
			idempotency_key: key,
			request: { method, path, ...(body ? { body } : {}) },
		};
	}

	/** A round has ended. `unpublished` says by key where a post failed for good: by hand it may be sent anew there. */
	endRound(hasFailed: boolean, unpublished: ReadonlyMap<string, Unpublished>): void {
		for (const entry of this.journal.entries) {
			const where = unpublished.get(entry.key);
			if (!where) continue;
			const { platforms } = readPost(entry.body ?? {});
			const kept = entry.contents?.filter((_, at) => where !== 'all' && !where.includes(platforms[at] ?? ''));
			if (!kept || kept.length === 0) delete entry.contents;
			else entry.contents = kept;
		}
		this.rerun?.endRound(hasFailed);
	}

	/** A write as it is noted if it is new. @throws Failure where the user's own key is not one */
	private entryOf(item: WriteItem, write: Write): Entry {
		const { method } = this.operation;
		const { path, name = '', names = [name], file } = write;
		return {
			...{ item: this.identityOf(item), method, path, names },
			...{ workspaceId: item.workspaceId, ownKey: item.ownKey, key: this.keyOf(item, write) },
			...this.saidIn(item, write),
			upload: file?.complete && (file.isAttached ? 'ofPost' : 'byItself'),
			state: 'inDoubt',
		};
	}

	/** What an entry notes of what its row says. */
	private saidIn(item: WriteItem, write: Write): Partial<Entry> {
		const { path, body, fixedTime } = write;
		const said: Partial<Entry> = { fixedTime };
		if (!this.operation.keepsNothing) said.body = body;
		// By hand, what changes something is sent anew.
		if (!this.rerun || creates(this.operation)) said.contents = this.contentsOf(item, path, saysOf(write));
		return said;
	}

	private keyOf(item: WriteItem, write: Write): string {
		const { n8n, scope } = this;
		const { method, value, isOncePerContent } = this.operation;
		const { path, body = {}, name = '', file } = write;
		const { ownKey, keyMode, workspaceId } = item;
		// Only a post's fields say where it goes.
		const target = (path === '/posts' && targetIn(body)) || name;
		// In another order they are the same platforms.
		const says = sortBy(saysOf(write), canonical);
		if (ownKey !== undefined)
			return file?.isAttached ? keyOf('custom', ownKey, name) : customKey(ownKey, file?.keyPart ?? target);
		if (keyMode === 'content' || isOncePerContent)
			return keyOf('content', hashOf(canonical([method, path, workspaceId, target, says])));
		const isRepeatable = this.isRepeatable(item);
		const place = [n8n.getInstanceId(), String(n8n.getWorkflow().id), n8n.getNode().id];
		// A call over MCP has no ID, only a scope of its own.
		const execution = isRepeatable ? [scope.id, n8n.getExecutionId()] : [scope.id];
		// n8n's run index also counts retries of a tool call, and a caller that is retried may call with other rows.
		const position = this.isCall && !isRepeatable ? [] : [this.round, item.index];
		const call = this.isCall ? this.contentsOf(item, path, says).join() : '';
		const parts = [...place, ...execution, ...position, call, value, path, name];
		// Taken by another item that was in this place, or by an equal row of a sub-workflow.
		const first = keyOf('execution', ...parts);
		for (let number = this.numbers.get(first) ?? 0; ; number++) {
			const key = number > 0 ? keyOf('execution', ...parts, number) : first;
			if (this.journal.keys.has(key)) continue;
			this.numbers.set(first, number);
			return key;
		}
	}

	/** What a write says. An account counts by its names, since it may have another ID by the next try; times count in calls. */
	private contentsOf({ workspaceId }: WriteItem, path: string, parts: readonly IDataObject[]): string[] {
		const place = [this.operation.method, path, this.isByContent ? workspaceId : ''];
		const besides = this.isCall ? ['account_id'] : ['account_id', 'slot', ...timeFields];
		return parts.map((part) => hashOf(canonical([...place, omit(part, besides)])));
	}

	/** A call that sets what may have been set back in between is sent again, though it says the same. */
	private isRepeatable({ keyMode }: WriteItem): boolean {
		return this.isCall && keyMode === 'execution' && !creates(this.operation);
	}

	private identityOf({ index }: Pick<WriteItem, 'index'>): string {
		return this.isTool ? '' : (this.identities[index] ?? '');
	}

	/** What counts as sent: not a file of a post, nor a file whose bytes never arrived. */
	private reported(entries: Entry[]): Sent[] {
		const counts = ({ state, upload }: Entry): boolean =>
			state !== 'new' && upload !== 'ofPost' && !(upload && state === 'inDoubt');
		return entries.filter(counts).map((entry) => this.sentOf(entry));
	}

	private sentOf(entry: Entry): Sent {
		const { body, response = entry.error?.post } = entry;
		// Where it went is read off the request: in an answer, that may be written in any form.
		const place = ['platform', 'platforms', 'account_id'];
		return {
			...entry,
			record: body ? { ...body, ...omit(response, place), ...pick(body, place) } : { ...response },
			now: this.sentNow.get(entry) === 'new',
			isRerun: this.rerun?.pending.has(entry) === true,
			entry,
		};
	}
}

/** The service has another request with this key. */
export const isConflict = ({ details }: Failure): boolean =>
	details.code === 'PUBLIC_API_IDEMPOTENCY_CONFLICT';

/** What a person can do about it where the key isn't made of the execution. */
const conflictHints = {
	// Of what is sent once per content.
	execution:
		"The same text was sent before with other fields, so nothing was sent twice. To send it again, set 'Avoid Duplicates' to 'My Own ID'.",
	content:
		"An earlier attempt said it in another form, for example with a file at another address, so nothing was sent twice. To send it again, set 'Avoid Duplicates' to 'When I Retry'.",
	custom:
		"'My Own ID' was used before with another text, time or file, so nothing was sent twice. To send this as well, give it another ID. To change a post that was sent, use the operation 'Update', with an ID of its own.",
};

/** Whether an operation creates something: what else it does may be set back in between, so that it is sent each time. */
export const creates = ({ method, setsState }: WriteOperation): boolean => method === 'POST' && !setsState;

/** What a write says on each platform. */
export const saysOf = ({ body = {}, says = [body] }: Omit<Write, 'path'>): IDataObject[] => says;

/** Whether the service says that it returned an earlier answer (spec, "Common rules"; row 11 of docs/spec-gaps.md). */
const isReplayed = (headers: IDataObject): boolean =>
	some(headers, (value, name) => /^idempoten(t|cy)-replayed$/i.test(name) && String(value) === 'true');

/** What a run by hand is remembered by. */
async function ownerOf(n8n: IExecuteFunctions, apiUrl: string): Promise<string> {
	const { id, credentials } = n8n.getNode();
	const { apiKey } = await n8n.getCredentials(credentialName);
	const credential = [credentials?.[credentialName]?.id, hashOf(String(apiKey)), apiUrl];
	return JSON.stringify([n8n.getWorkflow().id, id, ...credential]);
}

/** What this node said of an item that failed, and n8n put into the item. */
const ownError = (item: INodeExecutionData | undefined): IDataObject | undefined => {
	const error = item?.json?.error;
	return isRecord(error) && 'retryable' in error ? error : undefined;
};

/** The key in the error that an input item came back with. */
export function keyInError(n8n: IExecuteFunctions, index: number): string | undefined {
	const key = ownError(n8n.getInputData()[index])?.idempotency_key;
	return key === undefined ? undefined : String(key);
}

/** Identifies input items by the rows that they come back as, else by what they hold, their files too, and equal ones by their order. */
function identitiesOf(
	items: INodeExecutionData[],
	rowBack: (index: number, held: string) => string | undefined,
	isByHand: boolean,
): string[] {
	const seen = new Map<string, number>();
	// By its name in n8n's store, which is another one at each press of *Execute step*; one in memory by its bytes.
	// A webhook's is in another folder of the store once its execution has ended.
	const storedAs = ({ id, data, fileSize }: IBinaryData) => {
		if (!isString(id)) return hashOf(isString(data) ? data : String(canonical(data)));
		return isByHand ? fileSize : id.split('/').at(-1);
	};
	return items.map((item, index) => {
		const { json, binary } = item;
		// Other nodes may leave a field without a file.
		const files = mapValues(pickBy(binary), (one) => [storedAs(one), one.fileName, one.mimeType]);
		const given = ownError(item) ? omit(json, 'error') : (json ?? null);
		// Where n8n's newest execution logic has an item's files.
		const inJson = mapValues(given?._files as Record<string, IBinaryData>, (one) =>
			typeof one?.id === 'string' ? { ...one, id: storedAs(one) } : one,
		);
		const held = isRecord(given?._files) ? { ...given, _files: inJson } : given;
		const hash = hashOf(canonical([held, files]));
		const row = rowBack(index, hash);
		if (row) return row;
		const before = seen.get(hash) ?? 0;
		seen.set(hash, before + 1);
		return `${hash}#${before}`;
	});
}
