import type { IDataObject } from 'n8n-workflow';

import type { ErrorDetails, Failure } from '../../../../../nodes/api/failure';
import { words } from '../../../../../nodes/SocialPublishing/resources/post/words';
import type { Unpublished } from '../../../../../nodes/SocialPublishing/writes/write';
import { failure } from '../../../../support/failure';

const post = (platform: string): IDataObject => ({ platform, id: platform });
const on = (platform: string, more: Partial<ErrorDetails> = {}) =>
	failure(`No ${platform}.`, { platform, ...more });
const kept = { status: 422, request: 'POST /posts', code: 'PUBLIC_API_PUBLISH_FAILED' };
const final = (platform: string, more: Partial<ErrorDetails> = kept) =>
	on(platform, { hint: 'Correct it.', ...more });

test('says which, and what a retry does', () => {
	const first = on('x', { status: 403, request_id: 'req' });
	const second = on('facebook', { retryable: true });
	expect(words.several([first, post('tiktok'), second]).details).toEqual({
		...{ code: 'NODE_A', status: 403, retryable: true, request_id: 'req' },
		message: '2 of 3 platforms failed: X: No x; Facebook: No facebook',
		hint: 'Try. A retry of this execution sends only what is missing: X and Facebook.',
		failures: [first.details, second.details],
	});
});

test.each<[string, Array<Failure | IDataObject>, string]>([
	[
		'which account of a platform, where the user named it',
		[on('instagram', { account: 'Café' }), post('instagram'), on('x')],
		'2 of 3 platforms failed: Café · Instagram: No instagram; X: No x',
	],
	[
		'files, and what has no name',
		[failure('Gone', { file: 'a' }), { source: 'b' }, failure('B')],
		'2 of 3 files failed: a: Gone; One: B',
	],
])('%s', (_what, outcomes, message) => expect(words.several(outcomes).message).toBe(message));

test.each([
	[true, true],
	[true, false],
	[false, false],
])('nothing was processed where that is so of all: %s and %s', (one, other) => {
	const both = [
		failure('A').with({}, { processed: one ? 'no' : 'maybe' }),
		{},
		failure('B').with({}, { processed: other ? 'no' : 'maybe' }),
	];
	expect(words.several(both).processed).toBe(one && other ? 'no' : 'maybe');
});

const retry = 'A retry of this execution sends only what is missing:';
const mixed = `X: Correct it. TikTok: Try. Create the new post for X only. ${retry} TikTok.`;
test.each<[string, Array<Failure | IDataObject>, string]>([
	[
		'one for good, the others sent',
		[final('x'), post('tiktok')],
		'Correct it. Create the new post for X only.',
	],
	['all for good', [final('x'), final('tiktok')], 'Correct it.'],
	[
		'one that was accepted is not missing',
		[on('x', { post: post('x') }), on('tiktok')],
		`Try. ${retry} TikTok.`,
	],
	[
		'two of each',
		[final('x'), final('tiktok'), on('facebook'), on('bluesky')],
		`X: Correct it. TikTok: Correct it. Facebook: Try. Bluesky: Try. Create the new post for X and TikTok only. ${retry} Facebook and Bluesky.`,
	],
	[
		'a 422 that kept nothing is sent by a retry, whatever went out besides',
		[on('x', { ...kept, code: 'VALIDATION_FAILED' }), post('linkedin')],
		`Try. ${retry} X.`,
	],
	['publishing failed', [final('x', { code: 'NODE_POST_FAILED' }), on('tiktok')], mixed],
	['canceled', [final('x', { code: 'NODE_POST_CANCELED' }), on('tiktok'), post('facebook')], mixed],
])('what to do: %s', (_what, outcomes, hint) => expect(words.several(outcomes).details.hint).toBe(hint));

const parts = [
	{ platform: 'x', status: 'completed' },
	{ platform: 'tiktok', status: 'failed' },
];
test.each<[Partial<ErrorDetails>, Unpublished]>([
	[{ code: 'NODE_POST_FAILED', post: { status: 'failed', platforms: parts } }, ['tiktok']],
	[{ code: 'NODE_POST_FAILED', post: { status: 'failed' } }, 'all'],
	[{ code: 'NODE_POST_CANCELED' }, 'all'],
	// A doubt allows no second post.
	[
		{
			code: 'NODE_POST_FAILED',
			post: { status: 'failed', platforms: [parts[0], { ...parts[1], status: 'no' }] },
		},
		[],
	],
	[{ status: 422, post: { platforms: parts } }, ['tiktok']],
	// That isn't known as sent.
	[{ status: 422, post: { platforms: [parts[1]] } }, []],
	[{ status: 400, post: { platforms: parts } }, []],
])('where a post failed for good, with %j', (details, where) =>
	expect(words.unpublished(on('x', details))).toEqual(where),
);

test.each([
	[['2126-06-02T08:00:05Z', '2126-06-02T08:00:40Z'], 'X, 2 Jun 2126 10:00'],
	[['2126-06-02T08:00:05Z', '2126-06-02T08:01:40Z'], 'X, 2 Jun 2126 10:00 to 2 Jun 2126 10:01'],
])('posts that are due at %j are named as %s: a minute once', (times, label) => {
	const sent = times.map((scheduled_at) => ({ path: '/posts', record: { platform: 'x', scheduled_at } }));
	expect(words.labels(sent as never, 'Europe/Berlin')).toEqual([label]);
});
