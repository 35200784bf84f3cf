import { runTool } from '../../../support/engine';
import { asked, contextOf, createPost, credentialOf, posts, run, useService } from '../../../support/service';

/** *Wait for Publication* in n8n's engine. When a post is looked at, and how a wait ends: the poller's unit tests. */

const waiting = (waitTimeout: number) =>
	createPost({ options: { waitForPublication: true, waitTimeout, maxRetryWait: 0 } });

describe('while the service publishes', () => {
	// Ten service seconds to one real second.
	const service = useService({ speed: 10 });

	test('Create waits until the post is published, and hands out the published post', async () => {
		service().store.publishDelayMs = 15_000;
		// A wait is no retry: it may last longer than that.
		const { json, error } = await run(service(), waiting(120));
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({
			status: 'completed',
			provider_post_id: expect.any(String),
			platform: 'x',
			idempotency_key: expect.any(String),
		});
		const { length } = asked(service(), 'GET', /\/posts\//);
		expect([length > 0, length < 7]).toEqual([true, true]);
	});
});

describe('while the service publishes nothing', () => {
	const service = useService({ speed: 0 });

	test("a wait that can't read the post says that it was sent, to a model, too", async () => {
		const refused = { kind: 'error', method: 'GET', path: '/posts/', code: 'PUBLIC_API_SCOPE_FORBIDDEN' };
		service().faults.add({ ...refused, times: 2 } as never);
		const call = { parameters: waiting(1), runIndex: 0 };
		const calls = [call, { ...call, runIndex: 1 }];
		for (const { message } of await runTool({ credential: credentialOf(service()), calls })) {
			expect(message).toMatch(
				/^The service accepted the post, but waiting for its publication failed: the API key /,
			);
			expect(message).not.toContain('Nothing was sent');
		}
		expect(posts(service())).toHaveLength(1);
	});

	test('the retry of a failed wait does not post again', async () => {
		const first = await run(service(), waiting(1));
		expect(first.error.context.data).toMatchObject({ code: 'NODE_WAIT_TIMEOUT', platform: 'x' });
		await service().clock.advance(7_200_000);
		const retry = await run(service(), waiting(1), { contextData: contextOf(first) });
		expect(retry.json[0]!.status).toBe('completed');
		expect(posts(service())).toHaveLength(1);
	});
});
