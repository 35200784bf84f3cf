import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';

import { inMemory, itemWith } from '../../support/binaries';
import type { RunOptions } from '../../support/engine';
import { stopTime, throughTime } from '../../support/virtualTime';
import {
	asked,
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	type Service,
	startService,
} from '../../support/writes';

const get = (more: object = {}) => ({ resource: 'workspace', operation: 'getAll', returnAll: true, ...more });

describe('retries and pace', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => await service.close());

	const gaps = (method: string): number[] => {
		const at = asked(service, method).map(({ receivedAt }) => receivedAt);
		return at.slice(1).map((time, i) => time - at[i]!);
	};

	test('a 429 is waited out for as long as it says, and counted', async () => {
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '2' });
		const { error } = await run(service, get());
		expect(error).toBeUndefined();
		expect(gaps('GET')[0]).toBeGreaterThanOrEqual(1_990);
	});

	test('Retry-After as a date', async () => {
		// HTTP dates have whole seconds: two seconds ahead is at least one.
		const retryAfter = new Date(Date.now() + 2_500).toUTCString();
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter });
		expect((await run(service, get())).error).toBeUndefined();
		expect(gaps('GET')[0]).toBeGreaterThanOrEqual(990);
	});

	test.each(['3600', '99999999999', 'Wed, 01 May 2126 10:00:00 GMT'])(
		'Retry-After %s is longer than Wait at the Rate Limit: an error at once, with the number',
		async (retryAfter) => {
			service.faults.add({ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter });
			const { error } = await run(service, get({ options: { maxRetryWait: 5 } }));
			expect(error.context.data).toMatchObject({
				code: 'PUBLIC_API_RATE_LIMITED',
				status: 429,
				retryable: true,
			});
			expect(error.context.data.retry_after_seconds).toBeGreaterThan(5);
			expect(error.description).toMatch(/Wait at the Rate Limit/);
			expect(asked(service, 'GET')).toHaveLength(1);
		},
	);

	test.each(['-5', 'soon', ''])(
		'Retry-After "%s" says nothing: ten seconds, if the budget allows',
		async (retryAfter) => {
			service.faults.add({ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter });
			const { error } = await run(service, get({ options: { maxRetryWait: 9 } }));
			expect(error.context.data.code).toBe('PUBLIC_API_RATE_LIMITED');
			expect(error.context.data.retry_after_seconds).toBeUndefined();
			expect(asked(service, 'GET')).toHaveLength(1);
		},
	);

	test('Retry-After 0 again and again ends: each is at least a second of the budget', async () => {
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '0', times: 0 });
		const { error } = await run(service, get({ options: { maxRetryWait: 2 } }));
		expect(error.context.data.code).toBe('PUBLIC_API_RATE_LIMITED');
		const count = asked(service, 'GET').length;
		expect([2, 3]).toContain(count);
	});

	test('after a 429 all parallel requests pause together, and the wait counts once', async () => {
		service.faults.add({
			kind: 'error',
			code: 'PUBLIC_API_RATE_LIMITED',
			retryAfter: '2',
			method: 'POST',
			times: 5,
		});
		const items = Array.from({ length: 20 }, (_, n) => item({ n }));
		const { error } = await run(
			service,
			createPost({ text: '={{ "Text " + $json.n }}', options: { maxRetryWait: 3, concurrency: 5 } }),
			{ items },
		);
		expect(error).toBeUndefined();
		expect(posts(service)).toHaveLength(20);
		const at = asked(service, 'POST').map(({ receivedAt }) => receivedAt);
		// Five went out and were refused; none of the others before the pause was over.
		expect(at[5]! - at[4]!).toBeGreaterThanOrEqual(1_900);
	});

	test('a limit that is used up is waited out before it is exceeded: no 429 at all', async () => {
		await service.close();
		service = await startService({ rateWindowMs: 3_000 });
		const items = Array.from({ length: 50 }, (_, n) => item({ n }));
		const credential = credentialOf(service, service.keys.lowest);
		const { error, hints } = await run(
			service,
			createPost({ text: '={{ "Text " + $json.n }}', options: { maxRetryWait: 30, concurrency: 10 } }),
			{ items, credential },
		);
		expect(error).toBeUndefined();
		expect(posts(service)).toHaveLength(50);
		// 20 writes a window: the first answers come after the first ten are out.
		expect(asked(service, 'POST').filter(({ status }) => status === 429)).toHaveLength(0);
		const near = hints.filter(({ message }: any) => /nearly used up/.test(message));
		expect(near).toHaveLength(1);
	}, 60_000);

	describe('how long a run takes is said at its beginning, once the limit is known', () => {
		const rows = (count: number) => Array.from({ length: count }, (_, n) => item({ n }));
		/** A run on the lowest plan: its hint, what was logged, and how much had been sent when it was. */
		async function announced(parameters: IDataObject, more: Partial<RunOptions> = {}) {
			const logged: Array<{ message: string; sent: number }> = [];
			const info = jest.spyOn(Container.get(Logger), 'info').mockImplementation((message) => {
				logged.push({ message, sent: posts(service).length });
			});
			stopTime();
			const result = await throughTime(
				run(service, parameters, { credential: credentialOf(service, service.keys.lowest), ...more }),
			).finally(() => {
				jest.useRealTimers();
				info.mockRestore();
			});
			const hints = result.hints.filter(({ message }) => /requests at/.test(message));
			return { result, hints, logged: logged.filter(({ message }) => /requests at/.test(message)) };
		}
		const many = { text: '={{ "Text " + $json.n }}' };

		test('50 posts: in the log after the first answers, and as a hint', async () => {
			const { result, hints, logged } = await announced(createPost(many), { items: rows(50) });
			expect(result.error).toBeUndefined();
			expect(posts(service)).toHaveLength(50);
			const message = '50 requests at 20 a minute: about 2 minutes.';
			expect(hints).toEqual([{ message, type: 'info', location: 'outputPane' }]);
			expect(logged).toEqual([{ message: `Node: ${message}`, sent: expect.any(Number) }]);
			expect(logged[0]!.sent).toBeLessThanOrEqual(5);
		});

		test('platforms and files count', async () => {
			const platforms = ['x', 'linkedin', 'facebook'];
			const items = rows(10).map((one) => ({
				...one,
				...itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('0123456789')) }),
			}));
			const { hints } = await announced(createPost({ platforms, mediaFrom: 'binary' }), { items });
			expect(hints.map(({ message }) => message)).toEqual(['40 requests at 20 a minute: about 2 minutes.']);
		});

		test('what fits into the limit takes no time worth a word', async () => {
			const { hints, logged } = await announced(createPost(many), { items: rows(17) });
			expect([hints, logged]).toEqual([[], []]);
		});

		test('reads have a limit of their own', async () => {
			const get = { resource: 'post', operation: 'get', postId: { mode: 'id', value: 'post_1' } };
			const { hints } = await announced(get, { items: rows(60), node: { onError: 'continueRegularOutput' } });
			expect(hints.map(({ message }) => message)).toEqual(['60 requests at 60 a minute: about a minute.']);
		});

		test('a retry counts what is left', async () => {
			const first = await announced(createPost({ ...many, options: { concurrency: 1 } }), {
				items: rows(30),
			});
			const memory = contextOf(first.result);
			await service.close();
			service = await startService();
			const again = await announced(createPost({ ...many, options: { concurrency: 1 } }), {
				items: rows(60),
				contextData: memory,
			});
			expect(posts(service)).toHaveLength(30);
			expect(again.hints.map(({ message }) => message)).toEqual([
				'30 requests at 20 a minute: about a minute.',
			]);
		});
	});

	test('a deprecation is a hint, once for the whole run', async () => {
		service.faults.add({
			kind: 'headers',
			headers: { Deprecation: 'true', Sunset: '2027-06-01T00:00:00Z' },
			method: 'POST',
			times: 0,
		});
		const { hints } = await run(service, createPost(), { items: [item({}), item({}), item({})] });
		expect(hints).toHaveLength(1);
		expect(hints[0].message).toMatch(/goes away.*2027-06-01/);
	});

	test('5xx of the spec and broken connections are tried again with the same key, 422 never', async () => {
		service.faults.add({ kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED', method: 'POST' });
		service.faults.add({ kind: 'dropAfter', method: 'POST' });
		service.faults.add({ kind: 'status', status: 503, method: 'POST' });
		const { error } = await run(service, createPost());
		expect(error).toBeUndefined();
		expect(posts(service)).toHaveLength(1);
		const keys = new Set(asked(service, 'POST').map(({ headers }) => headers['idempotency-key']));
		expect([asked(service, 'POST').length, keys.size]).toEqual([4, 1]);
		const failed = await run(service, createPost({ text: '[[422]]' }), { executionId: '2' });
		expect(asked(service, 'POST')).toHaveLength(5);
		expect(failed.error.context.data.post).toMatchObject({ id: expect.any(String), status: 'failed' });
		expect(failed.error.context.data.retryable).toBe(false);
	});
});
