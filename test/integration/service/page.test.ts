import { type Service, startService } from '../../service';

/** What the page for people shows. */

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
