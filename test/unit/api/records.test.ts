import type { IDataObject } from 'n8n-workflow';

import {
	accountNames,
	idIn,
	readAccounts,
	readCreated,
	readDelivery,
	readPost,
	readSubscription,
	timeIn,
} from '../../../nodes/api/records';

test.each<[unknown, string | undefined]>([
	['a', 'a'],
	[7, '7'],
	['', undefined],
	[null, undefined],
	[{}, undefined],
])('the ID %j is %s', (id, expected) => expect(idIn({ id } as IDataObject)).toBe(expected));

test.each<[unknown, string | undefined]>([
	['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000Z'],
	// In UTC, wherever n8n runs.
	['2026-11-20T12:00:00', '2026-11-20T12:00:00.000Z'],
	['2026-11-20T12:00:00-05:00', '2026-11-20T17:00:00.000Z'],
	['soon', undefined],
	[1795176000, undefined],
	[null, undefined],
])('the time %j is %s', (value, expected) => {
	const ms = timeIn(value);
	expect(ms === undefined ? undefined : new Date(ms).toISOString()).toBe(expected);
});

describe('a post', () => {
	test.each<[IDataObject, object]>([
		[{}, { status: 'unknown', platforms: [], isFinal: false, hasProviderId: false, failures: [] }],
		[
			{ platform: 'Twitter', content: { text: 'Hi' }, scheduled_at: '2026-11-20T12:00:00Z' },
			{ platforms: ['x'], text: 'Hi', dueAt: Date.parse('2026-11-20T12:00:00Z') },
		],
		[
			{ platforms: ['x', 'linkedin'], content: 'Hi', schedule_at: '2026-11-20T12:00:00Z' },
			{ platforms: ['x', 'linkedin'], text: 'Hi', scheduledAt: '2026-11-20T12:00:00Z' },
		],
		[
			{ status: 'completed', published_at: '2026-11-20T12:00:00Z', provider_post_id: 'p' },
			{ isFinal: true, hasProviderId: true, listedAt: Date.parse('2026-11-20T12:00:00Z') },
		],
		[{ platforms: [{ platform: 'x', provider_post_id: 'p' }] }, { hasProviderId: true, isFinal: false }],
		[
			{ id: 7, account_id: 'acc', permalink: 'https://x' },
			{ id: '7', accountId: 'acc', link: 'https://x' },
		],
		// A field of another type is missing.
		[
			{ text: 7, status: { code: 1 }, platforms: 'x' },
			{ text: undefined, status: 'unknown', platforms: [] },
		],
	])('%j says %j', (record, said) => expect(readPost(record)).toMatchObject(said));

	test.each<[IDataObject, string | undefined]>([
		[{ error: 'Too long.' }, 'Too long'],
		[{ error: { code: 'A', message: 'Too long' } }, 'Too long'],
		[{ error: { code: 'A' } }, undefined],
		[{ platforms: [{ platform: 'x' }, { platform: 'x', error: 'Too long' }] }, 'Too long'],
		[{ error: null }, undefined],
	])('%j failed since %s', (record, reason) => expect(readPost(record).failureReason).toBe(reason));

	test('says on which of its platforms it failed', () => {
		const platforms = [{ platform: 'twitter', status: 'failed', error: 'No' }, { platform: 'linkedin' }];
		expect(readPost({ platforms }).failures).toEqual([{ platform: 'x', reason: 'No' }]);
	});
});

describe('accounts', () => {
	const accounts = readAccounts([
		{ id: 'a', platform: 'Twitter', name: 'Plum', username: 'plum' },
		{ id: 2, platform: 'linkedin', handle: 'plum' },
		{ id: 'c', platform: 'linkedin' },
	]);

	test('have an ID, a platform, and a name, or else a @handle or the ID', () => {
		expect(accounts.map(({ id, platform, title }) => [id, platform, title])).toEqual([
			['a', 'x', 'Plum'],
			['2', 'linkedin', 'plum'],
			['c', 'linkedin', 'c'],
		]);
		expect(readAccounts([{ id: 'a' }, { platform: 'x' }, { id: 'a', platform: 7 }])).toEqual([]);
	});

	test.each<[IDataObject, boolean]>([
		[{ status: 'disconnected' }, true],
		[{ status: 'TOKEN_EXPIRED' }, true],
		[{ status: 'revoked by user' }, true],
		[{ connected: false }, true],
		[{ status: 'connected', connected: true }, false],
		[{ status: 'limbo' }, false],
		[{ status: { code: 2 } }, false],
		[{}, false],
	])('%j should be connected again: %s', (said, isDisconnected) =>
		expect(readAccounts([{ id: 'a', platform: 'x', ...said }])[0]).toMatchObject({ isDisconnected }),
	);

	test.each<[IDataObject, string]>([
		[{ account_id: 'a', platform: 'x' }, 'Plum'],
		[{ account_id: 'a', platform: 'linkedin' }, 'a'],
		[{ account_id: 'gone' }, 'gone'],
		[{ platform: 'x', status: 'completed' }, 'Plum'],
		[{ platforms: ['x', 'linkedin', 'tiktok'] }, 'Plum'],
		[{ platform: 'linkedin' }, ''],
	])('a post with %j is of %j', (post, names) => expect(accountNames(post, accounts)).toBe(names));
});

test.each<[IDataObject, object]>([
	[
		{ id: 1, url: 'https://a', events: ['post.failed'] },
		{ id: '1', events: ['post.failed'] },
	],
	[{ status: 'disabled' }, { isDisabled: true }],
	[{ active: false }, { isDisabled: true }],
	[{ enabled: false }, { isDisabled: true }],
	[{ status: 'paused', deleted_at: '2026-01-01' }, { isDisabled: false }],
	[{ url: 7 }, { id: undefined, url: undefined, events: undefined, isDisabled: false }],
])('the subscription %j says %j', (record, said) => expect(readSubscription(record)).toMatchObject(said));

test.each<[unknown, object]>([
	[{ webhook: { id: 'wh_1', secret: 's' } }, { id: 'wh_1', secret: 's' }],
	[
		{ id: 'wh_1', webhook: { secret: 's' } },
		{ id: 'wh_1', secret: 's' },
	],
	[{ webhook: { secret: 7 } }, { id: undefined, secret: undefined }],
	[null, {}],
])('the answer to a subscription %j: %j', (data, created) => expect(readCreated(data)).toEqual(created));

describe('a delivery', () => {
	const event = { id: 'evt_1', type: 'post.failed', occurred_at: '2026-11-20T12:00:00Z', data: {} };
	test.each<[IDataObject, object]>([
		[{}, { status: 'unknown', event: undefined, eventId: undefined, at: undefined }],
		[
			{ status: 'failed', event, last_error: 'HTTP 500' },
			{ eventId: 'evt_1', event, lastError: 'HTTP 500' },
		],
		[
			{ event: 'post.failed', payload: event },
			{ eventType: 'post.failed', event },
		],
		[{ event_id: 'evt_2', event_type: 'x', created_at: '2026-11-20T12:00:00Z' }, { eventId: 'evt_2' }],
		[{ event, updated_at: '2026-11-21T12:00:00Z' }, { at: Date.parse('2026-11-21T12:00:00Z') }],
		[{ event }, { at: Date.parse(event.occurred_at), occurredAt: event.occurred_at }],
		// Another form is not read.
		[{ body: event, payload: JSON.stringify(event) }, { event: undefined }],
	])('%j says %j', (record, said) => expect(readDelivery(record)).toMatchObject(said));
});
