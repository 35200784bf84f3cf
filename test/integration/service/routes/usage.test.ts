import { DAY, embedded } from '../harness';

const { service, data, get, create, control } = embedded();

test('counts what the workspace has, and names the limits of the key', async () => {
	expect(await get('/usage')).toMatchObject({
		...{
			plan: 'enterprise',
			posts: { created: 0, completed: 0, failed: 0 },
			media: { uploads: 0, bytes: 0 },
		},
		...{ accounts: 8, webhooks: 0, requests_per_minute: { read: null, write: null } },
	});
	await create();
	for (const action of ['publish', 'fail']) await control(`posts/${(await create()).id}/${action}`);
	await data('POST', '/webhooks', { body: { url: 'https://a.example', events: ['post.created'] } });
	const form = new FormData();
	form.append('file', new Blob(['png'], { type: 'image/png' }), 'a.png');
	await data('POST', '/media', { body: form });
	await data('POST', '/media/upload-url', {
		body: { filename: 'b.png', content_type: 'image/png', size: 9 },
	});
	expect(await data('GET', '/usage', { key: service().keys.lowest })).toMatchObject({
		...{ plan: 'lowest', posts: { created: 3, completed: 1, failed: 1 }, media: { uploads: 1, bytes: 3 } },
		...{ webhooks: 1, requests_per_minute: { read: 60, write: 20 } },
	});
	const { accounts, webhooks, posts, media } = await data('GET', '/usage', { workspace: 'ws_second' });
	expect([accounts, webhooks, posts.created, media.uploads]).toEqual([3, 0, 0, 0]);
	const { start, end } = (await get('/usage')).period;
	expect([start <= service().clock.iso(), end > service().clock.iso()]).toEqual([true, true]);
	await service().clock.advance(32 * DAY);
	expect((await get('/usage')).posts.created).toBe(0);
});
