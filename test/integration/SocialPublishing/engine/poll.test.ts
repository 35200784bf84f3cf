import { runTool } from '../../../support/engine';
import { contextOf, createPost, credentialOf, posts, run, useService } from '../../../support/service';

/** *Wait for Publication* in n8n's engine. When a post is looked at, and how a wait ends: the poller's unit tests. */

const waiting = (waitTimeout: number) =>
	createPost({ options: { waitForPublication: true, waitTimeout, maxRetryWait: 0 } });

const service = useService({ speed: 0 });

test("a wait that can't read the post says that it was sent, to a model, too", async () => {
	const refused = { kind: 'error', method: 'GET', path: '/posts/', code: 'PUBLIC_API_SCOPE_FORBIDDEN' };
	service().faults.add({ ...refused, times: 2 } as never);
	const calls = [0, 1].map((runIndex) => ({ parameters: waiting(1), runIndex }));
	for (const { message } of await runTool({ credential: credentialOf(service()), calls })) {
		expect(message).toMatch(
			/^The service accepted the post, but waiting for its publication failed: the API key /,
		);
		expect(message).not.toContain('Nothing was sent');
	}
	expect(posts(service())).toHaveLength(1);
});

test('the retry of a failed wait does not post again: it hands out the post that was published meanwhile', async () => {
	const first = await run(service(), waiting(1));
	expect(first.error.context.data).toMatchObject({ code: 'NODE_WAIT_TIMEOUT', platform: 'x' });
	await service().clock.advance(7_200_000);
	const retry = await run(service(), waiting(1), { contextData: contextOf(first) });
	const idempotency_key = expect.any(String);
	expect(retry.json).toMatchObject([{ status: 'completed', platform: 'x', idempotency_key }]);
	expect(posts(service())).toHaveLength(1);
});
