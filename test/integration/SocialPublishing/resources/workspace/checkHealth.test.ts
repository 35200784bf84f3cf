import { insertPost, type PastPost } from '../../../../service/seed';
import { addWebhook, DAY, runOperation, useService } from '../../../../support/service';

/** Check Health in n8n's engine, over real HTTP. Each state, all texts and every way to fail: `test/unit/…/checkHealth.test.ts`. */

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
	service().store.webhooks.get(addWebhook(service()))!.url = 'http://127.0.0.1:9/events';
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'brand_main', data: {} };
	deliveries.emit({ ...event, resource: 'post_1' });
	await deliveries.idle();
	// Disabled while retries are pending: the delivery is given up (spec, "Webhook delivery status").
	deliveries.webhookRemoved('wh_1');
	for (const one of store.posts.values()) one.createdAt = clock.iso();

	const { json, error } = await runOperation(service(), 'workspace:checkHealth', { days: 7 });
	expect(error).toBeUndefined();
	expect(json.map(({ check, status, message }) => `${check} ${status}: ${message}`)).toEqual([
		'accounts problem: Disconnected accounts: 1. Posts due there in the next 7 days: 2.',
		'overdue_posts problem: Overdue posts: 2.',
		'failed_posts problem: Failed posts in the last 7 days: 1.',
		'webhooks warning: Deliveries that failed for good in the last 7 days: 1.',
		'approvals warning: Approval batches that wait for a decision: 1. Posts held until then: 1.',
	]);
	expect(JSON.stringify(json)).not.toContain('example-secret-of-a-webhook');
});
