import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/errors';
import {
	checks,
	judgeHealth,
	type Part,
	type Snapshot,
} from '../../../../../nodes/SocialPublishing/resources/workspace/health';
import { runs } from '../../../../support/property';
import { NOW } from '../operations';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const iso = (ms: number) => new Date(NOW + ms).toISOString();

const lakeside = { id: 'acc_x', platform: 'x', name: 'Lakeside', status: 'connected', expires_at: null };
const post = (id: string, dueMs: number, more: IDataObject = {}): IDataObject => ({
	...{ id, status: 'scheduled', platform: 'x', account_id: 'acc_x', text: `Text of ${id}` },
	scheduled_at: iso(dueMs),
	...more,
});
const webhook = { id: 'wh_1', url: 'https://n8n.example.com/a', status: 'active' };

/** All is well. */
const healthy: Snapshot = {
	...{ now: NOW, days: 7, zone: 'Europe/Berlin', unread: {} },
	accounts: [lakeside],
	...{ overdue: [], failed: [], approvals: [], webhooks: [webhook], deadLetters: new Map([['wh_1', []]]) },
	upcoming: [post('a', HOUR), post('b', 2 * HOUR)],
	usage: { posts: { used: 10, limit: 100 } },
	rateLimit: { limit: 60, remaining: 50 },
};

function judged(check: string, more: Partial<Snapshot>): any {
	const items = judgeHealth({ ...healthy, ...more });
	expect(items).toHaveLength(checks.length);
	return items.find((one) => one.check === check);
}

test('all is well: nine checks, nothing to do', () => {
	const items = judgeHealth(healthy);
	expect(items.map(({ check, message }) => [check, message])).toEqual([
		['accounts', '1 account is connected.'],
		['overdue_posts', 'No post is overdue.'],
		['failed_posts', 'No post failed in the last 7 days.'],
		['close_posts', 'No two posts of an account are due within five minutes.'],
		['repeated_texts', 'No text is due twice for an account.'],
		['approvals', 'No post due within a day waits for approval.'],
		['webhooks', '1 webhook is active, and no delivery was given up in the last 7 days.'],
		['usage', 'Within the plan: posts (10 of 100).'],
		['rate_limit', '50 of 60 read requests are left this minute.'],
	]);
	for (const { status, hint, facts } of items)
		expect([status, hint, (facts as any).not_checked]).toEqual(['ok', 'Nothing to do.', undefined]);
});

const off = { ...lakeside, status: 'disconnected' };
const other = { id: 'acc_li', platform: 'linkedin', username: 'lakeside', expires_at: iso(2 * DAY) };
const held = post('h', 3 * HOUR, { status: 'pending_approval' });
const batch = { id: 'b', status: 'pending', items: [{ id: 'i', post_id: 'a', status: 'pending' }] };
const dead = (days: number) => ({ status: 'dead_letter', created_at: iso(-days * DAY) });

test.each<[string, string, Partial<Snapshot>, string]>([
	[
		'accounts',
		'problem',
		{ accounts: [off] },
		'1 account is disconnected. 2 posts are due there within 7 days.',
	],
	['accounts', 'warning', { accounts: [off], upcoming: [] }, '1 account is disconnected.'],
	[
		'accounts',
		'problem',
		{ accounts: [{ ...lakeside, expires_at: iso(-DAY) }] },
		'1 account is disconnected. 2 posts are due there within 7 days.',
	],
	['accounts', 'warning', { accounts: [lakeside, other] }, '1 account loses its connection within 7 days.'],
	[
		'accounts',
		'problem',
		{
			accounts: [other],
			upcoming: [post('c', 3 * DAY, { account_id: 'acc_li' }), post('d', DAY, { account_id: 'acc_li' })],
		},
		'1 account loses its connection within 7 days. 1 post is due there within 7 days.',
	],
	[
		'accounts',
		'ok',
		{ accounts: [lakeside, { ...other, expires_at: iso(8 * DAY) }] },
		'2 accounts are connected.',
	],
	['accounts', 'warning', { accounts: [] }, 'The workspace has no accounts.'],
	['overdue_posts', 'problem', { overdue: [post('a', -16 * MINUTE)] }, '1 post is overdue.'],
	[
		'overdue_posts',
		'problem',
		{ overdue: [post('a', -DAY), post('a', -DAY)], upcoming: [post('b', -HOUR, { status: 'publishing' })] },
		'2 posts are overdue.',
	],
	['overdue_posts', 'ok', { overdue: [post('a', -14 * MINUTE)] }, 'No post is overdue.'],
	['overdue_posts', 'ok', { upcoming: [post('a', -HOUR, { status: undefined })] }, 'No post is overdue.'],
	[
		'overdue_posts',
		'ok',
		{ upcoming: [post('a', -HOUR, { status: 'pending_approval' })] },
		'No post is overdue.',
	],
	[
		'overdue_posts',
		'problem',
		{ overdue: Array.from({ length: 100 }, (_, i) => post(`p${i}`, -DAY)) },
		'100 or more posts are overdue.',
	],
	[
		'failed_posts',
		'problem',
		{
			failed: [
				post('a', -DAY, { error: 'Token expired' }),
				post('b', -DAY),
				post('c', -DAY, { error: { message: 'Token expired.' } }),
			],
		},
		'3 posts failed in the last 7 days: Token expired (2), no reason given (1).',
	],
	['failed_posts', 'ok', { failed: [], days: 1 }, 'No post failed in the last day.'],
	[
		'close_posts',
		'warning',
		{ upcoming: [post('a', HOUR), post('b', HOUR + 5 * MINUTE), post('c', HOUR + 11 * MINUTE)] },
		'1 post is due within five minutes of another post for the same account.',
	],
	[
		'close_posts',
		'warning',
		{ upcoming: [post('a', -MINUTE, { status: 'completed' }), post('b', MINUTE), post('c', 3 * MINUTE)] },
		'2 posts are due within five minutes of another post for the same account.',
	],
	[
		'close_posts',
		'ok',
		{
			upcoming: [
				...[
					post('a', HOUR),
					post('b', HOUR, { account_id: 'acc_li' }),
					post('c', HOUR, { status: 'canceled' }),
				],
				...[post('d', -HOUR), post('e', -HOUR)],
			],
		},
		'No two posts of an account are due within five minutes.',
	],
	[
		'repeated_texts',
		'warning',
		{
			upcoming: [
				post('a', -HOUR, { text: 'Hi you', status: 'completed' }),
				post('b', DAY, { text: ' Hi\nyou' }),
			],
		},
		'1 post has the same text as an earlier post for the same account.',
	],
	[
		'repeated_texts',
		'ok',
		{
			upcoming: [
				post('a', HOUR, { text: 'Hi' }),
				post('b', DAY, { text: 'Hi', account_id: 'acc_li' }),
				post('c', DAY, { text: '' }),
				post('d', 2 * DAY, { text: '' }),
			],
		},
		'No text is due twice for an account.',
	],
	['approvals', 'warning', { upcoming: [held] }, '1 post due within a day waits for approval.'],
	['approvals', 'warning', { approvals: [batch] }, '1 post due within a day waits for approval.'],
	[
		'approvals',
		'problem',
		{ approvals: [batch], upcoming: [post('a', -HOUR), held] },
		'2 posts due within a day wait for approval. The time of 1 has passed.',
	],
	[
		'approvals',
		'ok',
		{ approvals: [batch], upcoming: [post('a', 2 * DAY)] },
		'No post due within a day waits for approval.',
	],
	[
		'approvals',
		'ok',
		{ approvals: [{ ...batch, status: 'approved' }] },
		'No post due within a day waits for approval.',
	],
	['webhooks', 'problem', { webhooks: [{ ...webhook, status: 'disabled' }] }, '1 webhook is disabled.'],
	[
		'webhooks',
		'warning',
		{ deadLetters: new Map([['wh_1', [dead(1), dead(6), dead(8)]]]) },
		'2 deliveries were given up in the last 7 days.',
	],
	[
		'webhooks',
		'problem',
		{
			webhooks: [webhook, { ...webhook, id: 'wh_2', enabled: false }],
			deadLetters: new Map([['wh_1', [dead(1)]]]),
		},
		'1 webhook is disabled. 1 delivery was given up in the last 7 days.',
	],
	['webhooks', 'ok', { webhooks: [] }, 'The workspace has no webhooks.'],
	['usage', 'warning', { usage: { posts: { used: 80, limit: 100 } } }, 'Nearly used up: posts (80 of 100).'],
	[
		'usage',
		'problem',
		{ usage: { posts: { used: 1000, limit: 1000 }, media: { used: 9, limit: 10 } } },
		'Used up: posts (1,000 of 1,000). Nearly used up: media (9 of 10).',
	],
	['usage', 'ok', { usage: { plan: 'pro' } }, "The service doesn't show a limit of the plan."],
	[
		'rate_limit',
		'warning',
		{ rateLimit: { limit: 60, remaining: 6 } },
		'6 of 60 read requests are left this minute.',
	],
	[
		'rate_limit',
		'ok',
		{ rateLimit: { limit: 60, remaining: 7 } },
		'7 of 60 read requests are left this minute.',
	],
	['rate_limit', 'ok', { rateLimit: undefined }, "The service doesn't show the rate limit of the API key."],
])('%s, %s: %j', (check, status, more, message) => {
	const item = judged(check, more);
	expect(item).toMatchObject({ status, message });
	expect(item.hint).toMatch(/^[A-Z].*\.$/);
	expect(item.hint === 'Nothing to do.').toBe(status === 'ok');
});

test('the facts name accounts, posts, reasons and webhooks; a secret is none', () => {
	expect(judged('accounts', { accounts: [off, other] }).facts).toEqual({
		accounts: 2,
		disconnected: [{ id: 'acc_x', name: 'Lakeside · X', posts_due: 2 }],
		expiring: [{ id: 'acc_li', name: 'lakeside · LinkedIn', expires_at: iso(2 * DAY), posts_due: 0 }],
	});
	expect(judged('accounts', { accounts: [off, other] }).hint).toBe(
		"Reconnect in the service's dashboard: Lakeside · X, lakeside · LinkedIn.",
	);
	expect(judged('overdue_posts', { overdue: [post('a', -DAY)] }).facts).toEqual({
		...{ count: 1, posts: [expect.stringMatching(/^Text of a · X · 31 May/)], post_ids: ['a'] },
	});
	expect(judged('failed_posts', { failed: [post('a', -DAY, { error: 'No' })] }).facts).toMatchObject({
		count: 1,
		reasons: [{ reason: 'No', count: 1 }],
	});
	const close = { upcoming: [post('a', HOUR), post('b', HOUR), post('c', HOUR)] };
	expect(judged('close_posts', close).facts).toMatchObject({ count: 2, post_ids: ['a', 'b', 'c'] });
	const secret = { ...webhook, status: 'disabled', secret: 'whsec_1' };
	expect(judged('webhooks', { webhooks: [secret] }).facts.webhooks).toEqual([
		{ id: 'wh_1', url: webhook.url, disabled: true, dead_letters: 0 },
	]);
});

test.each<[string, Partial<Snapshot>, string]>([
	[
		'accounts',
		{ accounts: [{ id: 'a', platform: 'x' }] },
		"When connections expire: the service doesn't show it.",
	],
	['accounts', { upcoming: undefined }, 'Posts that are due there: they could not be read.'],
	[
		'overdue_posts',
		{ overdue: [{ id: 'a', status: 'scheduled' }] },
		"When some of the posts were due: the service doesn't show it.",
	],
	['failed_posts', { failed: [{ id: 'a' }] }, "Why posts failed: the service doesn't show it."],
	['close_posts', { upcoming: [{ id: 'a', text: 'b' }] }, "When posts are due: the service doesn't show it."],
	[
		'repeated_texts',
		{ upcoming: [post('a', HOUR, { text: undefined })] },
		"The text of posts: the service doesn't show it.",
	],
	[
		'repeated_texts',
		{ upcomingUntil: NOW + DAY },
		'Posts due after 2026-06-02 14:00: there are more than one check reads.',
	],
	[
		'approvals',
		{ approvals: [{ status: 'pending' }] },
		"Which posts wait for approval: the service doesn't show it.",
	],
	['approvals', { approvals: [batch], hasMoreApprovals: true }, 'Approval batches beyond the first 1.'],
	['webhooks', { deadLetters: new Map() }, 'Given-up deliveries of 1 webhook: one check reads only some.'],
	['usage', { usage: {} }, "How much of the plan is left: the service doesn't show it."],
	['rate_limit', { rateLimit: { limit: 60 } }, "The rate limit of the API key: the service doesn't show it."],
])('%s: what is left out is named: %j', (check, more, named) => {
	expect(judged(check, more).facts.not_checked).toContain(named);
});

const refused = new Failure({
	code: 'PUBLIC_API_SCOPE_FORBIDDEN',
	status: 403,
	message: 'No scope',
	hint: 'Ask.',
});

const unreadable: Array<[Part, string[], string]> = [
	['accounts', ['accounts'], 'Accounts'],
	['usage', ['usage'], 'Usage'],
	['approvals', ['approvals'], 'Approvals'],
	['webhooks', ['webhooks'], 'Webhooks'],
	['failed', ['failed_posts'], 'Failed posts'],
	['overdue', ['overdue_posts'], 'Overdue posts'],
	['upcoming', ['close_posts', 'repeated_texts', 'approvals'], 'Upcoming posts'],
];
test.each(unreadable)('%s that could not be read is a warning of %j', (part, names, title) => {
	const items = judgeHealth({ ...healthy, [part]: undefined, unread: { [part]: refused } });
	const warned = items.filter(({ status }) => status === 'warning');
	expect(warned.map(({ check }) => check)).toEqual(names);
	for (const item of warned)
		expect(item).toMatchObject({
			message: `${title} could not be read: No scope.`,
			hint: 'Ask.',
			facts: { error: { code: 'PUBLIC_API_SCOPE_FORBIDDEN', status: 403 } },
		});
});

test('whatever the service shows: exactly one item a check, worst first, in plain words', () => {
	const words = 'scheduled pending pending_approval disconnected disabled x acc_x a'.split(' ');
	const values = fc.oneof(
		fc.jsonValue({ maxDepth: 2 }),
		fc.constantFrom(...words),
		fc.integer({ min: -30 * DAY, max: 30 * DAY }).map(iso),
	);
	const names = [
		...'id status platform platforms account_id scheduled_at schedule_at text content error'.split(' '),
		...'expires_at items posts url created_at limit used name provider_post_id'.split(' '),
	];
	const record = fc.dictionary(
		fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, fc.string()),
		values,
	);
	const list = fc.array(record as fc.Arbitrary<IDataObject>, { maxLength: 6 });
	const snapshot = fc.record(
		{
			...{ accounts: list, overdue: list, failed: list, upcoming: list, approvals: list, webhooks: list },
			usage: record as fc.Arbitrary<IDataObject>,
			rateLimit: fc.record({ limit: fc.nat(), remaining: fc.nat() }, { requiredKeys: [] }),
			deadLetters: fc.dictionary(fc.constantFrom('a', 'x'), list).map((one) => new Map(Object.entries(one))),
			...{ upcomingFrom: fc.nat(), upcomingUntil: fc.nat() },
		},
		{ requiredKeys: [] },
	);
	const parts = fc.subarray(unreadable.map(([part]) => part));
	fc.assert(
		fc.property(snapshot, parts, fc.integer({ min: 1, max: 365 }), (shown, missing, days) => {
			const unread = Object.fromEntries(missing.map((part) => [part, refused]));
			const read = Object.fromEntries(Object.entries(shown).filter(([name]) => !(name in unread)));
			const items = judgeHealth({ now: NOW, days, zone: 'Europe/Berlin', unread, ...read });
			expect(items.map(({ check }) => check).sort()).toEqual(checks.map(({ name }) => name).sort());
			const order = items.map(({ status }) => ['problem', 'warning', 'ok'].indexOf(String(status)));
			expect(order).toEqual([...order].sort());
			for (const { status, message, hint, facts } of items) {
				expect(message).toMatch(/^[\dA-Z][^]*\.$/);
				expect(message).not.toMatch(/NaN|undefined|\[object/);
				expect(hint === 'Nothing to do.').toBe(status === 'ok');
				expect(facts).toEqual(expect.any(Object));
			}
		}),
		runs(120),
	);
});
