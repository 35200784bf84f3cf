import { embedded } from '../harness';

const { service, call, get, control } = embedded();

test('GET /inbox: comments and messages of the workspace, newest first, by what they are', async () => {
	const { id } = await control('inbox', { text: 'A question', type: 'direct_message', platform: 'bluesky' });
	await control('inbox', { workspace_id: 'ws_second' });
	const idsOf = async (query: object) => (await get('/inbox', query)).items.map((item: any) => item.id);
	const { items, count } = await get('/inbox');
	expect(items[0]).toMatchObject({ id, text: 'A question', type: 'direct_message', status: 'open' });
	expect([count, await idsOf({ limit: 1 }), await idsOf({ type: 'direct_message' })]).toEqual([
		...[4, [id], [id, 'inb_seed_2']],
	]);
	expect([await idsOf({ platform: 'bluesky', unknown: 1 }), await idsOf({ status: 'replied' })]).toEqual([
		[id],
		[],
	]);
	service().store.listShape = 'array';
	expect((await get('/inbox', { limit: 1 }))[0].id).toBe(id);
	service().store.listShape = 'object';
});

test('POST /inbox/{id}/reply: once for each key', async () => {
	const reply = async (more: object, id = 'inb_seed_1') =>
		await call('POST', `/inbox/${id}/reply`, { body: { text: 'An answer' }, ...more });
	const made = { status: 201, data: { text: 'An answer', inbox_item_id: 'inb_seed_1' } };
	for (let n = 0; n < 2; n++) expect(await reply({ idempotencyKey: 'reply:once' })).toMatchObject(made);
	const [item] = (await get('/inbox', { status: 'replied' })).items;
	expect(item.replies.map(({ text }: any) => text)).toEqual(['An answer']);
	for (const body of [{}, { text: ' ' }, { text: 1 }])
		expect((await reply({ body })).code).toBe('PUBLIC_API_BODY_INVALID');
	expect((await reply({}, 'inb_none')).status).toBe(404);
	expect((await reply({ key: service().keys.otherWorkspace })).status).toBe(404);
});
