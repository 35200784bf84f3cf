import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Answer, Expected } from '../../api/answers';
import type { PostFormat } from '../../api/contract';
import type { Outcome } from '../../api/failure';
import type { SentRequest } from '../writes/journal';
import type { SentWrite, WriteOptions, WriteRequest } from '../writes/write';
import type { WaitFor } from './postPoller';
import type { Uploads } from '../media/uploads';

type Fields = readonly INodeProperties[];

/** The type that a field's value has once it is read (see `params.ts`), from the field's literal. */
type Value<F> = F extends { type: 'number' }
	? number
	: F extends { type: 'boolean' }
		? boolean
		: F extends { type: 'json' }
			? IDataObject
			: F extends { type: 'multiOptions' }
				? string[]
				: F extends { type: 'options'; options: ReadonlyArray<{ value: infer V }> }
					? V
					: F extends { type: 'collection'; options: infer O extends Fields }
						? Partial<Params<O>>
						: F extends { type: 'fixedCollection'; options: infer S extends readonly Section[] }
							? F extends { typeOptions: { multipleValues: true } }
								? Sections<S>
								: OnlySections<S>
							: string;

type Section = { name: string; values: Fields };
/** Repeatable sections of a fixed collection: each a list of its values. */
type Sections<S extends readonly Section[]> = {
	[One in S[number] as One['name']]?: Array<Params<One['values']>>;
};

/** Sections of a fixed collection that stand there once. */
type OnlySections<S extends readonly Section[]> = {
	[One in S[number] as One['name']]?: Params<One['values']>;
};

/** The parameters of an operation, typed from its fields' literals: a misspelt name is a compile error. */
export type Params<F extends Fields> = { [One in F[number] as One['name']]: Value<One> };

/** What the table adds to the `options` of operations, by method. */
export interface CommonOptions extends WriteOptions {
	maxRetryWait?: number;
	concurrency?: number;
	previewOnly?: boolean;
}

/** What a pure `request` may need to know of the run. */
export interface RequestContext {
	postFormat: PostFormat;
	/** Address of the service, with its API path. */
	apiUrl: string;
	/** The workflow's time zone, an IANA name. */
	zone: string;
	/** Now, in ms. */
	now: number;
}

/** What a check of an item may need besides, all of it known without the service. */
export interface CheckContext extends RequestContext {
	/** Position among the input items, from 0. */
	index: number;
	/** Whether an earlier try, or a run by hand before it, sent this part of the item, or may have. */
	wasSent: (path: string, part: string) => boolean;
	/** The node continues on failures: what is wrong with one part of an item isn't said of the whole. */
	continueOnFail: boolean;
	/** Whether a parameter is typed in, the same for all items, and no expression. */
	isFixed: (parameter: string) => boolean;
	/** Refuses a binary field that the item does not have. */
	requireFile: (field: string) => void;
}

/** What an operation asks of the service; its method stands in the operation. */
export interface Request {
	/** Parts from outside go through `pathSegment`. */
	path: string;
	qs?: IDataObject;
	body?: IDataObject;
	/** Overrides the workspace of node and credential; null sends none. */
	workspaceId?: string | null;
	/** What `data` of the answer has to be. Left out: a record, of a write; of a deletion anything. */
	expects?: Expected;
}

/** A list of the service, and where it stands in the answer. */
export interface ListRequest extends Pick<Request, 'path' | 'qs'> {
	listNames: readonly string[];
}

/** What is waited for (see `postPoller.ts`). */
export interface PollOptions {
	waitFor: WaitFor;
	/** In ms. */
	timeout: number;
	/** The post as it is known already. */
	known?: IDataObject;
	scheduledAt?: string;
}

/** One item's way to the service: workspace, rate limit, retries and idempotency keys are handled. */
export interface ItemContext extends RequestContext {
	/** Position among the input items, from 0. */
	readonly index: number;
	/** Nothing is written: {@link preview} instead of {@link write}. */
	readonly previewOnly: boolean;
	/** The answer to a GET. */
	get(request: Request): Promise<Answer>;
	/** The records of a list. */
	list(request: ListRequest): Promise<IDataObject[]>;
	/** What is made once a run and workspace; a failed try counts for nothing. */
	once<T>(name: string, make: () => Promise<T>): Promise<T>;
	/** Posts that this execution, or a failed run by hand before it, has sent or may have, in all rounds of a loop. */
	sentPosts(): Promise<IDataObject[]>;
	/** Sends a write, or gives back what an earlier try of the execution sent; with `idempotency_key` and `request_id`. */
	write(request: WriteRequest): Promise<SentWrite>;
	/** What {@link write} would send. */
	preview(request: WriteRequest): Promise<IDataObject>;
	/** What an earlier try of this execution sent for this part of the item, or may have sent. */
	sentBefore(path: string, part: string): SentRequest | undefined;
	/** Warns of a post at the node after the run, once with the number of posts. */
	warn(message: string): void;
	/** Says something at the node after the run, once. */
	inform(message: string): void;
	/** A post once it has reached the state; polls share the rate limiter of the run and count as no retry. */
	waitFor(id: string, options: PollOptions): Promise<IDataObject>;
	/** The item's files, to the service. */
	readonly uploads: Uploads;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface Described {
	/** Title of the dropdown's entry. */
	name: string;
	value: string;
	/** Sentence in the nodes panel: "Publish or schedule post". */
	action: string;
	description: string;
	/** Decides which of the common options the operation has, and how `request` is sent. */
	method: Method;
	/** Whether several items run at the same time, as many as `options.concurrency` says. */
	parallel?: true;
}

interface Defined<P> extends Described {
	/** For operations of one call: pure, from typed parameters to the request. */
	request?: (params: P, context: RequestContext) => WriteRequest;
	/** From `data` to what is handed out: one item or several. Left out, `data` is one item. */
	shape?: (data: IDataObject, params: P, context: RequestContext) => IDataObject | IDataObject[];
	/** What comes out of `shape` is a list, bare or under one of these names: one item a record, up to `limit`. */
	list?: readonly string[];
	/** For operations of several calls, instead of `request`. Neither: the item's work is all in `after`. */
	run?: (item: ItemContext, params: P) => Promise<Outcome[]>;
	/** What can be told to be wrong without the service. Left out: whatever `request` refuses. */
	check?: (params: P, context: CheckContext) => unknown;
	/** What one read of the service tells to be wrong, before any item is sent. */
	verify?: (item: ItemContext, params: P, check: CheckContext) => Promise<void>;
	/** How many posts an item makes, for the option Max Posts per Execution. */
	countPosts?: (params: P) => number;
	/** How many requests of the operation's method an item takes, for the estimate at the beginning. Left out: one. */
	countRequests?: (params: P, postFormat: PostFormat) => number;
	/** What previews say of each other, once all items are worked on. */
	compare?: (perItem: Outcome[][]) => Outcome[][];
	/** What is waited for afterwards, by all items at the same time. */
	after?: (item: ItemContext, outcomes: Outcome[], params: P) => Promise<Outcome[]>;
}

/** An operation as the table holds it: parameters erased. */
export interface Operation extends Defined<never> {
	fields: Fields;
	options: Fields;
}

/**
 * One operation: what the user sees, what it asks of the service, what comes out. Fields are plain literals without
 * visibility: the table adds it. `options` are its own entries of the Options collection, next to the common ones.
 */
export function operation<const F extends Fields, const O extends Fields = readonly []>(
	definition: Defined<Params<F> & { options: Partial<Params<O>> & CommonOptions }> & {
		fields: F;
		options?: O;
	},
): Operation {
	return { ...definition, options: definition.options ?? [] } as Operation;
}

export interface Resource {
	name: string;
	value: string;
	/** In the order in which people need them. */
	operations: readonly Operation[];
}

/** The operation that the node is set to; undefined in a workflow made by a newer version. */
export function findOperation(
	resources: readonly Resource[],
	resource: string,
	value: string,
): Operation | undefined {
	return resources.find((one) => one.value === resource)?.operations.find((one) => one.value === value);
}
