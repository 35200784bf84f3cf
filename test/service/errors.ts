/** Spec, "Errors": every code with its status. */
export const ERROR_STATUS = {
	// Auth and scope
	PUBLIC_API_AUTH_REQUIRED: 401,
	PUBLIC_API_KEY_INVALID: 401,
	PUBLIC_API_KEY_EXPIRED: 401,
	PUBLIC_API_SCOPE_FORBIDDEN: 403,
	PUBLIC_API_WORKSPACE_FORBIDDEN: 403,
	PUBLIC_API_BRAND_FORBIDDEN: 403,
	PUBLIC_API_CONTEXT_ERROR: 500,
	PUBLIC_API_AUTH_ERROR: 500,
	// Request, rate limit, idempotency
	PUBLIC_API_RATE_LIMITED: 429,
	PUBLIC_API_IDEMPOTENCY_REQUIRED: 400,
	PUBLIC_API_IDEMPOTENCY_KEY_INVALID: 400,
	PUBLIC_API_IDEMPOTENCY_CONFLICT: 409,
	PUBLIC_API_BODY_INVALID: 400,
	PUBLIC_API_CURSOR_INVALID: 400,
	PUBLIC_API_QUERY_INVALID: 400,
	// Endpoint-specific
	PUBLIC_API_MEDIA_CREATE_FAILED: 500,
	PUBLIC_API_UPLOAD_URL_FAILED: 500,
	PUBLIC_API_POST_LIST_FAILED: 500,
	PUBLIC_API_POST_CREATE_FAILED: 500,
	PUBLIC_API_PUBLISH_FAILED: 422,
	PUBLIC_API_POST_FETCH_FAILED: 500,
	PUBLIC_API_POST_NOT_FOUND: 404,
	PUBLIC_API_POST_CANCEL_INVALID_STATE: 409,
	PUBLIC_API_POST_CANCEL_FAILED: 500,
	PUBLIC_API_CONNECTIONS_FETCH_FAILED: 500,
	PUBLIC_API_WEBHOOK_CREATE_FAILED: 500,
	PUBLIC_API_USAGE_FETCH_FAILED: 500,
	PUBLIC_API_ANALYTICS_SUMMARY_FAILED: 500,
	PUBLIC_API_ANALYTICS_UNIFIED_FAILED: 500,
} as const;

/**
 * Ours, where the spec shows no code: a path, webhook or inbox item that is not there; a failure of our own
 * making (a bug in this service).
 */
export const OWN_ERROR_STATUS = { PUBLIC_API_NOT_FOUND: 404, PUBLIC_API_INTERNAL_FAILED: 500 } as const;

export type ErrorCode = keyof typeof ERROR_STATUS | keyof typeof OWN_ERROR_STATUS;

const STATUS: Record<string, number> = { ...ERROR_STATUS, ...OWN_ERROR_STATUS };

/** The status of a code; 500 for a code that nobody knows. */
export const statusOf = (code: string): number => STATUS[code] ?? 500;

/** Thrown anywhere in the service, answered as the failure envelope. */
export class ApiError extends Error {
	readonly status: number;

	constructor(
		readonly code: ErrorCode,
		message: string,
		/** A 422's persisted post. */
		readonly data?: unknown,
	) {
		super(message);
		this.status = statusOf(code);
	}
}

export const bodyInvalid = (message: string) => new ApiError('PUBLIC_API_BODY_INVALID', message);
export const queryInvalid = (message: string) => new ApiError('PUBLIC_API_QUERY_INVALID', message);
export const notFound = (message: string) => new ApiError('PUBLIC_API_NOT_FOUND', message);
export const postNotFound = () =>
	new ApiError('PUBLIC_API_POST_NOT_FOUND', 'The post is missing or inaccessible.');
