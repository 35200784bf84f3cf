import { Failure, type ErrorDetails } from './errors';
import { isRetryable } from './retryPolicy';

/** What happened, and what to do about it. */
type Words = readonly [message: string, hint: string];

const newKey =
	"Open the credential and paste a valid API key. You create keys in the service's account dashboard, under API keys.";
const tryLater = 'The node has already tried again. Run the workflow again in a few minutes.';
const report = "If it keeps happening, give the service's support the request ID under 'Error details'.";

/** Where a person finds the post of a failure. */
export const inDetails =
	"see 'From Social Publishing' under 'Error details', or 'post' in the item of an error output";

/**
 * Every code of the spec ("Errors"), in words for people who build workflows. Statuses and what may be retried follow
 * the spec's rules, see `retryPolicy.ts`.
 */
export const texts: Readonly<Record<string, Words>> = {
	PUBLIC_API_AUTH_REQUIRED: ['The request had no API key', newKey],
	PUBLIC_API_KEY_INVALID: [
		"The service doesn't recognize this API key",
		`It may be mistyped, revoked or replaced. ${newKey}`,
	],
	PUBLIC_API_KEY_EXPIRED: ['The API key has expired', newKey],
	PUBLIC_API_SCOPE_FORBIDDEN: [
		'The API key is not allowed to do this',
		"The key lacks a scope that this operation needs. Create a key with that scope in the service's account dashboard and enter it in the credential.",
	],
	PUBLIC_API_WORKSPACE_FORBIDDEN: [
		'The API key has no access to this workspace',
		"Check 'Workspace' in the credential and in the node's options, or clear both to use the key's own workspace.",
	],
	PUBLIC_API_BRAND_FORBIDDEN: [
		'The API key has no access to this brand',
		'Choose a brand of the workspace that the key belongs to, or use a key of that brand.',
	],
	PUBLIC_API_CONTEXT_ERROR: ["The service couldn't determine the workspace", `${tryLater} ${report}`],
	PUBLIC_API_AUTH_ERROR: ["The service couldn't check the API key", `${tryLater} ${report}`],
	PUBLIC_API_RATE_LIMITED: [
		"This API key's rate limit is exceeded",
		"Raise 'Rate Limit Timeout (Seconds)' in the node's options so that the node waits for the next minute, process fewer items per run, or move to a plan with a higher limit.",
	],
	PUBLIC_API_IDEMPOTENCY_REQUIRED: [
		'The service requires an idempotency key',
		"Set 'Avoid Duplicates' in the node's options back to its default.",
	],
	PUBLIC_API_IDEMPOTENCY_KEY_INVALID: [
		'The service rejected the idempotency key',
		"Use 1 to 255 letters, digits and symbols, without spaces, in 'My Own ID'.",
	],
	PUBLIC_API_IDEMPOTENCY_CONFLICT: [
		'This idempotency key was used before with other content',
		'An earlier attempt with other content was accepted, so nothing was sent twice. Check the list of posts. If this is meant as a new post, give it another idempotency key.',
	],
	PUBLIC_API_BODY_INVALID: [
		'The service rejected the content of this request',
		"Correct the fields of the node that the service's message names.",
	],
	PUBLIC_API_CURSOR_INVALID: [
		'The service rejected the page cursor',
		"Remove 'cursor' from the query to start from the first page.",
	],
	PUBLIC_API_QUERY_INVALID: [
		'The service rejected a filter',
		"Check the node's dates, platform names, options and 'Limit'.",
	],
	PUBLIC_API_MEDIA_CREATE_FAILED: ["The service couldn't prepare the file", `${tryLater} ${report}`],
	PUBLIC_API_UPLOAD_URL_FAILED: ["The service couldn't provide an upload URL", `${tryLater} ${report}`],
	PUBLIC_API_POST_LIST_FAILED: ["The service couldn't list the posts", `${tryLater} ${report}`],
	PUBLIC_API_POST_CREATE_FAILED: ["The service couldn't store the post", `${tryLater} ${report}`],
	PUBLIC_API_PUBLISH_FAILED: [
		'The platform rejected the post',
		`Correct the content and create a new post: sending the same one again does not help. The service kept this one as failed, ${inDetails}.`,
	],
	PUBLIC_API_POST_FETCH_FAILED: ["The service couldn't load the post", `${tryLater} ${report}`],
	PUBLIC_API_POST_NOT_FOUND: [
		"The post doesn't exist, or the API key can't access it",
		"Check the post ID and the workspace: a post of another workspace is not found. 'From List' shows the posts that the key can access.",
	],
	PUBLIC_API_POST_CANCEL_INVALID_STATE: [
		"This post can't be changed: it is already published, failed or canceled",
		'Get the post to see its status.',
	],
	PUBLIC_API_POST_CANCEL_FAILED: ["The service couldn't cancel the post", `${tryLater} ${report}`],
	PUBLIC_API_CONNECTIONS_FETCH_FAILED: [
		"The service couldn't list the social connections",
		`${tryLater} ${report}`,
	],
	PUBLIC_API_WEBHOOK_CREATE_FAILED: ["The service couldn't create the webhook", `${tryLater} ${report}`],
	PUBLIC_API_USAGE_FETCH_FAILED: ["The service couldn't calculate the usage", `${tryLater} ${report}`],
	PUBLIC_API_ANALYTICS_SUMMARY_FAILED: [
		"The service couldn't create the analytics summary",
		`${tryLater} ${report}`,
	],
	PUBLIC_API_ANALYTICS_UNIFIED_FAILED: [
		"The service couldn't collect the analytics",
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
	'PUBLIC_API_POST_CANCEL_INVALID_STATE',
]);

/** What a service says that expects the other body shape of a post (spec, "Post (input on create)"). */
const otherShape =
	/\bshapes?\b|unrecogni[sz]ed key|\b(platforms?|content|scheduled?_at)["': ]*(is )?(required|missing|unrecogni[sz]ed|unknown|not allowed|expected (an? )?(object|string|array)|(has to|must) be an? (object|string|array))/i;
const changeShape =
	" If the service expects the other form of request, change 'Post Format' in the credential.";

/** The request that an answer is to. */
interface Asked {
	method?: string;
	/** Below the API path. */
	path: string;
}

/** What an operation on a post would have done. */
const verbOf = ({ method, path }: Asked): string =>
	method === 'DELETE'
		? 'deleted'
		: method === 'PATCH'
			? 'updated'
			: path.endsWith('/cancel')
				? 'canceled'
				: 'changed';

/** What is missing where an answer with status 404 has no code of the spec, by the beginning of the path. */
const notFoundTexts: Readonly<Record<string, Words>> = {
	inbox: [
		"The comment or message doesn't exist",
		"Check 'Inbox Item' and the workspace: it may have been removed, and an item of another workspace is not found. 'From List' shows those that the key can access.",
	],
	webhooks: [
		"The webhook doesn't exist",
		"Check 'Webhook' and the workspace: a webhook of another workspace is not found. 'From List' shows those that the key can access.",
	],
};

/** For codes added later and answers without an envelope: by status. */
function textOf(status: number): Words {
	if (status === 401) return ['The service rejected the API key', newKey];
	if (status === 403)
		return ['The API key is not allowed to do this', 'Check the scopes of the key and the workspace.'];
	if (status === 404)
		return [
			"The service doesn't have this endpoint or record",
			"Check the ID, and 'Base URL' and 'API Path' in the credential.",
		];
	if (status === 408 || status === 425) return ['The service timed out', tryLater];
	if (status === 409)
		return [
			"The service doesn't allow this in the record's current status",
			'Get the record to see its status.',
		];
	if (status === 413) return ['The request is too large for the service', 'Send a smaller file or text.'];
	if (status === 429) return texts.PUBLIC_API_RATE_LIMITED!;
	if (status >= 500) return [`The service answered with an error (HTTP ${status})`, tryLater];
	if (status >= 300 && status < 400)
		return [
			'The base URL redirects to another address',
			"Enter the address that it redirects to as 'Base URL' in the credential. The API key is never sent to other hosts.",
		];
	return [
		'The service rejected the request',
		"Correct the fields of the node that the service's message names.",
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
	asked: Asked = { path: '' },
): Failure {
	const missing = status === 404 && error ? notFoundTexts[asked.path.split('/')[1] ?? ''] : undefined;
	const [words, advice] = (error && texts[error.code]) ?? missing ?? textOf(status);
	const message =
		error?.code === 'PUBLIC_API_POST_CANCEL_INVALID_STATE' ? words.replace('changed', verbOf(asked)) : words;
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

/** Answers that say clearly what became of a write, although the service has acted: conflict, publishing failed. */
const settled = new Set([409, 422]);
const retryThis =
	'Retry this execution in a few minutes. It uses the same idempotency key, so nothing is sent twice; a new run would send it again.';

/** A write that failed, as the user hears of it: where the service may have acted, that comes first. */
export function notConfirmed(failure: Failure): Failure {
	const { message, hint, status, code } = failure.details;
	if (failure.notProcessed || settled.has(status) || code === 'NODE_UNEXPECTED_DATA') return failure;
	const isTrouble = status === 0 || status >= 500 || status === 408 || status === 425;
	return failure.with({
		message: `Not confirmed as sent: ${message.replace(/^(The|There|This|Nothing)\b/, (word) => word.toLowerCase())}`,
		hint: isTrouble ? retryThis : `${hint} ${retryThis}`,
	});
}
