import mapValues from 'lodash/mapValues';
import mergeWith from 'lodash/mergeWith';
import omit from 'lodash/omit';
import {
	deepCopy,
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestMethods,
	type INodeExecutionData,
} from 'n8n-workflow';

import type { Expected } from '../../api/answers';
import type { Client } from '../../api/client';
import { credentialName } from '../../api/connect';
import { Failure, toFailure } from '../../api/failure';
import { notConfirmed } from '../../api/failureTexts';
import { isRecord } from '../../api/lists';
import { findExecutionScope, type ExecutionScope } from './executionScope';
import { Journal, type Entry, type Lookup } from './journal';
import { canonical, customKey, hashOf, keyOf, targetIn, timeFields, type KeyMode } from './key';
import { ManualRerun, type RunEnding } from './manualRerun';
import { transitions, type State } from './transitions';

/** One request that changes something. */
export interface Write {
	/** Parts from outside go through `pathSegment`. */
	path: string;
	/** Left out: the operation's. */
	method?: IHttpRequestMethods;
	body?: IDataObject;
	/** Sent as multipart instead of `body`. */
	form?: FormData;
	/** Which of the item's writes, as the user gave it: a platform, an account, a file. Left out: the item has one. */
	name?: string;
	/** What else a retry finds it by: the platforms that share the request, the accounts that were meant. */
	alsoNamed?: string[];
	/** Appended to the user's own key. Left out: the platform and account of the body, else the name. */
	keyPart?: string;
	/** Compared instead of the body: files by their bytes, without a relative time. */
	sameAs?: IDataObject;
	/** The body right before it is sent for the first time; throws if it's too late. */
	finish?: (body: IDataObject) => IDataObject;
	/** What belongs to it after the answer, such as the bytes of a file; its result is what is kept and returned. */
	complete?: (response: IDataObject) => Promise<IDataObject>;
	/** The answer holds a secret or a signed URL: it isn't kept for retries. */
	keepsNothing?: true;
	/** A file of a post: not reported by itself. */
	isAttached?: true;
	/** What `data` of the answer has to be. Left out: a record; of a deletion anything. */
	expects?: Expected;
}

/** The user's options of a write. */
export interface WriteOptions {
	workspaceId?: string;
	idempotencyKeyMode?: KeyMode;
	idempotencyKey?: string;
	additionalFields?: IDataObject;
}

/** The item that a write is for. */
export interface WriteItem {
	/** Position among the input items, from 0. */
	readonly index: number;
	readonly options: WriteOptions;
	/** How long to wait for the service, in ms. */
	readonly maxWaitMs: number;
}

/** Facts of an operation that writes. */
export interface WriteOperation {
	readonly value: string;
	readonly method: IHttpRequestMethods;
	/** Others can undo it, so AI tools and sub-workflows send it on every call. */
	readonly setsState?: true;
	/** Its key depends on the content alone, whoever runs it. */
	readonly isOncePerContent?: true;
}

/** What was sent, or may have been. */
export interface Sent {
	/** Position of the input item now, from 0; -1 where there is none like it any more. */
	item: number;
	path: string;
	names: readonly string[];
	state: Exclude<State, 'new'>;
	/** Request and response, as they are kept. */
	record: IDataObject;
	key: string;
	/** The workspace that was named; '' for none. */
	workspaceId: string;
	/** In this run, not by an earlier try. */
	now: boolean;
	/** By a failed run by hand before this execution. */
	isRerun: boolean;
}

/** What was sent, now or by an earlier try, and the service's answer. */
export interface SentWrite {
	body?: IDataObject;
	response: IDataObject;
}

/** A write with all that it is looked up by and sent with. */
interface Prepared extends Lookup {
	write: Write;
	/** Possible keys: the first that no other write has. */
	keys: string[];
	/** What a press of *Execute step* after a failed run finds it by. */
	rerunContents: string[];
	/** Each call is sent: nothing of it is kept or replayed. */
	isRepeatable: boolean;
}

/** Lists of the user's fields stand instead of the node's; objects are merged. */
export const withFields = (body: IDataObject | undefined, added: IDataObject = {}): IDataObject =>
	mergeWith({}, body, added, (_mine: unknown, theirs: unknown) =>
		Array.isArray(theirs) ? theirs : undefined,
	) as IDataObject;

/** The writes of one run of the node: each is sent once, in all tries of an execution. See docs/idempotency.md. */
export class Writer {
	/** The service returned an earlier result by itself. */
	hasServiceReplayed = false;
	private readonly journal: Journal;
	private readonly identities: string[];
	/** Input items by identity. */
	private readonly positions: Map<string, number>;
	private readonly sentNow = new Set<Entry>();
	private readonly replayedKeys = new Set<string>();

	private constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly client: Client,
		private readonly operation: WriteOperation,
		/** The node runs as a model's tool. n8n's run index also counts retries of a tool call, so it can't identify one. */
		private readonly isTool: boolean,
		private readonly scope: ExecutionScope,
		private readonly rerun: ManualRerun | undefined,
		/** Of a loop, from 0. */
		private readonly round: number,
	) {
		this.journal = new Journal(n8n.getContext('node'), isTool ? 'tool' : String(round));
		this.identities = identitiesOf(n8n.getInputData());
		this.positions = new Map(this.identities.map((identity, index) => [identity, index]));
	}

	/** @throws what n8n throws where it can't read the execution */
	static async open(
		n8n: IExecuteFunctions,
		client: Client,
		operation: WriteOperation,
		isTool: boolean,
	): Promise<Writer> {
		const scope = await findExecutionScope(n8n);
		const isByHand = n8n.getMode() === 'manual' && !isTool;
		const rerun = isByHand ? await manualRerunOf(n8n, client.address.apiUrl) : undefined;
		const round = Number(n8n.getWorkflowDataProxy(0).$runIndex);
		return new Writer(n8n, client, operation, isTool, scope, rerun, round);
	}

	/** How many writes of this run were sent by an earlier try; equal ones with one key count once. */
	get replayedCount(): number {
		return this.replayedKeys.size;
	}

	/** Runs by hand find files again by their bytes. */
	get isByHand(): boolean {
		return this.rerun !== undefined;
	}

	/** A retry that can't know what the execution before has sent. */
	get cannotMatchOriginal(): boolean {
		return this.scope.cannotMatchOriginal;
	}

	/** Whether what this run sent will be known when *Execute step* is pressed again. */
	get isRemembered(): boolean {
		return this.rerun?.isKept === true;
	}

	/** How the failed runs by hand before this one ended. */
	get lastEnding(): RunEnding {
		return this.rerun?.lastEnding ?? 'failed';
	}

	/** What failed runs by hand before it sent and this one did not send again. */
	get reused(): Sent[] {
		return (this.rerun?.reused ?? []).map((entry) => this.sentOf(entry, true));
	}

	/**
	 * What was sent, or may have been: the only answer to that question.
	 * @param round `this`: in this round of a loop, of a tool in this call; `all`: in the whole execution
	 */
	sent(round: 'this' | 'all' = 'this'): Sent[] {
		const known = round === 'all' ? this.journal.ofAllRounds : this.journal.entries;
		const own = this.isTool && round === 'this' ? known.filter((entry) => this.sentNow.has(entry)) : known;
		return [
			...own.filter(isReported).map((entry) => this.sentOf(entry, false)),
			...(this.rerun?.pending ?? []).filter(isReported).map((entry) => this.sentOf(entry, true)),
		];
	}

	/** What was sent for an item in this round, in its workspace and whatever it says now; of a tool's calls nothing. */
	sentForItem(item: WriteItem, path: string): Sent[] {
		if (this.isTool) return [];
		const identity = this.identityOf(item.index);
		const { workspaceId, ownKey } = this.optionsOf(item);
		const isAsked = (entry: Entry): boolean =>
			isReported(entry) &&
			entry.path === path &&
			entry.workspaceId === workspaceId &&
			(!ownKey || !entry.ownKey || entry.ownKey === ownKey);
		const left = this.rerun?.ofItem(identity) ?? [];
		return [
			...this.journal
				.ofItem(identity)
				.filter(isAsked)
				.map((entry) => this.sentOf(entry, false)),
			...left.filter(isAsked).map((entry) => this.sentOf(entry, true)),
		];
	}

	/** What {@link send} would not send anew: what it is known to have sent, or may have. */
	known(item: WriteItem, write: Write): Sent | undefined {
		const prepared = this.prepare(item, write);
		const entry = this.find(prepared);
		return entry && this.sentOf(entry, !this.journal.isTaken(entry.key));
	}

	/**
	 * Sends a write, unless an earlier try of this execution did; what may have been carried out goes out again as it was,
	 * with its key.
	 * @throws Failure with the key, also of an earlier try where the service kept the post as failed
	 */
	async send(item: WriteItem, write: Write): Promise<SentWrite> {
		const prepared = this.prepare(item, write);
		const { rerunContents, isRepeatable } = prepared;
		const known = isRepeatable ? undefined : (this.journal.lookup(prepared) ?? this.carriedOver(prepared));
		const before = known?.state ?? 'new';
		if (known) this.rerun?.note(rerunContents, known);
		if (known && transitions[before].action === 'replay') {
			const replayed = replay(known);
			if (replayed) {
				this.replayedKeys.add(known.key);
				return replayed;
			}
		}
		const entry = known ?? this.begin(prepared);
		if (!known) this.rerun?.note(rerunContents, entry);
		this.sentNow.add(entry);
		const answer = await this.request(item, prepared, entry, before);
		const response = (await write.complete?.(answer)) ?? answer;
		this.journal.settle(entry, before, response);
		return { body: entry.body, response };
	}

	/**
	 * Sends the request of an entry.
	 * @returns the service's answer
	 */
	private async request(
		{ maxWaitMs }: WriteItem,
		{ write, method }: Prepared,
		entry: Entry,
		before: State,
	): Promise<IDataObject> {
		const { path, form, expects = method === 'DELETE' ? 'anything' : 'record' } = write;
		const body = form ?? entry.body ?? write.body;
		const isOwnWorkspace = entry.workspaceId === this.client.address.workspaceId;
		try {
			const { data, requestId, headers } = await this.client.send(
				{
					method,
					path,
					workspaceId: isOwnWorkspace ? undefined : entry.workspaceId,
					idempotencyKey: entry.key,
					expects,
					body: () => {
						if (before !== 'new' || !write.finish || !entry.body) return body;
						return (entry.body = write.finish(entry.body));
					},
				},
				maxWaitMs,
			);
			if (before === 'new' && isReplayed(headers)) this.hasServiceReplayed = true;
			return {
				...(isRecord(data) ? data : {}),
				idempotency_key: entry.key,
				...(requestId ? { request_id: requestId } : {}),
			};
		} catch (error) {
			const failure = notConfirmed(toFailure(error)).with({ idempotency_key: entry.key });
			// Gone: an earlier attempt, whose answer was lost, may have deleted it.
			const isGone = method === 'DELETE' && failure.details.status === 404;
			if (isGone && (before === 'inDoubt' || !failure.notProcessed)) return { idempotency_key: entry.key };
			this.journal.settle(entry, before, failure);
			throw failure;
		}
	}

	/** What a write would send: nothing goes out, and nothing is noted. */
	preview(item: WriteItem, write: Write): IDataObject {
		const prepared = this.prepare(item, write);
		const known = prepared.isRepeatable ? undefined : this.find(prepared);
		const { method, path, body } = known?.body ? known : { ...finished(write), method: prepared.method };
		const form =
			write.form &&
			Object.fromEntries(
				[...write.form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
			);
		return {
			preview: true,
			...(known ? { warnings: ["Already sent: it won't be sent again"] } : {}),
			...(prepared.workspaceId ? { workspace_id: prepared.workspaceId } : {}),
			idempotency_key: known?.key ?? this.keyFor(prepared),
			request: { method, path, ...(body ? { body } : {}), ...(form ? { form } : {}) },
		};
	}

	/**
	 * A round has ended: what it sent is remembered if it was run by hand and something failed.
	 * @param ending left out: nothing failed
	 * @param finalKeys of posts whose publication failed for good: they may be sent anew
	 */
	endRound(ending: RunEnding | undefined, finalKeys: ReadonlySet<string>): void {
		this.rerun?.endRound(this.round, ending, finalKeys);
	}

	/** @throws Failure where the user's own key is not one */
	private prepare(item: WriteItem, write: Write): Prepared {
		const { n8n, operation, isTool, scope, round } = this;
		const { path, method = operation.method, name = '', alsoNamed = [], body = {} } = write;
		const { workspaceId, mode, ownKey } = this.optionsOf(item);
		const content = write.sameAs ?? body;
		// Calls of a tool or a sub-workflow have no position that identifies them: their content does.
		const isCall = isTool || scope.isSubWorkflow;
		// A state that was set back in between has to be set again, though the call says the same.
		const isRepeatable =
			isCall && mode === 'execution' && (method !== 'POST' || operation.setsState === true);
		const at = [method, path, workspaceId];
		// An account counts by its names: it may have another ID by the next try.
		const callHash = isCall ? hashOf(canonical([...at, omit(content, 'account_id')])) : '';
		const identity = isTool ? callHash : this.identityOf(item.index);
		const names = [name, ...alsoNamed];
		const position = [
			...[n8n.getInstanceId(), n8n.getWorkflow().id ?? '', n8n.getNode().id],
			isRepeatable ? n8n.getExecutionId() : scope.id,
			...(isTool && !isRepeatable ? [] : [round, item.index]),
			...(isCall ? [callHash] : []),
			...[operation.value, path, name],
		];
		const target = write.keyPart ?? (targetIn(body) || name);
		const keys =
			mode === 'custom'
				? [customKey(ownKey ?? '', target)]
				: mode === 'content' || operation.isOncePerContent
					? [keyOf('content', hashOf(canonical([...at, targetIn(body) || name, content])))]
					: [
							keyOf('execution', ...position),
							keyOf('execution', ...position, workspaceId, identity, ...names),
						];
		const isRerun = mode === 'execution' && this.rerun !== undefined;
		const rerunContent = isRerun ? canonical([...at, omit(content, 'account_id', ...timeFields)]) : '';
		return {
			write,
			item: identity,
			method,
			path,
			names,
			workspaceId,
			...(ownKey === undefined ? {} : { ownKey }),
			keys,
			rerunContents: isRerun ? names.map((one) => hashOf(`${one} ${rerunContent}`)) : [],
			isRepeatable: isTool && isRepeatable,
		};
	}

	private optionsOf({ options }: WriteItem) {
		const { idempotencyKeyMode: mode = 'execution', idempotencyKey = '' } = options;
		return {
			workspaceId: options.workspaceId || this.client.address.workspaceId,
			mode,
			...(mode === 'custom' ? { ownKey: idempotencyKey } : {}),
		};
	}

	private identityOf(index: number): string {
		return this.identities[index] ?? '';
	}

	private find(prepared: Prepared): Entry | undefined {
		return this.journal.lookup(prepared) ?? this.rerun?.find(prepared.rerunContents);
	}

	/** What a failed run by hand sent that said the same; see `manualRerun.ts`. */
	private carriedOver({ rerunContents, item, names }: Prepared): Entry | undefined {
		const found = this.rerun?.take(rerunContents);
		return found && this.journal.add({ ...found, item, names });
	}

	private begin(prepared: Prepared): Entry {
		const { write, item, method, path, names, workspaceId, ownKey, isRepeatable } = prepared;
		const entry: Entry = {
			...{ item, method, path, names, workspaceId },
			key: this.keyFor(prepared),
			...(ownKey === undefined ? {} : { ownKey }),
			state: 'inDoubt',
			...(write.isAttached ? { isAttached: true } : {}),
			...(write.complete ? { isUpload: true } : {}),
			...(write.keepsNothing ? { keepsNothing: true } : write.body ? { body: write.body } : {}),
		};
		return isRepeatable ? entry : this.journal.add(entry);
	}

	private keyFor({ keys }: Prepared): string {
		return keys.find((key) => !this.journal.isTaken(key)) ?? keys[keys.length - 1]!;
	}

	private sentOf(entry: Entry, isRerun: boolean): Sent {
		const { item, path, names, state, body, response, error, key, workspaceId } = entry;
		return {
			item: this.positions.get(item) ?? -1,
			...{ path, names, state: state as Sent['state'], key, workspaceId, isRerun },
			record: { ...body, ...(response ?? error?.post) },
			now: this.sentNow.has(entry),
		};
	}
}

/** Whether an entry counts as something sent: not a file of a post, nor a file whose bytes never arrived. */
const isReported = ({ state, isAttached, isUpload }: Entry): boolean =>
	state !== 'new' && !isAttached && !(isUpload && state === 'inDoubt');

/** Whether the service says that it returned an earlier answer (spec, "Common rules"; row 11 of docs/spec-gaps.md). */
const isReplayed = (headers: IDataObject): boolean =>
	Object.entries(headers).some(
		([name, value]) => /^idempoten(t|cy)-replayed$/i.test(name) && String(value) === 'true',
	);

/** What came of a write, where that was kept. */
function replay({ body, response, error }: Entry): SentWrite | undefined {
	if (error) throw new Failure(deepCopy(error));
	return response && { body: deepCopy(body), response: deepCopy(response) };
}

/** A write as it would go out now; what is wrong with that stands in the plan's warnings. */
function finished({ path, body, finish }: Write): { path: string; body?: IDataObject } {
	try {
		return { path, body: body && finish ? finish(body) : body };
	} catch {
		return { path, body };
	}
}

async function manualRerunOf(n8n: IExecuteFunctions, apiUrl: string): Promise<ManualRerun> {
	const { id, credentials } = n8n.getNode();
	const { apiKey } = await n8n.getCredentials(credentialName);
	const credential = [credentials?.[credentialName]?.id ?? '', hashOf(String(apiKey)), apiUrl];
	const owner = JSON.stringify([n8n.getWorkflow().id ?? '', id, ...credential]);
	return new ManualRerun(owner, n8n.getExecutionId(), Date.now());
}

/** Identifies input items by what they hold, their files too, and equal ones by their order. */
function identitiesOf(items: INodeExecutionData[]): string[] {
	const seen = new Map<string, number>();
	return items.map(({ json, binary = {} }) => {
		const hash = hashOf(canonical([json ?? null, binaryOf(binary)]));
		const before = seen.get(hash) ?? 0;
		seen.set(hash, before + 1);
		return `${hash}#${before}`;
	});
}

/** A file by its place in n8n's store; one in memory by its bytes. */
const binaryOf = (binary: IBinaryKeyData): unknown =>
	mapValues(binary, ({ id, data, fileName, mimeType }) => [id ?? hashOf(data), fileName, mimeType]);
