import {
	addPost,
	contextOf,
	createPost,
	posts,
	run,
	runOperation,
	useService,
} from '../../../../support/service';

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

test('a post that is due after the wait comes out as it is, with a hint that says so', async () => {
	addPost(service(), { id: 'post_later', at: Date.parse('2126-07-01T10:00:00Z') });
	const parameters = { postId: 'post_later', waitFor: 'terminal', waitTimeout: 1 };
	const { json, hints } = await runOperation(service(), 'post:waitForStatus', parameters);
	expect(json).toMatchObject([{ id: 'post_later', status: 'scheduled' }]);
	expect(hints[0]!.message).toMatch(
		/^Not published yet: due 2126-07-01 12:00 \(Europe\/Berlin\), after the wait/,
	);
});

test.each([
	{ when: 'at', scheduledAt: '2126-07-01T10:00' },
	{ when: 'nextSlot', slotDays: ['mon'], slotTimes: '09:00' },
])('%j is after the wait: nothing is sent; within it, nothing is refused', async (when) => {
	const create = async (options: object) => await run(service(), createPost({ ...when, options }));
	const { error } = await create({ waitForPublication: 1 });
	expect(error.context.data.code).toBe('NODE_WAIT_TOO_SHORT');
	expect(posts(service())).toEqual([]);
	const shown = async (seconds: number) => {
		const { json, hints, error } = await create({ waitForPublication: seconds, preview: 'rows' });
		return JSON.stringify([json, hints, error?.message]);
	};
	expect(await shown(1)).toContain('but the post is due at');
	expect(await shown(200 * 365 * 86_400)).not.toContain('but the post is due at');
});
