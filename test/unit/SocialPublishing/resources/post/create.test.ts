import { pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { Failure, toFailure } from '../../../../../nodes/api/failure';
import type { Item } from '../../../../../nodes/SocialPublishing/engine/item';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { rejectionOf } from '../../../../support/failure';
import { fakeItem, NOW, paramsOf, type Given, waiting } from '../operations';
import { before, bodies, check, plan, quick, send, sentTo, textFor, useNow } from './posting';

useNow();

describe('requests of a post', () => {
	const sent = async (given: IDataObject, more: Given = {}) =>
		(await send(given, more)).written.map((write) => pick(write, ['name', 'names', 'body']));

	test('one a platform in the form of the integration guide', async () => {
		expect(await sent({ platforms: ['twitter', 'linkedin'] })).toEqual([
			{ name: 'x', names: ['x', 'account:x:acc_1'], body: { platform: 'x', content: { text: 'Hi' } } },
			{
				name: 'linkedin',
				names: ['linkedin', 'account:linkedin:acc_2'],
				body: { platform: 'linkedin', content: { text: 'Hi' } },
			},
		]);
	});

	test('one for all in the quick start form, but those with a text or fields of their own, or an account', async () => {
		const platforms = ['x', 'linkedin', 'facebook', 'tiktok:acc_tiktok'];
		const fields = { platformFields: { fields: [{ platform: 'facebook', fields: '{"note": 1}' }] } };
		const { options } = textFor('linkedin');
		expect(await sent({ platforms: ['x', 'facebook'] }, quick)).toEqual([
			{
				name: '',
				names: ['x', 'facebook', 'account:x:acc_1', 'account:facebook:acc_facebook'],
				body: { platforms: ['x', 'facebook'], content: 'Hi' },
			},
		]);
		expect(await bodies({ platforms, options: { ...options, ...fields } }, quick)).toEqual([
			{ platforms: ['x'], content: 'Hi' },
			{ platforms: ['linkedin'], content: 'Dear all' },
			{ platforms: ['facebook'], content: 'Hi', note: 1 },
			{ platforms: ['tiktok'], content: 'Hi', account_id: 'acc_tiktok' },
		]);
	});

	test.each(['content', 'custom'])('one a platform in either form, in mode %s', async (mode) => {
		const options = { idempotencyKeyMode: mode, idempotencyKey: 'own' };
		expect(await bodies({ platforms: ['x', 'linkedin'], options }, quick)).toHaveLength(2);
	});

	test('the same platforms in another order are the same content; files count as what they hold', async () => {
		const given = { mediaFrom: 'url', mediaUrls: 'https://a.example/1', text: '' };
		const { written, uploaded } = await send({ ...given, platforms: ['x', 'facebook'] }, quick);
		const media = ['https://s/https://a.example/1?sig'];
		// This shape has a text, if an empty one.
		expect(written[0]!.body).toEqual({ platforms: ['x', 'facebook'], content: '', media });
		const same = (platform: string) => ({
			...{ platforms: [platform], content: '' },
			media: ['id of https://a.example/1'],
		});
		expect([written[0]!.says, uploaded]).toEqual([[same('x'), same('facebook')], ['https://a.example/1']]);
	});

	test("in the quick start form, fields of the user's own inside 'content' would replace the text: they are refused, unless they have it", async () => {
		const sentWith = async (content: object, given: IDataObject = {}, more = quick) =>
			(await bodies({ ...given, platforms: ['x'], options: { additionalFields: { content } } }, more))[0];
		await expect(sentWith({ title: 'My first' })).rejects.toMatchObject({
			details: {
				code: 'NODE_CONTENT_IS_TEXT',
				message:
					"In the format 'Quick Start', 'content' is the text of the post, and additional fields inside 'content' would replace it",
				hint: "Name a field beside 'content'. If your service accepts fields inside it, set 'Post Format' in the credential to 'Integration Guide'.",
			},
		});
		const whole = { text: 'Ho', title: 'My first' };
		expect(await sentWith(whole)).toMatchObject({ content: whole });
		const file = { text: '', mediaFrom: 'url', mediaUrls: 'https://a.example/1' };
		expect(await sentWith({ title: 'My first' }, file)).toMatchObject({ content: { title: 'My first' } });
		expect(await sentWith({ title: 'My first' }, {}, {} as never)).toMatchObject({
			content: { text: 'Hi', title: 'My first' },
		});
		const more = { additionalFields: { content: 'Ho' } };
		expect(await bodies({ platforms: ['x'], options: more }, quick)).toMatchObject([{ content: 'Ho' }]);
	});

	test("the user's fields win: additional ones, then those of the platform", async () => {
		const options = {
			additionalFields: '{"content": {"text": "Mine", "media": ["m"]}, "note": 1}',
			platformFields: { fields: [{ platform: 'twitter', fields: { note: 2 } }] },
		};
		expect(await bodies({ platforms: ['x', 'linkedin'], options })).toEqual([
			{ platform: 'x', content: { text: 'Mine', media: ['m'] }, note: 2 },
			{ platform: 'linkedin', content: { text: 'Mine', media: ['m'] }, note: 1 },
		]);
	});

	test.each([
		[['x', 'linkedin'], []],
		[['x'], ['a', 'b']],
	])('files are uploaded unless all that they belong to was sent before: %j', async (platforms, files) => {
		const given = { platforms: ['x', 'linkedin'], mediaFrom: 'binary', binaryFields: 'a, b' };
		const { uploaded, written, resumed } = await send(given, before(...platforms.map((one) => sentTo(one))));
		const counts = [2 - platforms.length, platforms.length];
		expect([uploaded, written.length, resumed.length]).toEqual([files, ...counts]);
	});
});

describe('slots that are chosen when a row is sent', () => {
	const given = {
		when: 'nextSlot',
		slotTimes: '09:00, 18:00',
		mediaFrom: 'url',
		mediaUrls: 'https://a.example/1',
	};

	test('go to the rows in their order, however long the files of each take; one whose file fails takes none', async () => {
		const durations = [300, 100, undefined, 200];
		const { uploads } = fakeItem().context;
		const attached = async () => {
			const ms = durations.shift();
			await new Promise((resolve) => setTimeout(resolve, ms));
			if (ms === undefined) throw new Error('gone');
			return [];
		};
		const slow = { ...uploads, attached } as unknown as Item['uploads'];
		const rows = durations.map((_ms, index) => ({ ...given, text: `Part ${index + 1}` }));
		const { plans } = await check(rows, { item: { keyMode: 'custom', uploads: slow } });
		const sent = Promise.all(plans.map(async (one) => await create.send!(one as never).catch(toFailure)));
		await jest.advanceTimersByTimeAsync(300);
		const times = (await sent).flat().map((one) => (one instanceof Failure ? one.message : one.scheduled_at));
		// Each file on its way at the same time.
		expect([Date.now() - NOW, ...times]).toEqual([
			...[300, '2026-06-01T16:00:00Z', '2026-06-02T07:00:00Z', 'gone', '2026-06-02T16:00:00Z'],
		]);
	});

	test('are still to come then', async () => {
		const { plans } = await check([given], { item: { keyMode: 'content' } });
		jest.setSystemTime(Date.parse('2026-06-01T16:00:00Z'));
		expect(await create.send!(plans[0]! as never)).toMatchObject([{ scheduled_at: '2026-06-02T07:00:00Z' }]);
	});
});

describe('the item of a post', () => {
	const first = async (given: IDataObject, more: Given = {}) =>
		(await send(given, more)).outcomes[0] as IDataObject;

	test('what people look for comes first', async () => {
		const answer = { note: 1, id: 'p', status: 'scheduled', scheduled_at: '2026-06-02T08:00:00Z' };
		const outcome = await first({}, { answers: { 'write /posts': { ...answer } } });
		const time = { scheduled_at_local: '2026-06-02T10:00:00+02:00', time_zone: 'Europe/Berlin' };
		expect(outcome).toEqual({ ...answer, ...time, platform: 'x', account: 'Plum', text: 'Hi' });
		const order = ['platform', 'account', 'status', 'scheduled_at_local', 'text', 'id'];
		expect(Object.keys(outcome).slice(0, 6)).toEqual(order);
		const bare = await first({ platforms: ['x', 'facebook'] }, { ...quick, answers: { 'write /posts': {} } });
		expect(bare).toEqual({ platform: 'x, facebook', account: 'Plum, acc_facebook', text: 'Hi' });
		const plums = ['x', 'linkedin'].map((platform) => ({ id: platform, platform, name: 'Plum' }));
		const answers = { 'write /posts': {}, '/accounts': plums };
		expect((await first({ platforms: ['x', 'linkedin'] }, { ...quick, answers })).account).toBe('Plum');
	});

	test.each([{}, quick])('has the time of the request, where the answer has none: %j', async (more) => {
		expect(await first({ when: 'at', scheduledAt: '2026-06-02T10:00' }, more)).toMatchObject({
			scheduled_at: '2026-06-02T08:00:00Z',
			scheduled_at_local: '2026-06-02T10:00:00+02:00',
		});
	});

	test('has the local time of the request beside a time of the answer that is a number, which stays as it is', async () => {
		const answers = { 'write /posts': { scheduled_at: 1_780_387_200 } };
		const local = { scheduled_at_local: '2026-06-02T10:00:00+02:00' };
		const at = await first({ when: 'at', scheduledAt: '2026-06-02T10:00' }, { answers });
		expect(at).toMatchObject({ ...answers['write /posts'], ...local });
		expect(await first({}, { answers })).toMatchObject(answers['write /posts']);
	});

	test.each(['scheduled_at', 'schedule_at'])('has text and time of the answer, in %s', async (name) => {
		const answer = { content: { text: 'Hi, short.link' }, [name]: '2026-06-02T09:00:00Z' };
		const given = { when: 'at', scheduledAt: '2026-06-02T10:00' };
		expect(await first(given, { answers: { 'write /posts': answer } })).toMatchObject({
			...{ text: 'Hi, short.link', scheduled_at: '2026-06-02T09:00:00Z' },
			scheduled_at_local: '2026-06-02T11:00:00+02:00',
		});
	});

	test.each<[IDataObject | undefined, string]>([
		[{ platform: 'linkedin', content: { text: 'Earlier' } }, 'linkedin, Plum, p: Earlier'],
		[{ platforms: ['tiktok', 'x'], content: 'Earlier' }, 'tiktok, x, Plum, p: Earlier'],
		[undefined, 'x, Plum, p: undefined'],
	])('says what an earlier try sent: %j', async (body, said) => {
		const write = async () => ({ body, response: { id: 'p' } });
		const { platform, account, id, text } = await first({}, { item: { write } });
		expect(`${String(platform)}, ${String(account)}, ${String(id)}: ${String(text)}`).toBe(said);
	});

	test.each<[IDataObject, string]>([
		[{ id: 1, platform: 'twitter', text: null }, 'x: Hi'],
		[{ id: 1, platform: null }, 'x: Hi'],
		[{ id: 1, text: 'Other' }, 'x: Other'],
	])('an answer of %j has these columns: %s', async (answer, columns) => {
		const { platform, text } = await first({}, { answers: { 'write /posts': answer } });
		expect(`${String(platform)}: ${String(text)}`).toBe(columns);
	});

	test('a failure names the platforms, and an account that the user named', async () => {
		const answers = { 'write /posts': new Failure({ code: 'A', message: 'no', hint: 'try' }) };
		const { details } = await first({ platforms: ['x', 'facebook'] }, { ...quick, answers });
		expect(details).toMatchObject({ message: 'no', platform: 'x, facebook' });
		expect(details).not.toHaveProperty('account');
		const named = await first({ platforms: ['x:acc_1'] }, { answers });
		expect(named.details).toMatchObject({ platform: 'x', account: 'Plum' });
	});
});

describe('Wait for Publication', () => {
	const post = { id: 'p', platform: 'x', idempotency_key: 'k' };
	const failure = new Failure({ code: 'A', message: 'no', hint: 'try' });
	const wait = { waitForPublication: true };
	const after = async (
		outcomes: unknown[],
		waitFor: () => Promise<IDataObject>,
		options: IDataObject = wait,
	) =>
		await create.after!(
			fakeItem({ item: waiting(waitFor) }).context,
			outcomes as never,
			paramsOf(create, { platforms: ['x'], text: 'Hi', options }),
		);

	test.each<[string, IDataObject, IDataObject | Failure, boolean]>([
		['has no status', {}, {}, true],
		['has a status that says so', {}, { status: 'queued' }, true],
		...['rejected', 'cancelled', 'published', 'partially_failed'].map(
			(status): [string, IDataObject, IDataObject, boolean] => [`is ${status}`, {}, { status }, false],
		),
		['failed on a platform', {}, { platforms: { x: 'failed' } }, false],
		['is published', {}, { status: 'completed' }, false],
		['failed', {}, failure, false],
		['is held for approval', {}, { status: 'scheduled', approval_status: 'pending' }, false],
		['is due later', {}, { status: 'scheduled', scheduled_at: '2026-06-02T10:00:00Z' }, false],
		['was due by now', {}, { status: 'scheduled', scheduled_at: '2026-06-01T12:00:00Z' }, true],
		['has a warning', { text: 'a'.repeat(281) }, {}, false],
		['is waited for', { options: wait }, {}, false],
		['is scheduled', { when: 'at', scheduledAt: '2026-06-02T10:00' }, {}, false],
	])(
		'"It may take a moment until it is published", no promise, of a post that %s',
		async (_what, given, answer, isSaid) => {
			const hint = jest.fn();
			const waitFor = async () => ({});
			await send(given, { item: { hint, ...waiting(waitFor) }, answers: { 'write /posts': answer } });
			const said = hint.mock.calls.filter(([text]) =>
				/It may take a moment until it is published/.test(String(text)),
			);
			const accepted = [expect.stringMatching(/^Accepted by the service.*'Wait for Publication'\.$/), 'info'];
			expect(said).toEqual(isSaid ? [accepted] : []);
		},
	);

	test('is published, and what the service leaves empty of it is what was sent', async () => {
		const post = { platform: 'x', id: 'p', text: 'Hi', scheduled_at: '2026-06-01T12:00:00Z' };
		const read = { id: 'p', status: 'completed', text: null, scheduled_at: null };
		expect(await after([post], async () => read)).toEqual([
			expect.objectContaining({ ...post, status: 'completed' }),
		]);
	});

	test('a platform that failed in the answer to the creation is named, also where nobody waits', async () => {
		const platforms = { linkedin: 'completed', x: { status: 'failed', error: 'Too long' } };
		for (const [options, isSaid] of [[{}, true] as const, [wait, false] as const]) {
			const hint = jest.fn();
			const answers = { 'write /posts': { status: 'completed', platforms } };
			await send({ options }, { item: { hint, ...waiting(async () => ({})) }, answers });
			const said = hint.mock.calls.flat().filter((text) => /publishing it failed/.test(String(text)));
			expect(said).toEqual(isSaid ? ['The post was accepted, but publishing it failed on X: Too long'] : []);
		}
	});

	test('one that may have failed is named, too, where nobody waits, and is not said to be on its way', async () => {
		const hint = jest.fn();
		const platforms = [{ platform: 'x', status: 'held', error: 'no scope' }];
		const answers = { 'write /posts': { status: 'publishing', platforms } };
		await send({}, { item: { hint, ...waiting(async () => ({})) }, answers });
		expect(hint.mock.calls).toEqual([['Publishing may have failed on X: no scope']]);
	});

	const at = (scheduledAt: string) => ({ when: 'at', scheduledAt });
	const tooShort =
		/^'Wait for Publication' waits 300 s, but the post is due at 2026-06-01 14:0\d \(Europe\/Berlin\)$/;
	test.each<[string, IDataObject, RegExp | undefined]>([
		['as it ends', { ...at('2026-06-01T14:05'), options: wait }, undefined],
		['after it', { ...at('2026-06-01T14:05:01'), options: wait }, tooShort],
		['after a longer one', { ...at('2026-06-01T14:11'), options: { ...wait, waitTimeout: 600 } }, /600 s/],
		['after no wait', { ...at('2026-06-01T15:00'), options: {} }, undefined],
		['after one of none', { ...at('2026-06-01T14:01'), options: { ...wait, waitTimeout: 0 } }, /waits 0 s/],
		[
			'after it, by fields of the user',
			{ options: { ...wait, additionalFields: { scheduled_at: '2026-06-01 14:06' } } },
			tooShort,
		],
		['after it, in a slot', { when: 'nextSlot', slotTimes: '14:06', options: wait }, tooShort],
		['within it, in a slot', { when: 'nextSlot', slotTimes: '14:04', options: wait }, undefined],
		['long ago', { ...at('2026-06-01T13:00'), options: { ...wait, ifPast: 'publish' } }, undefined],
	])('a post that is due %s is refused before it is sent, or waited for', async (_when, given, message) => {
		const waitFor = async () => ({ status: 'completed' });
		const sent = send(given, { item: waiting(waitFor) });
		if (message) {
			await expect(sent).rejects.toThrow(message);
			await expect(sent).rejects.toMatchObject({
				details: {
					code: 'NODE_WAIT_TOO_SHORT',
					hint: "Set 'When' to 'Publish Now', raise 'Wait Timeout (Seconds)', or remove 'Wait for Publication' and start a second workflow from the Social Publishing Trigger.",
				},
			});
		} else expect((await sent).written).toHaveLength(1);
	});

	test('one that an earlier try sent is waited for, whenever it is due; a preview warns', async () => {
		const given = { ...at('2026-06-01T15:00'), options: wait };
		await plan(given, before(sentTo('x')));
		const options = { ...wait, previewOnly: true };
		for (const when of [given, { when: 'nextSlot', slotTimes: '15:00' }]) {
			const [request] = (await plan({ ...when, options })).requests;
			expect(request!.warnings).toEqual([
				expect.stringMatching(/^Would be refused: 'Wait for Publication' waits 300 s/),
			]);
		}
	});

	test('each post, as long as was asked for', async () => {
		const link = 'https://x.com/1';
		const waitFor = jest.fn(async () => ({ status: 'completed', permalink: link }));
		const posts = [post, { ...post, id: 7 }];
		const waited = await after([...posts, failure], waitFor, { ...wait, waitTimeout: 7 });
		expect(waited).toEqual([
			...posts.map((one) => expect.objectContaining({ ...one, status: 'completed', link })),
			failure,
		]);
		await after([post], waitFor);
		const asked = { waitFor: 'completed', timeoutMs: 7000 };
		expect(waitFor.mock.calls).toEqual([
			...posts.map((known) => [String(known.id), { ...asked, known }]),
			['p', { ...asked, timeoutMs: 300_000, known: post }],
		]);
	});

	const gone = new Error('gone');
	const accepted = 'The service accepted the post, but waiting for its publication failed: gone';
	const notTwice = expect.stringMatching(/: the post is not sent twice\.$/) as unknown;
	const unnamed = { ...post, id: ['p'] };
	test.each<[string, IDataObject, Error, object]>([
		['without an ID', unnamed, gone, { code: 'NODE_POST_ID_MISSING', post: unnamed }],
		['that could not be read', post, gone, { message: accepted, hint: notTwice, post }],
		// A post that was read says itself what became of it.
		['that failed', post, failure.with({ post: { status: 'failed' } }), { message: 'no', hint: 'try' }],
	])('a failure of a post %s names platform and key', async (_what, outcome, thrown, details) => {
		const waitFor = async () => await Promise.reject(thrown);
		const [failed] = await after([outcome], waitFor);
		const named = { platform: 'x', idempotency_key: 'k', ...details };
		expect((failed as Failure).details).toMatchObject(named);
	});
});

describe('files behind addresses are judged by what arrived', () => {
	const large = { name: 'a', contentType: 'image/webp', sizeBytes: 9 * 1024 ** 2 };
	const sent = async (facts?: object, options = {}, url = 'https://a.example/a') => {
		const hints: string[] = [];
		const file = { identity: 'i', readUrl: 'https://cdn.example/1', record: {}, facts };
		const uploads = { ...fakeItem().context.uploads, attached: async () => [file] } as never;
		const item = { uploads, hint: (text: string) => void hints.push(text) };
		const media = { mediaFrom: 'url', mediaUrls: url };
		const given = { platforms: ['instagram', 'x'], ...media, options };
		return { hints, ...(await send(given, { item })) };
	};
	const said = [
		"Instagram takes jpeg images: 'a' is image/webp",
		"Instagram takes images of up to 8 MB: 'a' has 9 MB",
		"X takes images of up to 5 MB: 'a' has 9 MB",
	];

	test('what a network is known to refuse is a hint, or stops the row before anything is posted', async () => {
		const { hints, written } = await sent(large);
		expect([hints, written.length]).toEqual([expect.arrayContaining(said), 2]);
		const stopped = await sent(large, { onWarnings: 'stop' });
		expect(stopped.outcomes).toMatchObject([{ processed: 'no', details: { code: 'NODE_WARNINGS' } }]);
		// Of all platforms, not of the first alone.
		const { message } = (stopped.outcomes[0] as Failure).details;
		expect(message.split('. ')).toEqual(expect.arrayContaining(said));
		expect(stopped.written).toEqual([]);
	});

	test('a .png that a server gives out as JPEG is sent to Instagram without a warning of PNG', async () => {
		const url = 'https://a.example/a.png?format=jpg';
		const warned = (hints: string[]) => hints.filter((hint) => hint.includes('takes'));
		const { hints } = await sent({ name: url, contentType: 'image/jpeg', sizeBytes: 1 }, {}, url);
		expect(warned(hints)).toEqual([]);
		const png = await sent({ name: url, contentType: 'image/png', sizeBytes: 1 }, {}, url);
		expect(warned(png.hints)).toEqual([
			"Instagram takes jpeg images: 'https://a.example/a.png' is image/png",
		]);
	});

	test('a link that looks like one to a page, and whose file was opened, is no warning any more', async () => {
		const url = 'https://drive.google.com/file/d/1/view';
		const pages = ({ hints }: { hints: string[] }) => hints.filter((hint) => hint.includes('a page of'));
		expect(pages(await sent({ ...large, sizeBytes: 1 }, {}, url))).toEqual([]);
		// Of a file that was uploaded by an earlier try nothing is known.
		const warning = "A link to a page of Google Drive isn't a file: use the address of the file itself";
		expect(new Set(pages(await sent(undefined, {}, url)))).toEqual(new Set([warning]));
	});

	test('what they take is sent without a word', async () => {
		// Of a file that was uploaded by an earlier try nothing is known.
		for (const facts of [{ ...large, contentType: 'image/jpeg', sizeBytes: 1 }, undefined]) {
			const { hints, written } = await sent(facts, { onWarnings: 'stop' });
			expect([hints.filter((hint) => /takes|need/.test(hint)), written.length]).toEqual([[], 2]);
		}
	});
});

describe('If the Time Has Passed', () => {
	const at = (scheduledAt: string, ifPast: string, more: IDataObject = {}) => ({
		...{ when: 'at', scheduledAt, platforms: ['x', 'linkedin'] },
		options: { ifPast, ...more },
	});
	const [past, soon] = ['2026-06-01T13:00', '2026-06-01T14:01'];
	const skipped = {
		...{ text: 'Hi', skipped: true },
		reason: expect.stringMatching(/^'Scheduled At' is in the past: 2026-06-01 1/),
	};

	test('Skip: an item that says so, of which nothing is sent, counted, uploaded or approved', async () => {
		const options = { waitForPublication: true, approvedCode: 'other' };
		const given = { ...at(past, 'skip', options), mediaFrom: 'binary', binaryFields: 'photo' };
		const item = (platform: string, account: string) => ({
			...{ platform, account, ...skipped, scheduled_at: '2026-06-01T11:00:00Z' },
		});
		const each = await send(given);
		expect(each.outcomes).toEqual([item('x', 'Plum'), item('linkedin', 'Plum Ltd')]);
		const shared = await send(given, quick);
		expect(shared.outcomes).toEqual([item('x, linkedin', 'Plum, Plum Ltd')]);
		for (const { written, uploaded } of [each, shared]) expect([written, uploaded]).toEqual([[], []]);
	});

	test('Skip: so is a time that passes by more than two minutes while the run waits', async () => {
		for (const [seconds, count] of [
			[180, 0],
			[181, 2],
		]) {
			jest.setSystemTime(NOW + seconds! * 1000);
			const { outcomes } = await send(at(soon, 'skip'));
			expect([outcomes.length, outcomes.filter((one) => 'skipped' in one).length]).toEqual([2, count]);
		}
	});

	test.each([
		[{ postTo: 'accounts', accounts: ['acc_removed'] }, 'acc_removed'],
		[{ platforms: ['x:acc_removed'] }, 'x:acc_removed'],
		[{ ...{ platforms: ['threads'], mediaFrom: 'url', mediaUrls: 'gone' } }, 'threads'],
	])('Skip: an old row is skipped, too, where its account was removed since: %j', async (given, account) => {
		for (const more of [{}, quick]) {
			const { outcomes } = await send({ ...at(past, 'skip'), ...given }, more);
			expect(outcomes).toEqual([{ ...skipped, account, platform: '', scheduled_at: '2026-06-01T11:00:00Z' }]);
		}
	});

	test('Skip: a row is refused as before where a platform may have a time of its own', async () => {
		const fields = { scheduled_at: '2126-01-01T10:00:00Z' };
		const row = (platform: string) =>
			at(past, 'skip', { platformFields: { fields: [{ platform, fields }] } });
		const lost = { ...row('x'), platforms: ['x:acc_removed'] };
		await expect(send(lost)).rejects.toThrow(/matches no account: acc_removed$/);
		await expect(send(row('threads'))).rejects.toThrow(/'Fields per Platform' has an entry for threads$/);
	});

	test('Skip: an account that is not known is refused alone where the time has not passed', async () => {
		const given = { ...at('2026-06-01T19:00', 'skip'), postTo: 'accounts', accounts: ['Pulm'] };
		expect((await rejectionOf(send(given))).message).toBe("'Account Names or IDs' matches no account: Pulm");
	});

	test('Skip: what an earlier try sent is given back; its preview warns of nothing else', async () => {
		const one = { ...at(past, 'skip'), platforms: ['x'] };
		expect((await plan(one, before(sentTo('x')))).requests[0]!.skipped).toBeUndefined();
		const preview = { ...one, text: '#REF!', options: { ifPast: 'skip', previewOnly: true } };
		const [request] = (await plan(preview)).requests;
		expect(request!.warnings).toEqual([
			expect.stringMatching(/^Would be skipped: 'Scheduled At' is in the past/),
		]);
	});

	test('Publish: goes out at once; what is no time is refused all the same; Fail is the default', async () => {
		for (const body of await bodies(at(past, 'publish'))) expect(body).not.toHaveProperty('scheduled_at');
		for (const ifPast of ['skip', 'publish']) {
			await expect(send(at('soon', ifPast))).rejects.toThrow('is not a date and time');
			// A sheet has a time of day alone as one of 1899.
			await expect(send(at('1899-12-30T09:00', ifPast))).rejects.toThrow('has no valid date');
		}
		await expect(send(at(past, 'fail'))).rejects.toThrow('in the past');
	});
});
