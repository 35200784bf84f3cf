import { addPost, contextOf, createPost, item, posts, run, useService } from '../../../support/service';

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

test('one at a time, nothing is sent behind an item that failed, but behind a conflict', async () => {
	const parameters = createPost({ text: '={{ $json.text }}', options: { concurrency: 1 } });
	const ran = async (...texts: string[]) =>
		(await run(service(), parameters, { items: texts.map((text) => item({ text })), resumeToken: 'one' }))
			.error;
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 1 });
	await ran('a', 'b', 'c');
	expect(posts(service()).map(({ text }) => text)).toEqual(['a']);
	// What n8n kept of that is lost.
	const conflict = await ran('A', 'b', 'c');
	expect(conflict.context.data.code).toBe('PUBLIC_API_IDEMPOTENCY_CONFLICT');
	expect(posts(service()).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
});

test('a read in a sub-workflow loads no calling execution, and leaves nothing in the memory of the node', async () => {
	const postId = addPost(service());
	const ran = async (parameters: object) => {
		const onCallerRead = jest.fn();
		const result = await run(
			service(),
			{ resource: 'post', postId, ...parameters },
			{ callersToken: 'token', onCallerRead },
		);
		expect(result.error).toBeUndefined();
		return [onCallerRead.mock.calls.length, Object.values(contextOf(result)).map((one) => Object.keys(one!))];
	};
	expect(await ran({ operation: 'get' })).toEqual([0, []]);
	expect(await ran({ operation: 'delete' })).toEqual([1, [['executionScope', 'writes']]]);
});
