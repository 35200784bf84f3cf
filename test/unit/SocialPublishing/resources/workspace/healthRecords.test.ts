import type { IDataObject } from 'n8n-workflow';

import * as shown from '../../../../../nodes/SocialPublishing/resources/workspace/healthRecords';

const at = '2026-06-01T12:00:00Z';

test('when a post is due, in both formats; otherwise not known', () => {
	expect(shown.dueAt({ scheduled_at: at })).toBe(Date.parse(at));
	expect(shown.dueAt({ schedule_at: at })).toBe(Date.parse(at));
	for (const scheduled_at of [undefined, null, '', 'soon', 7])
		expect(shown.dueAt({ scheduled_at })).toBeNaN();
	expect(shown.dueAt({ created_at: at, published_at: at })).toBeNaN();
});

test.each<[IDataObject, boolean]>([
	[{ status: 'scheduled' }, true],
	[{ status: 'pending_approval' }, true],
	[{ status: 'whatever comes' }, true],
	[{}, true],
	[{ status: 'draft' }, false],
	[{ status: 'completed' }, false],
	[{ status: 'failed' }, false],
	[{ status: 'canceled' }, false],
	[{ status: 'done', provider_post_id: 'x_1' }, false],
])('%j is still to go out: %s', (post, open) => expect(shown.isOpen(post)).toBe(open));

test.each<[unknown, boolean]>([
	['pending_approval', true],
	['In Review', true],
	['awaiting_approval', true],
	['approved', false],
	['scheduled', false],
	[7, false],
])('the state %j waits for approval: %s', (status, waits) =>
	expect(shown.waitsForApproval({ status: status as string })).toBe(waits),
);

test.each<[IDataObject, string[]]>([
	[
		{
			items: [
				{ id: 'a', post_id: 'p1', status: 'pending' },
				{ post_id: 'p2', status: 'approved' },
			],
		},
		['p1'],
	],
	[{ posts: [{ id: 'p1' }, 'p2', 3] }, ['p1', 'p2', '3']],
	[{ post_ids: ['p1'] }, ['p1']],
	[{ items: 'none' }, []],
	[{}, []],
])('batch %j: undecided are %j', (batch, ids) => expect(shown.pendingPostIds(batch)).toEqual(ids));

const accounts = [
	{ id: 'ig_1', platform: 'instagram' },
	{ id: 'ig_2', platform: 'instagram', status: 'disconnected' },
	{ id: 'x_1', platform: 'twitter', status: 'disconnected' },
];

test.each<[IDataObject, string[]]>([
	[{ account_id: 'ig_2', platform: 'instagram' }, ['ig_2']],
	[{ platform: 'instagram' }, ['ig_1']],
	[{ platforms: ['x', 'linkedin'] }, ['x_1']],
	[{ platforms: [{ platform: 'x' }] }, ['x_1']],
	[{}, []],
])('post %j goes to %j', (post, ids) => {
	const goes = accounts.filter((one) => shown.goesTo(post, one, accounts));
	expect(goes.map(({ id }) => id)).toEqual(ids);
});

test('posts by account: the only one of a platform is meant by the platform; earliest first; none without a time', () => {
	const posts = [
		{ id: '1', platform: 'x', scheduled_at: '2026-06-02T12:00:00Z' },
		{ id: '2', account_id: 'x_1', scheduled_at: at },
		{ id: '3', platform: 'instagram', scheduled_at: at },
		{ id: '4', account_id: 'ig_1', scheduled_at: at },
		{ id: '5', platforms: ['x', 'instagram'], scheduled_at: '2026-06-03T12:00:00Z' },
		{ id: '6', platform: 'x' },
	];
	const ids = shown.perAccount(posts, accounts).map((list) => list.map(({ id }) => id).join());
	expect(ids.sort()).toEqual(['2,1,5', '3,5', '4']);
});

test('texts, in one line, wherever they stand', () => {
	for (const post of [{ text: ' a\n b ' }, { content: 'a b' }, { content: { text: 'a  b' } }])
		expect(shown.textOf(post)).toBe('a b');
	for (const post of [{}, { content: null }, { content: { media: [] } }, { text: 7 }])
		expect(shown.textOf(post)).toBe('');
});

test('why a post failed', () => {
	for (const post of [
		{ error: { code: 'A', message: 'Token expired.' } },
		{ error: 'Token expired' },
		{ error_message: 'Token expired' },
		{ failure_reason: 'Token  expired' },
		{ error: { code: 'Token expired' } },
	])
		expect(shown.reasonOf(post)).toBe('Token expired');
	for (const post of [{}, { error: 7 }, { error: {} }, { error: null }])
		expect(shown.reasonOf(post)).toBe('');
});

test('a delivery is as late as it shows', () => {
	const since = Date.parse(at);
	expect(shown.isSince({ updated_at: at, created_at: '2026-05-01T00:00:00Z' }, since)).toBe(true);
	expect(shown.isSince({ created_at: '2026-06-01T11:59:59Z' }, since)).toBe(false);
	expect(shown.isSince({ occurred_at: at }, since)).toBe(true);
	expect(shown.isSince({}, since)).toBe(true);
});

test('IDs and times that are none', () => {
	expect([shown.idOf({ id: 7 }), shown.idOf({}), shown.idOf({ id: null })]).toEqual(['7', '', '']);
	expect(shown.timeIn(7)).toBeNaN();
	expect(shown.isPending({ status: 'pending' })).toBe(true);
	expect(shown.isPending({ status: 'approved' })).toBe(false);
	expect(shown.isPending({})).toBe(false);
});
