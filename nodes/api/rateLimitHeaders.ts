import type { IDataObject } from 'n8n-workflow';

import { endpointOf } from './contract';

/** What an answer's headers say of limits and deprecations (spec, "Rate limits", "Versioning"). */

/** What the service says of a limit (`X-RateLimit-*`). */
interface RateLimitState {
	limit?: number;
	remaining?: number;
	/** In how many ms the count starts again. */
	resetInMs?: number;
}

/** A longer `Retry-After` makes no sense where limits are counted per minute: a day, in seconds. */
const MAX_RETRY_AFTER_S = 86_400;
/** An `X-RateLimit-Reset` further away is no time to wait for: two minutes. */
const MAX_RESET_MS = 120_000;

/**
 * `Retry-After` in seconds, from seconds or an HTTP date; undefined where it is missing or makes no sense (negative,
 * garbage). More than a day is a day: longer than anyone waits.
 */
export function retryAfter(value: unknown, now = Date.now()): number | undefined {
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string') return undefined;
	if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Math.min(MAX_RETRY_AFTER_S, Math.ceil(Number(text)));
	// Date.parse reads "-5" and "12abc" as years; an HTTP date has a letter and a time in it.
	if (!/[a-z].*\d:\d/i.test(text)) return undefined;
	const date = Date.parse(text);
	if (Number.isNaN(date)) return undefined;
	return Math.min(MAX_RETRY_AFTER_S, Math.max(0, Math.ceil((date - now) / 1000)));
}

/** `X-RateLimit-*`: as details under the rest of their names, and as what the pace works with. */
export function rateLimit(
	headers: IDataObject,
	now = Date.now(),
): { details: IDataObject; state: RateLimitState } | undefined {
	const found = Object.entries(headers)
		.filter(([name, value]) => name.toLowerCase().startsWith('x-ratelimit-') && String(value).trim() !== '')
		.map(([name, value]) => [name.slice('x-ratelimit-'.length).toLowerCase(), Number(value)] as const)
		.filter(([, value]) => Number.isFinite(value) && value >= 0);
	if (found.length === 0) return undefined;
	const details = Object.fromEntries(found);
	const { limit, remaining, reset } = details;
	return { details, state: { limit, remaining, resetInMs: resetInMs(reset, now) } };
}

/** The spec doesn't say what `X-RateLimit-Reset` counts: seconds from now, or a time in seconds or ms. */
function resetInMs(reset = NaN, now: number): number | undefined {
	const ms = reset < 1e8 ? reset * 1000 : (reset < 1e11 ? reset * 1000 : reset) - now;
	return ms <= MAX_RESET_MS ? ms : undefined;
}

/**
 * The warning of an endpoint that will be removed (spec, "Versioning"): `Deprecation`, `Sunset`, and a link to read; one
 * for each endpoint, whatever the IDs in the path.
 */
export function deprecationOf(headers: IDataObject, method: string, path: string): string | undefined {
	const read = (name: string): string => (typeof headers[name] === 'string' ? headers[name].trim() : '');
	const deprecation = read('deprecation');
	const sunset = read('sunset');
	if ((deprecation === '' || deprecation === 'false') && sunset === '') return undefined;
	const until = sunset ? ` It stops working on ${sunset}.` : '';
	const link = /<([^<>]+)>\s*;[^,]*rel="?deprecation"?/i.exec(read('link'))?.[1];
	return `The service announced that ${method} ${endpointOf(path)} is deprecated.${until} Look for a newer version of this package${link ? ` and see ${link}` : ''}.`;
}
