import { rateLimit, retryAfter, deprecationOf } from '../../../nodes/api/rateLimitHeaders';

const now = Date.parse('2026-05-01T10:00:00Z');

describe('Retry-After', () => {
	test.each([
		['seconds', '7', 7],
		['a number', 7, 7],
		['zero', '0', 0],
		['a fraction, rounded up', '1.2', 2],
		['a longer fraction', '1.25', 2],
		['with blanks', ' 12 ', 12],
		['an HTTP date', 'Fri, 01 May 2026 10:00:30 GMT', 30],
		['an ISO date', '2026-05-01T10:01:00Z', 60],
		['a date that has passed', 'Fri, 01 May 2026 09:00:00 GMT', 0],
		['absurdly long', '99999999999', 86_400],
		['a date next century', 'Wed, 01 May 2126 10:00:00 GMT', 86_400],
		['negative', '-5', undefined],
		['garbage', 'soon', undefined],
		['words with a time', 'at 12:30 or so', undefined],
		['a date and time without a zone', '2026-05-01 10:30', undefined],
		['blanks', '  ', undefined],
		['half a number', '12abc', undefined],
		['empty', '', undefined],
		['missing', undefined, undefined],
		['a list', ['5'], undefined],
	])('%s', (_name, value, expected) => {
		expect(retryAfter(value, now)).toBe(expected);
	});
});

describe('X-RateLimit-*', () => {
	const state = (headers: Record<string, string>) => rateLimit(headers, now)?.state;
	test('the reset as a time in seconds, in ms, or in seconds from now', () => {
		for (const reset of [String(now / 1000 + 20), String(now + 20_000), '20'])
			expect(
				state({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }),
			).toEqual({
				limit: 60,
				remaining: 0,
				resetAt: now + 20_000,
			});
	});
	test('a reset up to two minutes away', () => {
		const resetAt = (reset: number) => state({ 'x-ratelimit-reset': String(reset) })?.resetAt;
		expect([resetAt(120), resetAt(121)]).toEqual([now + 120_000, undefined]);
		// From these numbers on it is a time, in seconds and in ms: both in 1973.
		expect([resetAt(1e8 - 1), resetAt(1e8), resetAt(1e11)]).toEqual([undefined, 1e11, 1e11]);
		expect(state({ 'x-ratelimit-limit': '60' })).toEqual({ limit: 60 });
	});
	test('whatever the case of the names, and no other header', () => {
		expect(rateLimit({ 'X-RateLimit-Limit': 60, 'content-length': '5' }, now)?.details).toEqual({
			limit: 60,
		});
		expect(rateLimit({ 'content-length': '5' }, now)).toBeUndefined();
		expect(rateLimit({ 'x-ratelimit-limit': ' ', 'x-ratelimit-remaining': '' }, now)).toBeUndefined();
	});
	test('nonsense is left out', () => {
		expect(state({ 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '-3' })).toBeUndefined();
		expect(state({ 'x-ratelimit-reset': '99999999' })?.resetAt).toBeUndefined();
		expect(rateLimit({}, now)).toBeUndefined();
	});
});

describe('early warnings', () => {
	test('Deprecation and Sunset, with the date and where to read on; IDs are left out', () => {
		const warning = deprecationOf(
			{
				deprecation: 'true',
				sunset: '2027-01-01T00:00:00Z',
				link: '<https://example.com/changes>; rel=deprecation',
			},
			'GET /posts/post_123',
		);
		expect(warning).toContain('GET /posts/…');
		expect(warning).toContain('2027-01-01');
		expect(warning).toContain('https://example.com/changes');
	});
	test('one of Deprecation and Sunset is enough; without a link there is none to read', () => {
		const said = (headers: Record<string, string>) => deprecationOf(headers, 'GET /posts/p1234/analytics');
		const [announced, advice] = [
			'The service announced that GET /posts/…/analytics is deprecated.',
			'Look for a newer version of this package',
		];
		expect(said({ deprecation: 'true' })).toBe(`${announced} ${advice}.`);
		expect(said({ sunset: ' soon ', link: '<https://a.example>; rel=next' })).toBe(
			`${announced} It stops working on soon. ${advice}.`,
		);
		const link = '<https://a.example> ; type="text/html"; rel="deprecation"';
		expect(said({ deprecation: 'false', sunset: 'soon', link })).toBe(
			`${announced} It stops working on soon. ${advice} and see https://a.example.`,
		);
		expect(said({ deprecation: ' false ' })).toBeUndefined();
	});
	test('nothing to say', () => {
		expect(deprecationOf({ deprecation: 'false' }, 'GET /x')).toBeUndefined();
		expect(deprecationOf({}, 'GET /x')).toBeUndefined();
	});
});
