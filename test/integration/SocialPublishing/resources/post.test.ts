import type { IDataObject } from 'n8n-workflow';

import { type Service, startService } from '../../../service';
import { addPost, credentialOf, DAY, describeOperation, runOperation } from './frame';
import { inMemory, itemWith } from '../../../support/binaries';
import { runNode } from '../../../support/engine';
import { bytes, startFiles } from '../../../support/fileServer';

const byId = (value: string) => ({ mode: 'id', value });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString().slice(0, 19) + 'Z';

const scheduledAt = inAnHour();
describeOperation('post.create', {
	endpoint: 'POST /posts',
	parameters: () => ({ platforms: ['linkedin'], text: 'Hello', scheduledAt }),
	sent: { body: { platform: 'linkedin', content: { text: 'Hello' }, scheduled_at: scheduledAt } },
	answer: ({ json }, service) => {
		const [post] = service.store.posts.values();
		expect(json).toEqual([
			expect.objectContaining({ platform: 'linkedin', id: post!.id, status: 'scheduled' }),
		]);
	},
});

describeOperation('post.get', {
	endpoint: 'GET /posts/{id}',
	parameters: (service) => ({ postId: byId(addPost(service)) }),
	sent: {},
	answer: ({ json }) => {
		expect(json).toEqual([
			expect.objectContaining({
				id: 'post_1',
				status: 'scheduled',
				platforms: [expect.objectContaining({ platform: 'linkedin', status: 'scheduled' })],
			}),
		]);
	},
});

describeOperation('post.getAll', {
	endpoint: 'GET /posts',
	parameters: (service) => {
		addPost(service, { id: 'post_1', at: Date.now() + DAY, platforms: ['x'] });
		addPost(service, { id: 'post_2', at: Date.now() + 2 * DAY, platforms: ['x'] });
		return {
			limit: 10,
			filters: {
				from: '2020-01-01T00:00',
				to: '2036-01-01T00:00:00Z',
				status: 'scheduled',
				platform: 'twitter',
				scheduledAfter: '2021-01-01T00:00:00+01:00',
			},
		};
	},
	sent: {
		query: {
			from: '2019-12-31T23:00:00Z',
			to: '2036-01-01T00:00:00Z',
			limit: '10',
			status: 'scheduled',
			platform: 'x',
			scheduled_after: '2020-12-31T23:00:00Z',
		},
	},
	answer: ({ json }) => expect(json.map(({ id }) => id)).toEqual(['post_2', 'post_1']),
	empty: {
		prepare: () => ({ returnAll: true }),
		check: ({ json }, service) => {
			expect(json).toEqual([]);
			expect(service.requests).toHaveLength(1);
		},
	},
});

const later = inAnHour();
describeOperation('post.update', {
	endpoint: 'PATCH /posts/{id}',
	parameters: (service) => ({
		postId: byId(addPost(service)),
		updateFields: { text: 'Better', scheduledAt: later, status: 'scheduled' },
	}),
	sent: { body: { status: 'scheduled', content: { text: 'Better' }, scheduled_at: later } },
	answer: ({ json }, service) => {
		expect(json).toEqual([expect.objectContaining({ id: 'post_1', text: 'Better' })]);
		expect(service.store.posts.get('post_1')!.text).toBe('Better');
	},
});

describeOperation('post.delete', {
	endpoint: 'DELETE /posts/{id}',
	parameters: (service) => ({ postId: byId(addPost(service)) }),
	sent: {},
	answer: ({ json }, service) => {
		expect(json).toEqual([{ deleted: true, id: 'post_1', idempotency_key: expect.any(String) }]);
		expect(service.store.posts.get('post_1')?.status ?? 'gone').toMatch(/gone|canceled/);
	},
	noContent: true,
});

describeOperation('post.cancel', {
	endpoint: 'POST /posts/{id}/cancel',
	parameters: (service) => ({ postId: byId(addPost(service)) }),
	sent: {},
	answer: ({ json }) => {
		expect(json).toEqual([expect.objectContaining({ id: 'post_1', status: 'canceled' })]);
	},
});

describeOperation('post.getAnalytics', {
	endpoint: 'GET /posts/{id}/analytics',
	parameters: (service) => ({
		postId: byId(addPost(service, { status: 'completed' })),
		granularity: 'daily',
		filters: { from: '2020-01-01T00:00', to: '2036-01-01T00:00:00Z' },
	}),
	sent: { query: { granularity: 'daily', from: '2019-12-31T23:00:00Z', to: '2036-01-01T00:00:00Z' } },
	answer: ({ json }) => {
		expect(json).toHaveLength(1);
		expect(json[0]).toMatchObject({ post_id: 'post_1', platform: 'linkedin' });
		expect(Object.keys(json[0]!.metrics as object)).toHaveLength(7);
		expect((json[0]!.daily_series as IDataObject[])[0]).toHaveProperty('date');
	},
	empty: {
		prepare: (service) => ({ postId: byId(addPost(service)), granularity: 'daily', output: 'series' }),
		check: ({ json }) => expect(json).toEqual([]),
	},
});

describeOperation('post.waitForStatus', {
	endpoint: 'GET /posts/{id}',
	parameters: (service) => ({ postId: byId(addPost(service, { status: 'completed' })), waitTimeout: 1 }),
	sent: {},
	answer: ({ json }) => {
		expect(json).toEqual([
			expect.objectContaining({ id: 'post_1', status: 'completed', provider_post_id: expect.any(String) }),
		]);
	},
});

describe('posts', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => await service.close());

	test.each(['inclusive', 'exclusive'] as const)('all of 730, each once, ends %s', async (ends) => {
		service.store.rangeEnds = ends;
		const ids = Array.from({ length: 730 }, (_, i) =>
			addPost(service, { id: `post_${i}`, status: 'completed', at: Date.now() - i * 3_600_000 }),
		);
		const { json } = await runOperation(service, 'post.getAll', { returnAll: true });
		expect(json.map(({ id }) => id)).toEqual(ids);
		expect(service.requests.length).toBeLessThanOrEqual(2 * Math.ceil(730 / 99));
	});

	test('to accounts by ID, name or @handle', async () => {
		const accounts = ['@lakesidecafe', 'acc_main_x', 'Lakeside Bakery · linkedin'];
		const { json, error } = await runOperation(service, 'post.create', {
			postTo: 'accounts',
			accounts,
			text: 'Hi',
			when: 'now',
		});
		expect(error).toBeUndefined();
		expect(json.map(({ platform, account_id }) => [platform, account_id])).toEqual([
			['instagram', 'acc_main_cafe'],
			['x', 'acc_main_x'],
			['linkedin', 'acc_main_linkedin'],
		]);
		expect(service.requests.filter(({ path }) => path.endsWith('/accounts'))).toHaveLength(1);
	});

	test('a workspace that is given by name in the credential: the error lists those that there are', async () => {
		const { error } = await runNode({
			credential: credentialOf(service, { workspaceId: 'Hill Street Books' }),
			parameters: { resource: 'usage', operation: 'get' },
		});
		expect(error.description).toContain('Hill Street Books (ws_second)');
		expect(service.requests.map(({ path }) => path.split('/').pop())).toEqual(['workspaces']);
	});

	test('At a Time is the default and wants a time', async () => {
		const create = async (scheduledAt?: string) =>
			await runOperation(service, 'post.create', { platforms: ['x'], text: 'Hi', scheduledAt });
		// n8n itself shows this, in the panel and before a run.
		await expect(create()).rejects.toThrow(/"Scheduled At" is required/);
		expect((await create('={{ "" }}')).error.message).toBe("'Scheduled At' is empty. Nothing was sent.");
		expect(service.requests).toHaveLength(0);
	});

	test('several accounts of a platform: none is chosen, both are named', async () => {
		const { error } = await runOperation(service, 'post.create', {
			platforms: ['instagram', 'x'],
			text: 'Hi',
			when: 'now',
		});
		expect(error.message).toMatch(
			/^2 Instagram accounts are connected: Lakeside .+ \(acc_main_\w+\), Lakeside/,
		);
		expect(service.store.posts.size).toBe(0);
	});

	test('a text for a platform that is not chosen is a mistake where the platforms are the same for all items', async () => {
		const options = { platformText: { texts: [{ platform: 'linkedin', text: 'Own' }] } };
		const create = async (platforms: unknown) =>
			await runOperation(service, 'post.create', {
				platforms,
				text: 'Hi',
				when: 'now',
				options,
			} as IDataObject);
		expect((await create(['x'])).error.message).toMatch(/has a text for LinkedIn/);
		expect((await create('={{ ["x"] }}')).error).toBeUndefined();
	});

	test('what is sent is what a preview showed', async () => {
		const create = async (options: IDataObject) =>
			await runOperation(
				service,
				'post.create',
				{ platforms: ['x', 'linkedin'], text: 'Ünï "quoted"', scheduledAt: '2126-07-01T10:00', options },
				{ resumeToken: 'the-same-execution' },
			);
		const preview = await create({ previewOnly: true });
		expect(preview.json).toEqual(
			['x', 'linkedin'].map((platform) =>
				expect.objectContaining({
					platform,
					account: expect.stringContaining('Lakeside'),
					scheduled_at_local: '2126-07-01T10:00:00+02:00',
					warnings: [],
				}),
			),
		);
		await create({});
		const sent = service.requests.filter(({ method }) => method === 'POST') as any[];
		for (const { request, platform, idempotency_key } of preview.json as any[]) {
			const one = sent.find(({ body }) => body.platform === platform);
			expect(one.path).toBe(`/api/public/v1${request.path}`);
			expect(JSON.stringify(one.body)).toBe(JSON.stringify(request.body));
			expect(one.headers['idempotency-key']).toBe(idempotency_key);
		}
	});

	test('a preview of a post with files uploads nothing, and says which address stands where', async () => {
		const files = await startFiles();
		const remote = files.on('/photo.png', bytes(Buffer.from('0123456789')));
		const preview = async (more: IDataObject, idempotencyKeyMode = 'execution') =>
			await runOperation(
				service,
				'post.create',
				{
					platforms: ['x'],
					text: 'Hi',
					when: 'now',
					options: { previewOnly: true, idempotencyKeyMode },
					...more,
				},
				{ items: [itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('01234')) })] },
			);
		for (const [more, name] of [
			[{ mediaFrom: 'binary' }, 'a.png'],
			[{ mediaFrom: 'url', mediaUrls: remote }, remote],
		] as const) {
			const { json, hints, error } = await preview(more);
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({
				workspace_id: 'ws_main',
				request: { body: { content: { text: 'Hi', media: [`(address of ${name} after its upload)`] } } },
			});
			expect(Object.keys(json[0]!).slice(0, 5)).toEqual([
				'platform',
				'account',
				'scheduled_at_local',
				'text',
				'warnings',
			]);
			expect(hints.map(({ message }) => message)).toEqual(['Preview: nothing was sent.']);
		}
		expect(files.requests).toHaveLength(0);
		// Where the content makes the key, the preview has the key of the real run.
		const content = { mediaFrom: 'url', mediaUrls: remote };
		const { json } = await preview(content, 'content');
		const sent = await runOperation(service, 'post.create', {
			platforms: ['x'],
			text: 'Hi',
			when: 'now',
			...content,
			options: { idempotencyKeyMode: 'content' },
		});
		expect(sent.json[0]!.idempotency_key).toBe(json[0]!.idempotency_key);
		await files.close();
	});

	test('warnings of a preview are hints of the real run', async () => {
		const create = async (options: IDataObject) =>
			await runOperation(service, 'post.create', {
				platforms: ['x'],
				text: 'x'.repeat(300),
				when: 'now',
				options,
			});
		const warning = 'X will probably reject it: 300 characters, 280 are usual';
		const preview = await create({ previewOnly: true });
		expect(preview.json[0]!.warnings).toEqual([warning]);
		expect(preview.hints.map(({ message }) => message)).toEqual([
			'Preview: nothing was sent. 1 of 1 request has warnings.',
		]);
		const sent = await create({});
		expect(sent.hints.map(({ message }) => message)).toEqual([
			`One post: ${warning}`,
			expect.stringMatching(/^Accepted by the service/),
		]);
	});
});
