import { keepsPost, type ErrorDetails } from './failure';

/** First pause before a broken request is tried again; doubles each time, half of it random. */
const FIRST_PAUSE_MS = 500;
/** How often a request that failed with a retryable 5xx or a broken connection is sent in all: more won't help soon. */
const MAX_ATTEMPTS = 5;
const DEFAULT_RETRY_AFTER_S = 10;
/** Least pause after a 429, so that one that says "now" isn't asked again and again. */
const MIN_PAUSE_MS = 1_000;

/** In ms, when to send a request again after so many attempts (spec, "Errors", "Rate limits"); undefined: never. */
export function pauseAfter(details: ErrorDetails, attempt: number): number | undefined {
	const { retryable, status, retry_after_seconds: seconds } = details;
	// The service didn't process the request: as often as the budget allows.
	if (status === 429) return Math.max((seconds ?? DEFAULT_RETRY_AFTER_S) * 1000, MIN_PAUSE_MS);
	if (!retryable || attempt >= MAX_ATTEMPTS) return undefined;
	const full = FIRST_PAUSE_MS * 2 ** (attempt - 1);
	return Math.max(full / 2 + (Math.random() * full) / 2, (seconds ?? 0) * 1000);
}

/** Spec, "Errors": 429 and these 5xx codes may be tried again, and gateways' 502 to 504 and 520 to 524 without an envelope. */
export function isRetryable(status: number, code: string | undefined): boolean {
	if (status < 500) return status === 429;
	if (code === undefined) return /^5(0[2-4]|2[0-4])$/.test(String(status));
	return /_FAILED$|^PUBLIC_API_(CONTEXT|AUTH)_ERROR$/.test(code);
}

/** Whether a server, such as a store of files, may answer otherwise a moment later. */
export const isTemporary = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/** Whether it is certain that the service did not act on this attempt. */
export function wasNotProcessed(details: ErrorDetails): boolean {
	const { status, code } = details;
	const isNeverSent = /^NODE_(HOST_NOT_FOUND|UNREACHABLE|BLOCKED|CERTIFICATE)$/.test(code);
	// Spec, "Post status": the post is unchanged.
	const isUnchanged = code === 'PUBLIC_API_POST_CANCEL_INVALID_STATE';
	// Of a proxy, it may come after the service's answer was lost.
	const isUnclear = status === 422 && (keepsPost(details) || /^(HTTP|NODE)_/.test(code));
	// Redirects that frameworks answer a form with, timed out, in conflict, publish failed: the service may have acted.
	const mayHaveActed = [301, 302, 303, 408, 409].includes(status) || isUnclear;
	return isNeverSent || isUnchanged || (status >= 300 && status < 500 && !mayHaveActed);
}

/** How long the slowest transfer of a file that is waited for takes, in ms: 64 KiB a second. */
export const slowestTransferMs = (bytes: number): number => (bytes / 64 / 1024) * 1000;
