import { embedded } from '../harness';

const { service, call, get, control } = embedded();

test('GET /inbox: comments and messages of the workspace, newest first, by what they are', async () => {
	const { id } = await control('inbox', { text: 'A question', type: 'direct_message', platform: 'bluesky' });
	await control('inbox', { text: 'Elsewhere', workspace_id: 'ws_second' });
	const idsOf = async (query = {}) => (await get('/inbox', query)).items.map((item: any) => item.id);
	const { items, count } = await get('/inbox');
	expect(count).toBe(4);
	expect(items[0]).toMatchObject({ id, text: 'A question', type: 'direct_message', status: 'open' });
	expect(await idsOf({ limit: 1 })).toEqual([id]);
	expect(await idsOf({ type: 'direct_message' })).toEqual([id, 'inb_seed_2']);
	expect(await idsOf({ platform: 'bluesky', unknown: 1 })).toEqual([id]);
	expect(await idsOf({ status: 'replied' })).toEqual([]);
	for (const query of [{ limit: 0 }, { limit: 101 }, { status: 'lost' }, { type: 'letter' }])
		expect((await call('GET', '/inbox', { query: query })).code).toBe('PUBLIC_API_QUERY_INVALID');
	service().store.listShape = 'array';
	expect((await get('/inbox', { limit: 1 }))[0].id).toBe(id);
	service().store.listShape = 'object';
});

test('POST /inbox/{id}/reply: once for each key', async () => {
	const path = '/inbox/inb_seed_1/reply';
	const options = { body: { text: 'An answer' }, idempotencyKey: 'reply:once' };
	for (let n = 0; n < 2; n++)
		expect(await call('POST', path, options)).toMatchObject({
			status: 201,
			data: { text: 'An answer', inbox_item_id: 'inb_seed_1' },
		});
	const [item] = (await get('/inbox', { status: 'replied' })).items;
	expect(item.replies.map(({ text }: any) => text)).toEqual(['An answer']);
	for (const body of [{}, { text: ' ' }, { text: 1 }])
		expect((await call('POST', path, { body })).code).toBe('PUBLIC_API_BODY_INVALID');
	const reply = async (id: string, key?: string) =>
		(await call('POST', `/inbox/${id}/reply`, { body: { text: 'x' }, key })).status;
	expect(await reply('inb_none')).toBe(404);
	expect(await reply('inb_seed_1', service().keys.otherWorkspace)).toBe(404);
});
