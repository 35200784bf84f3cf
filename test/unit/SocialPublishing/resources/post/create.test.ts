import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/failure';
import type { CheckContext } from '../../../../../nodes/SocialPublishing/engine/operation';
import type { WriteRequest } from '../../../../../nodes/SocialPublishing/writes/write';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { failureOf } from '../../../../support/failure';
import { checkContext, checkOf, fakeItem, NOW, paramsOf, runOf, type Given } from '../operations';

beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

const accounts = [
	{ id: 'acc_1', platform: 'Twitter', name: 'Plum' },
	{ id: 'acc_2', platform: 'linkedin', name: 'Plum Ltd' },
	{ id: 'acc_3', name: 'Nowhere' },
];
const now = { when: 'now' };
const run = async (given: IDataObject, more: Given = {}) =>
	await runOf(
		create,
		{ ...now, text: 'Hi', ...given },
		{ ...more, answers: { '/accounts': accounts, ...more.answers } },
	);
const quick: Given = { item: { postFormat: 'quickStart' } };
const ownText = { options: { platformText: { texts: [{ platform: 'linkedin', text: 'Dear all' }] } } };
const twoAccounts = { postTo: 'accounts', accounts: ['acc_1', 'Plum Ltd', 'acc_1'] };

/** What was written: how each request is found again, and its body. */
const sent = async (given: IDataObject, more: Given = {}) =>
	(await run(given, more)).written.map((request) =>
		pick(request, ['path', 'part', 'target', 'foundBy', 'body']),
	);
const bodies = async (given: IDataObject, more: Given = {}) =>
	(await sent(given, more)).map(({ body }) => body!);

describe('requests of a post', () => {
	const single = (part: string, body: IDataObject, target = part) => ({ path: '/posts', part, target, body });

	test('one a platform in the form of the integration guide, each once', async () => {
		expect(await sent({ platforms: ['X', 'twitter', 'linkedin'] })).toEqual([
			single('x', { platform: 'x', content: { text: 'Hi' } }),
			single('linkedin', { platform: 'linkedin', content: { text: 'Hi' } }),
		]);
	});

	test('one for all in the quick start form, but those with a text of their own', async () => {
		const platforms = ['x', 'linkedin', 'facebook'];
		const shared = (foundBy: string[]) => ({
			path: '/posts',
			part: '',
			foundBy,
			body: { platforms: foundBy, content: 'Hi' },
		});
		expect(await sent({ platforms }, quick)).toEqual([shared(platforms)]);
		// In another order it is the same content.
		const [{ content }] = (await run({ platforms }, quick)).written as [WriteRequest];
		expect(content!.platforms).toEqual(['facebook', 'linkedin', 'x']);
		expect(await sent({ platforms, ...ownText }, quick)).toEqual([
			shared(['x', 'facebook']),
			single('linkedin', { platforms: ['linkedin'], content: 'Dear all' }),
		]);
	});

	test.each(['content', 'custom'])('one a platform in either form, in mode %s', async (mode) => {
		const given = { platforms: ['x', 'linkedin'], options: { idempotencyKeyMode: mode } };
		expect(await sent(given, quick)).toEqual([
			single('x', { platforms: ['x'], content: 'Hi' }),
			single('linkedin', { platforms: ['linkedin'], content: 'Hi' }),
		]);
	});

	test('one an account: found by what the user gave, for the platform and the ID that the service says', async () => {
		expect(await sent(twoAccounts)).toEqual([
			single('acc_1', { platform: 'x', account_id: 'acc_1', content: { text: 'Hi' } }, 'x:acc_1'),
			single(
				'Plum Ltd',
				{ platform: 'linkedin', account_id: 'acc_2', content: { text: 'Hi' } },
				'linkedin:acc_2',
			),
		]);
		expect((await bodies(twoAccounts, quick)).map(({ platforms }) => platforms)).toEqual([
			['x'],
			['linkedin'],
		]);
	});

	test('one an account behind a colon, with its ID', async () => {
		expect(await sent({ platforms: ['Twitter:acc_9', 'x'] }, quick)).toEqual([
			single('x:acc_9', { platforms: ['x'], account_id: 'acc_9', content: 'Hi' }),
			single('x', { platforms: ['x'], content: 'Hi' }),
		]);
	});

	test('media that are uploaded already, and no text', async () => {
		const mediaUrls = 'https://a.example/1 https://a.example/2';
		expect(await bodies({ platforms: ['x'], text: '', mediaFrom: 'readUrls', mediaUrls })).toEqual([
			{ platform: 'x', content: { media: mediaUrls.split(' ') } },
		]);
	});

	const withFiles = { platforms: ['x', 'linkedin'], mediaFrom: 'binary', binaryFields: 'a, b' };
	const uploaded: string[] = [];
	const uploads = {
		binary: async (field: string) => {
			uploaded.push(field);
			return { readUrl: `https://s/${field}?sig`, identity: `id of ${field}` };
		},
	} as never;

	test('the content has the identities of uploaded files, and the time that was asked for', async () => {
		const at = { when: 'at', scheduledAt: '2026-06-01T13:59' };
		const { written } = await run({ ...withFiles, ...at }, { item: { uploads } });
		// A minute ago means now.
		expect(written[0]).toMatchObject({
			content: {
				platform: 'x',
				content: { text: 'Hi', media: ['id of a', 'id of b'] },
				scheduled_at: '2026-06-01T11:59:00Z',
			},
			relativeTime: false,
		});
		expect(written[0]!.body).toEqual({
			platform: 'x',
			content: { text: 'Hi', media: ['https://s/a?sig', 'https://s/b?sig'] },
		});
	});

	test('files are uploaded unless all that they belong to was sent before', async () => {
		const known = (...parts: string[]) => ({
			item: {
				uploads,
				sentBefore: (path: string, part: string) =>
					path === '/posts' && parts.includes(part)
						? ({ method: 'POST', path, body: { platform: part } } as const)
						: undefined,
			},
		});
		for (const [more, fields] of [
			[known('x', 'linkedin'), []],
			[known('x'), ['a', 'b']],
		] as const) {
			uploaded.length = 0;
			expect(await sent(withFiles, more)).toHaveLength(2);
			expect(uploaded).toEqual(fields);
		}
	});
});

describe('the time of a post', () => {
	const at = (scheduledAt: string) => ({ platforms: ['x'], when: 'at', scheduledAt });

	test.each<[IDataObject, string | undefined, boolean | undefined]>([
		[at('2026-06-02T10:00'), '2026-06-02T08:00:00Z', false],
		[{ when: 'delay', delayAmount: 2, delayUnit: 'hours' }, '2026-06-01T14:00:00Z', true],
		[{ when: 'now', scheduledAt: '2026-06-02T10:00' }, undefined, undefined],
	])('%j', async (given, utc, isRelative) => {
		const { written } = await run({ platforms: ['x'], ...given });
		expect([written[0]!.body!.scheduled_at, written[0]!.relativeTime]).toEqual([utc, isRelative]);
	});

	test.each([
		[
			'is left out once it has come while others were sent, which is told',
			'2026-06-01T14:00:30',
			30,
			false,
			1,
		],
		['that meant now is left out without a word', '2026-06-01T14:00', 30, false, 0],
		['is kept while it is to come', '2026-06-01T14:00:30', 29, true, 0],
	])('%s', async (_what, scheduledAt, afterSeconds, isKept, times) => {
		for (const [format, name] of [
			['integrationGuide', 'scheduled_at'],
			['quickStart', 'schedule_at'],
		] as const) {
			const warn = jest.fn();
			jest.setSystemTime(NOW + afterSeconds * 1000);
			const { written, outcomes } = await run(at(scheduledAt), { item: { postFormat: format, warn } });
			expect([name in written[0]!.body!, 'scheduled_at' in outcomes[0]!]).toEqual([isKept, isKept]);
			expect(warn.mock.calls).toEqual(
				Array(times).fill(['came due during the run, so it was published immediately']),
			);
		}
	});

	test('is the next slot, found only when it is sent; one that has come by then is left out, which is told', async () => {
		const slots = { platforms: ['x'], when: 'nextSlot', slotTimes: '14:01, 18:00' };
		const warn = jest.fn();
		const of = async (more: IDataObject, given: Given = {}) =>
			(await bodies({ ...slots, ...more }, { ...given, item: { warn, ...given.item } }))[0];
		expect(await of({})).toMatchObject({ scheduled_at: '2026-06-01T12:01:00Z' });
		expect(await of({}, quick)).toMatchObject({ schedule_at: '2026-06-01T12:01:00Z' });
		const taken = { items: [{ id: 'a', platform: 'x', scheduled_at: '2026-06-01T12:00:00Z' }] };
		expect(await of({}, { answers: { '/posts': taken } })).toMatchObject({
			scheduled_at: '2026-06-01T16:00:00Z',
		});
		expect(warn).not.toHaveBeenCalled();
		const [{ complete }] = (await run(slots)).written as [WriteRequest];
		expect(await complete!({ schedule_at: 'given' })).toEqual({ schedule_at: 'given' });
		jest.setSystemTime(NOW + 60_000);
		expect(await of({})).not.toHaveProperty('scheduled_at');
		expect(warn.mock.calls).toEqual([['came due during the run, so it was published immediately']]);
	});

	test('of the additional fields stays', async () => {
		const [{ atSending }] = (await run({ platforms: ['x'] })).written as [WriteRequest];
		expect(atSending!({ scheduled_at: 'given' })).toEqual({ scheduled_at: 'given' });
	});

	test('that had passed when the run began is refused where it would be sent', async () => {
		const { outcomes, written } = await run(at('2026-06-01T13:00'));
		expect([outcomes.map(String), written]).toEqual([
			[expect.stringContaining("'Scheduled At' is in the past")],
			[],
		]);
	});

	test('stands in a preview, but for now', async () => {
		const atSending = async (scheduledAt: string) => {
			const { written } = await run(at(scheduledAt), {
				item: { previewOnly: true },
				answers: { 'write /posts': { warnings: [] } },
			});
			const [{ body, atSending }] = written as [(typeof written)[0]];
			return atSending!(body!).scheduled_at;
		};
		expect(await atSending('2026-06-01T14:00')).toBeUndefined();
		expect(await atSending('2026-06-01T13:00')).toBe('2026-06-01T11:00:00Z');
		jest.setSystemTime(NOW + 60_000);
		expect(await atSending('2026-06-01T14:00:30')).toBe('2026-06-01T12:00:30Z');
	});
});

describe('the item of a post', () => {
	const first = async (given: IDataObject, more: Given = {}) =>
		(await run({ platforms: ['x'], ...given }, more)).outcomes[0] as IDataObject;

	test('what people look for comes first', async () => {
		const answer = { note: 1, id: 'p', status: 'scheduled', scheduled_at: '2026-06-02T08:00:00Z' };
		const outcome = await first({}, { answers: { 'write /posts': { ...answer } } });
		const local = '2026-06-02T10:00:00+02:00';
		expect(outcome).toEqual({ ...answer, platform: 'x', account: '', text: 'Hi', scheduled_at_local: local });
		expect(Object.keys(outcome).slice(0, 6)).toEqual([
			'platform',
			'account',
			'status',
			'scheduled_at_local',
			'text',
			'id',
		]);
		const bare = { ...quick, answers: { 'write /posts': {} } };
		expect(await first({ platforms: ['x', 'linkedin'] }, bare)).toEqual({
			platform: 'x, linkedin',
			account: '',
			text: 'Hi',
		});
	});

	test.each([{}, quick])('has the time of the request, where the answer has none: %j', async (more) => {
		expect(await first({ when: 'at', scheduledAt: '2026-06-02T10:00' }, more)).toMatchObject({
			scheduled_at: '2026-06-02T08:00:00Z',
			scheduled_at_local: '2026-06-02T10:00:00+02:00',
		});
	});

	test.each<[IDataObject | undefined, IDataObject]>([
		[
			{ platform: 'linkedin', content: { text: 'Earlier' } },
			{ platform: 'linkedin', text: 'Earlier' },
		],
		[
			{ platforms: ['tiktok', 'x'], content: 'Earlier' },
			{ platform: 'tiktok, x', text: 'Earlier' },
		],
		[{ platform: 'x', content: { media: [] } }, { platform: 'x' }],
		[undefined, { platform: 'x' }],
	])('tells what an earlier try sent: %j', async (body, told) => {
		const write = async () => ({ body, response: { id: 'p' } });
		expect(await first({}, { item: { write } })).toEqual({ ...told, account: '', id: 'p' });
	});

	test('says what the platform will likely refuse, by platform', async () => {
		const warn = jest.fn();
		await run({ platforms: ['youtube', 'x', 'tiktok'] }, { item: { ...quick.item, warn } });
		expect(warn.mock.calls).toEqual(
			['YouTube', 'TikTok'].map((title) => [
				`${title} will probably reject it: posts there need an image or a video`,
			]),
		);
	});

	test('a failure names the platforms', async () => {
		const failure = new Failure({ code: 'PUBLIC_API_SCOPE_FORBIDDEN', message: 'no', hint: 'try' });
		const outcome = await first(
			{ platforms: ['x', 'linkedin'] },
			{ ...quick, answers: { 'write /posts': failure } },
		);
		expect(outcome.details).toMatchObject({ message: 'no', platform: 'x, linkedin' });
	});

	test('a text is missing for a platform whose account is looked up', async () => {
		expect(String(await first({ ...twoAccounts, ...ownText, text: '' }))).toContain("'Text' is empty");
	});
});

describe('what is refused before anything is sent', () => {
	const check = (given: IDataObject, more: Partial<CheckContext> = {}) =>
		checkOf(create, { ...now, platforms: ['x'], text: 'Hi', ...given }, more);
	const textFor = (platform: string) => ({ options: { platformText: { texts: [{ platform, text: 'a' }] } } });
	const past = { when: 'at', scheduledAt: '2026-06-01T13:00' };

	test('nothing of what is fine', () => expect(() => check({})).not.toThrow());

	test.each<[IDataObject, RegExp]>([
		[{ platforms: ['linkedn'] }, /^'linkedn' isn't a platform$/],
		[past, /^'Scheduled At' is in the past/],
		[{ ...past, postTo: 'accounts', accounts: ['Plum'] }, /^'Scheduled At' is in the past/],
		[{ mediaFrom: 'binary', binaryFields: 'photo' }, /^needs photo$/],
		[{ mediaFrom: 'url', mediaUrls: 'soon' }, /Media URLs/],
		[{ mediaFrom: 'readUrls', mediaUrls: ',' }, /^'Media URLs' is empty$/],
		[{ text: '' }, /^'Text' is empty$/],
		[{ options: { spacing: { time: { amount: -1, unit: 'hours' } } } }, /^'Time Between Posts'/],
		[{ when: 'nextSlot', slotTimes: '25:00' }, /^'25:00' in 'Slot Times' isn't a time$/],
		[{ when: 'nextSlot', slotTimes: '9:00', slotDays: ['a'] }, /^'a' in 'Slot Days' isn't a day/],
		[textFor('tiktok'), /a text for TikTok/],
		[textFor('tiktk'), /^'tiktk' isn't a platform$/],
	])('%j', (given, message) => expect(() => check(given)).toThrow(message));

	test.each([
		[{ platforms: ['linkedn'] }, 'NODE_PLATFORM', /^Correct it in 'Platform Names or IDs'/],
		[{ text: '' }, 'NODE_PARAMETER_EMPTY', /^Enter a text or add media\.$/],
	])('%j, with what to do', (given, code, hint) => {
		expect(failureOf(() => check(given)).details).toMatchObject({ code, hint: expect.stringMatching(hint) });
	});

	test.each<[string, IDataObject, Partial<CheckContext>]>([
		[
			'accounts are checked later',
			{ postTo: 'accounts', accounts: ['a'], platforms: ['linkedn'], text: '' },
			{},
		],
		['a time that an earlier try sent', past, { wasSent: (path, part) => path === '/posts' && part === 'x' }],
		[
			'such a time for accounts',
			{ ...past, postTo: 'accounts', accounts: ['Plum'] },
			{ wasSent: (_path, part) => part === 'Plum' },
		],
		['slots that are not used', { slotTimes: '25:00' }, {}],
		['a time in a preview', { ...past, options: { previewOnly: true } }, {}],
		['media alone', { text: '', mediaFrom: 'readUrls', mediaUrls: 'https://a.example' }, {}],
		['texts for all platforms', { text: '', ...textFor('x') }, {}],
		[
			'a text for a platform that may be chosen elsewhere',
			textFor('tiktok'),
			{ isFixed: (parameter) => parameter !== 'platforms' },
		],
		['a text for the platform of an account', { ...textFor('x'), postTo: 'accounts', accounts: ['a'] }, {}],
	])('not: %s', (_name, given, more) => expect(() => check(given, more)).not.toThrow());

	test('a time that has passed, where only some of the platforms were sent', () => {
		const more = { wasSent: (_path: string, part: string) => part === 'x' };
		expect(() => check({ ...past, platforms: ['x', 'linkedin'] }, more)).toThrow(/is in the past/);
	});
});

describe('what one look-up tells', () => {
	const verify = async (given: IDataObject, more: Given = {}, checked: Partial<CheckContext> = {}) =>
		await create.verify!(
			fakeItem({ ...more, answers: { '/accounts': accounts, ...more.answers } }).context,
			paramsOf(create, { ...now, text: 'Hi', ...given }),
			checkContext(checked),
		);
	const both = { platforms: ['linkedin', 'x'] };
	const known = accounts.slice(0, 2);
	const two = { '/accounts': [...known, { id: 'acc_4', platform: 'x', status: 'active' }] };

	test('no account, or several, of a platform; not what was sent before, nor a preview', async () => {
		await verify(both, { answers: { '/accounts': known } });
		await expect(verify({ platforms: ['x', 'tiktok'] }, { answers: { '/accounts': known } })).rejects.toThrow(
			'TikTok is not connected to this workspace',
		);
		await expect(verify(both, { answers: two })).rejects.toThrow(/^2 X accounts/);
		await verify(both, { answers: two }, { wasSent: (path, part) => path === '/posts' && part === 'x' });
		await verify(both, { answers: two, item: { previewOnly: true } });
	});

	test('an account that is not there, and a text for a platform that no account has', async () => {
		const given = { postTo: 'accounts', accounts: ['acc_1'] };
		await verify(given);
		await expect(verify({ ...given, accounts: ['Pear'] })).rejects.toThrow(/Account Names or IDs/);
		await expect(verify({ ...given, ...ownText })).rejects.toThrow(/a text for LinkedIn/);
		await verify({ ...given, ...ownText }, {}, { isFixed: (parameter) => parameter !== 'accounts' });
		await verify({ platforms: ['x'], ...ownText }, { answers: { '/accounts': known } });
	});

	test('slots are given out in the order in which rows are checked, but not for what was sent', async () => {
		const { context, asked } = fakeItem({ answers: { '/accounts': known } });
		const given = { ...both, when: 'nextSlot', slotTimes: '18:00', text: 'Hi' };
		const check = async (index: number, wasSent: string[] = []) =>
			await create.verify!(
				{ ...context, index },
				paramsOf(create, given),
				checkContext({ wasSent: (_path, part) => wasSent.includes(part) }),
			);
		await check(1);
		await check(2, ['x']);
		await check(0);
		const outcomes = await Promise.all(
			[0, 1, 2].map(async (index) => await create.run!({ ...context, index }, paramsOf(create, given))),
		);
		const times = outcomes.flat().map((post) => (post as IDataObject).scheduled_at);
		const [first, second, third] = ['01', '02', '03'].map((day) => `2026-06-${day}T16:00:00Z`);
		expect(times).toEqual([third, second, first, first, second, third]);
		expect(asked.filter(({ path }) => path === '/posts')).toHaveLength(1);
	});

	test('a row with a time in its additional fields takes no slot', async () => {
		const { context, asked } = fakeItem({ answers: { '/accounts': known } });
		const options = { additionalFields: { scheduled_at: '2126-01-01T10:00:00Z' } };
		const given = { ...both, when: 'nextSlot', slotTimes: '18:00', text: 'Hi' };
		await create.verify!(context, paramsOf(create, { ...given, options }), checkContext());
		expect(asked.filter(({ path }) => path === '/posts')).toEqual([]);
	});

	test('in the quick start form: platforms that share another request than before', async () => {
		const body = { platforms: ['x', 'linkedin'], content: 'Hi' };
		const item = { ...quick.item, sentBefore: () => ({ method: 'POST', path: '/posts', body }) as const };
		const answers = { '/accounts': known };
		await verify(both, { item, answers });
		await expect(verify({ ...both, ...ownText }, { item, answers })).rejects.toThrow(
			/sent this post to X and LinkedIn in one request/,
		);
		await expect(verify({ platforms: ['x'] }, { item: { ...item, previewOnly: true } })).rejects.toThrow(
			/in one request/,
		);
	});
});

test.each<[IDataObject, number, number, number]>([
	[{ platforms: ['x', 'Twitter', 'tiktok'] }, 2, 2, 1],
	[{ postTo: 'accounts', accounts: ['a', 'b', 'a'] }, 2, 2, 2],
	[{ platforms: ['x', 'tiktok'], mediaFrom: 'binary', binaryFields: 'a,b,c' }, 2, 5, 4],
])(
	'%j makes %d posts in %d requests, in the quick start form in %d',
	(given, posts, requests, quickRequests) => {
		const params = paramsOf(create, { ...now, text: 'Hi', ...given });
		expect(create.countPosts!(params)).toBe(posts);
		expect(create.countRequests!(params, 'integrationGuide')).toBe(requests);
		expect(create.countRequests!(params, 'quickStart')).toBe(quickRequests);
	},
);
