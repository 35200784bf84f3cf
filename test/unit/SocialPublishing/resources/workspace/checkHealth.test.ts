import keyBy from 'lodash/keyBy';
import range from 'lodash/range';
import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import { readAnswer } from '../../../../../nodes/api/answers';
import { Failure } from '../../../../../nodes/api/errors';
import type { Request } from '../../../../../nodes/SocialPublishing/engine/operation';
import { checkHealth } from '../../../../../nodes/SocialPublishing/resources/workspace/checkHealth';
import { fakeItem, NOW, paramsOf } from '../operations';

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const iso = (ms: number) => new Date(NOW + ms).toISOString();

/** What the service lists; where the check asks for deliveries or one kind of posts, by that. */
type Lists = Partial<
	Record<'accounts' | 'overdue' | 'due' | 'failed' | 'webhooks' | 'deliveries' | 'approvals', unknown>
>;
const names = ['accounts', 'overdue', 'due', 'failed', 'webhooks', 'deliveries', 'approvals'] as const;

const account = { id: 'acc_x', platform: 'x', name: 'Lakeside', status: 'connected' };
const off = { ...account, status: 'disconnected' };
const webhook = { id: 'wh_1', url: 'https://n8n.example.com/a', status: 'active' };
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
async function checked(lists: Lists, given: IDataObject = {}) {
	const asked: Request[] = [];
	const get = async (request: Request) => {
		asked.push(request);
		const listed = { ...healthy, ...lists }[endpointOf(request)] ?? [];
		if (listed instanceof Failure) throw listed;
		const response = Array.isArray(listed) ? { body: { success: true, data: listed } } : (listed as object);
		const full = { statusCode: 200, headers: {}, ...response } as IN8nHttpFullResponse;
		const answer = readAnswer(full, {}, 'https://api.example.com/v1', { method: 'GET', ...request });
		if (answer instanceof Failure) throw answer;
		return await Promise.resolve(answer);
	};
	const { context } = fakeItem({ item: { get } });
	const items = (await checkHealth.run!(context, paramsOf(checkHealth, given))) as IDataObject[];
	return { items, asked, ...({ by: keyBy(items, 'check') } as { by: Record<string, any> }) };
}

test('all is well: five checks, nothing to do, no facts that are empty', async () => {
	const { items, asked } = await checked({ webhooks: [] }, { days: 3 });
	expect(items).toEqual(
		[
			{ check: 'accounts', message: 'No account is disconnected.', facts: { accounts: 1 } },
			{ check: 'overdue_posts', message: 'No post is overdue.' },
			{ check: 'failed_posts', message: 'No post failed in the last 3 days.' },
			{ check: 'webhooks', message: 'The workspace has no webhooks.' },
			{ check: 'approvals', message: 'No approval is waiting.' },
		].map((one) => ({ ...one, status: 'ok', hint: 'Nothing to do.' })),
	);
	expect(asked.map(({ path, qs }) => [path, qs])).toEqual([
		['/accounts', undefined],
		['/posts', { limit: 100, from: '2016-06-03T12:00:00Z', to: '2026-06-01T11:45:00Z', status: 'scheduled' }],
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
	'a broken connection': new Failure({
		code: 'NODE_CONNECTION',
		message: 'The connection broke',
		hint: 'Try.',
	}),
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
		for (const { check, status } of Object.values(others))
			expect(status).toBe(check === 'accounts' ? 'warning' : 'ok');
	},
);

test('where nothing can be read, that is an error', async () => {
	const lists = Object.fromEntries(names.map((name) => [name, failure(401)]));
	await expect(checked(lists)).rejects.toMatchObject({ details: { status: 401 } });
});

const connected = (status: string) => ({ ...account, id: 'acc_2', status });
const pending = {
	id: 'b_1',
	status: 'pending',
	items: [
		{ post_id: 'p', status: 'pending' },
		{ post_id: 'q', status: 'approved' },
	],
};
const dead = (days: number) => ({ status: 'dead_letter', created_at: iso(-days * DAY_MS) });
const many = (count: number, make: (i: number) => IDataObject) => range(count).map(make);

test.each<[string, string, string, Lists, object?]>([
	['accounts', 'warning', 'The workspace has no accounts.', { accounts: [] }],
	[
		'accounts',
		'warning',
		'1 account is disconnected.',
		{ accounts: [off], due: [post('p', HOUR_MS, { status: 'draft' })] },
		{ disconnected: [{ id: 'acc_x', name: 'Lakeside · X', posts_due: 0 }] },
	],
	[
		'accounts',
		'problem',
		'1 account is disconnected. 2 posts are due there within 7 days.',
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
		'accounts',
		'warning',
		'1 account is disconnected.',
		{ accounts: [off, connected('active')], due: [post('p', HOUR_MS)] },
	],
	[
		'accounts',
		'warning',
		'1 account is disconnected. The service lists more than one check reads, so more posts may be due there.',
		{ accounts: [off], due: many(100, (i) => post(`p${i}`, HOUR_MS, { platform: 'tiktok' })) },
	],
	...['needs_reauth', 'reconnect_required', 'not_connected', 'unauthorized', 'error', 'suspended'].map(
		(status): [string, string, string, Lists] => [
			'accounts',
			'warning',
			'1 account is disconnected.',
			{ accounts: [connected(status)] },
		],
	),
	[
		'accounts',
		'warning',
		"1 account has a connection status that this node doesn't know.",
		{ accounts: [account, connected('limbo')] },
		{ accounts: 2, unknown: ['Lakeside · X'] },
	],
	[
		'overdue_posts',
		'problem',
		'2 posts are overdue. 1 waits for approval.',
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
		'overdue_posts',
		'problem',
		'100 or more posts are overdue.',
		{ overdue: many(100, (i) => post(`p${i}`, -HOUR_MS)) },
		{ count: 100 },
	],
	[
		'overdue_posts',
		'warning',
		'1 post may be overdue: the service lists no time that can be read.',
		{ overdue: [{ id: 'p', status: 'scheduled' }] },
		{ count: 1, post_ids: ['p'] },
	],
	// A service that filters by no status.
	[
		'overdue_posts',
		'warning',
		'The service lists more than one check reads, so some may be overdue.',
		{ overdue: many(100, (i) => post(`p${i}`, -HOUR_MS, { status: 'completed' })) },
	],
	[
		'failed_posts',
		'warning',
		'The service lists more than one check reads, so some may be failed.',
		{ failed: many(100, (i) => post(`p${i}`, -HOUR_MS)) },
	],
	[
		'failed_posts',
		'problem',
		'3 posts failed in the last 7 days: Too long (2), no reason given (1).',
		{
			failed: [undefined, 'Too long.', { message: 'Too long' }].map((error, i) =>
				post(`p${i}`, -HOUR_MS, { status: 'failed', error }),
			),
		},
		{
			count: 3,
			reasons: [
				{ reason: 'Too long', count: 2 },
				{ reason: 'no reason given', count: 1 },
			],
		},
	],
	[
		'webhooks',
		'ok',
		'No webhook is disabled, and every delivery in the last 7 days arrived or is still being retried.',
		{ deliveries: [dead(8), { status: 'failed' }] },
		{ webhooks: [{ id: 'wh_1', url: webhook.url, disabled: false, dead_letters: 0 }] },
	],
	[
		'webhooks',
		'warning',
		'3 deliveries failed for good in the last 7 days (dead letters).',
		{ deliveries: [dead(1), dead(7), { status: 'dead_letter' }] },
		{ webhooks: [{ dead_letters: 3 }] },
	],
	[
		'webhooks',
		'problem',
		'1 webhook is disabled.',
		{ webhooks: [webhook, { ...webhook, id: 'wh_2', status: 'disabled' }] },
		{ webhooks: [{ id: 'wh_2', disabled: true }, { id: 'wh_1' }] },
	],
	[
		'webhooks',
		'warning',
		'The deliveries of 2 webhooks could not be read: The service lists the webhook without an ID.',
		{ webhooks: [webhook, { webhook_id: 'wh_2' }, { id: '..' }] },
		{ webhooks: [{ id: null, url: null, dead_letters: null }, { id: '..' }, { id: 'wh_1' }] },
	],
	[
		'webhooks',
		'warning',
		'The deliveries of 3 webhooks were not read: one check reads those of 20.',
		{ webhooks: many(23, (i) => ({ ...webhook, id: `wh_${i}` })) },
	],
	[
		'approvals',
		'warning',
		'1 approval batch waits for a decision, with 1 post.',
		{ approvals: [pending, { id: 'b_2', status: 'approved' }] },
		{ pending_batches: 1, batch_ids: ['b_1'], post_ids: ['p'] },
	],
	[
		'approvals',
		'warning',
		'2 approval batches wait for a decision.',
		{ approvals: [{ status: 'in_review' }, { status: 'waiting' }] },
		{ pending_batches: 2 },
	],
	[
		'approvals',
		'warning',
		"2 approval batches have a status that this node doesn't know.",
		{ approvals: [{ id: 'b_1' }, { id: 'b_2', status: 'limbo' }] },
	],
	[
		'approvals',
		'ok',
		'No approval is waiting.',
		{
			approvals: ['rejected', 'completed', 'reviewed', 'approved'].map((status) => ({
				id: status,
				status: status === 'reviewed' ? 'closed' : status,
			})),
		},
	],
])('%s is a %s: %s', async (check, status, message, lists, ...[facts]) => {
	const { by } = await checked(lists);
	const { hint, ...found } = by[check];
	expect(found).toMatchObject({ status, message, ...(facts ? { facts } : {}) });
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

test('the worst comes first; a signed address in what the service says is left out', async () => {
	const { items } = await checked(
		{
			accounts: [connected('limbo')],
			failed: [post('p', -HOUR_MS, { status: 'failed', error: 'https://s.example/a?sig=1' })],
		},
		{ days: 1e9 },
	);
	expect(items.map(({ check }) => check)).toEqual([
		'failed_posts',
		'accounts',
		'overdue_posts',
		'webhooks',
		'approvals',
	]);
	expect(items[0]!.message).toBe('1 post failed in the last 365 days: https://s.example/a?[hidden] (1).');
});
