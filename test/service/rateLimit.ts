import { plans } from '../support/specification';
import { ApiError } from './envelope';
import type { ApiKey } from './types';

/** "Unlimited" is written as a number: a client may well parse it as one. */
const UNLIMITED = 1_000_000;
export const RATE_LIMITS = { ...plans, enterprise: { read: UNLIMITED, write: UNLIMITED } };

interface Window {
	ends: number;
	read: number;
	write: number;
}

/** Spec, "Limits": per API key and minute of real time from its first request; a refused request does not count. */
export class RateLimiter {
	private readonly windows = new Map<string, Window>();

	constructor(private readonly windowMs: number) {}

	/** The `X-RateLimit-*` headers; `exceeded` has the error where the limit is used up. */
	take(key: ApiKey, method: string): { headers: Record<string, string>; exceeded?: ApiError } {
		// PATCH: not shown in the spec, counted as write.
		const kind = method === 'GET' ? 'read' : 'write';
		const limit = RATE_LIMITS[key.plan][kind];
		const now = Date.now();
		let window = this.windows.get(key.key);
		if (!window || window.ends <= now) {
			window = { ends: now + this.windowMs, read: 0, write: 0 };
			this.windows.set(key.key, window);
		}
		const exceeded = window[kind] >= limit;
		if (!exceeded) window[kind]++;
		const headers: Record<string, string> = {
			'X-RateLimit-Limit': String(limit),
			'X-RateLimit-Remaining': String(limit - window[kind]),
			'X-RateLimit-Reset': String(Math.ceil(window.ends / 1000)),
		};
		if (!exceeded) return { headers };
		const seconds = Math.max(1, Math.ceil((window.ends - now) / 1000));
		headers['Retry-After'] = String(seconds);
		const told = `The limit of ${limit} ${kind} requests a minute is used up; try again in ${seconds} s.`;
		return { headers, exceeded: new ApiError('PUBLIC_API_RATE_LIMITED', told) };
	}

	reset(): void {
		this.windows.clear();
	}
}
