import fc from 'fast-check';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { Client, type ApiRequest, type Transport } from '../../../nodes/api/client';
import { limitConcurrency } from '../../../nodes/api/concurrency';
import { refusal, type Failure } from '../../../nodes/api/errors';
import { RateLimiter, type RetryBudget } from '../../../nodes/api/rateLimiter';
import { redactor } from '../../../nodes/api/redaction';
import { generator } from '../../service/faults';
import { rejectionOf } from '../../support/failure';
import { runs } from '../../support/property';
import { textOf } from '../../support/texts';

/** Spreads the waits of runs, and how long the service takes; the same each time. */
let random = generator(1);
let slowness = generator(1001);
beforeEach(() => void ([random, slowness] = [generator(1), generator(1001)]));

const GIVEN = 'sk_live_0123456789abcdef';
const apiUrl = 'https://api.example.com/v1';
const clientOf = (transport: Transport, signal?: AbortSignal, workspaceId = '') =>
	new Client(
		transport,
		{ apiUrl, workspaceId, postFormat: 'integrationGuide' },
		new RateLimiter(signal, Date.now, random),
		redactor([GIVEN]),
	);
const ok = (data: unknown = {}, headers: IDataObject = {}) => ({
	statusCode: 200,
	body: { success: true, data },
	headers,
});
const refused = (statusCode: number, code: string, message = 'no', data?: object) => ({
	statusCode,
	body: { success: false, error: { code, message }, data },
	headers: {},
});

/** A client in this workspace, and what it sent; `answer` may say what comes back. */
function clientIn(workspaceId = '', answer: (request: IHttpRequestOptions) => unknown = () => ok()) {
	const sent: IHttpRequestOptions[] = [];
	const client = clientOf(
		async (request) => {
			sent.push(request);
			return (await answer(request)) as never;
		},
		undefined,
		workspaceId,
	);
	const send = async (more: Partial<ApiRequest> = {}): Promise<any> =>
		await client.send({ method: 'POST', path: '/posts', ...more }, 0).catch((error: Failure) => error);
	/** Path and workspace of each request. */
	const asked = () => sent.map(({ url, headers }) => [url.slice(26), headers!['x-service-workspace-id']]);
	return { client, send, sent, asked };
}

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

describe('a request as it is sent', () => {
	test('with nothing but what is given', async () => {
		const { send, sent } = clientIn();
		await send({ method: 'GET', path: '/usage' });
		expect(sent).toEqual([
			{
				...{
					method: 'GET',
					url: `${apiUrl}/usage`,
					headers: { Accept: 'application/json' },
					timeout: 30_000,
				},
				...{ disableFollowRedirect: true, ignoreHttpStatusErrors: true, returnFullResponse: true },
				abortSignal: expect.anything(),
			},
		]);
	});

	test('with query, body, workspace and key', async () => {
		const { send, sent } = clientIn('ws_1');
		await send({ qs: { a: 1 }, body: { text: 'Hi' }, idempotencyKey: 'k' });
		const { qs, body, headers } = sent[0]!;
		expect([qs, body]).toEqual([{ a: 1 }, { text: 'Hi' }]);
		expect(headers).toEqual({
			...{ Accept: 'application/json', 'Content-Type': 'application/json' },
			...{ 'x-service-workspace-id': 'ws_1', 'idempotency-key': 'k' },
		});
		await send({ body: new FormData() as never });
		expect(sent[1]!.headers).not.toHaveProperty('Content-Type');
	});

	test('an answer, a failure with the key, and what the service announces', async () => {
		const announced = clientIn('', () => ok({ id: 'p' }, { deprecation: 'true' }));
		for (let n = 0; n < 2; n++)
			expect(await announced.send()).toMatchObject({ status: 200, data: { id: 'p' } });
		expect(announced.client.warnings.size).toBe(1);
		const failing = clientIn('', () => ({ statusCode: 400, body: 'no', headers: {} }));
		const { details, notProcessed } = await failing.send({ idempotencyKey: 'k' });
		expect([details.idempotency_key, notProcessed]).toEqual(['k', true]);
		expect((await failing.send()).details).not.toHaveProperty('idempotency_key');
	});
});

describe('a body that is prepared when the request may go out', () => {
	test('is made once, after the slot was given, and sent in every attempt', async () => {
		const busy = clientIn('', () => (busy.sent.length < 3 ? { ...refused(503, 'A_FAILED') } : ok()));
		const events: string[] = [];
		const acquire = busy.client.limiter.acquire.bind(busy.client.limiter);
		jest.spyOn(busy.client.limiter, 'acquire').mockImplementation(async (...args) => {
			await acquire(...args);
			events.push('slot');
		});
		const prepare = () => (events.push(`prepare, ${busy.sent.length} sent`), { n: events.length });
		const request = { method: 'POST' as const, path: '/posts', body: { n: 0 }, prepare };
		await timed(busy.client.send(request, 60_000));
		expect(events).toEqual(['slot', 'prepare, 0 sent', 'slot', 'slot']);
		expect(busy.sent.map(({ body, headers }) => [body, headers!['Content-Type']])).toEqual(
			Array(3).fill([{ n: 2 }, 'application/json']),
		);
	});

	test('is made anew as long as the service certainly processed nothing', async () => {
		const statuses = [429, 429, 503, 200];
		const busy = clientIn('', () => {
			const status = statuses[busy.sent.length - 1]!;
			return status === 200 ? ok() : refused(status, 'A_FAILED');
		});
		let count = 0;
		const prepare = () => ({ n: ++count });
		await timed(busy.client.send({ method: 'POST', path: '/posts', prepare }, 600_000));
		expect(busy.sent.map(({ body }) => body)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 3 }]);
	});

	test('leaves the body as it was where it returns nothing', async () => {
		const { send, sent } = clientIn();
		await send({ body: { text: 'Hi' }, prepare: () => undefined });
		expect(sent[0]!.body).toEqual({ text: 'Hi' });
	});

	test('its secret is hidden like that of a body that was given', async () => {
		const { send } = clientIn('', () => refused(400, 'A', 'not s3cr3t-s3cr3t'));
		expect(textOf(await send({ prepare: () => ({ secret: 's3cr3t-s3cr3t' }) }))).not.toContain('s3cr3t-');
	});

	test('where it throws nothing is sent, the slot is free, and the error is thrown as it is', async () => {
		const limited = { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2', 'x-ratelimit-reset': '60' };
		const { client, send, sent } = clientIn('', () => ok({}, limited));
		await send();
		const broken = new Error('no');
		expect(
			await send({
				prepare: () => {
					throw broken;
				},
			}),
		).toBe(broken);
		const refusing = refusal('A', 'no', 'try');
		const failure = await send({
			prepare: () => {
				throw refusing;
			},
		});
		expect([failure, failure.notProcessed, sent.length]).toEqual([refusing, true, 1]);
		// One more has room in this window: a slot that was kept would make it wait for the next one.
		const { seconds } = await timed(client.send({ method: 'POST', path: '/posts' }, 120_000));
		expect(seconds).toBeLessThan(1);
	});
});

describe('a service that repeats what it was given', () => {
	test.each<[string, unknown, string]>([
		['message', refused(401, 'A', `Key ${GIVEN} is unknown`), 'is unknown'],
		['code', refused(401, `A_${GIVEN}`), 'A_[hidden]'],
		[
			'request ID',
			{ ...refused(401, 'A'), body: { success: false, request_id: `r ${GIVEN}` } },
			'r [hidden]',
		],
		[
			'post',
			refused(422, 'A', 'no', { post: { id: 'p', error: GIVEN, media: ['https://a.example/?sig=abc'] } }),
			'"id":"p"',
		],
	])('its %s shows no key of the API and no signed address', async (_what, answer, shown) => {
		const text = textOf(await clientIn('', () => answer).send());
		expect(text).toContain(shown);
		expect(text).not.toMatch(new RegExp(`${GIVEN}|sig=abc`));
	});

	test('neither do its data and what it announces', async () => {
		const headers = { deprecation: 'true', link: `<https://x.example/?k=${GIVEN}>; rel=deprecation` };
		const { client, send } = clientIn('', () => ok({ owner: GIVEN }, headers));
		expect((await send()).data).toEqual({ owner: '[hidden]' });
		expect([...client.warnings].join()).toMatch(/^(?!.*sk_live).+x\.example/);
	});

	test('a secret of the request is taken out, too', async () => {
		const { send } = clientIn('', () =>
			refused(400, 'PUBLIC_API_BODY_INVALID', 'whsec_1234567 is not taken'),
		);
		expect((await send({ body: { secret: 'whsec_1234567' } })).message).toMatch(/\[hidden\] is not taken$/);
		expect((await send({ body: { secret: 7 } })).message).toContain('1234567');
	});
});

describe('the workspace of a request', () => {
	const list = {
		workspaces: [
			{ id: 'ws_9', name: 'Bakery' },
			{ id: 'ws_8', name: 'Plum Jam' },
			{ id: 'ws_6' },
			{ name: 'Without ID' },
		],
	};
	const forbidden = refused(403, 'PUBLIC_API_WORKSPACE_FORBIDDEN');
	/** Knows `ws_9` and `ws_8`. */
	const service = ({ url, headers }: IHttpRequestOptions) => {
		if (url.endsWith('/workspaces')) return ok(list);
		return ['ws_9', 'ws_8', undefined].includes(headers!['x-service-workspace-id'] as string)
			? ok()
			: forbidden;
	};

	test('the one that is asked for, none for null, else the one of the credential', async () => {
		const { send, asked } = clientIn('ws_9', service);
		await send({ workspaceId: 'ws_8' });
		await send({ workspaceId: null });
		await send({ workspaceId: '' });
		await send();
		expect(asked()).toEqual([
			['/posts', 'ws_8'],
			['/posts', undefined],
			['/posts', undefined],
			['/posts', 'ws_9'],
		]);
	});

	const reachable =
		"The key can access: Bakery (ws_9), Plum Jam (ws_8), ws_6. Enter the ID of one of them in 'Workspace', or clear it to use the key's own workspace.";

	test.each([
		['the credential', 'Bakery', undefined],
		['the node', '', 'Bakery'],
	])(
		'one that is not known, of %s: the error lists those that are; asked for once',
		async (_whose, own, given) => {
			const { send, asked } = clientIn(own, service);
			const request = given ? { workspaceId: given } : {};
			for (let n = 0; n < 2; n++) {
				const { details, notProcessed } = await send(request);
				expect(details).toMatchObject({
					code: 'PUBLIC_API_WORKSPACE_FORBIDDEN',
					status: 403,
					hint: reachable,
				});
				expect(notProcessed).toBe(true);
			}
			expect(asked()).toEqual([
				['/posts', 'Bakery'],
				['/workspaces', undefined],
				['/posts', 'Bakery'],
			]);
		},
	);

	test.each([
		['is refused', () => refused(403, 'PUBLIC_API_SCOPE_FORBIDDEN')],
		['is no list', () => ok(7)],
		['is empty', () => ok([])],
	])(
		'where the list %s it is the plain error, and the list is not asked for again',
		async (_what, answer) => {
			const { send, asked } = clientIn('ws_1', ({ url }) =>
				url.endsWith('/workspaces') ? answer() : forbidden,
			);
			for (let n = 0; n < 2; n++) expect((await send()).details.hint).toMatch(/^Check 'Workspace'/);
			expect(asked().map(([path]) => path)).toEqual(['/posts', '/workspaces', '/posts']);
		},
	);

	test('another failure is no reason to ask', async () => {
		const { send, asked } = clientIn('ws_1', () => ({ statusCode: 401, body: 'no', headers: {} }));
		await send();
		expect(asked()).toEqual([['/posts', 'ws_1']]);
	});

	test.each(['ws–main', 'Пекарня', 'Two words', 'ws\u0000', 'ws_main\n'])(
		'%j can not stand in a header: it is never sent, nor any part of it; the error lists those that are known',
		async (workspaceId) => {
			for (const [client, request, start] of [
				[clientIn('', service), { workspaceId }, /^'Workspace' is not an ID/],
				[clientIn(workspaceId, service), {}, /^'Workspace' in the credential/],
			] as const) {
				const failure = await client.send(request);
				expect(failure).toMatchObject({
					notProcessed: true,
					details: { code: 'NODE_WORKSPACE_ID', status: 0, hint: reachable },
				});
				expect(failure.message).toMatch(start);
				expect(client.asked()).toEqual([['/workspaces', undefined]]);
			}
		},
	);
});

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
	const pausing = (statusCode: number, retryAfter: number) => () => ({
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
		const { asked, send } = asking({ 'GET /a': [pausing(statusCode, 20)] });
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

	test.each<[string, RetryBudget, number, number]>([
		['Max Retry Wait 60', 60_000, 60, 91],
		['Max Retry Wait 600', 600_000, 300, 631],
		['Max Retry Wait 0', 0, 30, 31],
	])(
		'%s: ends when the caller no longer waits, and at most one request later',
		async (_name, budget, least, most) => {
			const { signals, transport } = hanging();
			const request = { method: 'POST' as const, path: '/posts' };
			const { value, seconds } = await timed(rejectionOf(clientOf(transport).send(request, budget)));
			expect(value.details).toMatchObject({ code: 'NODE_TIMEOUT', retryable: true });
			expect(value.notProcessed).toBe(false);
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
				const { seconds } = await timed(rejectionOf(send));
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
			rejectionOf(clientOf(transport).send({ method: 'POST', path: '/media', body }, 0)),
		);
		expect(seconds).toBeGreaterThanOrEqual(130);
		expect(seconds).toBeLessThanOrEqual(131);
	});

	test('a stop ends it within a second', async () => {
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 5000);
		const { transport, signals } = hanging();
		const { value, seconds } = await timed(
			rejectionOf(clientOf(transport, stop.signal).send({ method: 'POST', path: '/posts' }, 60_000)),
		);
		expect(value.details.code).toBe('NODE_STOPPED');
		expect(value.notProcessed).toBe(false);
		expect(seconds).toBeLessThanOrEqual(6);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
	});
});

describe('whether a request that failed was carried out', () => {
	const failing = (...codes: string[]): Transport => {
		return async () => {
			throw Object.assign(new Error(`key ${GIVEN}`), { code: codes.shift() });
		};
	};
	const post = { method: 'POST' as const, path: '/posts' };

	test.each([
		['ECONNREFUSED', true],
		['DEPTH_ZERO_SELF_SIGNED_CERT', true],
		['EPROTO', false],
		['ECONNRESET', false],
		['ERR_CANCELED', false],
	])('%s: certainly not: %s', async (code, certain) => {
		const { value } = await timed(rejectionOf(clientOf(failing(code)).send(post, 0)));
		expect([value.notProcessed, value.details.status]).toEqual([certain, 0]);
		expect(textOf(value)).not.toContain(GIVEN);
	});

	test('one attempt that may have been is enough not to be certain', async () => {
		const codes = ['ECONNREFUSED', 'ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'];
		const { value } = await timed(rejectionOf(clientOf(failing(...codes)).send(post, 60_000)));
		expect([value.notProcessed, value.details.code]).toEqual([false, 'NODE_UNREACHABLE']);
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
		const runsAtOnce = async (count: number, seed: number, latency: number) => {
			[random, slowness] = [generator(seed), generator(seed + 1)];
			const service = limited(20, latency);
			const names = ['a', 'b', 'c', 'd'].slice(0, count);
			await timed(Promise.all(names.map(async (name) => await run(clientOf(service.transport), name, 40))));
			expect(service.sent).toHaveLength(40 * count);
			expect(new Set(service.sent).size).toBe(40 * count);
		};
		// One of four starved before runs that had their share came back later.
		await runsAtOnce(4, 23, 499);
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 2, max: 4 }),
				fc.integer(),
				fc.integer({ min: 20, max: 500 }),
				runsAtOnce,
			),
			runs(2),
		);
		// Minutes of virtual time: slow on a busy machine, and under Stryker.
	}, 120_000);

	test('a service that refuses for ever is waited for as long as the caller said, then no more', async () => {
		const service = limited(0);
		const { value, seconds } = await timed(
			rejectionOf(
				clientOf(service.transport).send({ method: 'POST', path: '/posts', body: { id: '1' } }, 60_000),
			),
		);
		expect(value.details.code).toBe('PUBLIC_API_RATE_LIMITED');
		expect(value.notProcessed).toBe(true);
		expect(seconds).toBeLessThanOrEqual(70);
	});
});
