import { createPost, item, posts, run, useService } from '../../../support/service';

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
