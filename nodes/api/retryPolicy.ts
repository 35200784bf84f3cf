import type { ErrorDetails } from './failure';

/** First pause before a broken request is tried again; doubles each time, half of it random. */
const FIRST_PAUSE_MS = 500;
/** How often a request that failed with a retryable 5xx or a broken connection is sent in all: more won't help soon. */
const MAX_ATTEMPTS = 5;
/** Pause after a 429 that does not say for how long. */
const DEFAULT_RETRY_AFTER_S = 10;
/** Least pause after a 429, so that one that says "now" isn't asked again and again. */
const MIN_PAUSE_MS = 1_000;

/**
 * Whether and when a failed request is sent once more, with the same key (spec, "Errors", "Rate limits").
 * @param attempt how often it has been sent so far
 * @returns ms to wait before; undefined: never
 */
export function pauseAfter(
	{ retryable, status, retry_after_seconds: seconds }: ErrorDetails,
	attempt: number,
): number | undefined {
	// The service didn't process the request: as often as the budget allows.
	if (status === 429) return Math.max((seconds ?? DEFAULT_RETRY_AFTER_S) * 1000, MIN_PAUSE_MS);
	if (!retryable || attempt >= MAX_ATTEMPTS) return undefined;
	const full = FIRST_PAUSE_MS * 2 ** (attempt - 1);
	return Math.max(full / 2 + (Math.random() * full) / 2, (seconds ?? 0) * 1000);
}

/**
 * Spec, "Errors": 429, and the 5xx codes ending in `_FAILED`, `CONTEXT_ERROR` and `AUTH_ERROR` may be tried again;
 * 400, 401, 403, 404, 409 and 422 not. Gateways' 502, 503 and 504 without an envelope count like the spec's 5xx.
 */
export function isRetryable(status: number, code: string | undefined): boolean {
	if (status === 429) return true;
	if (status < 500) return false;
	if (code === undefined) return status >= 502 && status <= 504;
	return /_FAILED$/.test(code) || code === 'PUBLIC_API_CONTEXT_ERROR' || code === 'PUBLIC_API_AUTH_ERROR';
}

/** Whether it is certain that the service did not act on this attempt. */
export function wasNotProcessed({ status, code }: ErrorDetails): boolean {
	const isNeverSent = ['NODE_HOST_NOT_FOUND', 'NODE_UNREACHABLE', 'NODE_CERTIFICATE'].includes(code);
	// Timed out, in conflict, publish failed: the service may have acted.
	const mayHaveActed = [408, 409, 422].includes(status);
	return isNeverSent || (status >= 300 && status < 500 && !mayHaveActed);
}

/** How long the slowest transfer of a file that is waited for takes, in ms: 64 KiB a second. */
export const slowestTransferMs = (bytes: number): number => (bytes / 64 / 1024) * 1000;
