import type { IDataObject } from 'n8n-workflow';

import { deprecationOf, rateLimit, retryAfter } from '../../../nodes/api/rateLimitHeaders';

const now = Date.parse('2026-05-01T10:00:00Z');

describe('Retry-After', () => {
	test.each<[unknown, number?]>([
		['7', 7],
		[7, 7],
		['1.25', 2],
		[' 12 ', 12],
		['Fri, 01 May 2026 10:00:30 GMT', 30],
		['Fri, 01 May 2026 09:00:00 GMT', 0],
		...['-5', 'at 12:30 or so', '2026-05-01 10:30', '  ', '12abc', 'x12', undefined].map(
			(none): [unknown, undefined] => [none, undefined],
		),
	])('of %j is %j s', (value, seconds) =>
		expect(retryAfter({ 'retry-after': value as string }, now)).toBe(seconds),
	);

	test("a date goes by the answer's own clock", () => {
		const headers = { 'retry-after': 'Fri, 01 May 2026 10:00:30 GMT', date: 'Fri, 01 May 2026 10:00:20 GMT' };
		expect(retryAfter(headers, now)).toBe(10);
	});
});

describe('X-RateLimit-*', () => {
	test.each<[IDataObject, object | undefined]>([
		[{ 'X-RateLimit-Limit': 60, 'content-length': '5' }, { limit: 60 }],
		[
			{ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '3' },
			{ limit: 60, remaining: 3 },
		],
		[{ 'content-length': '5' }, undefined],
		[{ 'old-x-ratelimit-limit': '5' }, undefined],
		[{}, undefined],
	])('%j says %j', (headers, details) => expect(rateLimit(headers)).toEqual(details));
});

describe('an endpoint that goes away', () => {
	test.each([
		['/posts/plum-jam/cancel', '/posts/…/cancel'],
		['/posts/a%2F1', '/posts/…'],
		['/analytics/summary', '/analytics/summary'],
		['/media/upload-url', '/media/upload-url'],
		['/analytics/posts/summary', '/analytics/posts/summary'],
		['/webhooks/main/deliveries', '/webhooks/…/deliveries'],
	])('%s is %s: one warning for an endpoint, also of IDs without a digit', (path, endpoint) =>
		expect(deprecationOf({ sunset: 'soon' }, 'POST', path)).toContain(` POST ${endpoint} is deprecated`),
	);

	test.each<[IDataObject, string | undefined]>([
		[{ deprecation: 'true' }, ''],
		[{ sunset: 'soon' }, ' It stops working on soon.'],
		[{ deprecation: 'false' }, undefined],
		[{}, undefined],
	])('%j: %j', (headers, until) =>
		expect(deprecationOf(headers, 'GET', '/posts/post_1/analytics')).toBe(
			until === undefined
				? until
				: `The service announced that GET /posts/…/analytics is deprecated.${until} Look for a newer version of this package.`,
		),
	);
});
