import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/failure';
import {
	checks,
	judgeHealth,
	type Part,
	type Snapshot,
	type Status,
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
const expiring = (dueMs: number) => ({ ...lakeside, expires_at: iso(dueMs) });
const other = { id: 'acc_li', platform: 'linkedin', username: 'lakeside', expires_at: iso(2 * DAY) };
const there = { account_id: 'acc_li' };
const held = (dueMs: number) => post('h', dueMs, { status: 'pending_approval' });
const batch = { id: 'b', status: 'pending', items: [{ id: 'i', post_id: 'a', status: 'pending' }] };
const disabled = { ...webhook, status: 'disabled' };
const second = { ...webhook, id: 'wh_2' };
const dead = (...days: number[]) =>
	days.map((one) => ({ status: 'dead_letter', created_at: iso(-one * DAY) }));
const lossy = (id: string, ...days: number[]) => ({ deadLetters: new Map([[id, dead(...days)]]) });
const upcoming = (...posts: IDataObject[]) => ({ upcoming: posts });
const done = { status: 'completed' };
const text = (words: string, more: IDataObject = {}) => ({ text: words, ...more });
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const failedFor = (...reasons: unknown[]) => ({
	failed: reasons.map((error, i) => post(`f${i}`, -DAY, error ? { error } : {})),
});

const lateDue = '1 account is disconnected. 2 posts are due there within 7 days.';
const noneOverdue = 'No post is overdue.';
const noneClose = 'No two posts of an account are due within five minutes.';
const noneTwice = 'No text is due twice for an account.';
const noneWaits = 'No post due within a day waits for approval.';
const states: Record<string, Array<[Status, string, Partial<Snapshot>]>> = {
	accounts: [
		['problem', lateDue, { accounts: [off] }],
		['problem', lateDue, { accounts: [expiring(-DAY)] }],
		['problem', lateDue, { accounts: [expiring(0)] }],
		['warning', '1 account is disconnected.', { accounts: [off], upcoming: [] }],
		['warning', '1 account is disconnected.', { accounts: [off], ...upcoming(post('a', HOUR, done)) }],
		['warning', '2 accounts are disconnected.', { accounts: [off, off], upcoming: [] }],
		['warning', '1 account loses its connection within 7 days.', { accounts: [lakeside, other] }],
		['warning', '2 accounts lose their connection within 7 days.', { accounts: [expiring(7 * DAY), other] }],
		[
			'problem',
			'1 account loses its connection within 7 days. 1 post is due there within 7 days.',
			{ accounts: [other], ...upcoming(post('c', 3 * DAY, there), post('d', DAY, there)) },
		],
		['ok', '2 accounts are connected.', { accounts: [lakeside, { ...other, expires_at: iso(8 * DAY) }] }],
		['warning', 'The workspace has no accounts.', { accounts: [] }],
	],
	overdue_posts: [
		['problem', '1 post is overdue.', { overdue: [post('a', -16 * MINUTE)] }],
		[
			'problem',
			'2 posts are overdue.',
			{
				overdue: [post('a', -DAY), post('a', -DAY)],
				...upcoming(post('b', -HOUR, { status: 'publishing' })),
			},
		],
		['ok', noneOverdue, { overdue: [post('a', -15 * MINUTE)] }],
		['ok', noneOverdue, upcoming(post('a', -HOUR, { status: undefined }), held(-HOUR))],
		['problem', '100 or more posts are overdue.', { overdue: many(100, (i) => post(`p${i}`, -DAY)) }],
	],
	failed_posts: [
		[
			'problem',
			'3 posts failed in the last 7 days: Token expired (2), no reason given (1).',
			failedFor(undefined, 'Token expired', { message: 'Token expired.' }),
		],
		['problem', '1 post failed in the last day: No (1).', { ...failedFor('No'), days: 1 }],
		[
			'problem',
			'5 posts failed in the last 7 days: e (1), d (1), c (1) and 2 more.',
			failedFor('e', 'd', 'c', 'b', 'a'),
		],
		['problem', '3 posts failed in the last 7 days: c (1), b (1), a (1).', failedFor('c', 'b', 'a')],
		['ok', 'No post failed in the last day.', { failed: [], days: 1 }],
	],
	close_posts: [
		[
			'warning',
			'1 post is due within five minutes of another post for the same account.',
			upcoming(post('a', HOUR), post('b', HOUR + 5 * MINUTE), post('c', HOUR + 11 * MINUTE)),
		],
		[
			'warning',
			'2 posts are due within five minutes of another post for the same account.',
			upcoming(post('a', -MINUTE, done), post('b', MINUTE), post('c', 3 * MINUTE)),
		],
		[
			'ok',
			noneClose,
			upcoming(post('a', HOUR), post('b', HOUR, there), post('c', HOUR, { status: 'canceled' })),
		],
		['ok', noneClose, upcoming(post('a', -HOUR), post('b', -HOUR))],
	],
	repeated_texts: [
		[
			'warning',
			'1 post has the same text as an earlier post for the same account.',
			upcoming(post('a', -HOUR, text('Hi you', done)), post('b', DAY, text(' Hi\nyou'))),
		],
		[
			'warning',
			'2 posts have the same text as an earlier post for the same account.',
			upcoming(...many(3, (i) => post(`p${i}`, DAY + i * HOUR, text('Hi')))),
		],
		['ok', noneTwice, upcoming(post('a', HOUR, text('Hi')), post('b', DAY, text('Hi', there)))],
		['ok', noneTwice, upcoming(post('a', DAY, text('')), post('b', 2 * DAY, text('')))],
		['ok', noneTwice, upcoming(post('a', -DAY, text('Hi', done)), post('b', -HOUR, text('Hi', done)))],
	],
	approvals: [
		['warning', '1 post due within a day waits for approval.', upcoming(held(DAY))],
		['warning', '1 post due within a day waits for approval.', { approvals: [batch] }],
		['warning', '1 post due within a day waits for approval.', upcoming(held(0))],
		[
			'problem',
			'2 posts due within a day wait for approval. The time of 1 has passed.',
			{ approvals: [batch], ...upcoming(post('a', -HOUR), held(3 * HOUR)) },
		],
		['ok', noneWaits, { approvals: [batch], ...upcoming(post('a', 2 * DAY)) }],
		['ok', noneWaits, { approvals: [{ ...batch, status: 'approved' }] }],
	],
	webhooks: [
		['problem', '1 webhook is disabled.', { webhooks: [disabled] }],
		['problem', '2 webhooks are disabled.', { webhooks: [disabled, { ...second, enabled: false }] }],
		['warning', '2 deliveries were given up in the last 7 days.', lossy('wh_1', 1, 6, 8)],
		[
			'problem',
			'1 webhook is disabled. 1 delivery was given up in the last 7 days.',
			{ webhooks: [webhook, { ...second, enabled: false }], ...lossy('wh_1', 1) },
		],
		[
			'ok',
			'2 webhooks are active, and no delivery was given up in the last 7 days.',
			{ webhooks: [webhook, second] },
		],
		['ok', 'The workspace has no webhooks.', { webhooks: [] }],
	],
	usage: [
		['warning', 'Nearly used up: posts (80 of 100).', { usage: { posts: { used: 80, limit: 100 } } }],
		['problem', 'Used up: posts (10 of 10).', { usage: { posts: { used: 10, limit: 10 } } }],
		[
			'problem',
			'Used up: posts (1,000 of 1,000). Nearly used up: media (9 of 10).',
			{ usage: { posts: { used: 1000, limit: 1000 }, media: { used: 9, limit: 10 } } },
		],
		['ok', "The service doesn't show a limit of the plan.", { usage: { plan: 'pro' } }],
	],
	rate_limit: [
		['warning', '6 of 60 read requests are left this minute.', { rateLimit: { limit: 60, remaining: 6 } }],
		['ok', '7 of 60 read requests are left this minute.', { rateLimit: { limit: 60, remaining: 7 } }],
		['ok', '0 of 0 read requests are left this minute.', { rateLimit: { limit: 0, remaining: 0 } }],
		['ok', "The service doesn't show the rate limit of the API key.", { rateLimit: undefined }],
	],
};
test.each(Object.entries(states).flatMap(([check, rows]) => rows.map((row) => [check, ...row] as const)))(
	'%s, %s: %s (%j)',
	(check, status, message, more) => {
		const item = judged(check, more);
		expect(item).toMatchObject({ status, message });
		expect(item.hint).toMatch(/^[A-Z].*\.$/);
		expect(item.hint === 'Nothing to do.').toBe(status === 'ok');
	},
);

const hook = { url: webhook.url, disabled: false, dead_letters: 0 };
const one = { count: 1, posts: [expect.stringMatching(/^Text of \w+ · X · /)] };
test.each<[string, Partial<Snapshot>, object]>([
	['accounts', {}, { accounts: 1 }],
	[
		'accounts',
		{ accounts: [off, other] },
		{
			accounts: 2,
			disconnected: [{ id: 'acc_x', name: 'Lakeside · X', posts_due: 2 }],
			expiring: [{ id: 'acc_li', name: 'lakeside · LinkedIn', expires_at: iso(2 * DAY), posts_due: 0 }],
		},
	],
	[
		'accounts',
		{ accounts: [lakeside, { status: 'disconnected' }] },
		{ accounts: 2, disconnected: [{ id: null, name: 'unnamed', posts_due: 0 }] },
	],
	[
		'accounts',
		{ accounts: [other] },
		{ accounts: 1, expiring: [expect.objectContaining({ name: 'lakeside · LinkedIn' })] },
	],
	['overdue_posts', { overdue: [post('a', -DAY)] }, { ...one, post_ids: ['a'] }],
	['failed_posts', failedFor('No'), { ...one, post_ids: ['f0'], reasons: [{ reason: 'No', count: 1 }] }],
	['approvals', upcoming(held(2 * DAY)), { waiting: 1, pending_batches: 0 }],
	['approvals', { approvals: [batch] }, { ...one, post_ids: ['a'], waiting: 1, pending_batches: 1 }],
	['webhooks', {}, { webhooks: [{ id: 'wh_1', ...hook }] }],
	[
		'webhooks',
		{ webhooks: [second, { ...disabled, secret: 'whsec_1' }], ...lossy('wh_2', 1) },
		{
			webhooks: [
				{ ...hook, id: 'wh_1', disabled: true, dead_letters: null },
				{ ...hook, id: 'wh_2', dead_letters: 1 },
			],
			not_checked: [expect.stringMatching(/^Given-up deliveries of 1 webhook/)],
		},
	],
	[
		'webhooks',
		{ webhooks: [disabled], ...lossy('wh_1', 1) },
		{ webhooks: [{ ...hook, id: 'wh_1', disabled: true, dead_letters: 1 }] },
	],
	['usage', {}, { limits: [{ name: 'posts', used: 10, limit: 100 }] }],
	['usage', { usage: { plan: 'pro' } }, { usage: { plan: 'pro' }, not_checked: [expect.any(String)] }],
	['rate_limit', {}, { limit: 60, remaining: 50 }],
])('the facts of %s name accounts, posts, reasons and webhooks, and no secret (%#)', (check, more, facts) => {
	expect(judged(check, more).facts).toEqual(facts);
});

test.each<[string, Partial<Snapshot>, string]>([
	['overdue_posts', { overdue: many(11, (i) => post(`p${i}`, -DAY)) }, 'posts'],
	['overdue_posts', { overdue: many(11, (i) => post(`p${i}`, -DAY)) }, 'post_ids'],
	['failed_posts', failedFor(...'abcdefghijk'), 'reasons'],
	['webhooks', { webhooks: many(11, () => webhook) }, 'webhooks'],
	['webhooks', { webhooks: many(11, () => disabled) }, 'webhooks'],
])('the facts of %s have the first ten (%#)', (check, more, name) =>
	expect(judged(check, more).facts[name]).toHaveLength(10),
);

test('of posts that are close both are named, and the later ones counted', () => {
	const close = upcoming(post('a', HOUR), post('b', HOUR), post('c', HOUR));
	expect(judged('close_posts', close).facts).toMatchObject({ count: 2, post_ids: ['a', 'b', 'c'] });
	expect(judged('accounts', { accounts: [off, other] }).hint).toBe(
		"Reconnect in the service's dashboard: Lakeside · X, lakeside · LinkedIn.",
	);
});

const timeless = { id: 'a', status: 'scheduled', text: 'b' };
const whenDue = "When posts are due: the service doesn't show it.";
test.each<[string, Partial<Snapshot>, string | undefined]>([
	[
		'accounts',
		{ accounts: [{ id: 'a', platform: 'x' }] },
		"When connections expire: the service doesn't show it.",
	],
	['accounts', { accounts: [lakeside, { id: 'a', platform: 'x' }] }, undefined],
	['accounts', { upcoming: undefined }, 'Posts that are due there: they could not be read.'],
	['overdue_posts', { overdue: [timeless] }, "When some of the posts were due: the service doesn't show it."],
	['failed_posts', failedFor(undefined), "Why posts failed: the service doesn't show it."],
	['failed_posts', failedFor(undefined, 'No'), undefined],
	['close_posts', upcoming(timeless), whenDue],
	['close_posts', upcoming(timeless, post('b', HOUR)), undefined],
	['repeated_texts', upcoming(timeless), whenDue],
	[
		'repeated_texts',
		upcoming(post('a', HOUR, { text: undefined })),
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
	['approvals', { approvals: [{ status: 'pending' }], ...upcoming(held(HOUR)) }, undefined],
	['approvals', { approvals: [batch], ...upcoming(post('z', HOUR)) }, undefined],
	['approvals', { approvals: [batch], hasMoreApprovals: true }, 'Approval batches beyond the first 1.'],
	['webhooks', { deadLetters: new Map() }, 'Given-up deliveries of 1 webhook: one check reads only some.'],
	['usage', { usage: {} }, "How much of the plan is left: the service doesn't show it."],
	['rate_limit', { rateLimit: { limit: 60 } }, "The rate limit of the API key: the service doesn't show it."],
])('%s: what is left out is named: %j', (check, more, named) => {
	expect(judged(check, more).facts.not_checked).toEqual(named && [named]);
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
	const list = fc.array(record as fc.Arbitrary<IDataObject>, { maxLength: 4 });
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
			const isPlain = ({ status, message, hint, facts }: IDataObject) =>
				/^[\dA-Z][^]*\.$/.test(String(message)) &&
				!/NaN|undefined|\[object/.test(String(message)) &&
				(hint === 'Nothing to do.') === (status === 'ok') &&
				typeof facts === 'object';
			expect(items.filter((one) => !isPlain(one))).toEqual([]);
		}),
		runs(120),
	);
});
