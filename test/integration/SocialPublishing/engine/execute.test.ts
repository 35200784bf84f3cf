import { addPost, createPost, item, posts, retryOf, run, useService } from '../../../support/service';

const service = useService();

test('items run in parallel, and come out in the order of the input', async () => {
	const texts = Array.from({ length: 12 }, (_, n) => `Post ${n}`);
	const create = async (concurrency: number) => {
		service().reset();
		// The first is held until all others had their turn, or it would time out.
		service().faults.add({ method: 'POST', path: '^/posts$', kind: 'delay', ms: 1500 });
		const parameters = createPost({ text: '={{ $json.text }}', options: { concurrency } });
		const { json, error } = await run(service(), parameters, { items: texts.map((text) => item({ text })) });
		expect(error).toBeUndefined();
		expect(json.map(({ text }) => text)).toEqual(texts);
		expect(json.map(({ id }) => service().store.posts.get(String(id))!.text)).toEqual(texts);
		return posts(service()).map(({ text }) => text);
	};
	expect(await create(1)).toEqual(texts);
	const [first, ...rest] = await create(4);
	expect(first).not.toBe(texts[0]);
	expect([first, ...rest].sort()).toEqual([...texts].sort());
});

describe('a row whose failure a retry would only meet again holds back no other one', () => {
	const one = { maxRetryWait: 0 };
	const path = '^/posts$';
	const items = [...'abcdefgh'].map((text) => item({ text }));
	const create = (options: object = one) => createPost({ text: '={{ $json.text }}', options });
	const keepAsFailed = (more: object) =>
		service().faults.add({
			...{ kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED', method: 'POST', path },
			...more,
		});

	test('a post that it keeps as failed: the rest goes out in the retry, and the error says so', async () => {
		keepAsFailed({ skip: 1, times: 1 });
		const first = await run(service(), create(), { items });
		expect(first.error.message).toMatch(/^Row 2 of 8 failed: The platform rejected .* 1 post was already /);
		expect(first.error.description).toMatch(/ To continue, retry this execution .* would send it again\.$/);
		expect(posts(service())).toHaveLength(2);
		const second = await run(service(), create(), { items, ...retryOf(first) });
		expect(second.error.message).toMatch(/^Row 2 of 8 failed: .* 7 posts were already sent \(/);
		expect(second.error.description).toMatch(
			/ A retry doesn't send this row again\. When you run the workflow again, leave out what was sent\.$/,
		);
		const third = await run(service(), create(), { items, ...retryOf(second) });
		expect([third.error.message, posts(service()).length]).toEqual([second.error.message, 8]);
	});

	test('an account that is not connected any more: not all rows end as failed posts, and the rest goes out once it is', async () => {
		keepAsFailed({ times: 0 });
		const first = await run(service(), create(), { items });
		expect(posts(service())).toHaveLength(1);
		service().faults.clear();
		const { error } = await run(service(), create(), { items, ...retryOf(first) });
		expect(error.message).toMatch(/ 7 posts were already sent \([^)]*\)\.$/);
	});

	test.each([
		{ avoidDuplicates: { by: { mode: 'custom', id: '={{ $json.text }}' } } },
		{ avoidDuplicates: { by: { mode: 'content' } } },
	])('%j: each run would meet it under its key, so the rest goes out at once', async (more) => {
		keepAsFailed({ times: 2 });
		const { error } = await run(service(), create({ ...one, ...more }), { items });
		expect(posts(service())).toHaveLength(8);
		expect(error.message).toMatch(
			/^Row 1 of 8 failed: .* Row 2 failed, too\. 6 posts were already sent .* 1 post was kept/,
		);
		expect(error.description).toMatch(/ A retry doesn't send these rows again\.$/);
		expect(error.context.data).toMatchObject({ posts: { count: 8 }, failures: [{}, {}] });
	});

	test('a sub-workflow, which a retried caller calls as a new execution: the rest goes out at once', async () => {
		keepAsFailed({ skip: 1, times: 1 });
		const { error } = await run(service(), create(), { items, callersToken: 'caller' });
		expect(error.message).toMatch(/^Row 2 of 8 failed: .* 7 posts were already sent /);
		expect(posts(service())).toHaveLength(8);
	});

	test.each(['cancel', 'update', 'delete'])('%s of a post that is gone', async (operation) => {
		const ids = [1, 2, 3].map((n) => addPost(service(), { id: `post_${n}` }));
		service().store.posts.delete(ids[1]!);
		const items = ids.map((id) => item({ id }));
		const postId = { mode: 'id', value: '={{ $json.id }}' };
		const parameters = { resource: 'post', operation, postId, updateFields: { text: 'New' }, options: one };
		const { error } = await run(service(), parameters, { items });
		expect(error.message).toMatch(
			/^Row 2 of 3 failed: The post doesn't exist.* 2 requests were already sent/,
		);
	});

	test('Cancel of a post that is published already', async () => {
		const ids = [1, 2, 3].map((n) => addPost(service(), { id: `post_${n}` }));
		addPost(service(), { id: ids[1]!, status: 'completed' });
		const items = ids.map((id) => item({ id }));
		const postId = { mode: 'id', value: '={{ $json.id }}' };
		const parameters = { resource: 'post', operation: 'cancel', postId, options: one };
		const { error } = await run(service(), parameters, { items });
		expect(error.message).toMatch(/^Row 2 of 3 failed: .* 2 requests were already sent/);
		expect(posts(service()).map(({ status }) => status)).toEqual(['canceled', 'completed', 'canceled']);
	});

	test('where another row stops the run, the error is that one, since the rest waits for it', async () => {
		const parameters = create();
		keepAsFailed({ times: 1 });
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', method: 'POST', path, skip: 1 });
		const first = await run(service(), parameters, { items });
		const second = await run(service(), parameters, { items, ...retryOf(first) });
		expect(second.error.message).toMatch(
			/^Row 3 of 8 failed: The service rejected the content.* Row 1 failed, too\. 1 post was already sent/,
		);
		expect(second.error.description).toMatch(/ To continue, retry this execution .* would send it again\.$/);
		const third = await run(service(), parameters, { items, ...retryOf(second) });
		expect(third.error.message).toMatch(/^Row 1 of 8 failed: .* 7 posts were already sent/);
	});
});
