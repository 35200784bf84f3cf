import fc from 'fast-check';

import { Client, type Transport } from '../../../nodes/api/client';
import { limitConcurrency } from '../../../nodes/api/concurrency';
import type { Failure } from '../../../nodes/api/errors';
import { RateLimiter, type Patience } from '../../../nodes/api/rateLimiter';
import { generator } from '../../service/faults';
import { runs } from '../../support/property';

const address = {
	apiUrl: 'https://api.example.com/v1',
	workspaceId: '',
	postFormat: 'integrationGuide' as const,
};
/** Spreads the waits of runs, and how long the service takes; the same each time. */
let random = generator(1);
let slowness = generator(1001);
beforeEach(() => void ([random, slowness] = [generator(1), generator(1001)]));
const clientOf = (transport: Transport, signal?: AbortSignal, workspaceId = '') =>
	new Client(transport, { ...address, workspaceId }, new RateLimiter(signal, Date.now, random));
const failureOf = async (work: Promise<unknown>): Promise<Failure> =>
	await work.then(
		() => {
			throw new Error('nothing failed');
		},
		(error: Failure) => error,
	);

/** A time on which nothing really happens: only the clock goes on. */
beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') }));
afterEach(() => void jest.useRealTimers());

/** The result of `work`, and how much time of the clock it took, in s. */
async function timed<T>(work: Promise<T>): Promise<{ value: T; seconds: number }> {
	const start = Date.now();
	let end: number | undefined;
	const ended = work.finally(() => (end = Date.now()));
	ended.catch(() => undefined);
	while (end === undefined) await jest.advanceTimersByTimeAsync(10_000);
	return { value: await ended, seconds: (end - start) / 1000 };
}

const ok = (data: unknown = {}, headers: object = {}) =>
	({ statusCode: 200, body: { success: true, data }, headers }) as never;

describe('limits of one run', () => {
	const seconds = (from: number) => (Date.now() - from) / 1000;
	/** A client whose service answers as `answers` say, by method and path; when which was asked, in s. */
	function asking(answers: Record<string, Array<() => unknown>>) {
		const start = Date.now();
		const asked: Array<[string, number]> = [];
		const client = clientOf(async ({ method, url }) => {
			const name = `${method} ${new URL(url).pathname.slice('/v1'.length)}`;
			asked.push([name, seconds(start)]);
			return (answers[name]?.shift() ?? ok)() as never;
		});
		const send = async (name: string) => {
			const [method, path] = name.split(' ') as ['GET' | 'POST', string];
			return await client.send({ method, path }, 60_000);
		};
		return { asked, send };
	}
	const refused = (statusCode: number, retryAfter: number) => () => ({
		statusCode,
		headers: { 'retry-after': String(retryAfter) },
		body: {},
	});
	const usedUp = () =>
		ok(
			{},
			{
				'x-ratelimit-limit': '10',
				'x-ratelimit-remaining': '0',
				'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 40),
			},
		);

	test('are counted for reading and for writing: one that is used up holds up its own only', async () => {
		const { asked, send } = asking({ 'GET /a': [usedUp] });
		await timed(send('GET /a'));
		const before = Date.now();
		await timed(send('POST /b'));
		await timed(send('PATCH /b'));
		expect(seconds(before)).toBeLessThan(25);
		await timed(send('GET /c'));
		const at = new Map(asked);
		expect(at.get('POST /b')).toBeLessThan(20);
		expect(at.get('PATCH /b')).toBeLessThan(30);
		expect(at.get('GET /c')).toBeGreaterThanOrEqual(40);
	});

	test.each([
		[429, 'every request of the run waits', true],
		[503, 'that one waits, no other', false],
	])('after a %d %s', async (statusCode, _what, allWait) => {
		const { asked, send } = asking({ 'GET /a': [refused(statusCode, 20)] });
		const first = timed(send('GET /a'));
		await jest.advanceTimersByTimeAsync(1000);
		await Promise.all([first, timed(send('GET /b'))]);
		const [, again] = asked.filter(([name]) => name === 'GET /a');
		expect(again![1]).toBeGreaterThanOrEqual(20);
		expect(asked.find(([name]) => name === 'GET /b')![1] >= 20).toBe(allWait);
	});
});

describe('a service that hangs', () => {
	const hanging = () => {
		const signals: AbortSignal[] = [];
		const transport: Transport = async ({ abortSignal }) => {
			signals.push(abortSignal as AbortSignal);
			return await new Promise(() => undefined);
		};
		return { signals, transport };
	};

	test.each<[string, Patience, number, number]>([
		['Max Retry Wait 60', 60_000, 60, 91],
		['Max Retry Wait 600', 600_000, 300, 631],
		['Max Retry Wait 0', 0, 30, 31],
	])(
		'%s: ends when the caller no longer waits, and at most one request later',
		async (_name, patience, least, most) => {
			const { signals, transport } = hanging();
			const request = { method: 'POST' as const, path: '/posts' };
			const { value, seconds } = await timed(failureOf(clientOf(transport).send(request, patience)));
			expect(value.details).toMatchObject({ code: 'NODE_TIMEOUT', retryable: true });
			expect(value.certain).toBe(false);
			expect(seconds).toBeGreaterThanOrEqual(least);
			expect(seconds).toBeLessThanOrEqual(most);
			for (const signal of signals) expect(signal.aborted).toBe(true);
		},
	);

	test('a fixed end is kept, however near', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 0, max: 400 }), async (wait) => {
				const { transport } = hanging();
				const send = clientOf(transport).send(
					{ method: 'GET', path: '/' },
					{ until: Date.now() + wait * 1000 },
				);
				const { seconds } = await timed(failureOf(send));
				expect(seconds).toBeLessThanOrEqual(wait + 2);
			}),
			runs(15),
		);
	});

	test('a file gets the time that its bytes take on a slow line', async () => {
		const { transport } = hanging();
		const body = new FormData();
		body.append('file', new Blob([Buffer.alloc(64 * 1024 * 100)]), 'a.png');
		const { seconds } = await timed(
			failureOf(clientOf(transport).send({ method: 'POST', path: '/media', body }, 0)),
		);
		expect(seconds).toBeGreaterThanOrEqual(130);
		expect(seconds).toBeLessThanOrEqual(131);
	});

	test('a stop ends it within a second', async () => {
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 5000);
		const { transport, signals } = hanging();
		const { value, seconds } = await timed(
			failureOf(clientOf(transport, stop.signal).send({ method: 'POST', path: '/posts' }, 60_000)),
		);
		expect(value.details.code).toBe('NODE_STOPPED');
		expect(value.certain).toBe(false);
		expect(seconds).toBeLessThanOrEqual(6);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
	});
});

describe('what is known of a request that failed', () => {
	const network = (code: string): Transport => {
		return async () => {
			throw Object.assign(new Error('key sk_live_1'), { code });
		};
	};

	test.each([
		['ENOTFOUND', true],
		['ECONNREFUSED', true],
		['CERT_HAS_EXPIRED', true],
		['DEPTH_ZERO_SELF_SIGNED_CERT', true],
		['EPROTO', false],
		['ERR_SSL_WRONG_VERSION_NUMBER', false],
		['EHOSTUNREACH', false],
		['ENETUNREACH', false],
		['ECONNRESET', false],
		['ETIMEDOUT', false],
		['EPIPE', false],
		['ERR_CANCELED', false],
	])('%s: certainly not carried out: %s', async (code, certain) => {
		const { value } = await timed(
			failureOf(clientOf(network(code)).send({ method: 'POST', path: '/posts' }, 0)),
		);
		expect([value.certain, value.details.status]).toEqual([certain, 0]);
		expect(JSON.stringify(value.details)).not.toContain('sk_live');
	});

	test('one attempt that may have been carried out is enough not to be certain', async () => {
		const codes = ['ECONNREFUSED', 'ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'];
		const { value } = await timed(
			failureOf(
				clientOf(async (options) => await network(codes.shift()!)(options)).send(
					{ method: 'POST', path: '/posts' },
					60_000,
				),
			),
		);
		expect([value.certain, codes.length]).toEqual([false, 0]);
	});
});

describe('the workspace', () => {
	const asked = (list: object[] = []) => {
		const sent: Array<[path: string, workspace: unknown]> = [];
		const transport: Transport = async ({ url, headers }) => {
			const workspace = headers?.['x-service-workspace-id'];
			sent.push([url.replace(address.apiUrl, ''), workspace]);
			if (url.endsWith('/workspaces')) return ok({ workspaces: list });
			if (workspace === undefined || String(workspace).startsWith('ws_')) return ok();
			const error = { code: 'PUBLIC_API_WORKSPACE_FORBIDDEN', message: 'no' };
			return { statusCode: 403, body: { success: false, error }, headers: {} } as never;
		};
		return { sent, transport };
	};
	const odd = ['ws–main', 'Пекарня', 'Plum Jam', 'ws\u0000', 'ws_main\n'];

	test.each(odd)(
		'%j can not stand in a header: it is never sent, nor any part of it',
		async (workspaceId) => {
			const { sent, transport } = asked([{ id: 'ws_main', name: 'Main' }]);
			const named = await failureOf(clientOf(transport).send({ method: 'GET', path: '/', workspaceId }, 0));
			expect(named.details).toMatchObject({ code: 'NODE_WORKSPACE_ID' });
			expect(named.message).toMatch(/^'Workspace' is not an ID/);
			expect([named.certain, sent]).toEqual([true, []]);
			const own = await failureOf(
				clientOf(transport, undefined, workspaceId).send({ method: 'GET', path: '/' }, 0),
			);
			expect(own.message).toMatch(/^'Workspace' of the credential/);
			expect([own.certain, sent]).toEqual([true, [['/workspaces', undefined]]]);
		},
	);

	test.each(['Plum Jam', 'Пекарня', 'bakery'])(
		'the credential may name it: %s, looked up once',
		async (name) => {
			const { sent, transport } = asked([
				{ id: 'ws_1', name: 'Plum Jam' },
				{ id: 'ws_2', name: 'Пекарня' },
				{ id: 'ws_3', name: 'Bakery' },
			]);
			const client = clientOf(transport, undefined, name);
			for (let i = 0; i < 3; i++) await client.send({ method: 'POST', path: '/posts' }, 0);
			const took = sent.filter(([path, workspace]) => path === '/posts' && workspace !== name);
			expect(new Set(took.map(([, workspace]) => workspace)).size).toBe(1);
			expect(took).toHaveLength(3);
			expect(sent.filter(([path]) => path === '/workspaces')).toHaveLength(1);
		},
	);

	test('a name that two have, or none, is not guessed', async () => {
		const twice = asked([
			{ id: 'ws_1', name: 'Shop' },
			{ id: 'ws_2', name: 'shop' },
		]);
		for (const name of ['Shop', 'Other']) {
			const failure = await failureOf(
				clientOf(twice.transport, undefined, name).send({ method: 'POST', path: '/posts' }, 0),
			);
			expect(failure.details.code).toBe('PUBLIC_API_WORKSPACE_FORBIDDEN');
		}
		expect(twice.sent.every(([, workspace]) => !String(workspace).startsWith('ws_'))).toBe(true);
	});
});

/** A service that takes so many writes a minute on one key, as the spec has it. */
function limited(limit: number, latency = 50) {
	let window = -1;
	let used = 0;
	const sent: string[] = [];
	const refused: number[] = [];
	const transport: Transport = async ({ body }) => {
		await new Promise((done) => setTimeout(done, latency * (0.5 + slowness())));
		const now = Date.now() + 17_000;
		const current = Math.floor(now / 60_000);
		if (current !== window) [window, used] = [current, 0];
		const reset = Math.ceil(60 - (now % 60_000) / 1000);
		const headers = {
			'x-ratelimit-limit': String(limit),
			'x-ratelimit-remaining': String(Math.max(0, limit - used - 1)),
			'x-ratelimit-reset': String(reset),
		};
		if (used >= limit) {
			refused.push(now);
			const error = { code: 'PUBLIC_API_RATE_LIMITED', message: 'slow down' };
			return {
				statusCode: 429,
				body: { success: false, error },
				headers: { ...headers, 'retry-after': String(reset) },
			} as never;
		}
		used++;
		sent.push((body as { id: string }).id);
		return ok({}, headers);
	};
	return { transport, sent, refused };
}

/** A run of so many posts, five at the same time, with default options. */
async function run(client: Client, name: string, count: number): Promise<void> {
	const slots = limitConcurrency(5);
	await Promise.all(
		Array.from({ length: count }, async (_, i) =>
			slots(async () => {
				await client.send({ method: 'POST', path: '/posts', body: { id: `${name}${i}` } }, 60_000);
			}),
		),
	);
}

describe('the pace of a run', () => {
	test('300 posts on the lowest plan end by themselves, each once, with a reserve for others', async () => {
		const service = limited(20);
		const client = clientOf(service.transport);
		const { seconds } = await timed(run(client, '', 300));
		expect(new Set(service.sent).size).toBe(300);
		expect(service.sent).toHaveLength(300);
		// 18 of 20 in each minute.
		expect(seconds).toBeGreaterThan(14 * 60);
		expect(seconds).toBeLessThan(19 * 60);
		expect(service.refused.length).toBeLessThanOrEqual(3);
	});

	test('two to four runs at once on one key: none starves, each post once', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 2, max: 4 }),
				fc.integer(),
				fc.integer({ min: 20, max: 500 }),
				async (count, seed, latency) => {
					[random, slowness] = [generator(seed), generator(seed + 1)];
					const service = limited(20, latency);
					const names = ['a', 'b', 'c', 'd'].slice(0, count);
					await timed(
						Promise.all(names.map(async (name) => await run(clientOf(service.transport), name, 60))),
					);
					expect(service.sent).toHaveLength(60 * count);
					expect(new Set(service.sent).size).toBe(60 * count);
				},
			),
			runs(2),
		);
	});

	test('a service that refuses for ever is waited for as long as the caller said, then no more', async () => {
		const service = limited(0);
		const { value, seconds } = await timed(
			failureOf(
				clientOf(service.transport).send({ method: 'POST', path: '/posts', body: { id: '1' } }, 60_000),
			),
		);
		expect(value.details.code).toBe('PUBLIC_API_RATE_LIMITED');
		expect(value.certain).toBe(true);
		expect(seconds).toBeLessThanOrEqual(70);
	});

	test('a stop ends the wait for the next window within a second', async () => {
		const service = limited(20);
		const stop = new AbortController();
		const running = failureOf(run(clientOf(service.transport, stop.signal), '', 60));
		setTimeout(() => stop.abort(), 20_000);
		const { value, seconds } = await timed(running);
		expect(value.details.code).toBe('NODE_STOPPED');
		expect(seconds).toBeLessThanOrEqual(21);
	});

	test('a fixed end that comes before the pause of a 429 is kept', async () => {
		const service = limited(0);
		const client = clientOf(service.transport);
		const first = failureOf(client.send({ method: 'GET', path: '/', body: { id: 'x' } }, 60_000));
		await jest.advanceTimersByTimeAsync(1000);
		const second = failureOf(
			client.send({ method: 'GET', path: '/', body: { id: 'y' } }, { until: Date.now() + 10_000 }),
		);
		const { value, seconds } = await timed(second);
		expect(value.details.status).toBe(429);
		expect(seconds).toBeLessThanOrEqual(11);
		await timed(first);
	});

	test('says beforehand how long so many requests will take, once the limit is known', async () => {
		const service = limited(20);
		const client = clientOf(service.transport);
		expect(client.limiter.estimate('write', 300)).toBeUndefined();
		await timed(run(client, 'first', 1));
		expect(client.limiter.estimate('write', 17)).toBe(0);
		const told = client.limiter.estimate('write', 299)!;
		const { seconds } = await timed(run(client, '', 299));
		expect(Math.abs(seconds - told / 1000)).toBeLessThan(120);
		expect(told).toBeGreaterThan(900_000);
	});
});
