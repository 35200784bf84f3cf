import type { IDataObject } from 'n8n-workflow';

import { inMemory, itemWith } from '../../../support/binaries';
import { bytes, startFiles } from '../../../support/fileServer';
import { addPost, createPost, run, runOperation, useService } from '../../../support/service';

const service = useService();

test.each(['exclusive', 'inclusive'] as const)('all of 730, each once, ends %s', async (ends) => {
	service().store.rangeEnds = ends;
	const ids = Array.from({ length: 730 }, (_, i) =>
		addPost(service(), { id: `post_${i}`, status: 'completed', at: Date.now() - i * 3_600_000 }),
	);
	const { json } = await runOperation(service(), 'post:getAll', { returnAll: true });
	expect(json.map(({ id }) => id)).toEqual(ids);
	expect(service().requests.length).toBeLessThanOrEqual(2 * Math.ceil(730 / 99));
});

test('to accounts by ID, name or @handle', async () => {
	const accounts = ['@lakesidecafe', 'acc_main_x', 'Lakeside Bakery · linkedin'];
	const { json, error } = await run(service(), createPost({ postTo: 'accounts', accounts }));
	expect(error).toBeUndefined();
	expect(json.map(({ platform, account_id }) => [platform, account_id])).toEqual([
		['instagram', 'acc_main_cafe'],
		['x', 'acc_main_x'],
		['linkedin', 'acc_main_linkedin'],
	]);
	expect(service().requests.filter(({ path }) => path.endsWith('/accounts'))).toHaveLength(1);
});

test('At a Time is the default and wants a time', async () => {
	const create = async (scheduledAt?: string) =>
		await runOperation(service(), 'post:create', { platforms: ['x'], text: 'Hi', scheduledAt });
	// n8n itself shows this, in the panel and before a run.
	await expect(create()).rejects.toThrow(/"Scheduled At" is required/);
	expect((await create('={{ "" }}')).error.message).toBe("'Scheduled At' is empty. Nothing was sent.");
	expect(service().requests).toHaveLength(0);
});

test('a text for a platform that is not chosen is a mistake where the platforms are the same for all items', async () => {
	const options = { platformText: { texts: [{ platform: 'linkedin', text: 'Own' }] } };
	const create = async (platforms: string | string[]) =>
		await run(service(), createPost({ platforms, options }));
	expect((await create(['x'])).error.message).toMatch(/has a text for LinkedIn/);
	expect((await create('={{ ["x"] }}')).error).toBeUndefined();
});

test('what is sent is what a preview showed', async () => {
	const create = async (options: IDataObject) =>
		await run(
			service(),
			createPost({
				...{ platforms: ['x', 'linkedin'], text: 'Ünï "quoted"', scheduledAt: '2126-07-01T10:00' },
				options,
			}),
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
	const sent = service().requests.filter(({ method }) => method === 'POST') as any[];
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
		await run(service(), createPost({ options: { previewOnly: true, idempotencyKeyMode }, ...more }), {
			items: [itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('01234')) })],
		});
	for (const [more, name] of [
		[{ mediaFrom: 'binary' }, 'a.png'],
		[{ mediaFrom: 'url', mediaUrls: remote }, remote],
	] as const) {
		const { json, hints, error } = await preview(more);
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({
			workspace_id: 'ws_main',
			request: { body: { content: { text: 'Hello', media: [`(address of ${name} after its upload)`] } } },
		});
		const columns = Object.keys(json[0]!).slice(0, 5).join();
		expect(columns).toBe('platform,account,scheduled_at_local,text,warnings');
		expect(hints.map(({ message }) => message)).toEqual(['Preview: nothing was sent.']);
	}
	expect(files.requests).toHaveLength(0);
	// Where the content makes the key, the preview has the key of the real run.
	const content = { mediaFrom: 'url', mediaUrls: remote };
	const { json } = await preview(content, 'content');
	const options = { idempotencyKeyMode: 'content' };
	const sent = await run(service(), createPost({ ...content, options }));
	expect(sent.json[0]!.idempotency_key).toBe(json[0]!.idempotency_key);
	await files.close();
});

test('warnings of a preview are hints of the real run', async () => {
	const create = async (options: IDataObject) =>
		await run(service(), createPost({ text: 'x'.repeat(300), options }));
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
