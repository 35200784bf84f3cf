import { embedded } from './harness';

/** What the page for people shows. */

const { service, data } = embedded({ seed: 'demo' });

test('upcoming posts: all of them, next due first, drafts last; no secret of a webhook', async () => {
	const body = { url: 'http://127.0.0.1:9/', events: ['post.published'] };
	const { webhook } = await data('POST', '/webhooks', { body });
	const answer = await (await fetch(`${service().url}/page.json`)).text();
	expect(answer).toContain(webhook.id);
	expect(answer).not.toContain(webhook.secret);
	const { upcoming, statuses } = JSON.parse(answer);
	const times = upcoming.map(({ scheduledAt = 'none' }) => scheduledAt);
	expect(times).toEqual([...times].sort());
	expect(upcoming.at(-1)).toMatchObject({ status: 'draft' });
	expect(upcoming).toHaveLength(statuses.scheduled + statuses.pending_approval + statuses.draft);
});

/** A button of the page. */
const press = async (path: string, body: object = {}) =>
	await fetch(`${service().url}/_control/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

test('its buttons act, or say why not', async () => {
	const statusOf = () => service().store.posts.get('post_demo_next_0')!.status;
	for (const [action, status] of [
		['hold', 'pending_approval'],
		['approve', 'scheduled'],
		['publish', 'completed'],
	]) {
		expect((await press(`posts/post_demo_next_0/${action}`)).status).toBe(200);
		expect(statusOf()).toBe(status);
	}
	expect((await press('posts/post_demo_next_0/fail')).status).toBe(409);
	const before = service().clock.now();
	await press('clock', { advance: 3_600_000 });
	expect(service().clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
	const { id } = (await (await press('inbox', {})).json()) as { id: string };
	expect(service().store.inbox.get(id)).toMatchObject({ status: 'open' });
	const { webhook } = await data('POST', '/webhooks', {
		body: { url: 'http://127.0.0.1:9/', events: ['post.published'] },
	});
	expect((await press(`webhooks/${webhook.id}/delete`)).status).toBe(200);
	expect((await press(`webhooks/${webhook.id}/delete`)).status).toBe(404);
	await press('faults', { kind: 'dropBefore' });
	expect(service().faults.list()).toMatchObject([{ kind: 'dropBefore' }]);
	await fetch(`${service().url}/_control/faults`, { method: 'DELETE' });
	expect(service().faults.list()).toEqual([]);
});
