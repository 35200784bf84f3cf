import { mapKeys, range } from 'lodash';
import type { GenericValue, IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { Client, type ApiRequest } from '../../../nodes/api/client';
import { limitConcurrency } from '../../../nodes/api/concurrency';
import { refusal } from '../../../nodes/api/failure';
import { Pace, type RetryBudget } from '../../../nodes/api/pace';
import { redactor } from '../../../nodes/api/redaction';
import { generator } from '../../service/faults';
import { RateLimiter as ServiceLimits } from '../../service/rateLimit';
import { newKey } from '../../service/seed';
import { ended } from '../../support/virtualTime';

const NOW = Date.parse('2026-11-20T12:00:00Z');

/** A time on which nothing really happens: only the clock goes on. */
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

const GIVEN = 'sk_live_0123456789abcdef';
const apiUrl = 'https://api.example.com/v1';
const ok = (data: GenericValue = {}, headers: IDataObject = {}) => ({
	statusCode: 200,
	body: { success: true, data },
	headers,
});
const refused = (statusCode: number, code: string, message = 'no') => ({
	statusCode,
	body: { success: false, error: { code, message } },
	headers: {} as IDataObject,
});

type Answer = (request: IHttpRequestOptions) => IN8nHttpFullResponse | Promise<IN8nHttpFullResponse>;
/** A client in this workspace, and what it sent; `answer` may say what comes back. */
function clientIn(workspaceId = '', answer: Answer = () => ok()) {
	const sent: IHttpRequestOptions[] = [];
	const client = new Client(
		async (request) => {
			sent.push(request);
			return await answer(request);
		},
		{ apiUrl, workspaceId, postFormat: 'integrationGuide' },
		new Pace(),
		redactor([GIVEN]),
	);
	/** How a request ends, and after how many ms. */
	const timed = async (more: Partial<ApiRequest> = {}, budget: RetryBudget = 0) =>
		await ended(client.send({ method: 'POST', path: '/posts', ...more }, budget));
	/** The answer to a request, or its failure. */
	const send = async (...request: Parameters<typeof timed>): Promise<any> => {
		const { value, error } = await timed(...request);
		return value ?? error;
	};
	/** Path and workspace of each request. */
	const asked = () => sent.map(({ url, headers }) => [url.slice(26), headers!['x-service-workspace-id']]);
	return { client, timed, send, sent, asked };
}

describe('a request as it is sent', () => {
	test('with nothing but what is given', async () => {
		const { send, sent } = clientIn();
		await send({ method: 'GET', path: '/usage' });
		const whole = { disableFollowRedirect: true, ignoreHttpStatusErrors: true, returnFullResponse: true };
		const none = { 'x-service-workspace-id': '' };
		expect(sent).toEqual([
			{
				...{ method: 'GET', url: `${apiUrl}/usage`, headers: { Accept: 'application/json', ...none } },
				...{ ...whole, timeout: 30_000, abortSignal: expect.anything() },
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
		await send({ body: new FormData() });
		expect(sent[1]!.headers).not.toHaveProperty('Content-Type');
	});

	test('an answer, a failure with the key, and what the service announces', async () => {
		const { client, send, sent } = clientIn('', () =>
			ok({ id: 'p' }, sent.length > 1 ? { sunset: 'soon' } : {}),
		);
		for (const warnings of [[], [expect.stringContaining(' POST /posts is deprecated')]]) {
			expect(await send()).toMatchObject({ status: 200, data: { id: 'p' } });
			expect([...client.warnings]).toEqual(warnings);
		}
		await send();
		expect(client.warnings.size).toBe(1);
		const failing = clientIn('', () => refused(400, 'A'));
		const failure = await failing.send({ idempotencyKey: 'k' });
		expect(failure).toMatchObject({ processed: 'no', details: { idempotency_key: 'k' } });
		expect((await failing.send()).details).not.toHaveProperty('idempotency_key');
	});
});

test('a failure has the method and the path of its request, without the query; one that was not sent has none', async () => {
	const broken = () => {
		throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
	};
	const late = () => {
		throw refusal('LATE', 'no', 'try');
	};
	const requestOf = async (more: Partial<ApiRequest>, answer?: Answer) =>
		(await clientIn('', answer).send(more)).details.request;
	for (const answer of [() => refused(403, 'A'), () => ok('text'), broken])
		expect(await requestOf({ method: 'GET', qs: { from: 'a' }, expects: 'record' }, answer)).toBe(
			'GET /posts',
		);
	expect(await requestOf({ path: '/posts/p/cancel' }, broken)).toBe('POST /posts/p/cancel');
	expect(await requestOf({ body: late })).toBeUndefined();
});

describe('a body that is made when the request may go out', () => {
	test('is made after the turn has come, anew as long as the service certainly processed nothing', async () => {
		const statuses = [429, 429, 503, 200];
		const { send, sent } = clientIn('', () => {
			const status = statuses[sent.length - 1]!;
			return status === 200 ? ok() : refused(status, 'A_FAILED');
		});
		const made: number[] = [];
		const body = () => (made.push(Date.now()), { n: sent.length });
		await send({ body }, 600_000);
		expect(sent.map((one) => one.body)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 2 }]);
		// After each pause, not before it.
		expect(made.map((time, i) => time - (made[i - 1] ?? NOW) >= 10_000)).toEqual([false, true, true]);
		expect(sent[0]!.headers).toHaveProperty('Content-Type', 'application/json');
	});

	test('where it throws, nothing is sent, and the error is thrown', async () => {
		const { send, timed, sent } = clientIn('', () => ok());
		await send();
		for (const error of [new Error('no'), refusal('A', 'no', 'try').with({}, { processed: 'maybe' })]) {
			const body = () => {
				throw error;
			};
			expect(await send({ body })).toMatchObject({ message: error.message });
		}
		expect(sent).toHaveLength(1);
		// One more has room in this window: a slot that was kept would make it wait for the next one.
		expect((await timed({}, 120_000)).after).toBeLessThan(1000);
	});
});

describe('a service that repeats what it was given', () => {
	test('shows no key of the API in its data and what it announces', async () => {
		const { client, send } = clientIn('', () => ok({ owner: GIVEN }, { sunset: GIVEN }));
		expect((await send()).data).toEqual({ owner: '[hidden]' });
		expect([...client.warnings].join()).toContain('stops working on [hidden].');
	});

	test.each<[string, Partial<ApiRequest>, string]>([
		['', { body: { secret: 'whsec_1234567' } }, '[hidden] is not taken'],
		[', made late', { body: () => ({ secret: 'whsec_1234567' }) }, '[hidden] is not taken'],
		[' within another field', { body: { auth: [{ secret: 'whsec_1234567' }] } }, '[hidden] is not taken'],
		[', no text', { body: { secret: 7 } }, 'whsec_1234567 is not taken'],
	])('neither a secret of the request%s', async (_what, request, shown) => {
		const { send } = clientIn('', () => refused(400, 'A', 'whsec_1234567 is not taken'));
		expect((await send(request)).message).toContain(`: ${shown}`);
	});
});

describe('the workspace of a request', () => {
	test('the one that is asked for, none for null, else the one of the credential', async () => {
		const { send, asked } = clientIn('ws_9');
		for (const workspaceId of ['ws_8', null, '', undefined]) await send({ workspaceId });
		const sent = ['ws_8', '', '', 'ws_9'];
		expect(asked()).toEqual(sent.map((one) => ['/posts', one]));
	});

	test.each<[string, string, Partial<ApiRequest>]>([
		["'Workspace' in the credential", 'Пекарня', {}],
		["'Workspace'", '', { workspaceId: 'ws_9\n' }],
	])('what no header takes is never sent from %s, nor any part of it', async (where, own, request) => {
		const { send, sent } = clientIn(own);
		const failure = await send(request);
		const details = { code: 'NODE_WORKSPACE_ID', status: 0 };
		expect([failure, sent]).toMatchObject([{ processed: 'no', details }, []]);
		expect(failure.message.startsWith(`${where} is not an ID`)).toBe(true);
	});
});

describe('the rate limit', () => {
	/** A client whose service gives an answer to the first request; when which path is asked for, in s. */
	function answeringFirst(first: IN8nHttpFullResponse) {
		const start = Date.now();
		const at: Record<string, number[]> = {};
		const { timed, sent } = clientIn('', ({ url }) => {
			(at[url.at(-1)!] ??= []).push((Date.now() - start) / 1000);
			return sent.length === 1 ? first : ok();
		});
		const send = async (method: 'GET' | 'POST' | 'PATCH', path: string, budget: RetryBudget = 60_000) =>
			await timed({ method, path }, budget);
		return { at, send };
	}

	test.each([
		[429, 'every request of the run waits', true],
		[503, 'that one waits, no other', false],
	])('after a %d %s', async (statusCode, _what, allWait) => {
		const { at, send } = answeringFirst({ statusCode, headers: { 'retry-after': '20' }, body: {} });
		const first = send('GET', '/a');
		await jest.advanceTimersByTimeAsync(1000);
		await Promise.all([first, send('GET', '/b')]);
		expect(at.a![1]).toBeGreaterThanOrEqual(20);
		expect(at.b![0]! >= 20).toBe(allWait);
	});

	test('after a 429 whose wait is beyond a request that gives up, the others wait all the same', async () => {
		const { at, send } = answeringFirst({ statusCode: 429, headers: { 'retry-after': '20' }, body: {} });
		const first = send('GET', '/a', { withinMs: 5_000 });
		await jest.advanceTimersByTimeAsync(1000);
		const [aside] = await Promise.all([first, send('GET', '/b'), send('GET', '/c', 10_000)]);
		expect(aside.error.details.status).toBe(429);
		// One that has no time for the wait is left to the service.
		expect([at.a!.length, at.b![0]! >= 19, at.c![0]! <= 2]).toEqual([1, true, true]);
	});

	test('a request that was refused for good is no trouble that waits count from', async () => {
		const answers = [refused(400, 'A'), { ...refused(503, 'A_FAILED'), headers: { 'retry-after': '20' } }];
		const { send, sent } = clientIn('', () => answers.shift() ?? ok());
		await send({}, 60_000);
		jest.setSystemTime(Date.now() + 50_000);
		expect(await send({}, 60_000)).toMatchObject({ status: 200 });
		expect(sent).toHaveLength(3);
	});

	test('a pause that lasts longer than a fixed end: nothing is sent, and that is a 429', async () => {
		const answer = () => ({ ...refused(429, 'A'), headers: { 'retry-after': '20' } });
		const { client, send, sent } = clientIn('', answer);
		void client.send({ method: 'POST', path: '/posts' }, 60_000);
		await jest.advanceTimersByTimeAsync(100);
		const failure = await send({}, { withinMs: 5_000 });
		expect([failure.details.status, failure.processed, sent.length]).toEqual([429, 'no', 1]);
	});
});

describe('a service that hangs', () => {
	const form = new FormData();
	form.append('name', 'a.png');
	form.append('file', new Blob([Buffer.alloc(64 * 1024 * 100)]), 'a.png');
	test.each<[string, RetryBudget, least: number, most: number, Partial<ApiRequest>?]>([
		['Max Retry Wait 60', 60_000, 60, 97],
		['Max Retry Wait 0', 0, 30, 31],
		['a file on a slow line', 0, 130, 131, { body: form }],
		['a fixed end now', { withinMs: 0 }, 1, 2],
		['a fixed end in 20 s', { withinMs: 20_000 }, 20, 22],
	])(
		'%s: ends when the caller no longer waits, and at most one request later',
		async (_name, budget, least, most, request = {}) => {
			const { sent, timed } = clientIn('', async () => await new Promise<never>(() => undefined));
			const { error, after } = await timed(request, budget);
			expect(error.details).toMatchObject({ code: 'NODE_TIMEOUT', retryable: true });
			expect(error.processed).toBe('maybe');
			expect(after).toBeGreaterThanOrEqual(least * 1000);
			expect(after).toBeLessThanOrEqual(most * 1000);
			for (const { abortSignal } of sent) expect(abortSignal!.aborted).toBe(true);
		},
	);
});

describe('whether a request that failed was carried out', () => {
	test('one attempt that may have been is enough not to be certain', async () => {
		const codes = ['ECONNREFUSED', 'ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'];
		const failing = clientIn('', () => {
			throw Object.assign(new Error('broken'), { code: codes.shift() });
		});
		const failure = await failing.send({}, 60_000);
		expect([failure.processed, failure.details.code]).toEqual(['maybe', 'NODE_UNREACHABLE']);
	});

	test.each([
		['nothing', ok(), true],
		['a 429', refused(429, 'RATE_LIMITED'), true],
		['a broken connection', Object.assign(new Error('gone'), { code: 'ECONNRESET' }), false],
	])('an answer after %s is the first that can have been carried out: %s', async (_what, before, isFirst) => {
		const answers = [before];
		const answer = () => {
			const next = answers.shift() ?? ok();
			if (next instanceof Error) throw next;
			return next;
		};
		expect((await clientIn('', answer).send({ idempotencyKey: 'k' }, 120_000)).isFirst).toBe(isFirst);
	});
});

describe('the pace of a run', () => {
	test('four runs at once on one key: none starves, each post once', async () => {
		const random = generator(4);
		// 20 writes a minute on one key, as the spec has it.
		const limits = new ServiceLimits(60_000);
		const key = newKey({ key: GIVEN, plan: 'lowest' });
		const taken: unknown[] = [];
		const answer: Answer = async ({ body }) => {
			await new Promise((done) => setTimeout(done, 50 * (0.5 + random())));
			const { headers: said, exceeded } = limits.take(key, 'POST');
			const headers = mapKeys(said, (_value, name) => name.toLowerCase());
			if (exceeded) return { ...refused(429, exceeded.code), headers };
			taken.push((body as IDataObject).id);
			return ok({}, headers);
		};
		const run = async (name: number) => {
			const { client } = clientIn('', answer);
			const slots = limitConcurrency(5);
			const post = async (id: string) =>
				await client.send({ method: 'POST', path: '/posts', body: { id } }, 60_000);
			await Promise.all(range(20).map(async (i) => await slots(async () => await post(`${name}-${i}`))));
		};
		expect((await ended(Promise.all(range(4).map(run)))).error).toBeUndefined();
		expect([taken.length, new Set(taken).size]).toEqual([80, 80]);
	});

	test('a service that refuses for ever is waited for as long as the caller said, then no more', async () => {
		const refusing = clientIn('', () => ({ ...refused(429, 'A'), headers: { 'retry-after': '20' } }));
		const { error, after } = await refusing.timed({}, 60_000);
		expect([error.details.status, error.processed, refusing.sent.length]).toEqual([429, 'no', 4]);
		expect(after).toBeLessThanOrEqual(70_000);
		expect(refusing.client.pace.waitedMs).toBe(60_000);
	});
});
