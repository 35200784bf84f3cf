import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { bounded, type Redact } from './redaction';
import { isRetryable } from './retryPolicy';

/** What is known of something that did not work; becomes `json.error` of a failed item (see README, "Errors"). */
export interface ErrorDetails {
	message: string;
	/** What to do about it, in plain words. */
	hint: string;
	/** The service's `error.code`; for our own refusals a code starting `NODE_`. */
	code: string;
	/** HTTP status; 0 where no answer came or nothing was sent. */
	status: number;
	retryable: boolean;
	retry_after_seconds?: number;
	request_id?: string;
	idempotency_key?: string;
	rate_limit?: IDataObject;
	/** What the service said of it, where `message` says as much in our own words. */
	service_message?: string;
	platform?: string;
	/** Which of an item's files: the binary field, or the address without its query. */
	file?: string;
	/** The post that the service kept although publishing it failed (422). */
	post?: IDataObject;
	/** Where several platforms of one item failed: each one's details. */
	failures?: ErrorDetails[];
	/** What was sent already: `count`, and the `first` of them. */
	posts?: IDataObject;
}

/** The one error that `api/` throws. The node turns it into n8n's own with {@link toNodeError}. */
export class Failure extends Error {
	readonly details: ErrorDetails;

	constructor(details: Partial<ErrorDetails> & Pick<ErrorDetails, 'message' | 'hint' | 'code'>) {
		super(details.message);
		this.name = 'Failure';
		this.details = { status: 0, retryable: false, ...details };
	}

	/** Whether it is certain that the service did not act on the request; a fact of ours, not for the user. */
	certain = false;

	/** The same failure with more known about it. */
	with(more: Partial<ErrorDetails>): Failure {
		return new Failure({ ...this.details, ...more }).asCertain(this.certain);
	}

	/** The same failure with texts that are not too long and hold no secrets. */
	withTexts(redact: Redact): Failure {
		return this.with(bounded({ ...this.details }, redact));
	}

	/** The same failure, knowing whether the service can have acted. */
	asCertain(certain: boolean): this {
		this.certain = certain;
		return this;
	}
}

/** A refusal of our own, before anything is sent: `code` without its `NODE_`, what is wrong, what to do. */
export const refusal = (code: string, message: string, hint: string): Failure =>
	new Failure({ code: `NODE_${code}`, message, hint });

const newKey =
	'Open the credential and paste a valid API key: it is made in the account dashboard of the service, under API keys.';
const tryLater =
	'The service has trouble right now. The node has tried again already; run the workflow again in a few minutes.';
const report = "If it happens again, give the service's support the request ID.";
/** Where a person finds the post of a failure. */
export const inDetails =
	"see 'From Social Publishing' under 'Error details', or 'post' in the item of an error output";

/** One output item, or what failed instead of it. */
export type Outcome = IDataObject | Failure;

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

/**
 * Every code of the spec ("Errors"), in words for people who build workflows: [what happened, what to do].
 * Statuses and what may be retried follow the spec's rules, see `retryPolicy.ts`.
 */
export const texts: Readonly<Record<string, readonly [message: string, hint: string]>> = {
	PUBLIC_API_AUTH_REQUIRED: ['The service got no API key', newKey],
	PUBLIC_API_KEY_INVALID: [
		'The service does not know this API key',
		`It is mistyped, revoked or replaced. ${newKey}`,
	],
	PUBLIC_API_KEY_EXPIRED: ['The API key has expired', `Make a new key. ${newKey}`],
	PUBLIC_API_SCOPE_FORBIDDEN: [
		'The API key is not allowed to do this',
		'The key lacks a scope that this operation needs. Make a key with that scope in the account dashboard and put it into the credential.',
	],
	PUBLIC_API_WORKSPACE_FORBIDDEN: [
		'The API key has no access to this workspace',
		"Check 'Workspace' in the credential and 'Workspace' in the node's options, or clear both to use the key's own workspace.",
	],
	PUBLIC_API_BRAND_FORBIDDEN: [
		'The API key has no access to this brand',
		'Choose a brand of the workspace that the key belongs to, or use a key of that brand.',
	],
	PUBLIC_API_CONTEXT_ERROR: [
		'The service could not work out which workspace is meant',
		`${tryLater} ${report}`,
	],
	PUBLIC_API_AUTH_ERROR: ['The service could not check the API key', `${tryLater} ${report}`],
	PUBLIC_API_RATE_LIMITED: [
		'The limit of requests per minute of this API key is used up',
		"Raise 'Wait at the Rate Limit' in the node's options so that the node can wait for the next minute, lower the number of items per run, or move to a plan with a higher limit.",
	],
	PUBLIC_API_IDEMPOTENCY_REQUIRED: [
		'The service asks for an idempotency key',
		"Set 'Avoid Duplicates' in the node's options back to its default.",
	],
	PUBLIC_API_IDEMPOTENCY_KEY_INVALID: [
		'The service refuses the idempotency key',
		"Use 1 to 255 letters, digits and signs without spaces in 'My Own ID'.",
	],
	PUBLIC_API_IDEMPOTENCY_CONFLICT: [
		'This idempotency key was used before with other content',
		'An earlier attempt with other content was accepted, so nothing was sent twice. Check the list of posts; if this is meant as a new post, give it another idempotency key.',
	],
	PUBLIC_API_BODY_INVALID: [
		'The service refuses the content of this request',
		'Check the fields of the node against the message of the service.',
	],
	PUBLIC_API_CURSOR_INVALID: [
		'The service refuses the page marker',
		"Remove 'cursor' from the query to start from the first page.",
	],
	PUBLIC_API_QUERY_INVALID: [
		'The service refuses a filter',
		"Check dates, platform names, choices and 'Limit' of the node.",
	],
	PUBLIC_API_MEDIA_CREATE_FAILED: ['The service could not prepare the file', `${tryLater} ${report}`],
	PUBLIC_API_UPLOAD_URL_FAILED: [
		'The service could not give an address to upload the file to',
		`${tryLater} ${report}`,
	],
	PUBLIC_API_POST_LIST_FAILED: ['The service could not list the posts', `${tryLater} ${report}`],
	PUBLIC_API_POST_CREATE_FAILED: [
		'The service could not store the post',
		"The service has trouble right now; the node has tried again already. In a few minutes, retry this execution (under 'Executions') instead of starting the workflow anew: a retry uses the same idempotency key, so the post can't go out twice.",
	],
	PUBLIC_API_PUBLISH_FAILED: [
		'The platform refused the post',
		`Correct the content and create a new post: sending the same one again does not help. The service kept this one as failed, ${inDetails}.`,
	],
	PUBLIC_API_POST_FETCH_FAILED: ['The service could not load the post', `${tryLater} ${report}`],
	PUBLIC_API_POST_NOT_FOUND: [
		'There is no such post, or the API key may not see it',
		"Check the post ID and the workspace: a post of another workspace is not found. 'From List' shows the posts that can be reached.",
	],
	PUBLIC_API_POST_CANCEL_INVALID_STATE: [
		'The post can no longer be canceled',
		'It is already published, failed or canceled. Get the post to see its state.',
	],
	PUBLIC_API_POST_CANCEL_FAILED: ['The service could not cancel the post', `${tryLater} ${report}`],
	PUBLIC_API_CONNECTIONS_FETCH_FAILED: [
		'The service could not list the social connections',
		`${tryLater} ${report}`,
	],
	PUBLIC_API_WEBHOOK_CREATE_FAILED: ['The service could not create the webhook', `${tryLater} ${report}`],
	PUBLIC_API_USAGE_FETCH_FAILED: ['The service could not add up the usage', `${tryLater} ${report}`],
	PUBLIC_API_ANALYTICS_SUMMARY_FAILED: [
		'The service could not make the analytics summary',
		`${tryLater} ${report}`,
	],
	PUBLIC_API_ANALYTICS_UNIFIED_FAILED: [
		'The service could not collect the analytics',
		`${tryLater} ${report}`,
	],
};

/** Codes whose text here says it all: the service's own words would only say it again. */
const selfExplaining = new Set([
	'PUBLIC_API_AUTH_REQUIRED',
	'PUBLIC_API_KEY_INVALID',
	'PUBLIC_API_KEY_EXPIRED',
	'PUBLIC_API_RATE_LIMITED',
	'PUBLIC_API_IDEMPOTENCY_REQUIRED',
	'PUBLIC_API_IDEMPOTENCY_CONFLICT',
	'PUBLIC_API_POST_NOT_FOUND',
]);

/** What a service says that expects the other body shape of a post (spec, "Post (input on create)"). */
const otherShape =
	/\bshapes?\b|unrecogni[sz]ed key|\b(platforms?|content|scheduled?_at)["': ]*(is )?(required|missing|unrecogni[sz]ed|unknown|not allowed|expected (an? )?(object|string|array)|(has to|must) be an? (object|string|array))/i;
const changeShape =
	" If the service expects the other form of request, change 'Post Format' in the credential.";

/** What is missing where an answer with status 404 has no code of the spec, by the beginning of the path. */
const notFoundTexts: Readonly<Record<string, readonly [message: string, hint: string]>> = {
	inbox: [
		'There is no such comment or message',
		"Check 'Inbox Item' and the workspace: it may have been removed, and an item of another workspace is not found. 'From List' shows those that can be reached.",
	],
	webhooks: [
		'There is no such webhook',
		"Check 'Webhook' and the workspace: a webhook of another workspace is not found. 'From List' shows those that can be reached.",
	],
};

/** For codes added later and answers without an envelope: by status. */
function textOf(status: number): readonly [string, string] {
	if (status === 401) return ['The service refuses the API key', newKey];
	if (status === 403)
		return ['The API key is not allowed to do this', 'Check the scopes of the key and the workspace.'];
	if (status === 404)
		return [
			'The service does not know this address or record',
			"Check the ID, and 'Base URL' and 'API Path' in the credential.",
		];
	if (status === 408 || status === 425) return ['The service gave up waiting', tryLater];
	if (status === 409)
		return ['The service refuses this in the present state', 'Get the record to see its state, then decide.'];
	if (status === 413) return ['The service finds this too large', 'Send a smaller file or text.'];
	if (status === 429) return texts.PUBLIC_API_RATE_LIMITED!;
	if (status >= 500) return ['The service, or a server in front of it, has trouble', tryLater];
	if (status >= 300 && status < 400)
		return [
			'The address redirects elsewhere',
			"Put the address that it redirects to into 'Base URL' of the credential: the API key is not sent to other hosts.",
		];
	return [
		'The service refuses the request',
		'Check the fields of the node against the message of the service.',
	];
}

/**
 * The failure of an answer with an error status.
 * @param status HTTP status
 * @param error `error` of the envelope, where there is one
 * @param asked the request that it answers
 */
export function answerFailure(
	status: number,
	error: { code: string; message?: string | null } | undefined,
	more: Partial<ErrorDetails> = {},
	{ path }: { method?: string; path: string } = { path: '' },
): Failure {
	const missing = status === 404 && error ? notFoundTexts[path.split('/')[1] ?? ''] : undefined;
	const [message, advice] = (error && texts[error.code]) ?? missing ?? textOf(status);
	const said = error?.message ?? '';
	const repeats =
		said === '' ||
		said.replace(/\.$/, '') === message ||
		missing !== undefined ||
		selfExplaining.has(error!.code);
	const hint =
		error?.code === 'PUBLIC_API_BODY_INVALID' && otherShape.test(said) ? advice + changeShape : advice;
	return new Failure({
		message: repeats ? message : `${message}: ${said}`,
		hint,
		...(repeats && said ? { service_message: said } : {}),
		code: error?.code ?? `HTTP_${status}`,
		status,
		retryable: isRetryable(status, error?.code),
		...more,
	});
}

const credentialCodes = new Set([
	'PUBLIC_API_AUTH_REQUIRED',
	'PUBLIC_API_KEY_INVALID',
	'PUBLIC_API_KEY_EXPIRED',
]);

/** n8n's own words for why something failed, where they fit. */
function causeOf({ code, status, retry_after_seconds, retryable }: ErrorDetails) {
	if (status === 429)
		return {
			cause: 'rate-limited' as const,
			...(retry_after_seconds === undefined ? {} : { retryAfterMs: retry_after_seconds * 1000 }),
		};
	if (status === 401 || credentialCodes.has(code)) return { cause: 'credential-invalid' as const };
	if (status === 403) return { cause: 'configuration-invalid' as const };
	if (status >= 500 || (status === 0 && retryable)) return { cause: 'temporarily-unavailable' as const };
	return undefined;
}

/** The details as they stand in an item: nothing undefined, in a fixed order. */
export const toErrorItem = ({ message, hint, code, status, retryable, ...rest }: ErrorDetails): IDataObject =>
	JSON.parse(JSON.stringify({ message, hint, code, status, retryable, ...rest })) as IDataObject;

/** The rate limit's numbers, in words. */
const limitLine = ({ limit, remaining }: IDataObject = {}): string =>
	limit === undefined ? '' : `Limit: ${String(limit)} a minute, ${String(remaining ?? 0)} left`;

/**
 * The lines below the message.
 * @param gap between what to do and what is known: n8n's error panel takes HTML, lists and notifications text only
 */
function describe(details: ErrorDetails, gap: string): string {
	const known = [
		details.code.startsWith('NODE_') ? '' : `Code: ${details.code}`,
		details.request_id ? `Request ID: ${details.request_id}` : '',
		details.idempotency_key ? `Idempotency key: ${details.idempotency_key}` : '',
		details.retry_after_seconds === undefined ? '' : `Retry after: ${details.retry_after_seconds} s`,
		details.status === 429 ? limitLine(details.rate_limit) : '',
	].filter((line) => line !== '');
	return [details.hint, ...(known.length > 0 ? [known.join(' · ')] : [])].join(gap);
}

/**
 * The one way from a failure to n8n's error classes: `NodeOperationError` for our own refusals, else `NodeApiError`.
 * Anything that is no {@link Failure} is returned as n8n would show it.
 * @param itemIndex for what the node's panel shows; without it, for lists and notifications
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (!(error instanceof Failure)) return new NodeOperationError(node, error as Error, { itemIndex });
	const { details } = error;
	const description = describe(details, itemIndex === undefined ? '\n\n' : '<br/><br/>');
	const failure = causeOf(details);
	const own = details.code.startsWith('NODE_') && details.status === 0 && !details.retryable;
	const nodeError = own
		? new NodeOperationError(node, details.message, { description, itemIndex, level: 'warning' })
		: new NodeApiError(node, { message: details.message } as JsonObject, {
				message: details.message,
				description,
				itemIndex,
				...(details.status ? { httpCode: String(details.status) } : {}),
				...(failure ? { failure } : {}),
			});
	nodeError.context.data = toErrorItem(details);
	return nodeError;
}
