import { RateLimiter } from '../../service/rateLimit';
import { newKey } from '../../service/seed';
import type { ApiKey } from '../../service/types';
import { plans } from '../../support/specification';

const START = Date.parse('2026-05-01T10:00:00.400Z');
beforeEach(() => void jest.useFakeTimers({ now: START }));
afterEach(() => void jest.useRealTimers());

/** How many of so many requests are let through. */
const through = (limiter: RateLimiter, key = newKey({}), method = 'GET', count = 300) =>
	Array.from({ length: count }, () => limiter.take(key, method)).filter(({ exceeded }) => !exceeded).length;

test.each(Object.entries(plans))('%s: %j a minute, reads and writes apart', (plan, { read, write }) => {
	const limiter = new RateLimiter(60_000);
	const key = newKey({ plan: plan as ApiKey['plan'] });
	expect(through(limiter, key)).toBe(read);
	expect(through(limiter, key, 'DELETE', write - 1)).toBe(write - 1);
	expect(through(limiter, key, 'PATCH')).toBe(1);
	expect(through(limiter, key, 'POST')).toBe(0);
	// Another key has a limit of its own.
	expect(through(limiter, newKey({ plan: plan as ApiKey['plan'] }), 'POST')).toBe(write);
});

test('headers count down to a time, at which the key may ask again', () => {
	const limiter = new RateLimiter(60_000);
	const key = newKey({ plan: 'lowest' });
	const numbers = { 'X-RateLimit-Limit': '20', 'X-RateLimit-Reset': String(Math.ceil(START / 1000) + 60) };
	const first = limiter.take(key, 'POST');
	expect(first).toEqual({ headers: { ...numbers, 'X-RateLimit-Remaining': '19' } });
	through(limiter, key, 'POST', 19);
	jest.setSystemTime(START + 20_000);
	const { headers, exceeded } = limiter.take(key, 'POST');
	expect(headers).toEqual({ ...numbers, 'X-RateLimit-Remaining': '0', 'Retry-After': '40' });
	expect(exceeded).toMatchObject({ code: 'PUBLIC_API_RATE_LIMITED', status: 429 });
	jest.setSystemTime(START + 60_000);
	expect(limiter.take(key, 'POST').headers['X-RateLimit-Remaining']).toBe('19');
});
