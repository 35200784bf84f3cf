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
} from '../../../support/service';

const waiting = (more: object = {}) => ({ waitForPublication: true, waitTimeout: 120, ...more });

describe('waiting for posts', () => {
	let service: Service;
	beforeEach(async () => {
		// Ten service seconds to one real second.
		service = await startService({ speed: 10 });
	});
	afterEach(async () => await service.close());

	test('Create waits until the post is published, and hands out the published post', async () => {
		service.store.publishDelayMs = 15_000;
		// A wait is no retry: it may last longer than that.
		const { json, error } = await run(service, createPost({ options: waiting({ maxRetryWait: 0 }) }));
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({
			status: 'completed',
			provider_post_id: expect.any(String),
			platform: 'x',
		});
		expect(json[0]!.idempotency_key).toEqual(expect.any(String));
		const [first, ...later] = asked(service, 'GET', /\/posts\//).map(({ receivedAt }) => receivedAt);
		expect(first).toBeDefined();
		expect(later.length).toBeLessThan(6);
	});

	test('the retry of a failed wait does not post again', async () => {
		await service.close();
		service = await startService({ speed: 0 });
		const parameters = createPost({ options: waiting({ waitTimeout: 1 }) });
		const first = await run(service, parameters);
		expect(first.error.context.data).toMatchObject({ code: 'NODE_WAIT_TIMEOUT', platform: 'x' });
		await service.clock.advance(7_200_000);
		const retry = await run(service, parameters, { contextData: contextOf(first) });
		expect(retry.json[0]!.status).toBe('completed');
		expect(posts(service)).toHaveLength(1);
	});

	test('50 posts wait at the same time within the read limit of the lowest plan', async () => {
		await service.close();
		// A minute in six seconds: 60 reads and 20 writes in each. The clocks have to agree on what is later than the wait.
		service = await startService({ rateWindowMs: 6_000 });
		service.store.publishDelayMs = 6_000;
		const items = Array.from({ length: 50 }, (_, n) => item({ n }));
		const credential = credentialOf(service, { apiKey: service.keys.lowest });
		const { error, json } = await run(
			service,
			createPost({
				text: '={{ "Text " + $json.n }}',
				options: { ...waiting({ waitTimeout: 30 }), maxRetryWait: 60 },
			}),
			{ items, credential },
		);
		expect(error).toBeUndefined();
		expect(json.map(({ status }) => status)).toEqual(items.map(() => 'completed'));
		const reads = asked(service, 'GET', /\/posts\//);
		expect(reads.filter(({ status }) => status === 429).length).toBe(0);
	});
});
