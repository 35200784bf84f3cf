import times from 'lodash/times';
import type { IDataObject } from 'n8n-workflow';

import { Failure, type ErrorDetails, type Outcome } from '../../../../nodes/api/failure';
import { Report } from '../../../../nodes/SocialPublishing/engine/report';
import type { Sent } from '../../../../nodes/SocialPublishing/writes/write';

/** In n8n's engine: `test/integration/…/report.test.ts`. */

const failure = (message: string, more: Partial<ErrorDetails> = {}) =>
	new Failure({ code: 'NODE_A', message, hint: 'Try.', ...more });
const post = (platform: string, more: Partial<Sent> = {}): Sent => ({
	...{ item: 0, path: '/posts', names: [], state: 'succeeded', key: platform, workspaceId: '' },
	...{ now: true, isRerun: false, record: { platform, id: platform } },
	...more,
});

interface Given {
	sent?: Sent[];
	/** Left out: one. */
	count?: number;
	reads?: boolean;
	isTool?: boolean;
	keyMode?: string;
	writer?: object;
	warnings?: string[];
	waitedMs?: number;
}

/** A run's report, and what it shows at the node. */
function reportOf({ sent = [], count = 1, reads = false, isTool = false, ...given }: Given = {}) {
	const hints: Array<{ message: string; type: string }> = [];
	const n8n = {
		addExecutionHints: (hint: (typeof hints)[0]) => hints.push(hint),
		getInputData: () => times(count),
		getNodeParameter: (_name: string, _row: number, missing: unknown) => given.keyMode ?? missing,
		getTimezone: () => 'Europe/Berlin',
	};
	const client = {
		warnings: new Set(given.warnings),
		pace: { limitOf: () => 20, waitedMs: given.waitedMs ?? 0 },
	};
	const writer = { sent: () => sent, reused: [], replayedCount: 0, lastEnding: 'failed', ...given.writer };
	const report = new Report(n8n as never, client as never, reads ? undefined : (writer as never), isTool);
	const shown = (failed = false) => {
		report.showHints(failed);
		return hints.map(({ message, type }) => (type === 'info' ? message : `${type}: ${message}`));
	};
	return { report, shown };
}

describe('rows that can not be sent', () => {
	/** `messages`: what is wrong with each row, '' for nothing. */
	const refused = (messages: string[], sent: Sent[] = [], hints: string[] = [], more: Given = {}) => {
		const rows = messages.map((message, index) => ({
			index,
			...(message ? { failure: failure(message, { hint: hints[index] ?? 'Try.' }) } : {}),
		}));
		return reportOf({ sent, ...more }).report.rowsRefused(rows).details;
	};

	test('one: its row, unless it is the only one', () => {
		expect(refused(['No text'])).toEqual(failure('No text. Nothing was sent.').details);
		expect(refused(['', 'Which one?'])).toMatchObject({
			message: 'Row 2 of 2: Which one? Nothing was sent.',
			hint: 'Try.',
		});
		expect(refused(['', 'No text.'])).not.toHaveProperty('failures');
		expect(refused(['', 'No text'], [], [], { reads: true })).toEqual(failure('No text').details);
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
		const two = refused(['No text', 'No time'], [], ['Write one.', 'Set one.']);
		expect(two.hint).toBe('Row 1: No text. Row 2: No time.');
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
	])('%j: what an earlier try sent, or may have, is named', (messages, begins) => {
		expect(refused(messages, [post('x'), post('tiktok')])).toMatchObject({
			message: `${begins}Nothing more was sent; 2 posts were already sent (X; TikTok).`,
			posts: { count: 2, first: [post('x').record, post('tiktok').record] },
		});
		expect(refused(messages, [post('x'), post('tiktok', { state: 'inDoubt' })]).message).toBe(
			`${begins}Nothing more was sent; 1 post was already sent (X). 1 post may have been sent (TikTok).`,
		);
		expect(refused(messages)).not.toHaveProperty('posts');
	});
});

describe('a run that ends with a failure', () => {
	const ended = (sent: Sent[], more: Given = {}, outcomes: Outcome[] = [failure('no.')]) =>
		reportOf({ sent, ...more }).report.runFailed(outcomes, 1, more.count ?? 3).details;
	const rejected = [failure('no.').withNotProcessed(true)];

	test('names its row, what was sent, and how to go on', () => {
		expect(ended([], {}, rejected)).toMatchObject({
			message: 'Row 2 of 3 failed: no. Nothing was sent.',
			hint: 'Try.',
		});
		expect(ended([post('x')])).toMatchObject({
			message: 'Row 2 of 3 failed: no. 1 post was already sent (X).',
			posts: { count: 1, first: [post('x').record] },
		});
		expect(ended([post('x')], { count: 1 }, rejected)).toMatchObject({
			message: 'no. 1 post was already sent (X).',
			hint: 'Try.',
		});
		expect(ended([post('x')], { reads: true })).toEqual(failure('no.').details);
	});

	test.each<[Partial<Sent>, string]>([
		[{}, '1 post was already sent (X)'],
		[{ state: 'inDoubt' }, '1 post may have been sent (X)'],
		[{ state: 'keptAsFailed' }, '1 post was kept by the service as failed (X)'],
		[{ path: '/media', record: { filename: 'a.png', id: 'f' } }, '1 file was already sent (a.png)'],
		[{ path: '/webhooks', record: { id: 'wh_1' } }, '1 request was already sent (wh_1)'],
		[{ path: '/webhooks', record: {} }, '1 request was already sent (done)'],
		[
			{ record: { platforms: ['x', 'tiktok'], schedule_at: '2026-06-02T08:00:00Z' } },
			'1 post was already sent (X, TikTok, scheduled for 2026-06-02 10:00)',
		],
		[{ record: { platform: 'x', scheduled_at: 'soon' } }, '1 post was already sent (X)'],
	])('%j is: %s', (more, sentence) =>
		expect(ended([post('x', more)]).message).toBe(`Row 2 of 3 failed: no. ${sentence}.`),
	);

	test('five are named, ten are listed, without what nobody looks for', () => {
		const record = (id: number) => ({ id, status: 'scheduled', text: 'long', media: [] });
		const sent = times(11).map((id) => post('x', { path: '/a', key: String(id), record: record(id) }));
		expect(ended(sent).message).toContain('11 requests were already sent (0; 1; 2; 3; 4; …).');
		expect(ended(sent.slice(0, 5)).message).toContain('(0; 1; 2; 3; 4).');
		const first = times(10).map((id) => ({ id, status: 'scheduled' }));
		expect(ended(sent).posts).toEqual({ count: 11, first });
	});

	test('what the failure is about is not what was sent besides', () => {
		const inDoubt = post('x', { state: 'inDoubt' });
		expect(ended([inDoubt], {}, [failure('no', { idempotency_key: 'x' })]).message).toBe(
			'Row 2 of 3 failed: no',
		);
		const both = ['x', 'tiktok'].map((platform) => failure('no', { platform, idempotency_key: platform }));
		const { message, posts } = ended([inDoubt, post('tiktok')], { count: 1 }, both);
		expect(message).toBe('2 of 2 platforms failed: X (no), TikTok (no)');
		expect(posts!.count).toBe(2);
	});

	test.each<[Given, RegExp]>([
		[
			{ keyMode: 'content' },
			/^Try\. To continue, retry this execution from the Executions list\. .* again\.$/,
		],
		[{ isTool: true }, /What was already sent is not sent again\.$/],
		[{}, /not sent again\. 'Execute step' would send it again\.$/],
		[
			{ writer: { isRemembered: true } },
			/^Try\. To continue, click 'Execute step' again .* you change it\.$/,
		],
	])('how to go on with %j', (more, hint) => expect(ended([post('x')], more).hint).toMatch(hint));
});

test.each<[string, Sent[], boolean, Given, string]>([
	['nothing of the row', [post('x', { item: 1 })], true, {}, 'no. This row was not sent.'],
	['a part of the row', [post('x')], true, {}, 'no'],
	['perhaps the row', [], false, {}, 'no'],
	['a read', [], true, { reads: true }, 'no'],
])('a failed item where the run goes on: %s was sent', (_what, sent, notProcessed, more, message) => {
	const { report } = reportOf({ sent, ...more });
	const { details } = report.failedItems()(failure('no').withNotProcessed(notProcessed), 0);
	expect([details.message, details.posts?.count]).toEqual([message, sent.length || undefined]);
});

describe('hints at the node', () => {
	test('each once, of posts with their rows', () => {
		const { report, shown } = reportOf({ count: 9, warnings: ['Old'] });
		for (const one of ['Unmatched', 'Unmatched']) report.warn(one);
		for (const one of ['Accepted', 'Accepted']) report.inform(one);
		for (const row of [2, 0, 2]) report.warnOfPost('late', row);
		for (const row of times(7)) report.warnOfPost('long', row);
		report.warnOfPost('odd', 4);
		expect(shown()).toEqual([
			...['Old', 'Unmatched', 'Rows 3, 1: late', 'Rows 1, 2, 3, 4, 5, …: long', 'Row 5: odd'].map(
				(message) => `warning: ${message}`,
			),
			'Accepted',
		]);
		const single = reportOf();
		single.report.warnOfPost('late', 0);
		expect(single.shown()).toEqual(['warning: late']);
	});

	const previewOf = (...warnings: string[]) => ({ preview: true, warnings });
	test.each<[Outcome[][], string[]]>([
		[[[{}, { preview: 'no' }], [failure('no')]], []],
		[[[previewOf()]], ['Preview: nothing was sent. Times are in Europe/Berlin.']],
		[[[{ preview: true }]], ['Preview: nothing was sent. Times are in Europe/Berlin.']],
		[
			[[previewOf('late')], [failure('no')], [previewOf()]],
			['warning: Row 1: late', 'Preview: nothing was sent. Times are in Europe/Berlin.'],
		],
	])('%# of previews', (perItem, messages) => {
		const { report, shown } = reportOf({ count: perItem.length });
		report.warnOfPreviews(perItem);
		expect(shown()).toEqual(messages);
	});

	const label = 'X, scheduled for 2026-06-02 10:00';
	const due: IDataObject = { platform: 'x', scheduled_at: '2026-06-02T08:00:00Z' };
	test.each<[number, boolean, string]>([
		[1, true, `1 post was not sent again because the previous, failed run had already sent it (${label}).`],
		[
			2,
			false,
			`2 posts were not sent again because the previous, failed run had already sent them (${label}; ${label}). The next run sends everything again.`,
		],
	])('%d posts that a failed run by hand had sent', (count, failed, message) => {
		const reused = times(count).map(() => post('x', { record: due }));
		expect(reportOf({ writer: { reused } }).shown(failed)).toEqual([message]);
	});

	test.each<[Sent[], number, number, string[]]>([
		[[post('x')], 0, 9_999, []],
		[[post('x')], 0, 52_400, ['1 sent; waited 52 s for the limit of 20 a minute.']],
		[[post('x'), post('y', { now: false })], 3, 0, ['1 sent, 3 had been sent before.']],
		[[], 3, 0, ['3 had been sent before.']],
		[[post('x'), post('y', { state: 'inDoubt' })], 0, 0, ['1 sent, 1 not confirmed.']],
	])('%# what came of a run that was not plain', (sent, replayedCount, waitedMs, messages) =>
		expect(reportOf({ sent, waitedMs, writer: { replayedCount } }).shown()).toEqual(messages),
	);
});
