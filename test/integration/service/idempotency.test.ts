import { type CallOptions, embedded } from './harness';

// Shapes: test/support/checkContract.ts. How long a key is kept: test/unit/service/idempotency.test.ts.
const { service, call, draft } = embedded();

test('an idempotency key stands for one request of one API key in one workspace', async () => {
	const send = async (more: CallOptions = {}, path = '/posts') =>
		await call('POST', path, { body, idempotencyKey: 'the:same', ...more });
	const body = draft();
	const conflict = { status: 409, code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT' };
	const first = await send();
	expect(await send({ body: draft({ content: { text: 'Another' } }) })).toMatchObject(conflict);
	expect(await send({ body: undefined }, `/posts/${first.data.id}/cancel`)).toMatchObject(conflict);
	const again = await send({ body: Object.fromEntries(Object.entries(body).reverse()) });
	expect([again.status, again.data]).toEqual([201, first.data]);
	expect(again.headers['idempotency-replayed']).toBe('true');
	for (const other of [{ key: service().addKey({}) }, { workspace: 'ws_second' }])
		expect((await send(other)).data.id).not.toBe(first.data.id);
	const acted = service().requests.filter(({ headers }) => headers['idempotency-key'] === 'the:same');
	expect(acted.map((one) => one.acted ?? false)).toEqual([true, false, false, false, true, true]);
});

test('a request over the rate limit does not act', async () => {
	const key = service().addKey({ plan: 'lowest' });
	for (let n = 0; n < 20; n++) await call('POST', '/posts', { key, body: draft() });
	const before = service().store.posts.size;
	const answer = await call('POST', '/posts', { key, body: draft() });
	expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
	expect(service().store.posts.size).toBe(before);
});
