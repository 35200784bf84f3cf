import keyBy from 'lodash/keyBy';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/failure';
import { listNames } from '../../../../../nodes/api/contract';
import { checkHealth } from '../../../../../nodes/SocialPublishing/resources/workspace/checkHealth';
import { NOW, runOf } from '../operations';

const refused = (status: number, code = 'PUBLIC_API_SCOPE_FORBIDDEN') =>
	new Failure({ code, status, message: 'No', hint: 'Ask.' });
const webhooks = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `wh_${i}` }));
const paths = ['/accounts', '/usage', '/approvals', '/webhooks', '/posts'];

const byCheck = (outcomes: unknown[]): Record<string, any> => keyBy(outcomes as IDataObject[], 'check');

async function checked(answers: Record<string, unknown>, given: IDataObject = {}) {
	const empty = { '/accounts': [], '/approvals': [], '/webhooks': [], '/posts': [] };
	const { outcomes, asked } = await runOf(checkHealth, given, { answers: { ...empty, ...answers } });
	return { outcomes, items: byCheck(outcomes), asked };
}

test('reads lists, usage, and posts in three ranges of time', async () => {
	const { asked, outcomes } = await checked({ '/webhooks': webhooks(1) }, { days: 3 });
	expect(outcomes).toHaveLength(9);
	expect(asked.map(({ path, qs }) => [path, qs])).toEqual([
		['/accounts', undefined],
		['/usage', undefined],
		['/approvals', { page: 1, limit: 50 }],
		['/webhooks', undefined],
		['/posts', { limit: 100, from: '2026-05-29T12:00:00Z', to: '2026-06-01T12:00:00Z', status: 'failed' }],
		['/posts', { limit: 100, from: '2016-06-03T12:00:00Z', to: '2026-06-01T12:00:00Z', status: 'scheduled' }],
		['/posts', { limit: 100, from: '2026-05-31T11:59:59Z', to: '2026-06-04T12:00:00Z' }],
		['/webhooks/wh_0/deliveries', { status: 'dead_letter' }],
	]);
	const { accounts, approvals, webhooks: listed, posts, deliveries } = listNames;
	const lists = [approvals, listed, posts, posts, posts, deliveries].map((list) => ({ list }));
	expect(asked.map(({ expects }) => expects)).toEqual([{ list: accounts }, 'records', ...lists]);
});

test('never more than ten requests; what they do not reach is named', async () => {
	let id = 0;
	const full = () =>
		Array.from({ length: 100 }, () => ({ id: id++, scheduled_at: new Date(NOW).toISOString() }));
	const { asked, items } = await checked({ '/webhooks': webhooks(5), '/posts': full });
	expect(asked).toHaveLength(10);
	expect(asked.filter(({ path }) => path.endsWith('/deliveries'))).toHaveLength(2);
	expect(items.webhooks.facts.not_checked).toEqual([
		'Given-up deliveries of 3 webhooks: one check reads only some.',
	]);
	expect(items.close_posts.facts.not_checked).toEqual([
		expect.stringMatching(/^Posts due before 2026-06-01 14:00/),
		expect.stringMatching(/^Posts due after 2026-06-01 14:00/),
	]);
	const quiet = await checked({ '/webhooks': webhooks(5) });
	expect(quiet.asked.filter(({ path }) => path.endsWith('/deliveries'))).toHaveLength(3);
});

test.each([403, 404, 500, 503])(
	'a part that is answered with %d is a warning; the others are judged',
	async (status) => {
		const { items, outcomes } = await checked({
			'/usage': refused(status),
			'/accounts': [{ id: 'a', platform: 'x' }],
		});
		expect(outcomes[0]).toMatchObject({
			check: 'usage',
			status: 'warning',
			message: 'Usage could not be read: No.',
		});
		expect(items.accounts.status).toBe('ok');
	},
);

test.each([
	['/accounts', ['Accounts']],
	['/approvals', ['Approvals']],
	['/webhooks', ['Webhooks']],
	['/posts', ['Overdue posts', 'Failed posts', 'Upcoming posts', 'Upcoming posts', 'Upcoming posts']],
])('where %s is refused, what could not be read is named: %j', async (path, titles) => {
	const { outcomes } = await checked({ [path]: refused(403) });
	const messages = outcomes.map((one) => (one as IDataObject).message as string);
	expect(messages.filter((one) => one.includes('could not be read: No.'))).toEqual(
		titles.map((title) => `${title} could not be read: No.`),
	);
});

test.each<[string, Failure]>([
	['a key that is wrong', refused(401, 'PUBLIC_API_KEY_INVALID')],
	['a workspace that is wrong', refused(403, 'PUBLIC_API_WORKSPACE_FORBIDDEN')],
	['no connection', refused(0, 'NODE_CONNECTION')],
	['a limit that lasts', refused(429, 'PUBLIC_API_RATE_LIMITED')],
	['an answer that is none', refused(200, 'NODE_UNEXPECTED_DATA')],
])('%s fails the node', async (_name, failure) => {
	for (const path of paths) {
		const { outcomes } = await checked({ [path]: failure });
		expect(outcomes).toEqual([failure]);
	}
	expect(
		(await checked({ '/webhooks': webhooks(1), '/webhooks/wh_0/deliveries': failure })).outcomes,
	).toEqual([failure]);
});

test('where nothing can be read the node fails with the first reason', async () => {
	const all = Object.fromEntries(paths.map((path, i) => [path, refused(i === 0 ? 403 : 500)]));
	const { outcomes } = await checked(all);
	expect(outcomes).toEqual([all['/accounts']]);
});

test('webhooks that are gone, or have an odd ID, and a usage that is a list', async () => {
	const { items } = await checked({
		'/webhooks': [{ id: 'wh_0' }, { id: '..' }, { url: 'https://a.example' }],
		'/webhooks/wh_0/deliveries': refused(404),
		'/usage': [{ used: 9, limit: 10 }],
	});
	expect(items.webhooks).toMatchObject({ status: 'ok', facts: { webhooks: [{}, {}, {}] } });
	expect(items.webhooks.facts.not_checked).toHaveLength(1);
	expect(items.usage.message).toBe('Nearly used up: requests (9 of 10).');
});

test.each([true, false])(
	'batches beyond the first page are named (%s); the limit is what was scarcest',
	async (hasNext) => {
		const approvals = { batches: [{ id: 'b' }], pagination: { hasNext } };
		const get = async ({ path }: { path: string }) =>
			({
				data: path === '/approvals' ? approvals : [],
				headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': path === '/webhooks' ? '2' : '60' },
			}) as never;
		const { outcomes } = await runOf(checkHealth, {}, { item: { get } });
		const items = byCheck(outcomes);
		const named = hasNext ? ['Approval batches beyond the first 1.'] : undefined;
		expect(items.approvals.facts.not_checked).toEqual(named);
		expect(items.rate_limit.facts).toMatchObject({ limit: 60, remaining: 2 });
	},
);

test('a great number of days is a year', async () => {
	const { asked } = await checked({}, { days: 1e9 });
	expect(asked[6]!.qs!.to).toBe('2027-06-01T12:00:00Z');
});
