import { keyBy, map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { asked, credentialOf, runOperation, says, useService } from '../../../support/service';

/** *Check Health* of a workspace. */

const current = useService();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (ms: number) => new Date(Date.now() + ms).toISOString();

const account = { id: 'acc_x', platform: 'x', name: 'Lakeside', status: 'connected' };
const webhook = { id: 'wh_1', url: 'https://n8n.example.com/a', status: 'active', secret: 'whsec_example' };
const post = (id: string, dueMs: number, more: IDataObject = {}): IDataObject => ({
	...{ id, status: 'scheduled', platform: 'x', text: `Text of ${id}`, scheduled_at: iso(dueMs) },
	...more,
});
const failed = (id: string, error?: string) => post(id, -HOUR_MS, { status: 'failed', error });
const dead = (days: number) => ({ status: 'dead_letter', created_at: iso(-days * DAY_MS) });

interface Given {
	accounts?: object[];
	posts?: IDataObject[];
	webhooks?: object[];
	deliveries?: object[];
}

/** What the service has: one item a check, by its name. */
async function checked(given: Given = {}, days = 7, workspaceId = 'ws_main') {
	const { accounts = [account], posts = [], webhooks = [webhook], deliveries = [] } = given;
	says(current(), {
		...{ 'GET /accounts': accounts, 'GET /webhooks': webhooks, 'GET /webhooks/:id/deliveries': deliveries },
		'GET /posts': ({ status, from = '', to = '3' }: IDataObject) =>
			posts.filter(
				({ status: own, scheduled_at: at = from }) => own === status && at! >= from! && at! <= to!,
			),
	});
	const credential = credentialOf(current(), { workspaceId });
	const { json, error } = await runOperation(current(), 'workspace:checkHealth', { days }, { credential });
	return { items: json, error, by: keyBy(json, 'check') as Record<string, any> };
}

test.each<[check: string, result: string, Given, facts: object]>([
	['accounts', 'ok: Accounts to reconnect: 0.', {}, { count: 0 }],
	['accounts', 'warning: The workspace has no accounts.', { accounts: [] }, {}],
	[
		'accounts',
		'warning: Accounts to reconnect: 1.',
		{ accounts: [account, { ...account, id: 'acc_y', status: 'token_expired' }] },
		{ count: 1, accounts: [{ id: 'acc_y', name: 'Lakeside · X', status: 'token_expired' }] },
	],
	['overdue_posts', 'ok: Overdue posts: 0.', { posts: [post('p', -HOUR_MS / 6)] }, { count: 0 }],
	[
		'overdue_posts',
		'problem: Overdue posts: 1.',
		{ posts: [post('p', -HOUR_MS), post('q', HOUR_MS), { id: 'r', status: 'scheduled' }] },
		{ count: 1, post_ids: ['p'], posts: [expect.stringMatching(/^Text of p · X · \d+ \w+ .*\d\d:\d\d$/)] },
	],
	[
		'failed_posts',
		'problem: Failed posts in the last 7 days: 2.',
		{ posts: [failed('p', 'Too long.'), failed('q'), post('r', -8 * DAY_MS, { status: 'failed' })] },
		{ count: 2, post_ids: ['p', 'q'] },
	],
	[
		'webhooks',
		'problem: Disabled webhooks: 1.',
		{ webhooks: [webhook, { id: 'wh_2', status: 'disabled' }] },
		{ count: 1, webhooks: [{ id: 'wh_2', url: null, disabled: true, dead_letters: 0 }] },
	],
	[
		'webhooks',
		'warning: Webhooks with deliveries that failed for good in the last 7 days: 1.',
		{ deliveries: [dead(1), dead(8), { status: 'dead_letter' }] },
		{ webhooks: [{ id: 'wh_1', url: webhook.url, disabled: false, dead_letters: 2 }] },
	],
])('%s %s', async (check, result, given, facts) => {
	const { status, message, hint, ...found } = (await checked(given)).by[check];
	expect(`${status}: ${message}`).toBe(result);
	expect(found).toMatchObject({ facts });
	expect(hint).toMatch(status === 'ok' ? /^Nothing to do\.$/ : /^(?!Nothing)\w/);
	expect(JSON.stringify(found)).not.toContain(webhook.secret);
});

test('of many posts, the facts have the first ten, and the hint the most frequent reasons', async () => {
	const posts = ['a', 'b', 'c', 'd', 'd.', ''].map((error, i) => failed(`p${i}`, error));
	const many = Array.from({ length: 12 }, (_, i) => post(`q${i}`, -HOUR_MS));
	const { by } = await checked({ posts: [...posts, ...many] }, 1);
	expect(by.overdue_posts.facts).toMatchObject({ count: 12, post_ids: map(many, 'id').slice(0, 10) });
	expect(by.failed_posts.message).toBe('Failed posts in the last day: 6.');
	expect(by.failed_posts.hint).toMatch(/ Reasons: d \(2\), a \(1\), b \(1\), …$/);
});

test('four checks, the worst first; of several workspaces, each item says which', async () => {
	const { items } = await checked({ accounts: [], posts: [failed('p')] }, 1e9);
	expect(map(items, 'check')).toEqual(['failed_posts', 'accounts', 'overdue_posts', 'webhooks']);
	expect(map(items, 'workspace_id')).toEqual(Array(4).fill('ws_main'));
	expect(items[0]!.message).toBe('Failed posts in the last 365 days: 1.');
	const requests = map(asked(current(), 'GET'), ({ path, query }) =>
		[path.slice(14), query.status].join(' '),
	);
	expect(requests.sort()).toEqual([
		...['/accounts ', '/posts failed', '/posts scheduled', '/webhooks '],
		'/webhooks/wh_1/deliveries dead_letter',
	]);
});

test('a signed address in what the service says is left out', async () => {
	const { by } = await checked({ posts: [failed('p', 'https://s.example/a?sig=1')] });
	expect(by.failed_posts.hint).toMatch(/Reasons: https:\/\/s\.example\/a\?\[hidden\] \(1\)$/);
});

const refuse = (path: string) =>
	current().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', path, times: 0 });

test.each(['accounts', 'webhooks', 'deliveries'])(
	'%s that can not be read are a warning, and no other check is lost',
	async (name) => {
		refuse(`${name}$`);
		const { items, by } = await checked();
		expect(items).toHaveLength(4);
		expect(by[name === 'accounts' ? name : 'webhooks']).toMatchObject({
			...{ status: 'warning', message: expect.stringMatching(/ could not be read: .*[^.]\.$/) },
			facts: { error: { code: 'PUBLIC_API_SCOPE_FORBIDDEN', status: 403 } },
		});
		expect(map(items, 'status')).toEqual(['warning', 'ok', 'ok', 'ok']);
	},
);

test('where nothing can be read, that is an error', async () => {
	refuse('');
	const { items, error } = await checked();
	expect([items, error.context.data.code]).toEqual([[], 'PUBLIC_API_SCOPE_FORBIDDEN']);
});
