import { omit } from 'lodash';

import { limits } from '../../../support/specification';
import { DAY, embedded, HOUR } from '../harness';

const { service, call, data, get, create, draft, control } = embedded();
const at = (ms: number) => service().clock.iso(ms);
const later = (hours = 1) => at(service().clock.now() + hours * HOUR);
const published = async () => {
	const { id } = await create();
	return (await control(`posts/${id}/publish`)).id as string;
};
const invalid = { status: 400, code: 'PUBLIC_API_BODY_INVALID' };
const notFound = { status: 404, code: 'PUBLIC_API_POST_NOT_FOUND' };
/** Another workspace's key may not see the posts of these tests. */
const foreign = () => ({ key: service().keys.otherWorkspace });
const quick = (more: object = {}) => ({ content: 'Hello', platforms: ['linkedin', 'x'], ...more });

describe('POST /posts', () => {
	test("takes the integration guide's shape", async () => {
		const body = draft({ first_comment: 'A field of tomorrow' });
		const { status, data: made } = await call('POST', '/posts', { body });
		expect(status).toBe(201);
		expect(made).toMatchObject({
			...body,
			...{ id: expect.stringMatching(/^post_\w/), status: 'scheduled', platforms: ['linkedin'] },
		});
		expect(made).not.toHaveProperty('provider_post_id');
		expect(made).not.toHaveProperty('schedule_at');
	});

	test("takes the quick start's shape", async () => {
		const body = { ...quick(), schedule_at: later() };
		const made = await data('POST', '/posts', { body });
		expect(made).toMatchObject({ ...body, status: 'scheduled', scheduled_at: body.schedule_at, media: [] });
		expect(made).not.toHaveProperty('platform');
		const states = body.platforms.map((platform) => ({ platform, status: 'scheduled' }));
		expect((await get(`/posts/${made.id}`)).platforms).toEqual(states);
	});

	// What a schema can tell: docs/openapi.yaml, which every request of n8n is held against.
	test.each<[string, () => object]>([
		['a body of no form', () => ({})],
		['a platform of analytics', () => draft({ platform: 'twitter' })],
		['a blank text', () => draft({ content: { text: ' ' } })],
		['media from elsewhere', () => draft({ content: { media: ['https://elsewhere.example/a.png'] } })],
		['a time of a day that does not exist', () => draft({ scheduled_at: '2099-02-30T00:00:00Z' })],
		['a time in the past', () => draft({ scheduled_at: later(-1) })],
		['now', () => draft({ scheduled_at: at(service().clock.now() - 1) })],
		['a time in the past, quick start', () => quick({ schedule_at: later(-1) })],
		['a field that the service sets', () => draft({ provider_post_id: '1' })],
		['an account of nobody', () => draft({ account_id: 'acc_none' })],
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
		const workspace = 'ws_second';
		const post = async (more: object) => await call('POST', '/posts', { body: draft(more), workspace });
		expect(await post({ platform: 'linkedin', account_id: 'acc_second_linkedin' })).toMatchObject({
			data: { account_id: 'acc_second_linkedin', brand_id: 'brand_second' },
		});
		expect(await post({ platform: 'x' })).toMatchObject(invalid);
		expect(await post({ platform: 'tiktok' })).toMatchObject(invalid);
		const cafe = draft({ platform: 'instagram', account_id: 'acc_main_cafe' });
		expect((await data('POST', '/posts', { body: cafe })).brand_id).toBe('brand_cafe');
	});

	test('takes the read_url of an upload to the workspace whose bytes are there', async () => {
		const body = { filename: 'a.png', content_type: 'image/png', size: 3 };
		const { upload_url, read_url } = await data('POST', '/media/upload-url', { body });
		const post = draft({ content: { text: 'With a picture', media: [read_url] } });
		expect(await call('POST', '/posts', { body: post })).toMatchObject(invalid);
		await fetch(upload_url, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: 'png' });
		expect((await data('POST', '/posts', { body: post })).content).toEqual(post.content);
		expect(await call('POST', '/posts', { body: post, ...foreign() })).toMatchObject(invalid);
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

describe('GET /posts', () => {
	test('filters by time, state and platform, newest first', async () => {
		const base = service().clock.now() + 1000 * HOUR;
		const ids: string[] = [];
		for (const [n, platform] of ['linkedin', 'x', 'linkedin'].entries())
			ids.push((await create({ platform, scheduled_at: at(base + n * HOUR) })).id);
		await data('POST', `/posts/${ids[2]}/cancel`);
		const list = async (query: Record<string, string | number>) => {
			const { items, count, ...rest } = await get('/posts', query);
			expect([count, rest]).toEqual([items.length, {}]);
			return items.map(({ id }: any) => ids.indexOf(id));
		};
		const range = { from: at(base), to: at(base + 2 * HOUR) };
		expect(await list(range)).toEqual([2, 1, 0]);
		expect(await list({ ...range, to: at(base + HOUR) })).toEqual([1, 0]);
		expect(await list({ from: at(base + HOUR), to: at(base + HOUR) })).toEqual([1]);
		expect(await list({ ...range, platform: 'linkedin' })).toEqual([2, 0]);
		expect(await list({ ...range, limit: 2 })).toEqual([2, 1]);
		expect(await list({ scheduled_after: at(base + HOUR) })).toEqual([2]);
		expect(await list({ ...range, status: 'canceled' })).toEqual([2]);
		expect(await list({ ...range, status: 'scheduled' })).toEqual([1, 0]);
		service().store.rangeEnds = 'exclusive';
		expect(await list(range)).toEqual([1]);
		service().store.rangeEnds = 'inclusive';
		const moved = { scheduled_at: at(base + 3 * HOUR) };
		await data('PATCH', `/posts/${ids[0]}`, { body: moved });
		expect(await list({ from: at(base), to: moved.scheduled_at })).toEqual([0, 2, 1]);
	});

	test('gives 25, 100 at most', async () => {
		await control('seed/posts', { count: 120, workspace_id: 'ws_second' });
		const key = service().addKey({ workspaces: ['ws_second'] });
		const { standard, most } = limits['/posts'];
		const count = async (query = {}) => (await data('GET', '/posts', { key, query })).count;
		expect([await count(), await count({ limit: most })]).toEqual([standard, most]);
	});
});

test('GET /posts/{id}: state and ID on each platform, before and after publication', async () => {
	const { id } = await create();
	const { platforms: before } = await get(`/posts/${id}`);
	expect(before).toEqual([{ platform: 'linkedin', status: 'scheduled' }]);
	await service().clock.advance(2 * HOUR);
	const post = await get(`/posts/${id}`);
	expect(post).toMatchObject({ status: 'completed', provider_post_id: expect.stringMatching(/^linkedin_/) });
	const { provider_post_id } = post;
	expect(post.platforms).toEqual([{ platform: 'linkedin', status: 'completed', provider_post_id }]);
});

test.each(['GET %', 'PATCH %', 'DELETE %', 'POST %/cancel', 'GET %/analytics'])(
	'%s: a post that is missing, or in another workspace, is not found',
	async (endpoint) => {
		const { id } = await create();
		const [method, path] = endpoint.split(' ') as [string, string];
		const body = method === 'PATCH' ? { content: { text: 'New' } } : undefined;
		const ask = async (post: string, more?: object) =>
			await call(method, `/posts/${path.replace('%', post)}`, { body, ...more });
		expect(await ask('post_none')).toMatchObject(notFound);
		expect(await ask(id, foreign())).toMatchObject(notFound);
		expect(await get(`/posts/${id}`)).toMatchObject({ status: 'scheduled', text: 'Hello' });
	},
);

describe('PATCH /posts/{id}', () => {
	test('changes what is sent and nothing else', async () => {
		const made = await create({ note: 1 });
		const patch = async (body: object) =>
			await data('PATCH', `/posts/${made.id}`, { body, idempotencyKey: null });
		const same = omit(made, 'updated_at');
		expect(await patch({ content: { text: 'Better' }, note: 2 })).toMatchObject({
			...{ ...same, note: 2, text: 'Better', content: { text: 'Better', media: [] } },
		});
		const scheduled_at = later(5);
		expect(await patch({ scheduled_at })).toMatchObject({ scheduled_at, text: 'Better' });
		expect((await patch({ status: 'draft' })).status).toBe('draft');
		await service().clock.advance(6 * HOUR);
		expect(await get(`/posts/${made.id}`)).toMatchObject({ status: 'draft', scheduled_at, note: 2 });
		const path = `/posts/${made.id}`;
		expect(await call('PATCH', path, { body: { status: 'scheduled' } })).toMatchObject(invalid);
		expect((await patch({ status: 'scheduled', scheduled_at: later() })).status).toBe('scheduled');
		expect((await patch({ status: 'canceled' })).status).toBe('canceled');
	});

	test("takes the quick start's shape", async () => {
		const { id } = await data('POST', '/posts', { body: quick() });
		const body = { content: 'Better', schedule_at: later(DAY / HOUR), media: [] };
		expect(await data('PATCH', `/posts/${id}`, { body })).toMatchObject({ ...body, status: 'scheduled' });
	});

	test.each<object>([
		...[{}, { status: 'exploded' }, { status: 'completed' }, { scheduled_at: '2020-01-01T00:00:00Z' }],
		...[{ content: { text: ' ' } }, { content: { media: ['https://elsewhere.example'] } }, { id: 'post_2' }],
		...[{ platform: 'x' }, { platforms: ['x'] }, { account_id: 'acc_main_x' }, { draft: true }],
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
])(
	'%s /posts/{id}%s with %j: of a final post it is refused and changes nothing',
	async (method, path, body) => {
		const ids = { completed: await published(), failed: (await create()).id, canceled: (await create()).id };
		await control(`posts/${ids.failed}/fail`);
		await data('POST', `/posts/${ids.canceled}/cancel`);
		for (const [status, id] of Object.entries(ids)) {
			const before = await get(`/posts/${id}`);
			const answer = await call(method, `/posts/${id}${path}`, { body });
			expect(answer).toMatchObject({ status: 409, code: 'PUBLIC_API_POST_CANCEL_INVALID_STATE' });
			expect(before.status).toBe(status);
			expect(await get(`/posts/${id}`)).toEqual(before);
		}
	},
);

test('DELETE /posts/{id}: gone, with an empty 204', async () => {
	const { id } = await create();
	const { status, text } = await call('DELETE', `/posts/${id}`, { idempotencyKey: null });
	expect([status, text]).toEqual([204, '']);
	expect(await call('GET', `/posts/${id}`)).toMatchObject(notFound);
});
