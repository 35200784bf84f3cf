import { insertPost, type PastPost } from '../../../../service/seed';
import { addWebhook, DAY, runOperation, useService } from '../../../../support/service';

/** Check Health in n8n's engine, over real HTTP. Each state and all texts, and what a key may not read: `test/unit/…/{health,checkHealth}.test.ts`. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

// Nothing is published: a post whose time passes stays scheduled.
const service = useService({ inlineDelaysMs: [0], speed: 0 });

test('everything at once: all of it, the worst first', async () => {
	const { store, clock, deliveries } = service();
	const now = Date.now();
	const post = (at: number, more: Partial<PastPost> = {}) =>
		insertPost(service(), {
			...{ id: `post_${store.posts.size}`, text: `Text ${store.posts.size}` },
			...{ platforms: ['linkedin'], status: 'scheduled', at: now + at, ...more },
		});
	store.accounts.get('acc_main_x')!.status = 'disconnected';
	post(2 * DAY, { platforms: ['x'] });
	post(3 * DAY).accountId = 'acc_main_x';
	for (const at of [-20 * MINUTE, -40 * DAY]) post(at);
	for (const at of [-DAY, -9 * DAY]) post(at, { status: 'failed' });
	post(5 * HOUR, { status: 'pending_approval', platforms: ['bluesky'] });
	store.approvals.set('batch_1', batchOf());
	service().store.webhooks.get(addWebhook(service()))!.url = 'http://127.0.0.1:9/events';
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'brand_main', data: {} };
	deliveries.emit({ ...event, resource: 'post_1' });
	await deliveries.idle();
	// Disabled while retries are pending: the delivery is given up (spec, "Webhook delivery status").
	deliveries.webhookRemoved('wh_1');
	for (const one of store.feed('ws_main')) one.createdAt = clock.iso();
	store.postsLimit = store.posts.size + 1;

	const { json } = await runOperation(service(), 'workspace:checkHealth', { days: 7 });
	store.postsLimit = null;
	expect(json).toHaveLength(9);
	const wrong = json.filter(({ status }) => status !== 'ok');
	expect(wrong.map(({ check, status, message }) => `${check} ${status}: ${message}`)).toEqual([
		'accounts problem: 1 account is disconnected. 2 posts are due there within 7 days.',
		'overdue_posts problem: 2 posts are overdue.',
		'failed_posts problem: 1 post failed in the last 7 days: The picture has the wrong proportions (1).',
		'close_posts warning: 1 post is due within five minutes of another post for the same account.',
		'repeated_texts warning: 1 post has the same text as an earlier post for the same account.',
		'approvals warning: 1 post due within a day waits for approval.',
		'webhooks warning: 1 delivery was given up in the last 7 days.',
		'usage warning: Nearly used up: posts (11 of 12).',
	]);
	expect(JSON.stringify(json)).not.toContain('example-secret-of-a-webhook');
});
