import type { ErrorDetails } from '../../../nodes/api/failure';
import { isRetryable, pauseAfter, wasNotProcessed } from '../../../nodes/api/retryPolicy';
import { mayBeRetried, statusOf } from '../../support/specification';

const failed = { code: 'A_FAILED', status: 500, retryable: true, message: '', hint: '' };
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(1));
afterEach(() => void jest.restoreAllMocks());

test.each(Object.entries(statusOf))(
	'%s (%d) is retried where the specification allows it',
	(code, status) => {
		expect(isRetryable(status, code)).toBe(mayBeRetried(code));
	},
);

test.each<[boolean, number[], string | undefined]>([
	[true, [429, 502, 503, 504, 520, 521, 522, 523, 524], undefined],
	[false, [400, 403, 410, 500, 501, 505, 519, 525, 526, 530, 599], undefined],
	[true, [429, 500], 'A_FAILED'],
	[false, [499], 'A_FAILED'],
	[false, [500], 'A_FAILED_TWICE'],
	[false, [500], 'PUBLIC_API_AUTH_ERROR_2'],
	[false, [500], 'NOT_PUBLIC_API_AUTH_ERROR'],
	[false, [500, 503], 'A'],
])('may be retried: %s, with %j %s', (again, statuses, code) => {
	for (const status of statuses) expect(isRetryable(status, code)).toBe(again);
});

test('five attempts, pauses that grow, each as long as the service asks for at least', () => {
	const pauses = () => [1, 2, 3, 4, 5].map((attempt) => pauseAfter(failed, attempt));
	expect(pauses()).toEqual([500, 1000, 2000, 4000, undefined]);
	jest.spyOn(Math, 'random').mockReturnValue(0);
	expect(pauses()).toEqual([250, 500, 1000, 2000, undefined]);
	expect(pauseAfter({ ...failed, retry_after_seconds: 7 }, 1)).toBe(7000);
	expect(pauseAfter({ ...failed, retryable: false }, 1)).toBeUndefined();
});

test('any number of attempts at the rate limit', () => {
	const limited = { ...failed, status: 429 };
	const pauses = [undefined, 0, 7].map((retry_after_seconds) =>
		pauseAfter({ ...limited, retry_after_seconds }, 99),
	);
	expect(pauses).toEqual([10_000, 1000, 7000]);
});

test.each<[boolean, string, number[]]>([
	[true, 'NODE_HOST_NOT_FOUND', [0]],
	[true, 'NODE_UNREACHABLE', [0]],
	[true, 'NODE_BLOCKED', [0]],
	[true, 'NODE_CERTIFICATE', [0]],
	[false, 'NODE_TIMEOUT', [0]],
	// The service's own.
	[false, 'CLUSTER_NODE_UNREACHABLE', [500]],
	[false, 'NODE_UNREACHABLE_NOW', [500]],
	[true, 'A', [300, 400, 499]],
	[true, 'HTTP_307', [307, 308]],
	[true, 'PUBLIC_API_POST_CANCEL_INVALID_STATE', [409]],
	// What came of a request that was carried out is often elsewhere.
	[false, 'HTTP_303', [301, 302, 303]],
	[false, 'A', [299, 408, 409, 500]],
	// Something before the service may say it after the service has acted.
	[false, 'HTTP_422', [422]],
	[true, 'A', [422]],
])('certainly not acted on: %s, with %s %j', (certain, code, statuses) => {
	for (const status of statuses) expect(wasNotProcessed({ ...failed, code, status })).toBe(certain);
});

const published = { code: 'PUBLIC_API_PUBLISH_FAILED' };
test.each<[boolean, string, Partial<ErrorDetails>]>([
	[false, 'POST /posts', published],
	[false, 'POST /posts', { post: { id: 'post_1' } }],
	[true, 'PATCH /posts/1', published],
	[true, 'PATCH /posts/1', { post: { id: '1' } }],
	[true, 'POST /media', published],
])('a 422 keeps nothing but a post: certainly not acted on: %s, %s with %j', (certain, request, details) =>
	expect(wasNotProcessed({ ...failed, status: 422, request, ...details })).toBe(certain),
);
