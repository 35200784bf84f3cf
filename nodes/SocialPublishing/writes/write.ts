import mapValues from 'lodash/mapValues';
import mergeWith from 'lodash/mergeWith';
import omit from 'lodash/omit';
import pick from 'lodash/pick';
import some from 'lodash/some';
import {
	deepCopy,
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
import { isOn, Journal, type Entry, type State } from './journal';
import { canonical, customKey, hashOf, keyOf, targetIn, timeFields, type KeyMode } from './key';
import { ManualRerun, type RunEnding } from './manualRerun';

/** One request that changes something, sent with the method of its operation. */
export interface Write {
	/** Parts from outside go through `pathSegment`. */
	path: string;
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
	/** Sends the bytes of a file after the answer; its result is what is kept and returned. */
	complete?: (response: IDataObject) => Promise<IDataObject>;
	/** The answer holds a secret or a signed URL: it isn't kept for retries. */
	keepsNothing?: true;
	/** A file of a post: not reported by itself. */
	isAttached?: boolean;
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
	readonly keyMode: KeyMode;
	readonly previewOnly: boolean;
	/** In force; '' for the API key's own. */
	readonly workspaceId: string;
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
export interface Sent extends Pick<Entry, 'path' | 'names' | 'key' | 'workspaceId'> {
	/** Position of the input item now, from 0; -1 where there is none like it any more. */
	item: number;
	state: Exclude<State, 'new'>;
	/** Request and response, as they are kept. */
	record: IDataObject;
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

/** A write as it is noted if it is new, and what else it is found by. */
interface Prepared {
	entry: Entry;
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

/**
 * The writes of one run of the node: each is sent once, in all tries of an execution (docs/idempotency.md). A request that
 * may have been carried out is never followed by another key for the same write; what is reported is what was sent.
 */
export class Writer {
	/** The service returned an earlier result by itself. */
	hasServiceReplayed = false;
	/** How many writes of this run were sent by an earlier try; equal ones with one key count once. */
	replayedCount = 0;
	/** Runs by hand find files again by their bytes. */
	readonly isByHand: boolean;
	/** A retry that can't know what the execution before has sent. */
	readonly cannotMatchOriginal: boolean;
	/** How the failed runs by hand before this one ended. */
	readonly lastEnding: RunEnding;
	private readonly round: number;
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
	) {
		this.isByHand = rerun !== undefined;
		this.cannotMatchOriginal = scope.cannotMatchOriginal;
		this.lastEnding = rerun?.lastEnding ?? 'failed';
		this.round = Number(n8n.getWorkflowDataProxy(0).$runIndex);
		this.journal = new Journal(n8n.getContext('node'), isTool ? 'tool' : String(this.round));
		this.identities = identitiesOf(n8n.getInputData());
		this.positions = new Map(this.identities.map((identity, index) => [identity, index]));
	}

	/** @throws what n8n throws where it can't read the execution */
	static async open(n8n: IExecuteFunctions, client: Client, operation: WriteOperation, isTool: boolean) {
		const scope = await findExecutionScope(n8n);
		const isByHand = n8n.getMode() === 'manual' && !isTool;
		const rerun = isByHand ? await manualRerunOf(n8n, client.address.apiUrl) : undefined;
		return new Writer(n8n, client, operation, isTool, scope, rerun);
	}

	/** Whether what this run sent will be known when *Execute step* is pressed again. */
	get isRemembered(): boolean {
		return this.rerun?.isKept === true;
	}

	/** What failed runs by hand before it sent and this one did not send again. */
	get reused(): Sent[] {
		return this.reported(this.rerun?.reused ?? []);
	}

	/**
	 * What was sent, or may have been: the only answer to that question.
	 * @param round `this`: in this round of a loop, of a tool in this call; `all`: in the whole execution
	 */
	sent(round: 'this' | 'all' = 'this'): Sent[] {
		const ofRound = this.isTool ? [...this.sentNow] : this.journal.entries;
		const own = round === 'all' ? this.journal.ofAllRounds : ofRound;
		return this.reported([...own, ...(this.rerun?.pending ?? [])]);
	}

	/** What was sent for an item in this round, in its workspace and whatever it says now; of a tool's calls nothing. */
	sentForItem(item: WriteItem, path: string): Sent[] {
		if (this.isTool) return [];
		const identity = this.identities[item.index] ?? '';
		const all = [...(this.journal.byItem[identity] ?? []), ...(this.rerun?.byItem[identity] ?? [])];
		const isAsked = (entry: Entry): boolean =>
			entry.workspaceId === item.workspaceId && isOn(entry, path, ownKeyOf(item));
		return this.reported(all.filter(isAsked));
	}

	/** What {@link send} would not send anew: what it is known to have sent, or may have. */
	known(item: WriteItem, write: Write): Sent | undefined {
		const entry = this.find(item, this.prepare(item, write));
		return entry && this.sentOf(entry);
	}

	/**
	 * Sends a write, unless an earlier try of this execution did; what may have been carried out goes out again as it was,
	 * with its key.
	 * @throws Failure with the key, also of an earlier try where the service kept the post as failed
	 */
	async send(item: WriteItem, write: Write): Promise<SentWrite> {
		const prepared = this.prepare(item, write);
		let entry = this.find(item, prepared);
		if (entry && this.rerun?.take(entry))
			entry = this.journal.add({ ...entry, ...pick(prepared.entry, 'item', 'names') });
		const before = entry?.state ?? 'new';
		entry ??= prepared.isRepeatable ? prepared.entry : this.journal.add(prepared.entry);
		this.rerun?.note(prepared.rerunContents, entry);
		if (entry.error) throw new Failure(deepCopy(entry.error));
		if (entry.response) {
			if (!entry.isAttached) this.replayedCount = this.replayedKeys.add(entry.key).size;
			return { body: deepCopy(entry.body), response: deepCopy(entry.response) };
		}
		this.sentNow.add(entry);
		const answer = await this.request(write, entry, before, item.maxWaitMs);
		const response = (await write.complete?.(answer)) ?? answer;
		this.journal.settle(entry, before, response);
		return { body: entry.body, response };
	}

	/** Sends the request of an entry: the service's answer. */
	private async request(write: Write, entry: Entry, before: State, maxWaitMs: number): Promise<IDataObject> {
		const { method, path, workspaceId, key } = entry;
		const { form, finish, expects = method === 'DELETE' ? 'anything' : 'record' } = write;
		const isNew = before === 'new';
		const request = {
			...{ method, path, expects, idempotencyKey: key },
			workspaceId: workspaceId === this.client.address.workspaceId ? undefined : workspaceId,
			body: () => {
				if (isNew && finish && entry.body) entry.body = finish(entry.body);
				return form ?? entry.body ?? write.body;
			},
		};
		try {
			const { data, requestId, headers } = await this.client.send(request, maxWaitMs);
			if (isNew && isReplayed(headers)) this.hasServiceReplayed = true;
			return {
				...(isRecord(data) ? data : {}),
				idempotency_key: key,
				...(requestId ? { request_id: requestId } : {}),
			};
		} catch (error) {
			// Without its file a post isn't sent, whatever became of the file.
			const failed = entry.isAttached ? toFailure(error) : notConfirmed(toFailure(error));
			const failure = failed.with({ idempotency_key: key });
			// Gone, as the service says, not a gateway: an earlier attempt, whose answer was lost, may have deleted it.
			const { status, code } = failure.details;
			const isGone = method === 'DELETE' && status === 404 && code !== 'HTTP_404';
			if (isGone && (before === 'inDoubt' || !failure.notProcessed)) return { idempotency_key: key };
			this.journal.settle(entry, before, failure);
			throw failure;
		}
	}

	/** What a write would send: nothing goes out, and nothing is noted. */
	preview(item: WriteItem, write: Write): IDataObject {
		const prepared = this.prepare(item, write);
		const known = this.find(item, prepared);
		const { method, path, workspaceId, key } = known ?? prepared.entry;
		const body = known?.body ?? finalBody(write);
		return {
			preview: true,
			...(known ? { warnings: ["Already sent: it won't be sent again"] } : {}),
			...(workspaceId ? { workspace_id: workspaceId } : {}),
			idempotency_key: key,
			request: { method, path, ...(body ? { body } : {}) },
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
		const { n8n, isTool, scope, round } = this;
		const { method, value, setsState, isOncePerContent } = this.operation;
		const { path, body, name = '', alsoNamed = [], keepsNothing, isAttached, complete } = write;
		const { workspaceId, keyMode, index } = item;
		const content = write.sameAs ?? body ?? {};
		// Calls of a tool or a sub-workflow have no position that identifies them: their content does.
		const isCall = isTool || scope.isSubWorkflow;
		// A state that was set back in between has to be set again, though the call says the same.
		const isRepeatable = isCall && keyMode === 'execution' && (method !== 'POST' || setsState === true);
		const at = [method, path, workspaceId];
		// An account counts by its names: it may have another ID by the next try.
		const callHash = isCall ? hashOf(canonical([...at, omit(content, 'account_id')])) : '';
		const identity = isTool ? callHash : (this.identities[index] ?? '');
		const names = [name, ...alsoNamed];
		const position = [
			...[n8n.getInstanceId(), n8n.getWorkflow().id ?? '', n8n.getNode().id],
			isRepeatable ? n8n.getExecutionId() : scope.id,
			...(isTool && !isRepeatable ? [] : [round, index]),
			...(isCall ? [callHash] : []),
			...[value, path, name],
		];
		const target = targetIn(body ?? {}) || name;
		const ownKey = ownKeyOf(item);
		// The first that no other write has.
		const keys =
			ownKey !== undefined
				? [isAttached ? keyOf('custom', ownKey, name) : customKey(ownKey, write.keyPart ?? target)]
				: keyMode === 'content' || isOncePerContent
					? [keyOf('content', hashOf(canonical([...at, target, content])))]
					: [
							keyOf('execution', ...position),
							keyOf('execution', ...position, workspaceId, identity, ...names),
						];
		const contentOf = (one: string): string =>
			hashOf(`${one} ${canonical([...at, omit(content, 'account_id', ...timeFields)])}`);
		return {
			entry: {
				...{ item: identity, method, path, names, workspaceId, ownKey, keepsNothing, isAttached },
				key: keys.find((key) => !this.journal.keys.has(key)) ?? keys.at(-1)!,
				state: 'inDoubt',
				...(complete ? { isUpload: true } : {}),
				...(keepsNothing ? {} : { body }),
			},
			rerunContents: keyMode === 'execution' && this.rerun ? names.map(contentOf) : [],
			isRepeatable: isTool && isRepeatable,
		};
	}

	/** What was sent of it, by this execution or by a failed run by hand that said the same: see `manualRerun.ts`. */
	private find(
		{ previewOnly }: WriteItem,
		{ entry, rerunContents, isRepeatable }: Prepared,
	): Entry | undefined {
		if (isRepeatable) return undefined;
		const finder = previewOnly ? undefined : JSON.stringify([entry.item, entry.path, entry.names[0]]);
		return this.journal.lookup(entry) ?? this.rerun?.find(rerunContents, finder);
	}

	/** What counts as sent: not a file of a post, nor a file whose bytes never arrived. */
	private reported(entries: Entry[]): Sent[] {
		const isSent = ({ state, isAttached, isUpload }: Entry): boolean =>
			state !== 'new' && !isAttached && !(isUpload && state === 'inDoubt');
		return entries.filter(isSent).map((entry) => this.sentOf(entry));
	}

	private sentOf(entry: Entry): Sent {
		const { item, state, body, response, error } = entry;
		return {
			...pick(entry, 'path', 'names', 'key', 'workspaceId'),
			item: this.positions.get(item) ?? -1,
			state: state as Sent['state'],
			record: { ...body, ...(response ?? error?.post) },
			now: this.sentNow.has(entry),
			isRerun: this.rerun?.earlier.has(entry) === true,
		};
	}
}

/** The user's own key, where the item has one. */
const ownKeyOf = ({ keyMode, options }: WriteItem): string | undefined =>
	keyMode === 'custom' ? (options.idempotencyKey ?? '') : undefined;

/** Whether the service says that it returned an earlier answer (spec, "Common rules"; row 11 of docs/spec-gaps.md). */
const isReplayed = (headers: IDataObject): boolean =>
	some(headers, (value, name) => /^idempoten(t|cy)-replayed$/i.test(name) && String(value) === 'true');

/** The body as it would go out now; what is wrong with that stands in the plan's warnings. */
function finalBody({ body, finish }: Write): IDataObject | undefined {
	try {
		return body && finish ? finish(body) : body;
	} catch {
		return body;
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
	return items.map(({ json, binary }) => {
		// A file by its place in n8n's store; one in memory by its bytes.
		const files = mapValues(binary, (file) => [file.id ?? hashOf(file.data), file.fileName, file.mimeType]);
		const hash = hashOf(canonical([json ?? null, files]));
		const before = seen.get(hash) ?? 0;
		seen.set(hash, before + 1);
		return `${hash}#${before}`;
	});
}
