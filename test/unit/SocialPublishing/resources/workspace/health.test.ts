import { range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { account, checked, DAY_MS, HOUR_MS, iso, off, post, webhook, type Lists } from './checked';

const connected = (status: string) => ({ ...account, id: 'acc_2', status });
const item = (post_id: string, status: string) => ({ post_id, status });
const pending = { id: 'b_1', status: 'pending', items: [item('p', 'pending'), item('q', 'approved')] };
const dead = (days: number) => ({ status: 'dead_letter', created_at: iso(-days * DAY_MS) });
const hourly = range(120).map((i) => ({
	...post(`p${i}`, -HOUR_MS * (i + 1)),
	scheduled_at: iso(-HOUR_MS * (i + 1)),
}));
const many = (count: number, make: (i: number) => IDataObject) => range(count).map(make);

test.each<[string, Lists, object?]>([
	['accounts warning: The workspace has no accounts.', { accounts: [] }],
	[
		'accounts warning: Disconnected accounts: 1.',
		{ accounts: [off], due: [post('p', HOUR_MS, { status: 'draft' })] },
		{ count: 1, disconnected: [{ id: 'acc_x', name: 'Lakeside · X' }] },
	],
	[
		'accounts problem: Disconnected accounts: 1. Posts due there in the next 7 days: 3.',
		{
			accounts: [off],
			due: [
				post('p', HOUR_MS),
				post('q', HOUR_MS, { account_id: 'acc_x', platform: null }),
				post('r', HOUR_MS, { account_id: 'other' }),
				post('s', HOUR_MS, { platform: null, platforms: ['tiktok', 'x'] }),
				post('t', HOUR_MS, { platform: 'tiktok' }),
			],
		},
		{ count: 1, post_ids: ['p', 'q', 's'] },
	],
	// Another account of the platform gets what names none, also one whose platform can't be read.
	[
		"accounts warning: Disconnected accounts: 1. Accounts that don't say whether they are connected: 1.",
		{ accounts: [off, { id: 'acc_y', network: 'x' }], due: [post('p', HOUR_MS)] },
	],
	[
		'accounts warning: Disconnected accounts: 1.',
		{ accounts: [off, connected('active')], due: [post('p', HOUR_MS)] },
	],
	[
		"accounts warning: Accounts that don't say whether they are connected: 1.",
		{ accounts: [account, connected('limbo')] },
		{ count: 0, unknown: ['Lakeside · X'] },
	],
	[
		'overdue_posts problem: Overdue posts: 2. Waiting for approval: 1.',
		{
			overdue: [
				post('p', -HOUR_MS),
				post('q', -HOUR_MS, { status: 'pending_approval' }),
				post('r', -HOUR_MS, { status: 'completed' }),
				post('s', -HOUR_MS, { scheduled_at: null }),
				post('t', -HOUR_MS / 6),
			],
		},
		{
			...{ count: 2, post_ids: ['p', 'q'] },
			posts: ['Text of p · X · 1 Jun 13:00', 'Text of q · X · 1 Jun 13:00 · waiting for approval'],
		},
	],
	[
		'overdue_posts problem: Overdue posts: 120.',
		{
			overdue: ({ qs }: any) =>
				hourly.filter(({ scheduled_at: at }) => at >= qs.from && at <= qs.to).slice(0, 100),
		},
		{ count: 120, post_ids: range(10).map((i) => `p${i}`) },
	],
	[
		'overdue_posts warning: Overdue posts: 1. Without a time that can be read: 1.',
		{ overdue: [{ id: 'p', status: 'scheduled' }] },
		{ count: 1, post_ids: ['p'] },
	],
	[
		'failed_posts problem: Failed posts in the last 7 days: 4.',
		{
			failed: [
				...[undefined, 'Too long.', { message: 'Too long' }].map((error, i) =>
					post(`p${i}`, -HOUR_MS, { status: 'failed', error }),
				),
				{ id: 'p3' },
				post('p4', -HOUR_MS),
			],
		},
		{ count: 4, post_ids: ['p0', 'p1', 'p2', 'p3'] },
	],
	['webhooks ok: Disabled webhooks: 0.', { deliveries: [dead(8), { status: 'failed' }] }, { count: 0 }],
	[
		'webhooks warning: Deliveries that failed for good in the last 7 days: 3.',
		{ deliveries: [dead(1), dead(7), { status: 'dead_letter' }] },
		{ webhooks: [{ id: 'wh_1', url: webhook.url, disabled: false, dead_letters: 3 }] },
	],
	[
		'webhooks problem: Disabled webhooks: 1.',
		{ webhooks: [webhook, { ...webhook, id: 'wh_2', status: 'disabled' }] },
		{ webhooks: [{ id: 'wh_2', disabled: true, dead_letters: 0 }] },
	],
	// A part of the deliveries, or of the list, is no "ok".
	[
		'webhooks warning: Webhooks whose deliveries could not be read: 1. The service has more deliveries than could be read.',
		{ deliveries: () => ({ body: { success: true, data: [dead(8)], has_more: true } }) },
	],
	[
		'webhooks warning: The service may have more of them than it listed.',
		{ webhooks: many(10, (i) => ({ ...webhook, id: i + 1 })) },
	],
	[
		"webhooks warning: Webhooks that don't say whether they are disabled: 2. Webhooks whose deliveries could not be read: 2. The service lists the webhook without an ID.",
		{ webhooks: [webhook, { webhook_id: 'wh_2' }, { id: '..' }] },
		{ webhooks: [{ id: null, url: null, disabled: null, dead_letters: null }, { id: '..' }] },
	],
	[
		'approvals warning: Approval batches that wait for a decision: 2. Posts held until then: 1.',
		{ approvals: [pending, { status: 'pending' }, { id: 'b_2', status: 'approved' }] },
		{ count: 2, batch_ids: ['b_1'], post_ids: ['p'] },
	],
	[
		"approvals warning: Approval batches that wait for a decision: 2. Approval batches with a status that this node doesn't know: 1.",
		{ approvals: [{ status: 'in_review' }, { status: 'waiting' }, { id: 'b_2', status: 'limbo' }] },
		{ count: 2 },
	],
	[
		'approvals ok: Approval batches that wait for a decision: 0.',
		{ approvals: ['rejected', 'completed', 'closed', 'approved'].map((id) => ({ id, status: id })) },
	],
])('%s', async (expected, lists, ...[facts]) => {
	const { by } = await checked(lists);
	const { hint, check, status, message, ...found } = by[expected.split(' ')[0]!];
	expect(`${check} ${status}: ${message}`).toBe(expected);
	expect(found).toMatchObject(facts ? { facts } : {});
	// It takes a longer list for a match.
	for (const [name, { length }] of Object.entries(facts ?? {}).filter(([, one]) => Array.isArray(one)))
		expect(found.facts[name]).toHaveLength(length);
	expect(hint === 'Nothing to do.').toBe(status === 'ok');
});

test('hints name the first three accounts and reasons', async () => {
	const accounts = many(4, (i) => ({ ...off, id: i + 1, name: `A${i}` }));
	const failed = ['a', 'b', 'c', 'd', 'd.', undefined].map((error) => ({ status: 'failed', error }));
	const { by } = await checked({ accounts, failed }, 1);
	expect(by.accounts.hint).toBe(
		"Connect accounts in the service's dashboard: A0 · X, A1 · X, A2 · X and 1 more.",
	);
	expect(by.failed_posts.message).toBe('Failed posts in the last day: 6.');
	expect(by.failed_posts.hint).toMatch(/ Reasons: d \(2\), a \(1\), b \(1\) and 2 more\.$/);
	const none = await checked({ accounts: [], failed: [{ status: 'failed' }] });
	expect(none.by.accounts.hint).toBe("Connect accounts in the service's dashboard.");
	expect(none.by.failed_posts.hint).toMatch(/ Reasons: no reason given \(1\)\.$/);
});

test('approvals name the first posts by text and time, as far as they can be read', async () => {
	const readable = { body: { success: true, data: post('p', HOUR_MS, { status: 'pending_approval' }) } };
	const { by } = await checked({ approvals: [pending], ...{ 'posts/p': readable } });
	expect(by.approvals.facts.posts).toEqual(['Text of p · X · 1 Jun 15:00 · waiting for approval']);
	expect((await checked({ approvals: [pending] })).by.approvals.facts).not.toHaveProperty('posts');
});
