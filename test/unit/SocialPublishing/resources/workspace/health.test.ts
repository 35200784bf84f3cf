import range from 'lodash/range';
import type { IDataObject } from 'n8n-workflow';

import type { ReadRequest as Request } from '../../../../../nodes/SocialPublishing/engine/item';
import { account, checked, DAY_MS, HOUR_MS, iso, off, post, webhook, type Lists } from './checked';

const connected = (status: string) => ({ ...account, id: 'acc_2', status });
const item = (post_id: string, status: string) => ({ post_id, status });
const pending = { id: 'b_1', status: 'pending', items: [item('p', 'pending'), item('q', 'approved')] };
const reason = (name: string, count: number) => ({ reason: name, count });
const dead = (days: number) => ({ status: 'dead_letter', created_at: iso(-days * DAY_MS) });
const many = (count: number, make: (i: number) => IDataObject) => range(count).map(make);

test.each<[string, Lists, object?]>([
	['accounts warning: The workspace has no accounts.', { accounts: [] }],
	[
		'accounts warning: 1 account is disconnected.',
		{ accounts: [off], due: [post('p', HOUR_MS, { status: 'draft' })] },
		{ disconnected: [{ id: 'acc_x', name: 'Lakeside · X', posts_due: 0 }] },
	],
	[
		'accounts problem: 1 account is disconnected. 2 posts are due there within 7 days.',
		{
			accounts: [off],
			due: [
				post('p', HOUR_MS),
				post('q', HOUR_MS, { account_id: 'acc_x', platform: null }),
				post('r', HOUR_MS, { account_id: 'other' }),
			],
		},
		{ accounts: 1, disconnected: [{ posts_due: 2 }] },
	],
	// Another account of the platform gets what names none.
	[
		'accounts warning: 1 account is disconnected.',
		{ accounts: [off, connected('active')], due: [post('p', HOUR_MS)] },
	],
	[
		'accounts warning: 1 account is disconnected. The service lists more than one check reads, so more posts may be due there.',
		{ accounts: [off], due: many(100, (i) => post(`p${i}`, HOUR_MS, { platform: 'tiktok' })) },
	],
	['accounts warning: 1 account is disconnected.', { accounts: [connected('needs_reauth')] }],
	[
		"accounts warning: 1 account has a connection status that this node doesn't know.",
		{ accounts: [account, connected('limbo')] },
		{ accounts: 2, unknown: ['Lakeside · X'] },
	],
	[
		'overdue_posts problem: 2 posts are overdue. 1 waits for approval.',
		{
			overdue: [
				post('p', -HOUR_MS),
				post('q', -HOUR_MS, { status: 'pending_approval' }),
				post('r', -HOUR_MS, { status: 'completed' }),
				post('s', -HOUR_MS, { scheduled_at: null }),
			],
		},
		{
			count: 2,
			posts: ['Text of p · X · 1 Jun 13:00', 'Text of q · X · 1 Jun 13:00 · waiting for approval'],
			post_ids: ['p', 'q'],
		},
	],
	[
		'overdue_posts problem: 100 or more posts are overdue.',
		{ overdue: many(100, (i) => post(`p${i}`, -HOUR_MS)) },
		{ count: 100, post_ids: range(10).map((i) => `p${i}`) },
	],
	[
		'overdue_posts warning: 1 post may be overdue: the service lists no time that can be read.',
		{ overdue: [{ id: 'p', status: 'scheduled' }] },
		{ count: 1, post_ids: ['p'] },
	],
	// A service that filters by no status.
	[
		'overdue_posts warning: The service lists more than one check reads, so some may be overdue.',
		{ overdue: many(100, (i) => post(`p${i}`, -HOUR_MS, { status: 'completed' })) },
	],
	[
		'failed_posts warning: The service lists more than one check reads, so some may be failed.',
		{ failed: many(100, (i) => post(`p${i}`, -HOUR_MS)) },
	],
	[
		'failed_posts problem: 3 posts failed in the last 7 days: Too long (2), no reason given (1).',
		{
			failed: [undefined, 'Too long.', { message: 'Too long' }].map((error, i) =>
				post(`p${i}`, -HOUR_MS, { status: 'failed', error }),
			),
		},
		{ count: 3, reasons: [reason('Too long', 2), reason('no reason given', 1)] },
	],
	[
		'webhooks ok: No webhook is disabled, and every delivery in the last 7 days arrived or is still being retried.',
		{ deliveries: [dead(8), { status: 'failed' }] },
		{ webhooks: [{ id: 'wh_1', url: webhook.url, disabled: false, dead_letters: 0 }] },
	],
	[
		'webhooks ok: No webhook is disabled, and every delivery in the last 7 days arrived or is still being retried.',
		{ webhooks: [webhook, { ...webhook, id: 'wh_gone', status: 'deleted' }] },
		{ count: 1, webhooks: [{ id: 'wh_1' }] },
	],
	[
		'webhooks warning: 3 deliveries failed for good in the last 7 days (dead letters).',
		{ deliveries: [dead(1), dead(7), { status: 'dead_letter' }] },
		{ webhooks: [{ dead_letters: 3 }] },
	],
	[
		'webhooks problem: 1 webhook is disabled.',
		{ webhooks: [webhook, { ...webhook, id: 'wh_2', status: 'disabled' }] },
		{ webhooks: [{ id: 'wh_2', disabled: true }, { id: 'wh_1' }] },
	],
	[
		'webhooks warning: The deliveries of 2 webhooks could not be read: The service lists the webhook without an ID.',
		{ webhooks: [webhook, { webhook_id: 'wh_2' }, { id: '..' }] },
		{ webhooks: [{ id: null, url: null, dead_letters: null }, { id: '..' }, { id: 'wh_1' }] },
	],
	[
		'webhooks warning: The deliveries of 3 webhooks were not read: one check reads those of 20.',
		{ webhooks: many(23, (i) => ({ ...webhook, id: `wh_${i}` })) },
	],
	[
		'approvals warning: 1 approval batch waits for a decision, with 1 post.',
		{ approvals: [pending, { id: 'b_2', status: 'approved' }] },
		{ pending_batches: 1, batch_ids: ['b_1'], post_ids: ['p'] },
	],
	[
		'approvals warning: 2 approval batches wait for a decision.',
		{ approvals: [{ status: 'in_review' }, { status: 'waiting' }] },
		{ pending_batches: 2 },
	],
	[
		"approvals warning: 2 approval batches have a status that this node doesn't know.",
		{ approvals: [{ id: 'b_1' }, { id: 'b_2', status: 'limbo' }] },
	],
	[
		'approvals ok: No approval is waiting.',
		{ approvals: ['rejected', 'completed', 'closed', 'approved'].map((id) => ({ id, status: id })) },
	],
])('%s', async (expected, lists, ...[facts]) => {
	const { by } = await checked(lists);
	const { hint, check, status, message, ...found } = by[expected.split(' ')[0]!];
	expect(`${check} ${status}: ${message}`).toBe(expected);
	expect(found).toMatchObject(facts ? { facts } : {});
	expect(hint === 'Nothing to do.').toBe(status === 'ok');
});

test('approvals are read to their last page, at most four', async () => {
	const page = (request: Request) => request.path === '/approvals';
	const all = many(50, (i) => ({ id: `b_${i}`, status: 'approved' }));
	const { by, asked } = await checked({
		approvals: { body: { success: true, data: { batches: all, pagination: { hasNext: false } } } },
	});
	expect([by.approvals.status, asked.filter(page).length]).toEqual(['ok', 1]);
});

test('approvals name the first posts by text and time, as far as they can be read', async () => {
	const readable = { body: { success: true, data: post('p', HOUR_MS, { status: 'pending_approval' }) } };
	const { by } = await checked({ approvals: [pending], ...{ 'posts/p': readable } });
	expect(by.approvals.facts.posts).toEqual(['Text of p · X · 1 Jun 15:00 · waiting for approval']);
	expect((await checked({ approvals: [pending] })).by.approvals.facts).not.toHaveProperty('posts');
});
