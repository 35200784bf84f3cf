import type { IDataObject } from 'n8n-workflow';

import { createPost, run, runOperation, useService } from '../../support/service';

const service = useService();

test('At a Time wants a time; a node as it is dropped schedules for an hour from now', async () => {
	const create = async (scheduledAt?: string) =>
		await runOperation(service(), 'post:create', {
			...{ platforms: ['x'], text: 'Hi', when: 'at', scheduledAt },
		});
	for (const none of [undefined, '={{ "" }}'])
		expect((await create(none)).error.message).toBe("'Scheduled At' is empty. Nothing was sent.");
	expect(service().requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	const { json } = await runOperation(service(), 'post:create', { platforms: ['x'], text: 'Hi' });
	expect(Date.parse(json[0]!.scheduled_at as string) - Date.now()).toBeGreaterThan(59 * 60_000);
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
	const preview = await create({ preview: 'rows' });
	expect(preview.json).toEqual(
		['x', 'linkedin'].map((platform) =>
			expect.objectContaining({
				platform,
				account: expect.stringContaining('Lakeside'),
				scheduled_at_local: '2126-07-01 10:00',
			}),
		),
	);
	const [{ html }] = (await create({ preview: 'page' })).json as any[];
	const requests = JSON.parse(
		/<pre>(.*)<\/pre>/s.exec(html)![1]!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
	);
	await create({});
	const sent = service().requests.filter(({ method }) => method === 'POST') as any[];
	for (const [index, { platform, idempotency_key }] of (preview.json as any[]).entries()) {
		const one = sent.find(({ body }) => body.platform === platform);
		expect(one.path).toBe(`/api/public/v1${requests[index].path}`);
		expect(JSON.stringify(one.body)).toBe(JSON.stringify(requests[index].body));
		expect(one.headers['idempotency-key']).toBe(idempotency_key);
	}
});
