import type { IDataObject } from 'n8n-workflow';

import { addPost, asked, DAY, runOperation, says, useService } from '../../../../support/service';

/** *Get Many*, and what its rows begin with; filters: ../requests.test.ts. */

const service = useService();
const getAll = async (given: IDataObject, answers: Record<string, unknown> = {}) => {
	says(service(), answers);
	return await runOperation(service(), 'post:getAll', given);
};
const plum = { id: 'acc_1', platform: 'x', name: 'Plum' };

test('simplified: the columns that people look for, the same in all rows', async () => {
	const times = { scheduled_at: '2026-06-02T08:00:00.123Z', published_at: '2026-06-02T08:04:00Z' };
	const posts = [
		{ id: 1, platform: 'twitter', note: 1, link: null, permalink: 'https://x.com/1', ...times },
		// What is null gives way to what the post says elsewhere.
		{
			id: 2,
			platform: null,
			platforms: ['linkedin', 'x'],
			text: null,
			content: { text: 'Hi' },
			account: 'Own',
		},
		{ id: 3, scheduled_at: 'soon' },
	];
	const { json } = await getAll({ limit: 3 }, { 'GET /posts': posts, 'GET /accounts': [plum] });
	const none = { platform: null, account: null, published_at_local: null, scheduled_at_local: null };
	// In Berlin.
	const local = { published_at_local: '2026-06-02 10:04', scheduled_at_local: '2026-06-02 10:00' };
	expect(json.map((row) => Object.entries(row))).toEqual(
		[
			{ platform: 'twitter', account: 'Plum', ...local, text: null, link: 'https://x.com/1', id: 1 },
			{ ...none, platform: 'linkedin, x', account: 'Own', text: 'Hi', link: null, id: 2 },
			{ ...none, text: null, link: null, id: 3 },
		].map((row) => Object.entries(row)),
	);
	expect(asked(service(), 'GET', /accounts/)).toHaveLength(1);
});

test.each([
	[
		'of two accounts of a platform, one of them to be connected again',
		[plum, { ...plum, id: 2, status: 'expired' }],
	],
	['of no account of the platform', [{ ...plum, platform: 'linkedin' }]],
	['of accounts that can not be read', undefined],
])('%s: which of them a post went to is not said', async (_what, accounts) => {
	if (!accounts)
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', path: 'accounts', times: 0 });
	const answers = { 'GET /posts': [{ id: 1, platform: 'x' }], 'GET /accounts': accounts };
	const { json, error } = await getAll({ simplify: false }, answers);
	expect([error, json]).toEqual([undefined, [{ platform: 'x', account: '', id: 1 }]]);
});

test('more than a hundred posts, or all, come in parts of the time range', async () => {
	for (let i = 0; i < 250; i++)
		addPost(service(), { id: `p${i}`, status: 'failed', at: Date.now() - i * DAY });
	const some = await getAll({ limit: 101 });
	expect(some.json.map(({ id }) => id)).toEqual(Array.from({ length: 101 }, (_, i) => `p${i}`));
	const all = await getAll({ returnAll: true, limit: 5, filters: { status: 'failed' } });
	expect(all.json).toHaveLength(250);
	const from = new Date(Date.now() - 31.5 * DAY).toISOString();
	expect((await getAll({ returnAll: true, filters: { from } })).json).toHaveLength(32);
	for (const { query } of asked(service(), 'GET', /posts/).slice(4)) expect(query.limit).toBe('100');
});

test.each([
	[{ limit: 3 }, { has_more: true }, 1],
	[{ limit: 2 }, { has_more: true }, 0],
	[{ returnAll: true }, {}, 0],
])('with %j, an answer with %j gives %d hint that there are more posts', async (given, beside, count) => {
	const { json, hints } = await getAll(given, { 'GET /posts': { items: [{ id: 1 }, { id: 2 }], ...beside } });
	expect([json.length, hints.length]).toEqual([2, count]);
});
