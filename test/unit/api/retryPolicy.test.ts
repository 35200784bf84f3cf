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

test.each<[number, string | undefined, boolean]>([
	[429, undefined, true],
	[429, 'A', true],
	[499, 'A_FAILED', false],
	[500, 'A_FAILED', true],
	[500, 'A_FAILED_TWICE', false],
	[500, 'A', false],
	[500, undefined, false],
	[501, undefined, false],
	[502, undefined, true],
	[503, undefined, true],
	[504, undefined, true],
	[505, undefined, false],
	[400, undefined, false],
])('%d %s may be retried: %s', (status, code, again) => expect(isRetryable(status, code)).toBe(again));

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

test.each<[string, number, boolean]>([
	['NODE_HOST_NOT_FOUND', 0, true],
	['NODE_UNREACHABLE', 0, true],
	['NODE_CERTIFICATE', 0, true],
	['NODE_TIMEOUT', 0, false],
	['A', 299, false],
	['A', 300, true],
	['A', 400, true],
	['A', 499, true],
	['A', 500, false],
	['A', 408, false],
	['A', 409, false],
	['A', 422, false],
])('%s %d was certainly not acted on: %s', (code, status, refused) =>
	expect(wasNotProcessed({ ...failed, code, status })).toBe(refused),
);
