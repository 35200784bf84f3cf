import { times } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Failure, Outcome } from '../../../../nodes/api/failure';
import { notConfirmed } from '../../../../nodes/api/failureTexts';
import { joined, Report } from '../../../../nodes/SocialPublishing/engine/report';
import { words } from '../../../../nodes/SocialPublishing/resources/post/words';
import type { KeyMode } from '../../../../nodes/SocialPublishing/writes/key';
import type { Sent } from '../../../../nodes/SocialPublishing/writes/journal';
import { failure } from '../../../support/failure';

/** In n8n's engine: `test/integration/…/report.test.ts`. */

const post = (platform: string, more: Partial<Sent> = {}): Sent => ({
	entry: {} as Sent,
	...{ item: 'hash#0', method: 'POST', path: '/posts', names: [], state: 'succeeded', workspaceId: '' },
	...{ key: platform, now: true, isRerun: false, record: { platform, id: platform } },
	...more,
});

interface Given {
	sent?: Sent[];
	/** Left out: one. */
	count?: number;
	reads?: boolean;
	writer?: object;
	warnings?: string[];
	goesOn?: boolean;
	waitedMs?: number;
	limit?: number;
}

/** A run's report, and what it shows at the node. */
function reportOf({ sent = [], count = 1, reads = false, limit = 20, ...given }: Given = {}) {
	const hints: Array<{ message: string; type: string }> = [];
	const n8n = {
		addExecutionHints: (hint: (typeof hints)[0]) => hints.push(hint),
		getInputData: () => times(count),
		continueOnFail: () => given.goesOn ?? false,
		getTimezone: () => 'Europe/Berlin',
	};
	const limitOf = (kind: string) => (kind === 'write' && limit > 0 ? limit : undefined);
	const client = {
		warnings: new Set(given.warnings),
		pace: { limitOf, waitedMs: given.waitedMs ?? 0 },
	};
	// Row 1 has all that was sent.
	const ofRow = (index: number) => ({ sent: index === 0 ? sent : [] });
	const writer = { sent: () => sent, ofRow, ...given.writer };
	const report = new Report(n8n as never, client as never, reads ? undefined : (writer as never), words);
	const shown = () => {
		report.showHints();
		return hints.map(({ message, type }) => (type === 'info' ? message : `${type}: ${message}`));
	};
	return { report, shown };
}

describe('rows that can not be sent', () => {
	/** `messages`: what is wrong with each row, '' for nothing. */
	const refused = (messages: string[], sent: Sent[] = [], hints: string[] = [], more: Given = {}) => {
		const wrong = messages.flatMap((message, index) =>
			message ? [{ index, failure: failure(message, { hint: hints[index] ?? 'Try.' }) }] : [],
		);
		return reportOf({ sent, ...more }).report.rowsRefused(wrong, messages.length).details;
	};

	test('one: its row, unless it is the only one', () => {
		expect(refused(['No text'])).toEqual(failure('No text. Nothing was sent.').details);
		const message = 'Row 2 of 2: Which one? Nothing was sent.';
		expect(refused(['', 'Which one?'])).toEqual(failure(message).details);
		expect(refused(['', 'No text'], [], [], { reads: true })).toEqual(failure('No text').details);
	});

	test('several of the same kind: how many', () => {
		const details = refused(['No text', '', 'No text']);
		expect(details).toMatchObject({
			...{ message: "2 of 3 rows can't be sent (rows 1, 3): No text. Nothing was sent.", hint: 'Try.' },
			failures: [{ message: 'No text' }, { message: 'No text' }],
		});
	});

	test('several kinds: the first ten rows, with the advice where it is the same for all', () => {
		expect(refused(['No text', '', 'No time!'])).toMatchObject({
			message: "2 of 3 rows can't be sent. Nothing was sent.",
			hint: 'Row 1: No text\nRow 3: No time!\nTry.',
		});
		const two = refused(['No text', 'No time'], [], ['Write one. Or two.', 'Set one? Or else.']);
		expect(two.hint).toBe('Row 1: No text. Write one.\nRow 2: No time. Set one?');
		const numbered = (count: number) => refused(times(count).map((index) => `No ${index}`));
		expect(numbered(10).hint).toMatch(/^Row 1: No 0\n.*Row 10: No 9\nTry\.$/s);
		expect(numbered(12).hint).toMatch(/Row 10: No 9\nAnd 2 more rows\nTry\.$/);
		expect(numbered(12).failures).toHaveLength(10);
	});

	test('what an earlier try sent, or may have, is named', () => {
		expect(refused(['No text'], [post('x'), post('tiktok')])).toMatchObject({
			message: 'No text. Nothing more was sent; 2 posts were already sent (X; TikTok).',
			posts: { count: 2, first: [post('x').record, post('tiktok').record] },
		});
		expect(refused(['No text'], [post('x'), post('tiktok', { state: 'inDoubt' })]).message).toBe(
			'No text. Nothing more was sent; 1 post was already sent (X). 1 post may have been sent (TikTok).',
		);
	});
});

test('a row that may be one of a failed run by hand: which, and what to do', () =>
	expect(reportOf().report.rowUnclear([post('x'), post('tiktok')]).details).toMatchObject({
		code: 'NODE_RERUN_UNCLEAR',
		message: 'This row may be one that an earlier run already sent (X; TikTok)',
		hint: 'To continue, retry that execution from the Executions list, or set the row back to what it was. To post it anew, change its text.',
	}));

test('with On Error: Continue it does not advise to retry an execution that n8n would not retry', () =>
	expect(reportOf({ goesOn: true }).report.rowUnclear([post('x')]).details.hint).toBe(
		'To continue, set the row back to what it was. To post it anew, change its text.',
	));

describe('a run that ends with a failure', () => {
	const ended = (sent: Sent[], more: Given & { keyMode?: KeyMode } = {}, outcomes?: Outcome[]) => {
		const { report } = reportOf({ sent, ...more });
		const keyMode = more.keyMode ?? 'execution';
		const row = more.count === 1 ? 0 : 1;
		const perItem = times(more.count ?? 3, (index) => (index === row ? (outcomes ?? [failure('no.')]) : []));
		return report.runFailed(perItem, row, keyMode).details;
	};
	const rejected = [failure('no.').withNotProcessed(true)];

	test('names its row, what was sent, and how to go on', () => {
		expect(ended([], {}, rejected)).toMatchObject({
			...{ message: 'Row 2 of 3 failed: no. Nothing was sent.', hint: 'Try.' },
		});
		expect(ended([post('x')])).toMatchObject({
			message: 'Row 2 of 3 failed: no. 1 post was already sent (X).',
			posts: { count: 1, first: [post('x').record] },
		});
		expect(ended([post('x')], { count: 1 }, rejected)).toMatchObject({
			...{ message: 'no. 1 post was already sent (X).', hint: 'Try.' },
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
			{ record: { platforms: ['x', 'tiktok'], schedule_at: '2126-06-02T08:00:00Z' } },
			'1 post was already sent (X, TikTok, 2 Jun 2126 10:00)',
		],
		[{ record: { platform: 'x', scheduled_at: 'soon' } }, '1 post was already sent (X)'],
	])('%j is: %s', (more, sentence) =>
		expect(ended([post('x', more)]).message).toBe(`Row 2 of 3 failed: no. ${sentence}.`),
	);

	test.each<[IDataObject, string]>([
		[{ linkedin: { status: 'failed' }, x: { status: 'failed', provider_post_id: '7' } }, 'LinkedIn'],
		[{ linkedin: 'failed', x: 'published' }, 'LinkedIn'],
		// Where it failed, it doesn't say.
		[{ x: 'published' }, 'post_1'],
		[{ linkedin: 'failed', x: 'failed' }, 'X, LinkedIn'],
	])('a post that was kept as failed is named by the platforms that a new one is for: %j', (parts, named) => {
		const error = { post: { status: 'failed', platforms: parts } } as never;
		const record = { id: 'post_1', platforms: ['x', 'linkedin'] };
		expect(ended([post('x', { state: 'succeeded', error, record })]).message).toBe(
			`Row 2 of 3 failed: no. 1 post was kept by the service as failed (${named}).`,
		);
	});

	test('many posts of a platform are one entry, from the first to the last', () => {
		const on = (day: number) => ({ platform: 'linkedin', scheduled_at: `2126-06-${day}T08:00:00Z` });
		const sent = [14, 10, 12].map((day) => post('x', { key: String(day), record: on(day) }));
		expect(ended([...sent, post('x')]).message).toContain(
			'4 posts were already sent (LinkedIn, 10 Jun 2126 10:00 to 14 Jun 2126 10:00; X)',
		);
	});

	test('five are named, ten are listed, without what nobody looks for; equal ones are one', () => {
		const record = (id: number) => ({ id, status: 'scheduled', text: 'long', media: [] });
		const sent = times(11).map((id) => post('x', { path: '/a', key: String(id), record: record(id) }));
		expect(ended([...sent, sent[0]!]).message).toContain('11 requests were already sent (0; 1; 2; 3; 4; …).');
		expect(ended(sent.slice(0, 5)).message).toContain('(0; 1; 2; 3; 4).');
		const first = times(10).map((id) => ({ id, status: 'scheduled' }));
		expect(ended(sent).posts).toEqual({ count: 11, first });
	});

	test('a post that was sent is listed with its time, in either form of the API, or as the service writes it', () => {
		const scheduled_at = '2126-06-02T08:00:00Z';
		const records = [{ schedule_at: scheduled_at }, { scheduled_at }, { scheduled_at: 4_935_715_200 }];
		const sent = records.map((record, id) => post('x', { key: String(id), record: { id, ...record } }));
		expect(ended(sent).posts!.first).toEqual([
			{ id: 0, scheduled_at },
			{ id: 1, scheduled_at },
			{ id: 2, scheduled_at: 4_935_715_200 },
		]);
	});

	test('what the failure is about is not what was sent besides', () => {
		const inDoubt = post('x', { state: 'inDoubt' });
		expect(ended([inDoubt], {}, [failure('no', { idempotency_key: 'x' })]).message).toBe(
			'Row 2 of 3 failed: no',
		);
		const both = ['x', 'tiktok'].map((platform) => failure('no', { platform, idempotency_key: platform }));
		const { message, posts } = ended([inDoubt, post('tiktok')], { count: 1 }, both);
		expect(message).toBe('2 of 2 platforms failed: X: no; TikTok: no');
		expect(posts!.count).toBe(2);
	});

	test.each<[Parameters<typeof ended>[1], RegExp]>([
		[
			{ keyMode: 'content' },
			/^Try\. To continue, retry this execution from the Executions list\. What was already sent is not sent again\.$/,
		],
		[{}, /not sent again\. 'Execute step' would send it again\.$/],
		[
			{ writer: { rerun: { isKept: true } } },
			/^Try\. To continue, click 'Execute step' again .* you change it\.$/,
		],
	])('how to go on with %j', (more, hint) => expect(ended([post('x')], more).hint).toMatch(hint));

	test('by hand, a row that the service kept as failed has to be corrected', () => {
		const kept = post('x', { state: 'keptAsFailed', error: {} as never });
		const ofKept = failure('no', { status: 422, idempotency_key: 'x' });
		const { hint } = ended([kept, post('y')], { writer: { rerun: { isKept: true } } }, [ofKept]);
		expect(hint).toMatch(/To continue, correct this row and click 'Execute step' again, or retry /);
	});

	test.each([
		{ status: 401 },
		{ status: 403 },
		{ status: 400, hint: "Try the other 'Post Format' in the credential." },
	])('by hand, where it may be mended in the credential, what was sent is forgotten: %j', (more) => {
		const writer = { rerun: { isKept: true } };
		expect(ended([post('x')], { writer }, [failure('no', more)]).hint).toMatch(
			/To continue, retry this execution .* After a change in the credential, 'Execute step' would send it again\.$/,
		);
	});

	test('with the key refused and something in doubt: under another key it may be sent twice', () => {
		const inDoubt = post('x', { state: 'inDoubt' });
		const ofKey = failure('no', { status: 401, idempotency_key: 'x' });
		const advice =
			/With another API key, the service may not recognize what may have been sent: check there/g;
		const timesIn = (sent: Sent[], more: Given, one: Failure) =>
			ended(sent, more, [one]).hint.match(advice)?.length;
		expect(timesIn([inDoubt], { count: 1 }, ofKey)).toBe(1);
		expect(timesIn([inDoubt, post('y')], {}, ofKey)).toBe(1);
		expect(timesIn([inDoubt], {}, notConfirmed(ofKey, 'retry'))).toBe(1);
		expect(timesIn([post('y')], {}, ofKey)).toBeUndefined();
		expect(timesIn([inDoubt], {}, failure('no', { status: 400 }))).toBeUndefined();
	});

	describe('of a row that the service keeps as failed', () => {
		const about = (...keys: string[]) => keys.map((key) => failure(key, { idempotency_key: key }));
		const [x, z] = about('x', 'z') as [Failure, Failure];
		const kept = (key: string, state: Sent['state'] = 'keptAsFailed') =>
			post(key, { state, error: failure(key).details });
		const ofRows = (sent: Sent[], perItem: Outcome[][], keyMode: KeyMode = 'execution', othersWait = false) =>
			reportOf({ sent }).report.runFailed(perItem, 1, keyMode, othersWait).details;

		test.each<[what: string, hint: RegExp, ...Parameters<typeof ofRows>]>([
			[
				'alone',
				/^Try\. A retry doesn't send this row again\. When .* leave out what was sent\.$/,
				[kept('x'), post('y')],
				[[{}], [x], [{}]],
			],
			[
				'but is out in part',
				/^Try\. A retry doesn't send this row again\. When /,
				[kept('x', 'succeeded'), post('y')],
				[[{}], [x]],
			],
			[
				'with another',
				/^Try\. A retry doesn't send these rows again\. When /,
				[kept('x'), kept('z'), post('y')],
				[[{}], [x], [z]],
			],
			[
				'where nothing was sent',
				/^Try\. A retry doesn't send these rows again\.$/,
				[kept('x'), kept('z')],
				[[z], [x]],
			],
			[
				'under a key of its own',
				/^Try\. A retry doesn't send this row again\.$/,
				[kept('x'), post('y')],
				[[{}], [x]],
				'custom',
			],
			[
				'while others wait',
				/^Try\. To continue, retry this execution /,
				[kept('x'), post('y')],
				[[{}], [x], []],
				'execution',
				true,
			],
			[
				'beside one that is not',
				/^Try\. To continue, retry this execution /,
				[kept('x'), post('y')],
				[[{}], [x], [z]],
			],
		])('%s: what a retry does', (_what, hint, ...given) => expect(ofRows(...given).hint).toMatch(hint));

		test('what failed besides is named and listed, the failure that the error is about first', () => {
			const many = about(...'abcdefghijkl');
			const { message, failures } = ofRows([kept('x'), post('y')], [many, [x], [{}], [z]]);
			expect(message).toBe('Row 2 of 4 failed: x. Rows 1, 4 failed, too. 1 post was already sent (y).');
			expect(failures).toEqual([x, ...many.slice(0, 9)].map(({ details }) => details));
		});
	});
});

test.each<[string, Sent[], number, boolean, Given, string]>([
	['nothing of the row', [post('x')], 1, true, {}, 'no. This row was not sent.'],
	['a part of the row', [post('x')], 0, true, {}, 'no'],
	['perhaps the row', [], 0, false, {}, 'no'],
	['a read', [], 0, true, { reads: true }, 'no'],
])('a failed item where the run goes on: %s was sent', (_what, sent, row, notProcessed, more, message) => {
	const { report } = reportOf({ sent, ...more });
	const { details } = report.worded(failure('no').withNotProcessed(notProcessed), row) as Failure;
	expect([details.message, details.posts?.count]).toEqual([message, sent.length || undefined]);
});

describe('hints at the node', () => {
	test('each once, warnings first, of posts with their rows', () => {
		const writer = { hints: new Map([['Known', 'info']]) };
		const { report, shown } = reportOf({ count: 9, warnings: ['Old'], writer });
		for (const one of ['Accepted', 'Accepted']) report.hint(one);
		for (const row of [2, 0, 2]) report.hint('late', 'warning', row);
		for (const row of times(7)) report.hint('long', 'warning', row);
		for (const row of times(5)) report.hint('wide', 'warning', row);
		report.hint('odd', 'warning', 4);
		expect(shown()).toEqual([
			...['Rows 1, 3: late', 'Rows 1, 2, 3, 4, 5, …: long', 'Rows 1, 2, 3, 4, 5: wide'].map(
				(message) => `warning: ${message}`,
			),
			...['warning: Row 5: odd', 'warning: Old', 'Accepted', 'Known'],
		]);
		const single = reportOf();
		single.report.hint('late', 'warning', 0);
		expect(single.shown()).toEqual(['warning: late']);
	});

	const previewed = 'Previewed rows were not sent. Times are in Europe/Berlin.';
	test('of rows with an error of another node or execution: once, with the rows', () => {
		const [hint, ...others] = reportOf({ count: 3, writer: { sentAnew: new Set([2, 0]) } }).shown();
		expect(hint).toMatch(/^warning: Rows 1, 3: The error in this item isn't about anything /);
		expect(others).toEqual([]);
	});

	test.each<[Outcome[], string[]]>([
		[[failure('no')], []],
		[[{ preview: true }], [previewed]],
		[[{ preview: true, request: { method: 'PATCH' } }], ['Previewed rows were not sent.']],
		[
			[{ preview: true, warnings: ['late'] }, failure('no')],
			['warning: Row 2: late', previewed],
		],
	])('%# of previews', (outcomes, messages) => {
		const { report, shown } = reportOf({ count: 2 });
		report.previewed(outcomes, 1);
		expect(shown()).toEqual(messages);
	});

	test('of thousands of warnings the first 50, and how many there are besides', () => {
		const { report, shown } = reportOf();
		report.hint('Done');
		for (const row of times(60)) report.hint(`Too long: ${row}`, 'warning', row);
		const all = shown();
		expect(all.slice(-3)).toEqual([
			'warning: Too long: 49',
			'warning: 10 more warnings are not shown',
			'Done',
		]);
		expect(all).toHaveLength(52);
	});

	const label = 'X, 2 Jun 2126 10:00';
	const due: IDataObject = { platform: 'x', scheduled_at: '2126-06-02T08:00:00Z' };
	test.each<[number, boolean, string]>([
		[
			...([1, false] as const),
			`1 post was not sent again because an earlier run had already sent it (${label}).`,
		],
		[
			...([2, true] as const),
			`2 posts were not sent again because an earlier run had already sent them (${label}). The next run sends everything again.`,
		],
	])('%d posts that a failed run by hand had sent', (count, isDone, message) => {
		const writer = { rerun: { isDone } } as never;
		const carried = { isCarriedOver: true, now: false, record: due };
		const sent = times(count).map((key) => post('x', { ...carried, key: String(key) }));
		const pending = post('y', { ...carried, isRerun: true });
		// What was in doubt went out once more: nobody knows that it had been sent.
		const resent = post('z', { ...carried, key: 'resent', now: true });
		const all = [...sent, pending];
		expect(reportOf({ sent: all, writer }).shown()).toEqual([message]);
		expect(
			reportOf({ sent: [resent], writer })
				.shown()
				.join(),
		).not.toContain('not sent again');
		const waited = 'Waited 52 s for the limit of 20 a minute.';
		expect(reportOf({ sent: all, writer, waitedMs: 52_400 }).shown()).toEqual([message, waited]);
	});

	const before = (key: string, more: Partial<Sent> = {}) => post('y', { key, now: false, ...more });
	test.each<[Sent[], number, Given, string[]]>([
		[[post('x')], 9_999, {}, []],
		[[post('x')], 52_400, {}, ['1 sent; waited 52 s for the limit of 20 a minute.']],
		[[], 52_400, { reads: true }, ['Waited 52 s for the rate limit.']],
		[[post('x'), before('a'), before('b')], 0, {}, ['1 sent, 2 had been sent before.']],
		[[before('a'), before('b', { state: 'inDoubt' })], 0, {}, ['1 had been sent before.']],
		[[before('a', { isRerun: true })], 0, {}, []],
		[[post('x'), post('y', { state: 'inDoubt' })], 0, {}, ['1 sent, 1 not confirmed.']],
	])('%# what came of a run that was not plain', (sent, waitedMs, more, messages) =>
		expect(reportOf({ sent, waitedMs, ...more }).shown()).toEqual(messages),
	);
});

test.each([
	[[], ''],
	[['One'], 'One'],
	[['One', 'Two?', 'Three…', 'Four.'], 'One. Two? Three… Four.'],
])('sentences %j: %s', (sentences, text) => expect(joined(...sentences)).toBe(text));
