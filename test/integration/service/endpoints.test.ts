import { createHash, randomBytes } from 'node:crypto';
import { startService, type Service } from '../../service';
import { client, control, HOUR, newPost, Receiver, row, TIMESTAMP } from './harness';

let service: Service;
const call = client(() => service);

beforeAll(async () => {
	service = await startService();
});
afterAll(async () => await service.close());

const create = async (more = {}) => (await call('POST', '/posts', { body: newPost(service, more) })).data;
const at = (ms: number) => new Date(ms).toISOString();

describe('Endpoints', () => {
	row('Endpoint list · GET /workspaces', async () => {
		const { status, data } = await call('GET', '/workspaces', { workspace: 'ws_of_nobody' });
		expect(status).toBe(200);
		expect(data.workspaces.map(({ id }: any) => id)).toEqual(
			service.store.keys.get(service.keys.full)!.workspaces,
		);
		const other = await call('GET', '/workspaces', { key: service.keys.otherWorkspace });
		expect(other.data.workspaces).toHaveLength(1);
	});
	row('Endpoint list · GET /accounts', async () => {
		const { data } = await call('GET', '/accounts');
		expect(data.accounts.length).toBeGreaterThanOrEqual(7);
		expect(data.accounts[0]).toMatchObject({ id: expect.any(String), platform: expect.any(String) });
		const [, second] = service.store.keys.get(service.keys.full)!.workspaces;
		const other = await call('GET', '/accounts', { workspace: second });
		const ids = new Set(data.accounts.map(({ id }: any) => id));
		expect(other.data.accounts.some(({ id }: any) => ids.has(id))).toBe(false);
	});
	row('Endpoint list · POST /posts', async () => {
		const { status, data } = await call('POST', '/posts', { body: newPost(service) });
		expect(status).toBe(201);
		expect(data).toMatchObject({ id: expect.any(String), status: 'scheduled' });
		for (const platform of ['instagram', 'tiktok', 'youtube', 'x', 'linkedin', 'facebook', 'bluesky']) {
			expect([platform, (await create({ platform })).status]).toEqual([platform, 'scheduled']);
		}
		const twitter = await call('POST', '/posts', { body: newPost(service, { platform: 'twitter' }) });
		expect(twitter).toMatchObject({ status: 400, code: 'PUBLIC_API_BODY_INVALID' });
	});
	row('Endpoint list · GET /posts', async () => {
		const base = service.clock.now() + 1000 * HOUR;
		const ids: string[] = [];
		for (const [n, platform] of ['linkedin', 'x', 'linkedin'].entries()) {
			ids.push((await create({ platform, scheduled_at: at(base + n * HOUR) })).id);
		}
		const list = async (query: Record<string, string | number>) => {
			const { status, data } = await call('GET', '/posts', { query });
			expect(status).toBe(200);
			expect(Object.keys(data).sort()).toEqual(['count', 'items']);
			expect(data.count).toBe(data.items.length);
			return data.items.map(({ id }: any) => id).sort();
		};
		const [first, second, third] = ids as [string, string, string];
		const range = { from: at(base), to: at(base + 2 * HOUR) };
		expect(await list(range)).toEqual([...ids].sort());
		expect(await list({ ...range, to: at(base + HOUR) })).toEqual([first, second].sort());
		expect(await list({ from: at(base + HOUR), to: at(base + HOUR) })).toEqual([second]);
		expect(await list({ ...range, platform: 'linkedin' })).toEqual([first, third].sort());
		expect(await list({ ...range, limit: 2 })).toHaveLength(2);
		expect(await list({ scheduled_after: at(base + HOUR) })).toEqual([third]);
		await call('POST', `/posts/${third}/cancel`);
		expect(await list({ ...range, status: 'canceled' })).toEqual([third]);
		expect(await list({ ...range, status: 'scheduled' })).toEqual([first, second].sort());
	});
	row('Endpoint list · GET /posts/{id}', async () => {
		const { id } = await create();
		const before = (await call('GET', `/posts/${id}`)).data;
		expect(before).toMatchObject({ id, status: 'scheduled' });
		expect(before.platforms).toEqual([
			expect.objectContaining({ platform: 'linkedin', status: 'scheduled' }),
		]);
		await control(service, `posts/${id}/publish`);
		const after = (await call('GET', `/posts/${id}`)).data;
		expect(after).toMatchObject({ status: 'completed', provider_post_id: expect.any(String) });
		expect(after.platforms[0]).toMatchObject({ status: 'completed' });
	});
	row('Endpoint list · PATCH /posts/{id}', async () => {
		const made = await create();
		const path = `/posts/${made.id}`;
		const text = await call('PATCH', path, { body: { content: { text: 'Better' } } });
		expect(text).toMatchObject({ status: 200, data: { id: made.id, scheduled_at: made.scheduled_at } });
		expect(text.data.content.text).toBe('Better');
		const scheduled_at = at(service.clock.now() + 5 * HOUR);
		await call('PATCH', path, { body: { scheduled_at } });
		expect((await call('GET', path)).data).toMatchObject({ scheduled_at, content: { text: 'Better' } });
		expect((await call('PATCH', path, { body: { status: 'draft' } })).data.status).toBe('draft');
		await service.clock.advance(6 * HOUR);
		expect((await call('GET', path)).data.status).toBe('draft');
		const wrong = [
			{ status: 'exploded' },
			{ status: 'completed' },
			{ scheduled_at: '2020-01-01T00:00:00Z' },
			{},
		];
		for (const body of wrong) {
			expect(await call('PATCH', path, { body })).toMatchObject({
				status: 400,
				code: 'PUBLIC_API_BODY_INVALID',
			});
		}
		const without = { body: { content: { text: 'Again' } }, idempotencyKey: null };
		expect((await call('PATCH', path, without)).status).toBe(200);
		expect((await call('PATCH', '/posts/post_none', without)).code).toBe('PUBLIC_API_POST_NOT_FOUND');
		const published = (await create()).id;
		await control(service, `posts/${published}/publish`);
		const late = await call('PATCH', `/posts/${published}`, { body: { content: { text: 'Too late' } } });
		expect(late.status).toBe(409);
	});
	row('Endpoint list · DELETE /posts/{id}', async () => {
		const { id } = await create();
		expect(await call('DELETE', `/posts/${id}`, { idempotencyKey: null })).toMatchObject({
			status: 204,
			text: '',
		});
		expect(await call('GET', `/posts/${id}`)).toMatchObject({ status: 404 });
		expect(await call('DELETE', `/posts/${id}`)).toMatchObject({
			status: 404,
			code: 'PUBLIC_API_POST_NOT_FOUND',
		});
	});
	row('Endpoint list · POST /posts/{id}/cancel', async () => {
		const { id } = await create();
		const answer = await call('POST', `/posts/${id}/cancel`, { idempotencyKey: 'cancel:once' });
		expect(answer).toMatchObject({ status: 200, data: { id, status: 'canceled' } });
		const replay = await call('POST', `/posts/${id}/cancel`, { idempotencyKey: 'cancel:once' });
		expect(replay).toMatchObject({ status: 200, data: { id, status: 'canceled' } });
	});
	row('Endpoint list · POST /media/upload-url', async () => {
		const bytes = randomBytes(300_000);
		const body = { filename: 'a.png', content_type: 'image/png', size: bytes.length };
		const { status, data } = await call('POST', '/media/upload-url', { body });
		expect(status).toBe(201);
		const put = async (url: string, sent: Buffer, headers: Record<string, string> = {}) =>
			(
				await fetch(url, {
					method: 'PUT',
					headers: { 'content-type': 'image/png', ...headers },
					body: new Uint8Array(sent),
				})
			).status;
		// A signed URL takes what was declared and nothing else.
		expect(await put(data.upload_url, bytes.subarray(1))).toBe(400);
		expect(await put(data.upload_url, bytes, { 'content-type': 'image/jpeg' })).toBe(400);
		expect(await put(data.upload_url.replace(/signature=\w{4}/, 'signature=0000'), bytes)).toBe(403);
		expect((await fetch(data.read_url)).status).toBe(404);
		expect(await put(data.upload_url, bytes)).toBe(200);
		const read = Buffer.from(await (await fetch(data.read_url)).arrayBuffer());
		expect(read.equals(bytes)).toBe(true);
		const post = await create({ content: { text: 'With a picture', media: [data.read_url] } });
		expect(post.content.media).toEqual([data.read_url]);
	});
	row('Endpoint list · POST /media', async () => {
		const bytes = randomBytes(50_000);
		const send = async (file: Blob, field = 'file', key = randomBytes(6).toString('hex')) => {
			const form = new FormData();
			form.append(field, file, 'clip.mp4');
			const answer = await fetch(`${service.apiUrl}/media`, {
				method: 'POST',
				headers: { authorization: `Bearer ${service.keys.full}`, 'idempotency-key': key },
				body: form,
			});
			return { status: answer.status, body: (await answer.json()) as any };
		};
		const video = new Blob([bytes], { type: 'video/mp4' });
		const { status, body } = await send(video, 'file', 'upload:1');
		expect(status).toBe(201);
		const read = Buffer.from(await (await fetch(body.data.read_url)).arrayBuffer());
		expect(createHash('sha256').update(read).digest('hex')).toBe(
			createHash('sha256').update(bytes).digest('hex'),
		);
		expect((await send(video, 'file', 'upload:1')).body.data.id).toBe(body.data.id);
		expect((await send(new Blob(['text'], { type: 'text/plain' }))).body.error.code).toBe(
			'PUBLIC_API_BODY_INVALID',
		);
		expect((await send(video, 'other')).status).toBe(400);
		expect((await create({ content: { media: [body.data.read_url] } })).status).toBe('scheduled');
	});
	row('Endpoint list · GET /approvals', async () => {
		for (let n = 0; n < 12; n++) await control(service, `posts/${(await create()).id}/hold`);
		const first = (await call('GET', '/approvals')).data;
		expect(first.pagination).toEqual({ page: 1, limit: 10, total: 12, hasNext: true, hasPrev: false });
		expect(first.batches).toHaveLength(10);
		const second = (await call('GET', '/approvals', { query: { page: 2 } })).data;
		expect(second.pagination).toEqual({ page: 2, limit: 10, total: 12, hasNext: false, hasPrev: true });
		const ids = [...first.batches, ...second.batches].map(({ id }: any) => id);
		expect(new Set(ids).size).toBe(12);
	});
	row('Endpoint list · GET /social-connections', async () => {
		const { data } = await call('GET', '/social-connections');
		expect(data.connections.length).toBeGreaterThanOrEqual(7);
		const other = await call('GET', '/social-connections', { key: service.keys.otherWorkspace });
		expect(other.data.connections).toHaveLength(1);
	});
	row('Endpoint list · GET /usage', async () => {
		const before = (await call('GET', '/usage')).data;
		await create();
		const after = (await call('GET', '/usage')).data;
		expect(after.posts.created).toBe(before.posts.created + 1);
	});
	row('Endpoint list · POST /webhooks', async () => {
		const body = { url: 'https://receiver.example/hook', events: ['post.published'], description: 'Mine' };
		const { status, data } = await call('POST', '/webhooks', { body });
		expect(status).toBe(201);
		expect(data.webhook).toMatchObject({ ...body, id: expect.any(String), secret: expect.any(String) });
		const again = await call('POST', '/webhooks', { body });
		expect(again.data.webhook.secret).not.toBe(data.webhook.secret);
		const secret = randomBytes(16).toString('hex');
		expect((await call('POST', '/webhooks', { body: { ...body, secret } })).data.webhook.secret).toBe(secret);
		service.store.acceptCallerSecret = false;
		const refused = await call('POST', '/webhooks', { body: { ...body, secret } });
		service.store.acceptCallerSecret = true;
		expect(refused).toMatchObject({ status: 400, code: 'PUBLIC_API_BODY_INVALID' });
	});
	row('Endpoint list · GET /webhooks', async () => {
		const body = { url: 'https://receiver.example/list', events: ['post.failed'], description: 'Listed' };
		const { data } = await call('POST', '/webhooks', { body });
		const list = (await call('GET', '/webhooks')).data.webhooks;
		expect(list).toContainEqual(expect.objectContaining({ ...body, id: data.webhook.id }));
		expect(list.some((each: any) => 'secret' in each)).toBe(false);
		expect((await call('GET', '/webhooks', { key: service.keys.otherWorkspace })).data.webhooks).toEqual([]);
	});
	row('Endpoint list · DELETE /webhooks/{id}', async () => {
		const body = { url: 'https://receiver.example/gone', events: ['post.failed'] };
		const { id } = (await call('POST', '/webhooks', { body })).data.webhook;
		const foreign = await call('DELETE', `/webhooks/${id}`, { key: service.keys.otherWorkspace });
		expect(foreign.status).toBe(404);
		const options = { idempotencyKey: 'remove:once' };
		expect(await call('DELETE', `/webhooks/${id}`, options)).toMatchObject({ status: 204, text: '' });
		expect((await call('GET', '/webhooks')).text).not.toContain(id);
		expect((await call('DELETE', `/webhooks/${id}`, options)).status).toBe(204);
		expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(404);
	});
	row('Endpoint list · GET /webhooks/{id}/deliveries', async () => {
		const receiver = await new Receiver().start();
		try {
			const body = { url: receiver.url, events: ['post.created'] };
			const { id } = (await call('POST', '/webhooks', { body })).data.webhook;
			await create();
			await service.deliveries.idle();
			const { data } = await call('GET', `/webhooks/${id}/deliveries`, { query: { status: 'delivered' } });
			expect(data.deliveries).toEqual([
				{
					id: expect.any(String),
					webhook_id: id,
					event_id: receiver.received[0]!.event.id,
					event_type: 'post.created',
					event: receiver.received[0]!.event,
					status: 'delivered',
					attempts: 1,
					last_error: null,
					last_status: 200,
					next_attempt_at: null,
					created_at: expect.stringMatching(TIMESTAMP),
					delivered_at: expect.stringMatching(TIMESTAMP),
				},
			]);
			expect((await call('GET', '/webhooks/wh_none/deliveries')).status).toBe(404);
		} finally {
			await receiver.stop();
		}
	});
	row('Endpoint list · GET /analytics', async () => {
		const { id } = await create();
		await control(service, `posts/${id}/publish`);
		await service.clock.advance(48 * HOUR);
		const { data } = await call('GET', '/analytics');
		const linkedin = data.platforms.find(({ platform }: any) => platform === 'linkedin');
		for (const metric of ['views', 'likes', 'comments', 'shares']) {
			expect([metric, Number.isInteger(linkedin[metric])]).toEqual([metric, true]);
		}
	});
	row('Endpoint list · GET /inbox', async () => {
		const { id } = await control(service, 'inbox', { text: 'A question', type: 'direct_message' });
		const { data } = await call('GET', '/inbox');
		expect(data.items[0]).toMatchObject({ id, text: 'A question', type: 'direct_message' });
	});
	row('Endpoint list · POST /inbox/{id}/reply', async () => {
		const { id } = await control(service, 'inbox');
		const path = `/inbox/${id}/reply`;
		const options = { body: { text: 'An answer' }, idempotencyKey: 'reply:once' };
		expect((await call('POST', path, options)).status).toBe(201);
		expect((await call('POST', path, options)).status).toBe(201);
		expect(service.store.inbox.get(id)!.replies.map(({ text }) => text)).toEqual(['An answer']);
		for (const body of [{}, { text: '' }, { text: 1 }]) {
			expect((await call('POST', path, { body })).code).toBe('PUBLIC_API_BODY_INVALID');
		}
		expect((await call('POST', '/inbox/inb_none/reply', { body: { text: 'x' } })).status).toBe(404);
	});
});

describe('Analytics endpoints', () => {
	/** Two posts: one published long ago, one just now. */
	const published: string[] = [];
	beforeAll(async () => {
		const keys = { old: 40 * 24 * HOUR, recent: 24 * HOUR };
		for (const [text, later] of Object.entries(keys)) {
			const platform = text === 'old' ? 'linkedin' : 'x';
			const { id } = await create({ platform, content: { text, media: [] } });
			await control(service, `posts/${id}/publish`);
			published.push(id);
			await service.clock.advance(later);
		}
	});
	const get = async (path: string, query = {}) => (await call('GET', path, { query })).data;

	row('Analytics endpoints · /analytics/summary', async () => {
		const totals: Record<string, number> = {};
		for (const timeframe of ['last_7_days', 'last_30_days', 'last_90_days', 'all_time']) {
			totals[timeframe] = (await get('/analytics/summary', { timeframe })).total_posts;
		}
		expect(totals.last_7_days).toBeGreaterThanOrEqual(1);
		expect(totals.last_90_days).toBeGreaterThan(totals.last_30_days!);
		expect((await get('/analytics/summary')).total_posts).toBe(totals.last_30_days);
		// startDate and endDate override timeframe.
		const none = { startDate: '2001-01-01', endDate: '2001-02-01', timeframe: 'all_time' };
		expect((await get('/analytics/summary', none)).total_posts).toBe(0);
		expect((await get('/analytics/summary', { includeInsights: true })).insights.length).toBeGreaterThan(0);
		expect((await get('/analytics/summary', { includeActivity: true })).recent_activity).not.toBeNull();
	});
	row('Analytics endpoints · /analytics/unified', async () => {
		const range = { from: at(service.clock.now() - 60 * 24 * HOUR), to: service.clock.iso() };
		const all = await get('/analytics/unified', range);
		expect(all.count).toBe(all.rows.length);
		const ids = (rows: any[]) => rows.map(({ post_id }) => post_id as string);
		expect(ids(all.rows)).toEqual(expect.arrayContaining(published));
		const recent = await get('/analytics/unified', {
			...range,
			from: at(service.clock.now() - 3 * 24 * HOUR),
		});
		expect(ids(recent.rows)).toContain(published[1]);
		expect(ids(recent.rows)).not.toContain(published[0]);
		const twitter = await get('/analytics/unified', { ...range, platforms: 'twitter,facebook' });
		expect(ids(twitter.rows)).toContain(published[1]);
		expect(ids(twitter.rows)).not.toContain(published[0]);
		for (const name of ['from', 'to'] as const) {
			const query = { [name]: range[name] };
			expect((await call('GET', '/analytics/unified', { query })).code).toBe('PUBLIC_API_QUERY_INVALID');
		}
	});
	row('Analytics endpoints · /analytics/insights', async () => {
		const all = await get('/analytics/insights', { limit: 20 });
		expect(await get('/analytics/insights')).toEqual(all.slice(0, 5));
		expect(await get('/analytics/insights', { limit: 1 })).toEqual(all.slice(0, 1));
		const type = all[0].insight_type;
		expect(await get('/analytics/insights', { limit: 20, type })).toEqual(
			all.filter((insight: any) => insight.insight_type === type),
		);
		expect(await get('/analytics/insights', { limit: 20, dismissed: false })).toEqual(
			all.filter(({ dismissed }: any) => !dismissed),
		);
		for (const { platforms } of await get('/analytics/insights', { limit: 20, platforms: 'linkedin' })) {
			expect(platforms).toContain('linkedin');
		}
	});
	row('Analytics endpoints · /posts/{id}/analytics', async () => {
		const path = `/posts/${published[0]}/analytics`;
		expect(await get(path)).not.toHaveProperty('daily_series');
		expect((await get(path, { granularity: 'daily' })).daily_series.length).toBeGreaterThan(20);
		const weekly = await get(path, { granularity: 'weekly' });
		expect(weekly).not.toHaveProperty('daily_series');
		expect(weekly.weekly_series.length).toBeGreaterThan(3);
		expect((await call('GET', '/posts/post_none/analytics')).code).toBe('PUBLIC_API_POST_NOT_FOUND');
	});
});
