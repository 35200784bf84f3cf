import fc from 'fast-check';

import {
	readAccount,
	readBatch,
	readDelivery,
	readInboxItem,
	readPost,
	readSubscription,
	timeIn,
} from '../../../nodes/api/records';
import { runs } from '../../support/property';

const JANUARY = '2026-01-02T00:00:00Z';
const at = (day: number) => Date.UTC(2026, 0, day);
const day = (n: number) => new Date(at(n)).toISOString();

test.each([
	[JANUARY, at(2)],
	['2000-01-01T00:00:00Z', Date.UTC(2000, 0)],
	// What Go writes for "none".
	['0001-01-01T00:00:00Z', undefined],
	['1999-12-31T23:59:59Z', undefined],
	// Spec: times are in UTC, also where they don't say so.
	['2026-01-02T00:00:00', at(2)],
	['2026-01-02T00:00', at(2)],
	['2026-01-02 00:00:00.000', at(2)],
	['2026-01-02', at(2)],
	['2026-01-02T01:00:00+01:00', at(2)],
	['2026-01-01T20:00:00-04:00', at(2)],
	['soon', undefined],
	['', undefined],
	[at(2), undefined],
	[null, undefined],
])('a time: %j is %j', (value, ms) => expect(timeIn(value)).toBe(ms));

describe('a post', () => {
	test.each<[object, object]>([
		[
			{ id: 7, status: 'scheduled' },
			{ id: '7', status: 'scheduled', isOpen: true, isFinal: false },
		],
		[
			{ id: '', status: 5 },
			{ id: undefined, status: 'unknown', isOpen: true },
		],
		[{ text: 'Hi', content: 'no' }, { text: 'Hi' }],
		[{ text: '', content: 'Hi' }, { text: 'Hi' }],
		[{ content: { text: 'Hi' } }, { text: 'Hi' }],
		[{ content: 7 }, { text: undefined }],
		[{ platform: 'Twitter', platforms: ['tiktok'] }, { platforms: ['x'] }],
		[
			{ platform: null, platforms: ['linkedin', { platform: 'X' }, 7, {}, ''] },
			{ platforms: ['linkedin', 'x'] },
		],
		[{ platforms: 'x' }, { platforms: [] }],
		[{ account_id: 7 }, { accountId: '7' }],
		[
			{ scheduled_at: day(4), schedule_at: day(3) },
			{ scheduledAt: day(4), dueAt: at(4), listedAt: at(4) },
		],
		[{ scheduled_at: null, schedule_at: day(3) }, { scheduledAt: day(3) }],
		[
			{ scheduled_at: null, published_at: day(2) },
			{ scheduledAt: null, dueAt: undefined, listedAt: at(2) },
		],
		[{ schedule_at: null }, { scheduledAt: null }],
		[
			{ scheduled_at: 7, created_at: day(1) },
			{ scheduledAt: undefined, listedAt: at(1) },
		],
		[
			{ scheduled_at: '0001-01-01T00:00:00Z', created_at: day(1) },
			{ dueAt: undefined, listedAt: at(1) },
		],
		[{ published_at: day(2), updated_at: day(3) }, { endedAt: day(2) }],
		[{ updated_at: day(3) }, { endedAt: day(3) }],
		[{ status: 'draft' }, { isOpen: false, isFinal: false }],
		[{ status: 'completed' }, { isOpen: false, isFinal: true, hasProviderId: false }],
		[{ provider_post_id: 'p' }, { isOpen: false, hasProviderId: true }],
		[{ platforms: [{ platform: 'x', provider_post_id: 'p' }] }, { hasProviderId: true }],
		[{ platforms: [{ platform: 'x', provider_post_id: '' }, null, 'x'] }, { hasProviderId: false }],
		[{ error: 'Too long.' }, { failureReason: 'Too long' }],
		[{ error: { message: 'Too long', code: 'A' } }, { failureReason: 'Too long' }],
		[{ error: { code: 'A' }, error_message: 'no' }, { failureReason: 'A' }],
		[{ error: {}, error_message: '', failure_reason: 'no' }, { failureReason: 'no' }],
		[{ platforms: [{ platform: 'x' }, { platform: 'y', error: 'no' }] }, { failureReason: 'no' }],
		[{ error: 7 }, { failureReason: undefined }],
		[{ permalink: 'x.example', url: 'HTTPS://x.example/1' }, { link: 'HTTPS://x.example/1' }],
		[{ platforms: [{ platform: 'x', post_url: 'http://x.example' }] }, { link: 'http://x.example' }],
		[{ url: 'javascript:https://x' }, { link: undefined }],
	])('%j is read as %j', (record, post) => expect(readPost(record as never)).toMatchObject(post));

	// Bug 7 of issue 32: what says that an approval was given, or isn't needed, is no post that waits for one.
	test.each<[object, boolean]>([
		[{ status: 'scheduled', approval_status: 'approved' }, false],
		[{ status: 'approved' }, false],
		[{ status: 'scheduled', hold_reason: 'no hold' }, false],
		[{ status: 'scheduled', hold_reason: 'none' }, false],
		[{ status: 'scheduled', approval_status: 'not_required' }, false],
		[{ status: 'scheduled', approval_state: 'rejected' }, false],
		[{ status: 'completed', approval_status: 'pending' }, false],
		[{ status: 'draft', approval_status: 'pending' }, false],
		[{ status: 'pending' }, false],
		[{ status: 'uphold' }, false],
		[{ status: 'pending_approval' }, true],
		[{ status: 'In-Review' }, true],
		[{ status: 'held' }, true],
		[{ status: 'on_hold' }, true],
		[{ status: 'scheduled', approval_status: 'pending' }, true],
		[{ status: 'scheduled', approval_state: 'waiting' }, true],
		[{ status: 'scheduled', approval_status: 'approved', approval_state: 'pending' }, false],
		[{ status: 'scheduled', hold_reason: 'awaiting approval' }, true],
		[{ status: 'scheduled', hold_reason: 'under review' }, true],
	])('%j waits for approval: %s', (record, waits) =>
		expect(readPost(record as never).awaitsApproval).toBe(waits),
	);
});

describe('an account', () => {
	test.each<[object, object]>([
		[
			{ id: 7, name: 'Plum', username: 'plum', handle: '@plum' },
			{ id: '7', title: 'Plum', handle: '@plum' },
		],
		[
			{ id: 'a', username: 'plum' },
			{ title: 'plum', handle: 'plum' },
		],
		[{ id: 'a', name: '' }, { title: 'a' }],
		[{ platform: 'Twitter' }, { id: '', platform: 'x' }],
	])('%j is read as %j', (record, account) => expect(readAccount(record as never)).toMatchObject(account));

	test('what is missing is left out', () =>
		expect(readAccount({ id: 'a', platform: '', name: null })).toEqual({
			...{ id: 'a', title: 'a', connection: 'connected', isConnected: true },
		}));

	test.each([
		['connected', 'connected active OK valid enabled healthy live authorized ready'],
		['unknown', 'syncing limited'],
		[
			'disconnected',
			'disconnected not_connected notconnected inactive expired revoked invalid error failed unauthorized suspended disabled needs_reauth re-auth reconnect_required',
		],
	])('is %s: %s', (connection, states) => {
		for (const status of states.split(' '))
			expect([status, readAccount({ status })]).toMatchObject([
				status,
				{ connection, isConnected: connection !== 'disconnected' },
			]);
	});

	test.each([{ toString: 'expired' }, 3, false, ['expired']])(
		'a status that is no text is not known: %j',
		(status) => expect(readAccount({ status } as never).connection).not.toBe('connected'),
	);

	test.each([null, undefined, ''])('is connected where the status says nothing: %j', (status) =>
		expect(readAccount({ status } as never).connection).toBe('connected'),
	);

	test.each(['connected', 'is_connected', 'active'])('%s false says so, whatever the status', (name) => {
		expect(readAccount({ status: 'ok', [name]: false }).isConnected).toBe(false);
		expect(readAccount({ status: 'expired', [name]: true }).isConnected).toBe(false);
		expect(readAccount({ [name]: 'false' }).isConnected).toBe(true);
	});
});

test.each<[object, object]>([
	[
		{ id: 7, url: 'u', events: ['a', 7], description: 'd' },
		{ id: '7', url: 'u', events: ['a', '7'] },
	],
	[
		{ id: {}, events: 'a' },
		{ id: undefined, events: undefined, isDisabled: false },
	],
	...['disabled', 'inactive', 'paused', 'DISABLED'].map((status): [object, object] => [
		{ status },
		{ isDisabled: true },
	]),
	[{ status: 'active', active: true, enabled: true, disabled: false }, { isDisabled: false }],
	[{ active: false }, { isDisabled: true }],
	[{ enabled: false }, { isDisabled: true }],
	[{ disabled: true }, { isDisabled: true }],
	[{ active: 'false' }, { isDisabled: false }],
	[{ status: 'Disabled' }, { isDisabled: true }],
	[{ status: 'removed' }, { isDisabled: true, isDeleted: true }],
	[{ deleted: true }, { isDisabled: true, isDeleted: true }],
	[{ deleted: false, deleted_at: null }, { isDisabled: false }],
])('a subscription: %j is read as %j', (record, one) =>
	expect(readSubscription(record as never)).toMatchObject(one),
);

const event = { id: 'evt', type: 'post.failed', occurred_at: day(1) };
test.each<[object, object]>([
	[{}, { status: 'unknown', eventId: undefined, at: undefined }],
	[{ event }, { eventId: 'evt', eventType: 'post.failed', event, at: at(1) }],
	[
		{ payload: JSON.stringify(event), event_id: 'no', event_type: 'no' },
		{ eventId: 'evt', event },
	],
	[{ event: { id: 'evt' }, body: event }, { event }],
	[
		{ event: 'post.failed', type: 'no', event_id: 7 },
		{ eventType: 'post.failed', eventId: '7' },
	],
	[
		{ type: 'post.failed', eventId: 'e' },
		{ eventType: 'post.failed', eventId: 'e' },
	],
	[{ payload: '{' }, { eventId: undefined }],
	[{ status: 'delivered', delivered_at: day(5), updated_at: day(4) }, { at: at(5) }],
	// A zero time, as Go writes it, and a time of delivery of what was not delivered.
	[{ status: 'delivered', delivered_at: '0001-01-01T00:00:00Z', updated_at: day(4) }, { at: at(4) }],
	[{ status: 'failed', delivered_at: day(5), created_at: day(3) }, { at: at(3) }],
	[{ last_error: 'HTTP 500' }, { lastError: 'HTTP 500' }],
])('a delivery: %j is read as %j', (record, one) => expect(readDelivery(record as never)).toMatchObject(one));

test.each<[object, object]>([
	[
		{ id: 1, status: 'Pending' },
		{ id: '1', isPending: true, pendingPostIds: [] },
	],
	[
		{ status: 'approved', posts: [{ id: 'p', status: 'pending' }] },
		{ isPending: false, pendingPostIds: ['p'] },
	],
	[
		{ items: ['a', 7, { post_id: 'b', id: 'i' }, { id: 'c', status: 'approved' }] },
		{ isPending: true, pendingPostIds: ['a', '7', 'b'] },
	],
	[{ items: 'x', post_ids: ['a'] }, { pendingPostIds: ['a'] }],
	[{ items: [{ id: 'a', status: null }] }, { isPending: true, pendingPostIds: ['a'] }],
	[
		{
			items: [
				{ id: 'a', status: 'approved' },
				{ id: 'b', status: 3 },
			],
		},
		{ isPending: undefined },
	],
	[{ items: [{ id: 'a', status: 'approved' }] }, { isPending: false, pendingPostIds: [] }],
	[{}, { isPending: undefined, pendingPostIds: [] }],
])('a batch: %j is read as %j', (record, batch) => expect(readBatch(record as never)).toMatchObject(batch));

test.each<[object, object]>([
	[
		{ id: 7, platform: 'twitter', text: 'Hi', author: 'Ann' },
		{ id: '7', platform: 'x', text: 'Hi', author: 'Ann' },
	],
	[{ author: { name: 'Ann', username: 'a' } }, { author: 'Ann' }],
	[{ author: { name: 7, username: 'a' } }, { author: 'a' }],
	[{ author: '' }, { author: undefined }],
	[{ type: 'new_comment' }, { kind: 'comment' }],
	[{ kind: 'Direct Message' }, { kind: 'message' }],
	[{ type: 'dm' }, { kind: 'message' }],
	[{ received_at: day(2), created_at: day(1) }, { receivedAt: day(2) }],
	[{ created_at: day(1) }, { receivedAt: day(1) }],
])('an inbox item: %j is read as %j', (record, one) =>
	expect(readInboxItem(record as never)).toMatchObject(one),
);

test('a record of any shape is read, without a failure, and its texts are texts', () => {
	const names = [
		'id',
		'status',
		'platform',
		'platforms',
		'content',
		'text',
		'error',
		'events',
		'event',
		'items',
	];
	const record = fc.dictionary(fc.constantFrom(...names, 'author', 'scheduled_at', 'name'), fc.jsonValue());
	const readers = [readPost, readAccount, readSubscription, readDelivery, readBatch, readInboxItem];
	fc.assert(
		fc.property(record, (one) => {
			for (const read of readers) {
				const { id = '', text = '', status = '' } = read(one as never) as Record<string, unknown>;
				expect([id, text, status].map((value) => typeof value)).toEqual(Array(3).fill('string'));
			}
		}),
		runs(100),
	);
});
