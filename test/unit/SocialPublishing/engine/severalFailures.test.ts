import type { IDataObject } from 'n8n-workflow';

import { Failure, type ErrorDetails } from '../../../../nodes/api/failure';
import { joined, severalFailures } from '../../../../nodes/SocialPublishing/engine/severalFailures';

const failure = (message: string, more: Partial<ErrorDetails> = {}) =>
	new Failure({ code: 'NODE_A', message, hint: 'Try.', ...more });
const post = (platform: string): IDataObject => ({ platform, id: platform });
const on = (platform: string, more: Partial<ErrorDetails> = {}) =>
	failure(`No ${platform}.`, { platform, ...more });
const final = (platform: string, more: Partial<ErrorDetails> = { status: 422 }) =>
	on(platform, { hint: 'Correct it.', ...more });

test('says which, and what a retry does', () => {
	const first = on('x', { status: 403, request_id: 'req' });
	const { details } = severalFailures([first, post('tiktok'), on('facebook', { retryable: true })]);
	expect(details).toEqual({
		code: 'NODE_A',
		status: 403,
		retryable: true,
		message: '2 of 3 platforms failed: X (No x.), Facebook (No facebook.)',
		hint: 'Try. A retry of this execution sends only what is missing.',
		request_id: 'req',
		failures: [first.details, on('facebook', { retryable: true }).details],
	});
});

test('which account of a platform, where the user named it', () => {
	const two = [on('instagram', { account: 'Café' }), { platform: 'instagram', account: 'Bakery' }];
	expect(severalFailures([...two, on('x')]).message).toBe(
		'2 of 3 platforms failed: Café · Instagram (No instagram.), X (No x.)',
	);
});

test('files, and what has no name', () => {
	const files = [failure('Gone', { file: 'a' }), { source: 'b' }, failure('B')];
	expect(severalFailures(files).message).toBe('2 of 3 files failed: a (Gone), One (B)');
	expect(severalFailures([failure('A'), failure('B')]).details).toMatchObject({
		message: '2 of 2 platforms failed: One (A), One (B)',
		hint: 'Try. A retry of this execution tries all of them again.',
	});
});

test.each([
	[true, true],
	[true, false],
	[false, false],
])('nothing was processed where that is so of all: %s and %s', (one, other) => {
	const both = [failure('A').withNotProcessed(one), {}, failure('B').withNotProcessed(other)];
	expect(severalFailures(both).notProcessed).toBe(one && other);
});

test.each<[string, Array<Failure | IDataObject>, string]>([
	[
		'one for good, the others sent',
		[final('x'), post('tiktok')],
		'Correct it. Create the new post for X only.',
	],
	['all for good', [final('x'), final('tiktok')], 'Correct it.'],
	[
		'two of each',
		[final('x'), final('tiktok'), on('facebook'), on('bluesky')],
		'X: Correct it. TikTok: Correct it. Facebook: Try. Bluesky: Try. Create the new post for X and TikTok only. A retry of this execution sends again to Facebook and Bluesky only.',
	],
	[
		'one for good, one missing',
		[final('x', { code: 'NODE_POST_FAILED' }), on('tiktok')],
		'X: Correct it. TikTok: Try. Create the new post for X only. A retry of this execution sends again to TikTok only.',
	],
	[
		'canceled is for good',
		[final('x', { code: 'NODE_POST_CANCELED' }), on('tiktok'), post('facebook')],
		'X: Correct it. TikTok: Try. Create the new post for X only. A retry of this execution sends again to TikTok only.',
	],
])('what to do: %s', (_what, outcomes, hint) => expect(severalFailures(outcomes).details.hint).toBe(hint));

test.each([
	[[], ''],
	[['One'], 'One'],
	[['One', 'Two?', 'Three…', 'Four.'], 'One. Two? Three… Four.'],
])('sentences %j: %s', (sentences, text) => expect(joined(...sentences)).toBe(text));
