import { contextOf, createPost, posts, run, useService } from '../../../../support/service';

/** *Wait for Publication* in n8n's engine. When a post is looked at, and how a wait ends: the poller's unit tests. */

const waiting = (waitTimeout: number) =>
	createPost({ options: { waitForPublication: waitTimeout, maxRetryWait: 0 } });

const service = useService({ speed: 0 });

test('the retry of a failed wait does not post again: it hands out the post that was published meanwhile', async () => {
	const first = await run(service(), waiting(1));
	expect(first.error.context.data).toMatchObject({
		code: 'NODE_WAIT_TIMEOUT',
		failures: [{ platform: 'x' }],
	});
	await service().clock.advance(7_200_000);
	const retry = await run(service(), waiting(1), { contextData: contextOf(first) });
	const idempotency_key = expect.any(String);
	expect(retry.json).toMatchObject([{ status: 'completed', platform: 'x', idempotency_key }]);
	expect(posts(service())).toHaveLength(1);
});
