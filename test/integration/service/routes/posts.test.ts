import { omit } from 'lodash';

import { today } from '../../../service/dialect';
import { embedded, HOUR } from '../harness';

// Shapes: test/support/checkContract.ts. Each state's transitions: test/unit/service/lifecycle.test.ts.
const { service, call, data, get, create, draft } = embedded();
const at = (ms: number) => service().clock.iso(ms);
const later = (hours = 1) => at(service().clock.now() + hours * HOUR);
const invalid = { status: 400, code: 'PUBLIC_API_BODY_INVALID' };
const workspace = 'ws_second';
const quick = (more: object = {}) => ({ content: 'Hello', platforms: ['linkedin', 'x'], ...more });

describe('POST /posts', () => {
	test('takes both shapes, keeps what it does not know, and answers in the same shape', async () => {
		const body = draft({ first_comment: 'A field of tomorrow' });
		const made = await data('POST', '/posts', { body });
		expect(made).toMatchObject({ ...body, status: 'scheduled', platforms: ['linkedin'] });
		expect(made).not.toHaveProperty('provider_post_id');
		const other = quick({ schedule_at: later() });
		expect(await data('POST', '/posts', { body: other })).toMatchObject({ ...other, status: 'scheduled' });
	});

	// What a schema can tell: docs/openapi.yaml, which every request of n8n is held against.
	test.each<[string, () => object]>([
		['a platform of analytics', () => draft({ platform: 'twitter' })],
		['a blank text', () => draft({ content: { text: ' ' } })],
		['media from elsewhere', () => draft({ content: { media: ['https://elsewhere.example/a.png'] } })],
		['a time of a day that does not exist', () => draft({ scheduled_at: '2099-02-30T00:00:00Z' })],
		['a time in the past', () => draft({ scheduled_at: at(service().clock.now() - 1) })],
		['a field that the service sets', () => draft({ provider_post_id: '1' })],
		['a status', () => draft({ status: 'scheduled' })],
		['an account of another workspace', () => draft({ account_id: 'acc_second_linkedin' })],
		['an account on another platform', () => draft({ account_id: 'acc_main_x' })],
		['a platform twice', () => quick({ platforms: ['x', 'x'] })],
		["a text and the other shape's time", () => quick({ scheduled_at: later() })],
	])('refuses %s', async (_what, body) => {
		const before = service().store.posts.size;
		expect(await call('POST', '/posts', { body: body() })).toMatchObject(invalid);
		expect(service().store.posts.size).toBe(before);
	});

	test('goes to a connected account only, the one that is named where one is', async () => {
		const post = async (more: object) => await call('POST', '/posts', { body: draft(more), workspace });
		expect(await post({ account_id: 'acc_second_linkedin' })).toMatchObject({
			data: { account_id: 'acc_second_linkedin', brand_id: 'brand_second' },
		});
		for (const platform of ['x', 'tiktok']) expect(await post({ platform })).toMatchObject(invalid);
	});

	test('takes the read_url of an upload to the workspace whose bytes are there', async () => {
		const upload = { filename: 'a.png', content_type: 'image/png', size: 4 };
		const { upload_url, read_url } = await data('POST', '/media/upload-url', { body: upload });
		const body = draft({ content: { media: [read_url] } });
		expect(await call('POST', '/posts', { body })).toMatchObject(invalid);
		await fetch(upload_url, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: 'four' });
		expect((await data('POST', '/posts', { body })).content.media).toEqual([read_url]);
		expect(await call('POST', '/posts', { body, workspace })).toMatchObject(invalid);
		const media = quick({ content: '', media: [read_url] });
		expect((await data('POST', '/posts', { body: media })).media).toEqual([read_url]);
	});

	test('422: the platform refused it, the post is kept as failed; the same key gives the same refusal', async () => {
		const options = { body: draft({ content: { text: 'Refused [[422]]' } }), idempotencyKey: 'refused' };
		const answer = await call('POST', '/posts', options);
		expect(answer).toMatchObject({ status: 422, code: 'PUBLIC_API_PUBLISH_FAILED' });
		expect((await get(`/posts/${answer.data.id}`)).status).toBe('failed');
		const before = service().store.posts.size;
		const again = await call('POST', '/posts', options);
		expect([again.status, again.data]).toEqual([422, answer.data]);
		expect(service().store.posts.size).toBe(before);
	});
});

test('GET /posts: by time, state and platform, newest first', async () => {
	const base = service().clock.now() + 1000 * HOUR;
	const ids: string[] = [];
	for (const [n, platform] of ['linkedin', 'x', 'linkedin'].entries())
		ids.push((await create({ platform, scheduled_at: at(base + n * HOUR) })).id);
	await data('POST', `/posts/${ids[2]}/cancel`);
	const list = async (query: object) =>
		(await get('/posts', query)).items.map(({ id }: any) => ids.indexOf(id));
	const range = { from: at(base), to: at(base + 2 * HOUR) };
	expect(await list(range)).toEqual([2, 1, 0]);
	expect(await list({ from: at(base + HOUR), to: at(base + HOUR) })).toEqual([1]);
	expect(await list({ ...range, platform: 'linkedin' })).toEqual([2, 0]);
	expect(await list({ ...range, limit: 2 })).toEqual([2, 1]);
	expect(await list({ scheduled_after: at(base + HOUR) })).toEqual([2]);
	expect(await list({ ...range, status: 'canceled' })).toEqual([2]);
	service().speak({ ...today, range: 'exclusive' });
	expect(await list(range)).toEqual([1]);
	service().speak(today);
	const moved = { scheduled_at: at(base + 3 * HOUR) };
	await data('PATCH', `/posts/${ids[0]}`, { body: moved });
	expect(await list({ from: at(base), to: moved.scheduled_at })).toEqual([0, 2, 1]);
});

test.each(['GET %', 'PATCH %', 'DELETE %', 'POST %/cancel', 'GET %/analytics'])(
	'%s: a post that is missing, or in another workspace, is not found',
	async (endpoint) => {
		const { id } = await create();
		const [method, path] = endpoint.split(' ') as [string, string];
		const body = method === 'PATCH' ? { content: { text: 'New' } } : undefined;
		const ask = async (post: string, more?: object) =>
			await call(method, `/posts/${path.replace('%', post)}`, { body, ...more });
		const notFound = { status: 404, code: 'PUBLIC_API_POST_NOT_FOUND' };
		expect([await ask('post_none'), await ask(id, { workspace })]).toMatchObject([notFound, notFound]);
		expect(await get(`/posts/${id}`)).toMatchObject({ status: 'scheduled', text: 'Hello' });
	},
);

describe('PATCH /posts/{id}', () => {
	test('changes what is sent and nothing else', async () => {
		const made = await create({ note: 1 });
		const path = `/posts/${made.id}`;
		const patch = async (body: object) => await data('PATCH', path, { body, idempotencyKey: null });
		expect(await patch({ content: { text: 'Better' }, note: 2 })).toMatchObject({
			...{ ...omit(made, 'updated_at'), note: 2, text: 'Better', content: { text: 'Better', media: [] } },
		});
		const scheduled_at = later(5);
		expect(await patch({ scheduled_at })).toMatchObject({ scheduled_at, text: 'Better' });
		expect((await patch({ status: 'draft' })).status).toBe('draft');
		await service().clock.advance(6 * HOUR);
		expect(await get(path)).toMatchObject({ status: 'draft', scheduled_at, note: 2 });
		expect(await call('PATCH', path, { body: { status: 'scheduled' } })).toMatchObject(invalid);
		expect((await patch({ status: 'scheduled', scheduled_at: later() })).status).toBe('scheduled');
		expect((await patch({ status: 'canceled' })).status).toBe('canceled');
		const { id } = await data('POST', '/posts', { body: quick() });
		const body = { content: 'Better', schedule_at: later(24), media: [] };
		expect(await data('PATCH', `/posts/${id}`, { body })).toMatchObject({ ...body, status: 'scheduled' });
	});

	test.each<object>([
		...[{}, { status: 'exploded' }, { status: 'completed' }, { scheduled_at: '2020-01-01T00:00:00Z' }],
		...[{ content: { text: ' ' } }, { id: 'post_2' }, { platform: 'x' }, { account_id: 'acc_main_x' }],
		{ content: 'Text', scheduled_at: '2099-01-01T00:00:00Z' },
	])('refuses %j', async (body) => {
		const { id } = await create();
		expect(await call('PATCH', `/posts/${id}`, { body })).toMatchObject(invalid);
	});
});

test.each<[string, string, object | undefined]>([
	['POST', '/cancel', undefined],
	['DELETE', '', undefined],
	['PATCH', '', { content: { text: 'Too late' } }],
	['PATCH', '', { status: 'canceled' }],
])('%s /posts/{id}%s with %j of a post that has ended: refused', async (method, path, body) => {
	const { id } = await create();
	await data('POST', `/posts/${id}/cancel`);
	const before = await get(`/posts/${id}`);
	const answer = await call(method, `/posts/${id}${path}`, { body });
	expect(answer).toMatchObject({ status: 409, code: 'PUBLIC_API_POST_CANCEL_INVALID_STATE' });
	expect(await get(`/posts/${id}`)).toEqual(before);
});
