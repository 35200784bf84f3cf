import { keyBy, map, range } from 'lodash';
import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import { readAnswer } from '../../../../nodes/api/answers';
import { Failure, refusal } from '../../../../nodes/api/failure';
import type { ReadRequest as Request } from '../../../../nodes/SocialPublishing/engine/item';
import { checkHealth } from '../../../../nodes/SocialPublishing/resources/workspace/checkHealth';
import { fakeItem, NOW, paramsOf } from './operations';

/** Check Health, against answers as they come over HTTP. */

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const iso = (ms: number) => new Date(NOW + ms).toISOString();

const names = ['accounts', 'overdue', 'due', 'failed', 'webhooks', 'deliveries', 'approvals'] as const;
/** What the service lists, or a function of the request; where the check asks for deliveries or one kind of posts, by that. */
type Lists = Partial<Record<(typeof names)[number], unknown>>;

const account = { id: 'acc_x', platform: 'x', name: 'Lakeside', status: 'connected' };
const off = { ...account, status: 'disconnected' };
const webhook = { id: 'wh_1', url: 'https://n8n.example.com/a', status: 'active', secret: 'whsec_example' };
const post = (id: string, dueMs: number, more: IDataObject = {}): IDataObject => ({
	...{ id, status: 'scheduled', platform: 'x', text: `Text of ${id}`, scheduled_at: iso(dueMs) },
	...more,
});
const healthy: Lists = { accounts: [account], webhooks: [webhook] };

const endpointOf = ({ path, qs = {} }: Request): (typeof names)[number] => {
	if (path === '/posts')
		return qs.status === 'failed' ? 'failed' : String(qs.to) > iso(0) ? 'due' : 'overdue';
	return path.endsWith('/deliveries') ? 'deliveries' : (path.slice(1) as 'accounts');
};

/** Runs the operation against answers as they come over HTTP; a list is wrapped in the envelope. */
async function checked(lists: Lists, days = 7, workspaceId = '') {
	const asked: Request[] = [];
	const get = async (request: Request) => {
		asked.push(request);
		const given = { ...healthy, ...lists }[endpointOf(request)] ?? [];
		const listed = typeof given === 'function' ? given(request) : given;
		if (listed instanceof Failure) throw listed;
		const response = Array.isArray(listed) ? { body: { success: true, data: listed } } : (listed as object);
		const full = { statusCode: 200, headers: {}, ...response } as IN8nHttpFullResponse;
		const answer = readAnswer(full, {}, 'https://api.example.com/v1', { method: 'GET', ...request });
		if (answer instanceof Failure) throw answer;
		return await Promise.resolve(answer);
	};
	const { context } = fakeItem({ item: { get, workspaceId } });
	const items = (await checkHealth.run!(context, paramsOf(checkHealth, { days }))) as IDataObject[];
	return { items, asked, ...({ by: keyBy(items, 'check') } as { by: Record<string, any> }) };
}

const connected = (status: string) => ({ ...account, id: 'acc_2', status });
const item = (post_id: string, status: string) => ({ post_id, status });
const pending = { id: 'b_1', status: 'pending', items: [item('p', 'pending'), item('q', 'approved')] };
const dead = (days: number) => ({ status: 'dead_letter', created_at: iso(-days * DAY_MS) });
const many = (count: number, make: (i: number) => IDataObject) => range(count).map(make);
/** Its answer mentions pages in a way that can't be read. */
const unclear = () => ({ body: { success: true, data: { items: [], paging: { after: 'p' } } } });
const hourly = many(120, (i) => post(`p${i}`, -HOUR_MS * (i + 1)));

test.each([
	['ws_second', 'ws_second'],
	['', undefined],
])('items say which workspace was checked, where one is named: %j', async (workspaceId, named) => {
	const { items } = await checked({}, 7, workspaceId);
	expect(map(items, 'workspace_id')).toEqual(Array(items.length).fill(named));
	expect(items).toHaveLength(5);
});

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
				hourly.filter(({ scheduled_at: at }: any) => at >= qs.from && at <= qs.to).slice(0, 100),
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
	[
		'overdue_posts warning: The service may have more posts than it listed.',
		{ overdue: unclear },
		{ count: 0 },
	],
	['failed_posts warning: The service may have more posts than it listed.', { failed: unclear }],
	[
		'accounts warning: Disconnected accounts: 1. The service may have more posts than it listed.',
		{ accounts: [off], due: unclear },
	],
	[
		'webhooks ok: Disabled webhooks: 0.',
		{ webhooks: [{ ...webhook, status: 'disabled', deleted_at: iso(0) }] },
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
		'webhooks warning: Webhooks whose deliveries could not be read: 1. The service has more deliveries than were read.',
		{ deliveries: () => ({ body: { success: true, data: [dead(8)], has_more: true } }) },
	],
	[
		'webhooks warning: The service may have more of them than it listed.',
		{ webhooks: many(10, (i) => ({ ...webhook, id: i + 1 })) },
	],
	// So many may be a page; what is newer can only be on another one where the latest don't come first.
	[
		'webhooks warning: Webhooks that may have more deliveries than were read: 1.',
		{ deliveries: many(25, (i) => dead(30 - i / 25)) },
		{ count: 0, webhooks: [{ id: 'wh_1', dead_letters: null }] },
	],
	[
		'webhooks warning: Deliveries that failed for good in the last 7 days: 10. Webhooks that may have more deliveries than were read: 1.',
		{ deliveries: many(10, (i) => dead(1 + i / 25)) },
	],
	['webhooks ok: Disabled webhooks: 0.', { deliveries: many(25, (i) => dead(8 + (i + 1) / 25)) }],
	[
		'webhooks warning: Webhooks that may have more deliveries than were read: 1.',
		{ deliveries: many(25, (i) => dead(7.1 + i / 50)) },
	],
	[
		'webhooks warning: Deliveries that failed for good in the last 7 days: 1.',
		{ deliveries: many(25, (i) => dead(1 + i * 7)) },
	],
	['webhooks ok: Disabled webhooks: 0.', { deliveries: many(24, (i) => dead(30 - i / 25)) }],
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
	expect(JSON.stringify(by)).not.toContain(webhook.secret);
	// It takes a longer list for a match.
	for (const [name, { length }] of Object.entries(facts ?? {}).filter(([, one]) => Array.isArray(one)))
		expect(found.facts[name]).toHaveLength(length);
	expect(hint).toMatch(status === 'ok' ? /^Nothing to do\.$/ : /^(?!Nothing)\w/);
});

test('hints name the first three accounts and reasons', async () => {
	const accounts = many(4, (i) => ({ ...off, id: i + 1, name: `A${i}` }));
	const failed = ['a', 'b', 'c', 'd', 'd.', undefined].map((error) => ({ status: 'failed', error }));
	const { by } = await checked({ accounts, failed }, 1);
	expect(by.accounts.hint).toBe("Connect accounts in the service's dashboard: A0 · X, A1 · X, A2 · X, …");
	expect(by.failed_posts.message).toBe('Failed posts in the last day: 6.');
	expect(by.failed_posts.hint).toMatch(/ Reasons: d \(2\), a \(1\), b \(1\), …$/);
	const none = await checked({ accounts: [], failed: [{ status: 'failed' }] });
	expect(none.by.accounts.hint).toBe("Connect accounts in the service's dashboard.");
	expect(none.by.failed_posts.hint).toMatch(/ Reasons: no reason given \(1\)$/);
});

test('approvals name the first posts by text and time, as far as they can be read', async () => {
	const readable = { body: { success: true, data: post('p', HOUR_MS, { status: 'pending_approval' }) } };
	const four = { ...pending, items: ['p', 'q', 'r', 's'].map((id) => item(id, 'pending')) };
	const { by, asked } = await checked({ approvals: [four], ...{ 'posts/p': readable } });
	expect(asked.filter(({ path }) => path.startsWith('/posts/'))).toHaveLength(3);
	expect(by.approvals.facts.posts).toEqual(['Text of p · X · 1 Jun 15:00 · waiting for approval']);
	expect((await checked({ approvals: [pending] })).by.approvals.facts).not.toHaveProperty('posts');
});

test('all is well: five checks, nothing to do, no lists that are empty', async () => {
	const { items, asked } = await checked({ webhooks: [] }, 3);
	const messages = {
		accounts: 'Disconnected accounts: 0.',
		overdue_posts: 'Overdue posts: 0.',
		failed_posts: 'Failed posts in the last 3 days: 0.',
		webhooks: 'Disabled webhooks: 0.',
		approvals: 'Approval batches that wait for a decision: 0.',
	};
	const ok = { status: 'ok', hint: 'Nothing to do.', facts: { count: 0 } };
	expect(items).toEqual(map(messages, (message, check) => ({ check, message, ...ok })));
	expect(asked.map(({ path, qs }) => [path, qs])).toEqual([
		['/accounts', undefined],
		['/posts', { limit: 100, from: '2016-06-01T11:45:00Z', to: '2026-06-01T11:45:00Z', status: 'scheduled' }],
		['/posts', { limit: 100, from: '2026-05-29T12:00:00Z', to: '2026-06-01T12:00:00Z', status: 'failed' }],
		['/webhooks', undefined],
		['/approvals', { page: 1, limit: 50 }],
	]);
});

const failure = (status: number) => ({
	statusCode: status,
	body: { success: false, error: { code: 'NEW', message: 'No.' } },
});
const ways: Readonly<Record<string, unknown>> = {
	...Object.fromEntries([400, 401, 403, 404, 429, 500].map((status) => [status, failure(status)])),
	'503 with a page': { statusCode: 503, body: '<html></html>' },
	204: { statusCode: 204 },
	'an empty body': { body: '' },
	...Object.fromEntries(
		[null, 'none', {}].map((data) => [`data ${JSON.stringify(data)}`, { body: { success: true, data } }]),
	),
	'a broken connection': refusal('CONNECTION', 'The connection broke', 'Try.'),
};
const checkOf = {
	...{ accounts: 'accounts', due: 'accounts', overdue: 'overdue_posts', failed: 'failed_posts' },
	...{ webhooks: 'webhooks', deliveries: 'webhooks', approvals: 'approvals' },
};

test.each(names.flatMap((name) => Object.keys(ways).map((way) => [name, way] as const)))(
	'%s that answer with %s are a warning, never ok, and no other check is lost',
	async (name, way) => {
		const { items, by } = await checked({ accounts: [off], [name]: ways[way] });
		expect(items).toHaveLength(5);
		const { [checkOf[name]]: affected, ...others } = by;
		expect(affected).toMatchObject({ status: 'warning', hint: expect.stringMatching(/\w/) });
		expect(affected.message).toMatch(/could not be read: .*[^.]\.( |$)/);
		expect(affected.message).not.toContain('..');
		for (const { check, status } of Object.values(others))
			expect(status).toBe(check === 'accounts' ? 'warning' : 'ok');
	},
);

test('what could not be read is named, with the code of the service', async () => {
	const { by, asked } = await checked({ accounts: [off], failed: failure(403), due: failure(500) }, 2);
	expect(by.failed_posts).toMatchObject({
		message: expect.stringMatching(/^Failed posts could not be read: .*[^.]\.$/),
		facts: { error: { code: 'NEW', status: 403 } },
	});
	const range = { from: '2026-06-01T12:00:00Z', to: '2026-06-03T12:00:00Z', status: 'scheduled' };
	const dead = { path: '/webhooks/wh_1/deliveries', qs: { status: 'dead_letter' } };
	for (const one of [{ path: '/posts', qs: { ...range, limit: 100 } }, dead])
		expect(asked).toContainEqual(expect.objectContaining(one));
});

test('where nothing can be read, that is an error', async () => {
	const lists = Object.fromEntries(names.map((name) => [name, failure(401)]));
	await expect(checked(lists)).rejects.toMatchObject({ details: { status: 401 } });
});

test('the worst comes first; a signed address in what the service says is left out', async () => {
	const failed = [post('p', -HOUR_MS, { status: 'failed', error: 'https://s.example/a?sig=1' })];
	const { items } = await checked({ accounts: [{ ...off, status: 'limbo' }], failed }, 1e9);
	const order = ['failed_posts', 'accounts', 'overdue_posts', 'webhooks', 'approvals'];
	expect(items.map(({ check }) => check)).toEqual(order);
	expect(items[0]!.hint).toMatch(/Reasons: https:\/\/s\.example\/a\?\[hidden\] \(1\)$/);
	expect(items[0]!.message).toBe('Failed posts in the last 365 days: 1.');
});
