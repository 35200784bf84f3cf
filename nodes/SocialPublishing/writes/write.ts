import mergeWith from 'lodash/mergeWith';
import uniq from 'lodash/uniq';
import { deepCopy, type IDataObject, type IHttpRequestMethods } from 'n8n-workflow';

import type { Expected } from '../../api/answers';
import type { Client } from '../../api/client';
import { Failure, toFailure } from '../../api/failure';
import { notConfirmed } from '../../api/failureTexts';
import { isRecord } from '../../api/lists';
import type { ExecutionScope } from './executionScope';
import type { Entry, Journal, Lookup, SentRequest } from './journal';
import { contentHash, idempotencyKeys, timeFields, writeId, type KeyMode } from './key';
import type { ManualRerun } from './manualRerun';
import { transitions } from './transitions';

/** A write of an item, as an operation asks for it. */
export interface WriteRequest {
	/** Parts from outside go through `pathSegment`. */
	path: string;
	body?: IDataObject;
	/** What `data` of the answer has to be. Left out: a record; of a deletion anything. */
	expects?: Expected;
	/** Left out: the operation's. */
	method?: IHttpRequestMethods;
	/** Sent as multipart instead of `body`. */
	form?: FormData;
	/** Tells the writes of an item apart: its platform, an account as the user gave it, a file. Left out: the item has one. */
	part?: string;
	/** The same with names looked up, for keys that span executions. Left out: `part`. */
	target?: string;
	/** By what else a retry finds it: the platforms that share the request. */
	foundBy?: string[];
	/** What the key is made of in mode `execution`, where it must not depend on the execution. */
	dedupeBy?: string[];
	/** Stands for the body where the content decides whether it is the same write: files by what they hold. */
	content?: IDataObject;
	/** Its time only counts from now: another time is no other content. */
	relativeTime?: boolean;
	/** It puts a record into a state that something else may change back: a tool sends it at each call. */
	setsState?: true;
	/** The body of a write that no earlier try sent, with what is decided only then; keys don't depend on it. */
	complete?: (body: IDataObject) => Promise<IDataObject>;
	/** The body as it may go out at this moment; throws where it must not any more. */
	atSending?: (body: IDataObject) => IDataObject;
	/** Request or answer may hold a secret or a signed address: neither is kept for retries. */
	secret?: true;
	/** False: the user's additional fields belong to another request of the item. */
	additional?: boolean;
}

/** A write of an item: what goes out, what it is found by in a retry, and what its key is made of. */
export interface Write extends Lookup {
	request: WriteRequest;
	method: IHttpRequestMethods;
	/** With the user's additional fields. */
	body?: IDataObject;
	/** Possible keys: the first that no other write has. */
	keys: string[];
	/** What it says, without its time: what a press of *Execute step* after a failed one finds it by. */
	rerunContent?: string;
	/** Each call is sent: nothing of it is kept or given back. */
	isRepeatable: boolean;
}

/** What was sent, now or by an earlier try, as far as it is kept; and the service's answer. */
export interface SentWrite {
	body?: IDataObject;
	response: IDataObject;
}

/** The user's options of a write. */
export interface WriteOptions {
	workspaceId?: string;
	idempotencyKeyMode?: KeyMode;
	idempotencyKey?: string;
	additionalFields?: IDataObject;
}

/** What a write needs to know of the run of the node. */
export interface WriteRun {
	readonly operation: { readonly value: string; readonly method: IHttpRequestMethods };
	readonly journal: Journal;
	readonly scope: Promise<ExecutionScope>;
	readonly manualRerun: Promise<ManualRerun | undefined>;
	readonly isTool: boolean;
	readonly isByHand: boolean;
	readonly executionId: string;
	/** Instance, workflow and node. */
	readonly nodeName: string[];
	/** Of a loop, from 0. */
	readonly round: number;
	identityOf(index: number): string;
	/** How many writes of this run were sent by an earlier try. */
	replayedCount: number;
	/** What is said at the node after the run. */
	readonly notes: Set<string>;
}

/** What a write needs to know of the item that it is for. */
export interface WriteItem {
	run: WriteRun;
	index: number;
	options: WriteOptions;
	client: Client;
}

/**
 * A write in the form that it is looked up and sent in.
 * @throws Failure where the user's own key is not one
 */
export async function planWrite(item: WriteItem, request: WriteRequest): Promise<Write> {
	const { run, index, options, client } = item;
	const { path, method = run.operation.method, form, part = '', target = part } = request;
	const added = request.additional === false ? {} : (options.additionalFields ?? {});
	if (form) addFields(form, added);
	const hasBody = !form && (request.body !== undefined || Object.keys(added).length > 0);
	const workspaceId = options.workspaceId || client.address.workspaceId;
	const scope = await run.scope;
	// Calls of a tool or a sub-workflow have no place that tells them apart: what they say does.
	const isCall = run.isTool || scope.isSubWorkflow;
	const mode = options.idempotencyKeyMode ?? 'execution';
	// A state that was set back in between has to be set again, though the call says the same.
	const isRepeatable = isCall && mode === 'execution' && (method !== 'POST' || request.setsState === true);
	const ownKey = mode === 'custom' ? (options.idempotencyKey ?? '') : undefined;
	const content = {
		...{ method, path, workspaceId, target },
		body: withFields(request.content ?? request.body, added),
	};

	// An account counts as the user gave it: it may have another ID by the next try.
	const given = { ...content, target: part };
	const callHash = isCall
		? contentHash(given, ['account_id', ...(request.relativeTime ? timeFields : [])])
		: '';
	const identity = run.isTool ? callHash : run.identityOf(index);
	const parts = uniq([...(request.foundBy ?? []), part, target]);
	const place = [
		...run.nodeName,
		isRepeatable ? run.executionId : scope.id,
		...(run.isTool && !isRepeatable ? [] : [run.round, index]),
		...(isCall ? [callHash] : []),
		...[run.operation.value, path, part],
	];
	return {
		request,
		method,
		...(hasBody ? { body: withFields(request.body, added) } : {}),
		workspaceId,
		...(ownKey === undefined ? {} : { ownKey }),
		ids: parts.map((one) => writeId(identity, method, path, one)),
		keys: idempotencyKeys(
			{ mode, ownKey },
			{ content, dedupeBy: request.dedupeBy, place, details: [workspaceId, identity, ...parts] },
		),
		...(mode === 'execution' && run.isByHand
			? { rerunContent: contentHash(given, ['account_id', ...timeFields]) }
			: {}),
		isRepeatable: run.isTool && isRepeatable,
	};
}

/**
 * Sends a write, unless an earlier try of this execution did; what may have been carried out goes out again as it was, with
 * its key.
 * @throws Failure with the key, also of an earlier try where the service kept the post as failed
 */
export async function sendWrite(
	{ run, client }: WriteItem,
	write: Write,
	maxWaitMs: number,
): Promise<SentWrite> {
	const { journal } = run;
	const { rerunContent, method, request } = write;
	const note = (noted: Entry): unknown => rerunContent && rerun?.note(rerunContent, noted);
	const rerun = await run.manualRerun;
	const known = write.isRepeatable ? undefined : (journal.lookup(write) ?? carriedOver(run, write, rerun));
	const before = known?.state ?? 'new';
	if (known) note(known);
	if (known && transitions[before].action === 'replay') {
		const replayed = replay(known);
		if (replayed) {
			run.replayedCount++;
			return replayed;
		}
	}

	const { path, form, atSending, expects = method === 'DELETE' ? 'anything' : 'record' } = request;
	const whole = known ? write : await completed(write);
	const entry = known ?? begin(run, whole);
	if (!known) note(entry);
	let body = known?.request?.body ?? whole.body;
	try {
		const { data, requestId, headers } = await client.send(
			{
				method,
				path,
				workspaceId: entry.workspaceId === client.address.workspaceId ? undefined : entry.workspaceId,
				idempotencyKey: entry.key,
				expects,
				body: () => {
					if (known || !atSending || !body) return form ?? body;
					body = atSending(body);
					if (entry.request) entry.request.body = body;
					return body;
				},
			},
			maxWaitMs,
		);
		const response: IDataObject = {
			...(isRecord(data) ? data : {}),
			idempotency_key: entry.key,
			...(requestId ? { request_id: requestId } : {}),
		};
		journal.settle(entry, before, response);
		if (!known && isReplayed(headers)) run.notes.add(repeated);
		return { body, response };
	} catch (error) {
		const failure = notConfirmed(toFailure(error)).with({ idempotency_key: entry.key });
		journal.settle(entry, before, failure);
		throw failure;
	}
}

const repeated =
	'The service had already processed this request. It returned the earlier result and sent nothing again.';

/** Whether the service gave back an earlier answer, as far as it says (spec, "Common rules", shows no sign of that). */
const isReplayed = (headers: IDataObject): boolean =>
	Object.entries(headers).some(
		([name, value]) => /^idempoten(t|cy)-replayed$/i.test(name) && String(value) === 'true',
	);

/** What a write would send: nothing goes out, and nothing is noted. */
export async function previewWrite({ run }: WriteItem, write: Write): Promise<IDataObject> {
	const rerun = await run.manualRerun;
	const { rerunContent } = write;
	const remembered = (): Entry | undefined => (rerunContent ? rerun?.find(rerunContent) : undefined);
	const known = write.isRepeatable ? undefined : (run.journal.lookup(write) ?? remembered());
	const { method, path, body, warning } = known?.request
		? { ...known.request, warning: "Already sent: it won't be sent again" }
		: asSentNow(await completed(write));
	const { form: sent } = write.request;
	const form = sent && Object.fromEntries([...sent].map(([name, value]) => [name, fieldOf(value)]));
	return {
		preview: true,
		request: { method, path, ...(body ? { body } : {}), ...(form ? { form } : {}) },
		...(write.workspaceId ? { workspace_id: write.workspaceId } : {}),
		idempotency_key: known?.key ?? keyFor(run, write),
		warnings: warning ? [warning] : [],
	};
}

/** A new write with all that it asks for. */
async function completed(write: Write): Promise<Write> {
	const { complete } = write.request;
	return complete ? { ...write, body: await complete(write.body ?? {}) } : write;
}

/** A write that goes out now, or what is wrong with that. */
function asSentNow({
	method,
	body,
	request: { path, atSending },
}: Write): SentRequest & { warning?: string } {
	try {
		return { method, path, body: body && atSending ? atSending(body) : body };
	} catch (error) {
		return { method, path, body, warning: toFailure(error).details.message };
	}
}

const keyFor = ({ journal }: WriteRun, { keys }: Write): string =>
	keys.find((key) => !journal.isTaken(key)) ?? keys[keys.length - 1]!;

function begin(run: WriteRun, write: Write): Entry {
	const { ids, workspaceId, ownKey, method, body, isRepeatable } = write;
	const { path, secret } = write.request;
	const entry = {
		ids,
		workspaceId,
		key: keyFor(run, write),
		...(ownKey === undefined ? {} : { ownKey }),
		...(secret ? {} : { request: { method, path, ...(body ? { body } : {}) } }),
	};
	return isRepeatable ? { ...entry, state: 'inDoubt' } : run.journal.begin(entry);
}

/** What a failed run by hand sent that said the same; see `manualRerun.ts`. */
function carriedOver(run: WriteRun, { rerunContent, ids }: Write, rerun?: ManualRerun): Entry | undefined {
	const found = rerunContent && rerun?.take(rerunContent);
	return found ? run.journal.carryOver(found, ids) : undefined;
}

/** What came of a write, where that was kept. */
function replay({ request, response, error }: Entry): SentWrite | undefined {
	if (error) throw new Failure(deepCopy(error));
	return response && { body: deepCopy(request?.body), response: deepCopy(response) };
}

/** Lists of the user's fields stand instead of the node's; objects are merged. */
const withFields = (body: IDataObject | undefined, added: IDataObject): IDataObject =>
	mergeWith({}, body, added, (_mine: unknown, theirs: unknown) =>
		Array.isArray(theirs) ? theirs : undefined,
	) as IDataObject;

/** The user's additional fields, as fields of a multipart body. */
function addFields(form: FormData, fields: IDataObject): void {
	for (const [name, value] of Object.entries(fields))
		form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A field of a multipart body; of a file its name. */
const fieldOf = (value: string | { name: string }): string =>
	typeof value === 'string' ? value : value.name;
