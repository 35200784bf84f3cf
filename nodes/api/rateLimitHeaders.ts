import { isEmpty, mapKeys, mapValues, pick, pickBy } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

/** `Retry-After` in seconds, from seconds or an HTTP date; undefined where it is missing or makes no sense. */
export function retryAfter(headers: IDataObject, now = Date.now()): number | undefined {
	const text = String(headers['retry-after']).trim();
	const answeredAt = Date.parse(String(headers.date)) || now;
	const isNumber = /^\d+(\.\d+)?$/.test(text);
	const seconds = isNumber ? Number(text) : (DateTime.fromHTTP(text).toMillis() - answeredAt) / 1000;
	return Number.isNaN(seconds) ? undefined : Math.max(Math.ceil(seconds), 0);
}

/** `X-RateLimit-*` (spec, "Rate limits"), under the rest of their names; undefined where there are none. */
export function rateLimit(headers: IDataObject): Record<string, number> | undefined {
	const found = pickBy(headers, (_value, name) => /^x-ratelimit-/i.test(name));
	const named = mapKeys(found, (_value, name) => name.slice('x-ratelimit-'.length).toLowerCase());
	return isEmpty(named) ? undefined : mapValues(named, Number);
}

/** The warning of an endpoint that will be removed (spec, "Versioning"), the same whatever the IDs in the path. */
export function deprecationOf(headers: IDataObject, method: string, path: string): string | undefined {
	const { deprecation, sunset } = mapValues(pick(headers, 'deprecation', 'sunset'), String);
	if (deprecation !== 'true' && !sunset) return undefined;
	const until = sunset ? ` It stops working on ${sunset}.` : '';
	const endpoint = path.replace(/^\/(posts|webhooks|inbox)\/[^/]+/, '/$1/…');
	return `The service announced that ${method} ${endpoint} is deprecated.${until} Look for a newer version of this package.`;
}
