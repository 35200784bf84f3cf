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

describe('a row that the service refuses for good holds back no other one, in retries neither', () => {
	const one = { maxRetryWait: 0, concurrency: 1 };

	test('a post that it keeps as failed: the rest goes out, and the error says so', async () => {
		const items = [...'abcdefghijkl'].map((text) => item({ text }));
		const parameters = createPost({ text: '={{ $json.text }}', options: { maxRetryWait: 0 } });
		service().faults.add({
			...{ kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED', method: 'POST', path: '^/posts$' },
			...{ skip: 1, times: 2 },
		});
		const first = await run(service(), parameters, { items });
		expect(posts(service())).toHaveLength(12);
		const { message, description } = first.error;
		expect(message).toMatch(/^Row 2 of 12 failed: The platform rejected the post: .*\. Row 3 failed, too\. /);
		expect(message).toMatch(/ 10 posts were already sent .* 1 post was kept by the service as failed/);
		expect(description).toMatch(
			/ A retry doesn't send this row again\. When you run the workflow again, leave /,
		);
		expect(first.error.context.data).toMatchObject({ posts: { count: 12 }, failures: [{}, {}] });
		const second = await run(service(), parameters, { items, ...retryOf(first) });
		expect([second.error.message, posts(service()).length]).toEqual([message, 12]);
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
		const items = [...'abcd'].map((text) => item({ text }));
		const parameters = createPost({ text: '={{ $json.text }}', options: one });
		const path = '^/posts$';
		service().faults.add({ kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED', method: 'POST', path });
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', method: 'POST', path, skip: 1 });
		const first = await run(service(), parameters, { items });
		expect(first.error.message).toMatch(
			/^Row 3 of 4 failed: The service rejected the content.* Row 1 failed, too\. 1 post was already sent/,
		);
		const second = await run(service(), parameters, { items, ...retryOf(first) });
		expect(second.error.message).toMatch(/^Row 1 of 4 failed: .* 3 posts were already sent/);
	});
});
