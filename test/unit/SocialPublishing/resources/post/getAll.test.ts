import type { IDataObject } from 'n8n-workflow';

import type { Failure } from '../../../../../nodes/api/failure';
import { getAll } from '../../../../../nodes/SocialPublishing/resources/post/getAll';
import { NOW, runOf } from '../operations';

const iso = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

test('up to 100 posts are one request, and no more than the limit come out', async () => {
	const { outcomes, asked } = await runOf(
		getAll,
		{ limit: 1 },
		{
			answers: {
				'/posts': { items: [{ id: 1, platform: 'twitter', note: 1, permalink: 'https://x.com/1' }, { id: 2 }] },
				'/accounts': [{ id: 'acc_1', platform: 'x', name: 'Plum' }],
			},
		},
	);
	expect(outcomes).toEqual([{ platform: 'twitter', account: 'Plum', link: 'https://x.com/1', id: 1 }]);
	expect(asked.map(({ path, qs }) => [path, qs])).toEqual([
		['/posts', { limit: 1 }],
		['/accounts', undefined],
	]);
});

test('of accounts that can not be read nothing is said', async () => {
	const answers = { '/posts': [{ id: 1, platform: 'x' }], '/accounts': new Error('no') };
	const { outcomes } = await runOf(getAll, { simplify: false }, { answers });
	expect(outcomes).toEqual([{ platform: 'x', account: '', id: 1 }]);
});

test('all rows have the same columns, in the same order', async () => {
	const posts = [{ id: 1 }, { id: 2, platform: 'x', text: 'Hi' }];
	const { outcomes } = await runOf(getAll, {}, { answers: { '/posts': posts } });
	expect(outcomes.map((row) => Object.entries(row).flat())).toEqual([
		['platform', null, 'account', null, 'text', null, 'id', 1],
		['platform', 'x', 'account', '', 'text', 'Hi', 'id', 2],
	]);
});

test('with all filters', async () => {
	const times = { from: '2026-05-01', to: '2026-05-02', scheduledAfter: '2026-05-03' };
	const filters = { ...times, status: 'pending_approval', platform: 'Twitter' };
	const { asked } = await runOf(getAll, { limit: 5, filters });
	expect(asked[0]).toMatchObject({
		path: '/posts',
		qs: {
			...{ from: '2026-04-30T22:00:00Z', to: '2026-05-02T21:59:59Z', limit: 5, status: 'pending_approval' },
			...{ platform: 'x', scheduled_after: '2026-05-02T22:00:00Z' },
		},
	});
});

test.each([
	['from', 'Scheduled From'],
	['to', 'Scheduled To'],
	['scheduledAfter', 'Scheduled After'],
])('a wrong time in %s is refused by name', async (name, label) => {
	const { outcomes } = await runOf(getAll, { filters: { [name]: 'soon' } });
	expect((outcomes[0] as Failure).message).toMatch(new RegExp(`^'${label}'`));
});

test('more, or all, come in parts of the time range', async () => {
	const stored = Array.from({ length: 250 }, (_, i) => ({ id: i, scheduled_at: iso(i) }));
	const answer = ({ qs }: { qs: IDataObject }) =>
		stored
			.filter(
				(one) =>
					Date.parse(one.scheduled_at) >= Date.parse(String(qs.from)) &&
					Date.parse(one.scheduled_at) <= Date.parse(String(qs.to)),
			)
			.slice(0, 100);
	const given = { answers: { '/posts': answer } };
	const some = await runOf(getAll, { limit: 101, simplify: false }, given);
	expect(some.outcomes).toMatchObject(stored.slice(0, 101));
	const all = await runOf(getAll, { returnAll: true, limit: 5, filters: { status: 'failed' } }, given);
	expect(all.outcomes).toHaveLength(250);
	for (const { path, qs } of all.asked)
		if (path === '/posts') expect(qs).toMatchObject({ status: 'failed', limit: 100 });
	const range = await runOf(getAll, { returnAll: true, filters: { from: '2026-05-01' } }, given);
	expect(range.outcomes).toHaveLength(32);
});

test.each([
	[{ limit: 3 }, { has_more: true }, 1],
	[{ limit: 2 }, { has_more: true }, 0],
	[{ returnAll: true }, {}, 0],
])('with %j, an answer with %j gives %d hint that there are more posts', async (given, beside, count) => {
	const hints: string[] = [];
	const item = { hint: (text: string) => void hints.push(text) };
	const answer = { items: [{ id: 1 }, { id: 2 }], ...beside };
	const { outcomes } = await runOf(getAll, given, { answers: { '/posts': answer }, item });
	expect(outcomes).toHaveLength(2);
	expect(hints).toHaveLength(count);
});
