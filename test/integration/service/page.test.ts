import { type Service, startService } from '../../service';

/** What the page for people shows; how it looks: test/e2e/service-page.test.ts. */

let service: Service;
beforeEach(async () => (service = await startService({ seed: 'demo' })));
afterEach(async () => await service.close());

const shown = async (): Promise<any> => await (await fetch(`${service.url}/page.json`)).json();

test('upcoming posts: all of them, next due first, drafts last', async () => {
	const { upcoming, statuses } = await shown();
	expect(upcoming.map(({ scheduledAt = 'none' }) => scheduledAt)).toEqual(
		upcoming.map(({ scheduledAt = 'none' }) => scheduledAt).sort(),
	);
	expect(upcoming.at(-1)).toMatchObject({ status: 'draft' });
	expect(upcoming).toHaveLength(statuses.scheduled + statuses.pending_approval + statuses.draft);
});

test('a canceled post says when it was canceled', async () => {
	const [next] = (await shown()).upcoming;
	service.lifecycle.cancel(service.store.posts.get(next.id)!);
	const { posts, upcoming } = await shown();
	expect(posts[0]).toMatchObject({ id: next.id, status: 'canceled', scheduledAt: next.scheduledAt });
	expect(Math.abs(Date.parse(posts[0].updatedAt) - Date.now())).toBeLessThan(60_000);
	expect(upcoming).not.toContainEqual(expect.objectContaining({ id: next.id }));
});

test('it has all keys of the seed, and the address of n8n once that is known', async () => {
	expect(await shown()).toMatchObject({ credential: { url: service.url, keys: service.keys } });
	expect(await shown()).not.toHaveProperty('editor');
	service.editor = { url: 'http://127.0.0.1:5678', email: 'demo@example.com', password: 'example' };
	expect((await shown()).editor).toEqual(service.editor);
});

test('it holds no secret of a webhook', async () => {
	const headers = {
		authorization: `Bearer ${service.keys.full}`,
		'content-type': 'application/json',
		'idempotency-key': 'page-test',
	};
	const body = JSON.stringify({ url: 'http://127.0.0.1:9/', events: ['post.published'] });
	const answer = await fetch(`${service.apiUrl}/webhooks`, { method: 'POST', headers, body });
	const { data } = (await answer.json()) as { data: { webhook: { secret: string } } };
	expect(data.webhook.secret).toMatch(/\S{16}/);
	const text = JSON.stringify(await shown());
	expect(text).toContain('http://127.0.0.1:9/');
	expect(text).not.toContain(data.webhook.secret);
});
