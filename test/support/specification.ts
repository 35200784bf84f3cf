/** Names, codes and limits of the specification: the embedded service works by them, and tests compare `nodes/` with them. */

export const platforms = ['instagram', 'tiktok', 'youtube', 'x', 'linkedin', 'facebook', 'bluesky'] as const;

export const endpoints = [
	...[
		'GET /workspaces',
		'GET /accounts',
		'POST /posts',
		'GET /posts',
		'GET /posts/{id}',
		'PATCH /posts/{id}',
	],
	...['DELETE /posts/{id}', 'POST /posts/{id}/cancel', 'POST /media/upload-url', 'POST /media'],
	...['GET /approvals', 'GET /social-connections', 'GET /usage', 'POST /webhooks', 'GET /webhooks'],
	...['DELETE /webhooks/{id}', 'GET /webhooks/{id}/deliveries', 'GET /analytics', 'GET /inbox'],
	...[
		'POST /inbox/{id}/reply',
		'GET /analytics/summary',
		'GET /analytics/unified',
		'GET /analytics/insights',
	],
	'GET /posts/{id}/analytics',
];

/** "Errors": code and status of each failure, for every request and for one endpoint only. */
export const errors = {
	auth: {
		PUBLIC_API_AUTH_REQUIRED: 401,
		PUBLIC_API_KEY_INVALID: 401,
		PUBLIC_API_KEY_EXPIRED: 401,
		PUBLIC_API_SCOPE_FORBIDDEN: 403,
		PUBLIC_API_WORKSPACE_FORBIDDEN: 403,
		PUBLIC_API_BRAND_FORBIDDEN: 403,
		PUBLIC_API_CONTEXT_ERROR: 500,
		PUBLIC_API_AUTH_ERROR: 500,
	},
	request: {
		PUBLIC_API_RATE_LIMITED: 429,
		PUBLIC_API_IDEMPOTENCY_REQUIRED: 400,
		PUBLIC_API_IDEMPOTENCY_KEY_INVALID: 400,
		PUBLIC_API_IDEMPOTENCY_CONFLICT: 409,
		PUBLIC_API_BODY_INVALID: 400,
		PUBLIC_API_CURSOR_INVALID: 400,
		PUBLIC_API_QUERY_INVALID: 400,
	},
	endpoint: {
		'POST /media/upload-url': { PUBLIC_API_MEDIA_CREATE_FAILED: 500, PUBLIC_API_UPLOAD_URL_FAILED: 500 },
		'GET /posts': { PUBLIC_API_POST_LIST_FAILED: 500 },
		'POST /posts': { PUBLIC_API_POST_CREATE_FAILED: 500, PUBLIC_API_PUBLISH_FAILED: 422 },
		'GET /posts/{id}': { PUBLIC_API_POST_FETCH_FAILED: 500, PUBLIC_API_POST_NOT_FOUND: 404 },
		'POST /posts/{id}/cancel': {
			PUBLIC_API_POST_FETCH_FAILED: 500,
			PUBLIC_API_POST_NOT_FOUND: 404,
			PUBLIC_API_POST_CANCEL_INVALID_STATE: 409,
			PUBLIC_API_POST_CANCEL_FAILED: 500,
		},
		'GET /social-connections': { PUBLIC_API_CONNECTIONS_FETCH_FAILED: 500 },
		'POST /webhooks': { PUBLIC_API_WEBHOOK_CREATE_FAILED: 500 },
		'GET /usage': { PUBLIC_API_USAGE_FETCH_FAILED: 500 },
		'GET /analytics/summary': { PUBLIC_API_ANALYTICS_SUMMARY_FAILED: 500 },
		'GET /analytics/unified': { PUBLIC_API_ANALYTICS_UNIFIED_FAILED: 500 },
	},
} as const satisfies Record<string, Record<string, number | Record<string, number>>>;

/** Each of the 29 codes with its status. */
export const statusOf: Readonly<Record<string, number>> = Object.assign(
	{},
	errors.auth,
	errors.request,
	...Object.values(errors.endpoint),
);

/** "5xx codes ending in `_FAILED`, CONTEXT_ERROR and AUTH_ERROR are retryable", and a 429 after its pause. */
export const mayBeRetried = (code: string): boolean =>
	statusOf[code] === 429 || (statusOf[code]! >= 500 && /_(FAILED|CONTEXT_ERROR|AUTH_ERROR)$/.test(code));

/** "Event names": both lists. */
export const events = [
	...['post.created', 'post.scheduled', 'post.published', 'post.failed', 'post.canceled'],
	...['inbox.item.created', 'inbox.lead.captured'],
	...[
		'approval.batch_created',
		'approval.batch_approved',
		'approval.item_approved',
		'approval.item_rejected',
	],
	...['automation.triggered', 'inbox.message_received', 'inbox.message_responded'],
];

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dead_letter'] as const;

/** "Rate limits", a minute. */
export const plans = {
	lowest: { read: 60, write: 20 },
	middle: { read: 120, write: 40 },
	highest: { read: 240, write: 90 },
};

/** Default and most of `limit`. */
export const limits = {
	'/posts': { standard: 25, most: 100 },
	'/approvals': { standard: 10, most: 50 },
	'/analytics/insights': { standard: 5, most: 20 },
};
