import { asked, createPost, item, posts, run, type Service, startService } from '../../support/writes';

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
		'Retry-After %s is longer than Max Retry Wait: an error at once, with the number',
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
		const credential = {
			...(await import('../../support/writes')).credentialOf(service, service.keys.lowest),
		};
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

	test('a deprecation is a hint, once for the whole run', async () => {
		service.faults.add({
			kind: 'headers',
			headers: { Deprecation: 'true', Sunset: '2027-06-01T00:00:00Z' },
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
