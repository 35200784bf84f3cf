import { pickBy } from 'lodash';
import { deepCopy, NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { bounded, type Redact } from './redaction';

/** What is known of something that did not work; becomes `json.error` of a failed item (see docs/errors.md). */
export interface ErrorDetails {
	message: string;
	hint: string;
	/** The service's `error.code`; for our own refusals a code starting `NODE_`. */
	code: string;
	/** Status of the answer that failed; 0 where none did. */
	status: number;
	retryable: boolean;
	retry_after_seconds?: number;
	/** Method and path, without the query. */
	request?: string;
	request_id?: string;
	idempotency_key?: string;
	rate_limit?: IDataObject;
	platform?: string;
	/** Where the user named it: a platform may have several. */
	account?: string;
	/** Which of an item's files: the binary field, or the address without its query. */
	file?: string;
	/** The post that the service kept although publishing it failed (422). */
	post?: IDataObject;
	/** The row that failed: by it the row is known when it comes back from the error output. */
	row_id?: string;
	/** What went out of the row. */
	sent?: IDataObject[];
	/** What failed: for each platform or file of the row, or for each row of a run. */
	failures?: IDataObject[];
}

/** What callers have to know of a failure, besides what a person reads. */
interface Facts {
	/** Whether the service may have acted on the request: `no` only where that is certain. */
	processed: 'no' | 'maybe';
	/** The service itself says it, whatever the code. */
	isOfService: boolean;
	/** An earlier attempt of the same request may have been carried out. */
	isRepeat: boolean;
}

const unknownFacts: Facts = { processed: 'maybe', isOfService: false, isRepeat: false };

/** The one error that `api/` throws; never changed. The node turns it into n8n's own, see {@link toNodeError}. */
export class Failure extends Error {
	override readonly name = 'Failure';

	readonly details: Readonly<ErrorDetails>;

	constructor(
		details: Partial<ErrorDetails> & Pick<ErrorDetails, 'message' | 'hint' | 'code'>,
		private readonly facts: Readonly<Facts> = unknownFacts,
	) {
		super(details.message);
		const all: ErrorDetails = { status: 0, retryable: false, ...details };
		this.details = pickBy(all, (value) => value !== undefined) as ErrorDetails;
	}

	get processed(): Facts['processed'] {
		return this.facts.processed;
	}

	get isOfService(): boolean {
		return this.facts.isOfService;
	}

	get isRepeat(): boolean {
		return this.facts.isRepeat;
	}

	/** A copy with other details. */
	with(details: Partial<ErrorDetails>, facts?: Partial<Facts>): Failure {
		return new Failure({ ...this.details, ...details }, { ...this.facts, ...facts });
	}
}

/** The same failure with texts that are not too long and hold no secrets. */
export const redacted = (failure: Failure, redact: Redact): Failure =>
	failure.with(bounded(deepCopy(failure.details), redact));

/** A refusal of our own, before anything is sent: `code` without its `NODE_`, what is wrong, what to do. */
export const refusal = (code: string, message: string, hint: string): Failure =>
	new Failure({ code: `NODE_${code}`, message, hint }, { ...unknownFacts, processed: 'no' });

export const executionStopped = (): Failure =>
	refusal(
		'STOPPED',
		'The execution was stopped while waiting for the service',
		'Retry the execution to continue. What was already sent is not sent again.',
	);

/** One output item, or what failed instead of it. */
export type Outcome = IDataObject | Failure;

export const isFailure = (outcome: Outcome): outcome is Failure => outcome instanceof Failure;

/** Whatever was thrown, as a failure: n8n's own errors (an expression that can't be evaluated) keep their text. */
export function toFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	const { message, description } = error as { message?: string; description?: string };
	return new Failure({
		code: 'NODE_UNEXPECTED',
		message: message ?? String(error),
		hint: description ?? 'Check the parameters of the node.',
	});
}

export const hasStatus = (error: unknown, ...statuses: number[]): boolean =>
	statuses.includes(toFailure(error).details.status);

/** Whether the service itself says it, with one of these statuses: a proxy's page has neither its envelope nor a code of its. */
export const serviceSays = (error: unknown, ...statuses: number[]): boolean =>
	hasStatus(error, ...statuses) &&
	(toFailure(error).isOfService || !/^(HTTP|NODE)_/.test(toFailure(error).details.code));

/** Only of a post does the service say that it keeps what it refused (spec, "Errors"). */
export const keepsPost = ({ request, status, code, post }: ErrorDetails): boolean =>
	request === 'POST /posts' && status === 422 && (code === 'PUBLIC_API_PUBLISH_FAILED' || post !== undefined);

/** For `catch`: a failure with one of these statuses becomes undefined; all others are thrown. */
const ignoringIf =
	(isOne: typeof hasStatus) =>
	(...statuses: number[]) =>
	(error: unknown): undefined => {
		if (!isOne(error, ...statuses)) throw error;
	};

export const ignoring = ignoringIf(hasStatus);
export const ifServiceSays = ignoringIf(serviceSays);

/** The details as they stand in an item, in a fixed order. */
export const toErrorItem = ({ message, hint, code, status, retryable, ...rest }: ErrorDetails): IDataObject =>
	JSON.parse(JSON.stringify({ message, hint, code, status, retryable, ...rest })) as IDataObject;

/**
 * A failure in n8n's error classes: `NodeOperationError` for our own refusals, else `NodeApiError`. n8n adds `itemIndex` to
 * the message ("[item 0]"): leave it out where the message names a row.
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number) {
	if (error instanceof NodeApiError || error instanceof NodeOperationError)
		return Object.assign(error, { message: withoutCanceled(error.message) });
	const { details } = toFailure(error);
	const { message, hint, code, status, retryable } = details;
	// n8n shows descriptions as HTML.
	const description = hint.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/\n/g, '<br>');
	const isOwn = code.startsWith('NODE_') && status === 0 && !retryable;
	const httpCode = status ? String(status) : undefined;
	const nodeError = isOwn
		? new NodeOperationError(node, message, { description, itemIndex, level: 'warning' })
		: new NodeApiError(node, { message }, { message, description, itemIndex, httpCode });
	// n8n replaces a message in which it finds one of its own codes, such as EEXIST in "preexisting".
	nodeError.message = withoutCanceled(message);
	nodeError.context.data = toErrorItem(details);
	return nodeError;
}

/** n8n stores an execution whose message has the word `canceled` as canceled: no error workflow, no retry. */
const withoutCanceled = (message: string): string => message.replace(/(cance)(l)(?=ed)/gi, '$1$2$2');
