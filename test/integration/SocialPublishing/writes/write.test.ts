import {
	contextOf,
	createPost,
	credentialOf,
	item,
	retryOf,
	run,
	useService,
} from '../../../support/service';

/** What `write.model.test.ts` doesn't draw: what n8n stores, and times that pass. */

const service = useService();

test('what n8n stores of a write holds no API key, and no secret or signed address', async () => {
	const post = await run(service(), createPost());
	const webhook = await run(service(), {
		resource: 'webhook',
		operation: 'create',
		url: 'https://example.com/in?token=abc',
		events: ['post.failed'],
	});
	const upload = await run(service(), {
		resource: 'media',
		operation: 'createUploadUrl',
		fileName: 'a.png',
		contentType: 'image/png',
		size: 9,
	});
	const stored = [post, webhook, upload].map((result) => JSON.stringify(contextOf(result)));
	for (const one of stored) expect(one).toContain('succeeded');
	const { secret } = (webhook.json[0] as any).webhook;
	for (const hidden of [service().keys.full, secret, 'token=abc', 'signature='])
		expect(stored.join()).not.toContain(hidden);
});

test('a time that has passed since stops neither the retry of an Update that was answered nor the items behind it', async () => {
	const made = await run(service(), createPost({ scheduledAt: '2126-01-01T10:00' }), {
		items: [item({}), item({})],
	});
	const items = made.json.map(({ id }) => item({ id }));
	const update = async (scheduledAt: string, more: object = {}) =>
		await run(
			service(),
			{
				resource: 'post',
				operation: 'update',
				postId: '={{ $json.id }}',
				updateFields: { scheduledAt },
				options: { maxRetryWait: 0 },
			},
			{ items, ...more },
		);
	service().faults.add({ kind: 'dropAfter', method: 'PATCH', skip: 1 });
	const first = await update('2126-02-01T10:00');
	const retry = { contextData: contextOf(first), executionId: '2', mode: 'retry' };
	const { error, json } = await update('2020-02-01T10:00', retry);
	expect(error).toBeUndefined();
	expect(json.map(({ scheduled_at }) => scheduled_at)).toEqual(Array(2).fill('2126-02-01T09:00:00Z'));
	const fresh = await update('2020-02-01T10:00');
	expect(fresh.error.message).toMatch(
		/^2 of 2 rows can't be sent \(rows 1, 2\): 'Scheduled At' is in the past/,
	);
});

test('Quick Start: platforms that are added in a retry share a request of their own', async () => {
	const credential = credentialOf(service(), { postFormat: 'quickStart' });
	const create = async (platforms: string[], more: object = {}) =>
		await run(service(), createPost({ platforms }), { credential, ...more });
	const first = await create(['x', 'linkedin']);
	const { json } = await create(['x', 'linkedin', 'facebook', 'bluesky'], retryOf(first));
	expect(json.map(({ platforms }) => platforms)).toEqual([
		['x', 'linkedin'],
		['facebook', 'bluesky'],
	]);
	expect(service().store.posts.size).toBe(2);
});
