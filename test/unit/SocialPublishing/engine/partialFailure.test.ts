import type { IDataObject } from 'n8n-workflow';

import { Failure, type ErrorDetails } from '../../../../nodes/api/failure';
import type { Row } from '../../../../nodes/SocialPublishing/engine/checkRows';
import {
	ofRun,
	rowsRefused,
	sentIn,
	sentList,
	severalFailures,
} from '../../../../nodes/SocialPublishing/engine/partialFailure';

const zone = 'Europe/Berlin';
const failure = (message: string, more: Partial<ErrorDetails> = {}) =>
	new Failure({ code: 'NODE_A', message, hint: 'Try.', ...more });
const post = (platform: string, more: IDataObject = {}): IDataObject => ({ platform, id: platform, ...more });
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

test('a list of what was sent is the number and the first ten, without what nobody looks for', () => {
	const sent = times(11).map((id) => ({ id, platform: 'x', status: 'scheduled', text: 'long', media: [] }));
	expect(sentList([])).toBeUndefined();
	expect(sentList(sent)).toEqual({
		count: 11,
		first: times(10).map((id) => ({ id, platform: 'x', status: 'scheduled' })),
	});
	expect(
		sentList([
			{ platforms: ['x'], scheduled_at: 'later' },
			{ filename: 'a.png', size: 7 },
		])!.first,
	).toEqual([{ platform: ['x'], scheduled_at: 'later' }, { filename: 'a.png' }]);
	expect(sentIn([[{ id: 1 }, failure('no')], [], [{ id: 2 }]])).toEqual([{ id: 1 }, { id: 2 }]);
});

describe('rows that can not be sent', () => {
	/** `messages`: what is wrong with each row, '' for nothing. */
	const refused = (messages: string[], sent: IDataObject[] = [], hints: string[] = []) => {
		const rows = messages.map((message, index): Row => ({
			index,
			...(message ? { failure: failure(message, { hint: hints[index] ?? 'Try.' }) } : {}),
		}));
		return rowsRefused(rows, sent, zone).details;
	};

	test('one: its row, unless it is the only one', () => {
		expect(refused(['No text'])).toEqual(failure('No text. Nothing was sent.').details);
		expect(refused(['', 'Which one?'])).toMatchObject({
			message: 'Row 2 of 2: Which one? Nothing was sent.',
			hint: 'Try.',
		});
		expect(refused(['', 'No text.'])).not.toHaveProperty('failures');
		expect(refused(['Why? Version 1.2']).message).toBe('Why? Version 1.2. Nothing was sent.');
	});

	test('several of the same kind: how many', () => {
		const details = refused(['No text', '', 'No text']);
		expect(details).toMatchObject({
			message: "2 of 3 rows can't be sent: No text. Nothing was sent.",
			hint: 'Try.',
		});
		expect(details.failures).toHaveLength(2);
	});

	test('several kinds: the first ten rows, with the advice where it is the same for all', () => {
		expect(refused(['No text', '', 'No time!'])).toMatchObject({
			message: "2 of 3 rows can't be sent. Nothing was sent.",
			hint: 'Row 1: No text. Row 3: No time! Try.',
			failures: [{ message: 'No text' }, { message: 'No time!' }],
		});
		expect(refused(['No text', 'No time'], [], ['Write one.', 'Set one.']).hint).toBe(
			'Row 1: No text. Row 2: No time.',
		);
		const ten = refused(times(10).map((index) => `No ${index}`));
		expect(ten.hint).toMatch(/^Row 1: No 0\. .*Row 10: No 9\. Try\.$/);
		const twelve = refused(times(12).map((index) => `No ${index}`));
		expect(twelve.hint).toMatch(/Row 10: No 9\. And 2 more rows\. Try\.$/);
		expect(twelve.failures).toHaveLength(10);
	});

	test.each([
		[['No text'], 'No text. '],
		[['No text', 'No text'], "2 of 2 rows can't be sent: No text. "],
		[['No text', 'No time'], "2 of 2 rows can't be sent. "],
	])('%j: what an earlier try sent is named', (messages, begins) => {
		expect(refused(messages, [post('x'), post('tiktok')])).toMatchObject({
			message: `${begins}Nothing more was sent; an earlier try sent 2 (X; TikTok).`,
			posts: { count: 2, first: [post('x'), post('tiktok')] },
		});
		expect(refused(messages)).not.toHaveProperty('posts');
	});
});

describe('a failure of one item in a run', () => {
	const ended = (sent: IDataObject[], more: object = {}) =>
		ofRun(failure('no.'), { row: 1, count: 3, sent, again: 'missing', zone, ...more }).details;

	test('names its row, what was sent, and how to go on', () => {
		expect(ended([])).toMatchObject({ message: 'Row 2 of 3: no', hint: 'Try.' });
		expect(ended([post('x')])).toMatchObject({
			message: 'Row 2 of 3 failed: no. 1 post was already sent (X)',
			posts: { count: 1, first: [post('x')] },
		});
		expect(ended([post('x'), { platforms: ['x'] }]).message).toContain('2 posts were already sent');
		expect(ended([post('x'), { id: 'wh' }]).message).toContain('2 rows were already sent (X; wh)');
	});

	test.each([
		['none', /^Try\. To continue, retry this execution from the Executions list\. .* not sent again\.$/],
		['all', /not sent again\. 'Execute step' would send it again\.$/],
		['missing', /^Try\. To continue, click 'Execute step' again or retry .* unless you change it\.$/],
	])('how to go on, where Execute step sends %s', (again, hint) =>
		expect(ended([post('x')], { again }).hint).toMatch(hint),
	);

	test('says nothing of rows where there is one', () => {
		expect(ended([], { count: 1, row: 0 })).toEqual(failure('no.').details);
		expect(ended([post('x')], { count: 1, row: 0 })).toMatchObject({ message: 'no.', posts: { count: 1 } });
	});
});

describe('an item of which several failed', () => {
	const on = (platform: string, more: Partial<ErrorDetails> = {}) =>
		failure(`No ${platform}.`, { platform, ...more });
	const final = (platform: string, more: Partial<ErrorDetails> = { status: 422 }) =>
		on(platform, { hint: 'Correct it.', ...more });

	test('says which, which were sent, and what a retry does', () => {
		const first = on('x', { status: 403, request_id: 'req' });
		const { details } = severalFailures([first, post('tiktok'), on('facebook', { retryable: true })]);
		expect(details).toEqual({
			code: 'NODE_A',
			status: 403,
			retryable: true,
			message: '2 of 3 platforms failed: X (No x), Facebook (No facebook). Sent: TikTok',
			hint: 'Try. A retry of this execution sends only what is missing.',
			request_id: 'req',
			failures: [first.details, on('facebook', { retryable: true }).details],
		});
	});

	test('files, and what has no name', () => {
		const files = [failure('Gone', { file: 'a' }), { source: 'b' }, { filename: 'c' }, { id: 'd' }];
		expect(severalFailures([...files, failure('B')]).message).toMatch(/^2 of 5 files failed/);
		expect(severalFailures(files).message).toBe('1 of 4 files failed: a (Gone). Sent: b, c, d');
		expect(severalFailures([failure('A'), failure('B')]).details).toMatchObject({
			message: '2 of 2 platforms failed: One (A), One (B). None was sent',
			hint: 'Try. A retry of this execution tries all of them again.',
		});
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
});
