import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/errors';
import type { CheckContext } from '../../../../nodes/SocialPublishing/engine/operation';
import { contentBody } from '../../../../nodes/SocialPublishing/resources/post/content';
import { textsOf } from '../../../../nodes/SocialPublishing/resources/post/texts';
import { fakeItem, operationOf, runOf, type Given } from './operations';

const accounts = [
	{ id: 'acc_1', platform: 'Twitter', name: 'Plum' },
	{ id: 'acc_2', platform: 'linkedin', name: 'Plum Ltd' },
	{ id: 'acc_3', name: 'Nowhere' },
];
const now = { when: 'now' };
const create = async (given: IDataObject, more: Given = {}) =>
	await runOf(
		'post.create',
		{ ...now, ...given },
		{ ...more, answers: { '/accounts': accounts, ...more.answers } },
	);
const quick: Given = { item: { postFormat: 'quickStart' } };

/** What was written: part, targets and body of each request. */
const sent = async (given: IDataObject, more: Given = {}) =>
	(await create(given, more)).written.map(({ path, part, targets, body }) => ({ path, part, targets, body }));

describe('content in either form', () => {
	test('only what is given', () => {
		expect(contentBody('integrationGuide', {})).toEqual({});
		expect(contentBody('quickStart', {})).toEqual({});
		const whole = { text: 'Hi', media: ['m'], scheduledAt: 't' };
		expect(contentBody('integrationGuide', whole)).toEqual({
			content: { text: 'Hi', media: ['m'] },
			scheduled_at: 't',
		});
		expect(contentBody('quickStart', whole)).toEqual({ content: 'Hi', media: ['m'], schedule_at: 't' });
		expect(contentBody('integrationGuide', { media: ['m'] })).toEqual({ content: { media: ['m'] } });
		expect(contentBody('integrationGuide', { text: '' })).toEqual({ content: { text: '' } });
	});
});

describe('requests of a post', () => {
	test('one a platform in the form of the integration guide, each once', async () => {
		expect(await sent({ platforms: ['X', 'twitter', 'linkedin'], text: 'Hi' })).toEqual([
			{ path: '/posts', part: 'x', targets: ['x'], body: { platform: 'x', content: { text: 'Hi' } } },
			{
				path: '/posts',
				part: 'linkedin',
				targets: ['linkedin'],
				body: { platform: 'linkedin', content: { text: 'Hi' } },
			},
		]);
	});

	test('one for all in the quick start form, but those with a text of their own', async () => {
		const platforms = ['x', 'linkedin', 'facebook'];
		expect(await sent({ platforms, text: 'Hi' }, quick)).toEqual([
			{ path: '/posts', part: '', targets: platforms, body: { platforms, content: 'Hi' } },
		]);
		const options = { platformText: { texts: [{ platform: 'linkedin', text: 'Dear all' }] } };
		expect(await sent({ platforms, text: 'Hi', options }, quick)).toEqual([
			{
				path: '/posts',
				part: 'x+facebook',
				targets: ['x', 'facebook'],
				body: { platforms: ['x', 'facebook'], content: 'Hi' },
			},
			{
				path: '/posts',
				part: 'linkedin',
				targets: ['linkedin'],
				body: { platforms: ['linkedin'], content: 'Dear all' },
			},
		]);
	});

	test('one an account, with its platform from the service', async () => {
		const given = { postTo: 'accounts', accounts: ['acc_1', 'Plum Ltd', 'acc_1'], text: 'Hi' };
		expect(await sent(given)).toEqual([
			{
				path: '/posts',
				part: 'x:acc_1',
				targets: ['acc_1'],
				body: { platform: 'x', account_id: 'acc_1', content: { text: 'Hi' } },
			},
			{
				path: '/posts',
				part: 'linkedin:acc_2',
				targets: ['acc_2'],
				body: { platform: 'linkedin', account_id: 'acc_2', content: { text: 'Hi' } },
			},
		]);
		expect((await sent(given, quick)).map(({ part, body }) => [part, body!.platforms])).toEqual([
			['acc_1', ['x']],
			['acc_2', ['linkedin']],
		]);
	});

	test('an account without a platform is refused', async () => {
		const { outcomes } = await create({ postTo: 'accounts', accounts: ['acc_3'], text: 'Hi' });
		expect((outcomes[0] as Failure).details).toMatchObject({
			code: 'NODE_ACCOUNT_PLATFORM',
			message: 'The service does not say on which platform the account acc_3 is',
			hint: expect.stringContaining("'Post To'"),
		});
	});

	test('what an earlier try sent together stays together', async () => {
		const item = { ...quick.item, sentBefore: async () => [['x', 'linkedin']] };
		const given = { platforms: ['x', 'facebook', 'linkedin'], text: 'Hi' };
		expect((await sent(given, { item })).map(({ targets }) => targets)).toEqual([
			['x', 'linkedin'],
			['facebook'],
		]);
	});

	test('media that are uploaded already, and no text', async () => {
		const given = {
			platforms: ['x'],
			mediaFrom: 'readUrls',
			mediaUrls: 'https://a.example/1 https://a.example/2',
		};
		expect((await sent(given))[0]!.body).toEqual({
			platform: 'x',
			content: { media: ['https://a.example/1', 'https://a.example/2'] },
		});
	});

	test('a key made of the content has the print of an uploaded file, and the time that was asked for', async () => {
		const uploads = {
			binary: async (field: string) => ({ readUrl: `https://s/${field}?sig`, print: `print ${field}` }),
		};
		const { written } = await create(
			{
				platforms: ['x'],
				when: 'at',
				scheduledAt: '2026-06-01T13:59',
				mediaFrom: 'binary',
				binaryFields: 'a, b',
			},
			{ item: { uploads: uploads as never } },
		);
		// A minute ago means now.
		expect(written[0]!.body).toEqual({
			platform: 'x',
			content: { media: ['https://s/a?sig', 'https://s/b?sig'] },
		});
		expect(written[0]!.content).toEqual({
			platform: 'x',
			content: { media: ['print a', 'print b'] },
			scheduled_at: '2026-06-01T11:59:00Z',
		});
	});

	test.each<[string, IDataObject, string | undefined]>([
		['at a time', { when: 'at', scheduledAt: '2026-06-02T10:00' }, '2026-06-02T08:00:00Z'],
		['after a delay', { when: 'delay', delayAmount: 2, delayUnit: 'hours' }, '2026-06-01T14:00:00Z'],
		['now', { when: 'now', scheduledAt: '2026-06-02T10:00' }, undefined],
	])('time: %s', async (_name, given, utc) => {
		const { written } = await create({ platforms: ['x'], text: 'Hi', ...given });
		expect(written[0]!.body!.scheduled_at).toBe(utc);
	});
});

describe('the item of a post', () => {
	test('what people look for comes first', async () => {
		const answer = { note: 1, id: 'p', status: 'scheduled', scheduled_at: '2026-06-02T08:00:00Z' };
		const { outcomes } = await create(
			{ platforms: ['x'], text: 'Hi' },
			{ answers: { 'write /posts': { ...answer } } },
		);
		expect(outcomes).toEqual([
			{ ...answer, platform: 'x', text: 'Hi', scheduled_at_local: '2026-06-02T10:00:00+02:00' },
		]);
		expect(Object.keys(outcomes[0]!).slice(0, 5)).toEqual([
			'platform',
			'status',
			'scheduled_at_local',
			'text',
			'id',
		]);
		const bare = await create(
			{ platforms: ['x', 'linkedin'], text: 'Hi' },
			{ ...quick, answers: { 'write /posts': {} } },
		);
		expect(bare.outcomes).toEqual([{ platform: 'x, linkedin', text: 'Hi' }]);
	});

	test('has the time of the request, where the answer has none', async () => {
		const given = { platforms: ['x'], text: 'Hi', when: 'at', scheduledAt: '2026-06-02T10:00' };
		const local = '2026-06-02T10:00:00+02:00';
		expect((await create(given)).outcomes).toEqual([expect.objectContaining({ scheduled_at_local: local })]);
		expect((await create(given, quick)).outcomes).toEqual([
			expect.objectContaining({ scheduled_at_local: local }),
		]);
	});

	test('tells what went out, where an earlier try sent something else', async () => {
		const answer = (request: any) => {
			request.sent({ platform: 'linkedin', content: 'Earlier' });
			return { id: 'p' };
		};
		const { outcomes } = await create(
			{ platforms: ['x'], text: 'Hi' },
			{ answers: { 'write /posts': answer } },
		);
		expect(outcomes).toEqual([{ platform: 'linkedin', text: 'Earlier', id: 'p' }]);
		const unknown = (request: any) => {
			request.sent(undefined);
			return { id: 'p' };
		};
		expect(
			(await create({ platforms: ['x'], text: 'Hi' }, { answers: { 'write /posts': unknown } })).outcomes,
		).toEqual([{ platform: 'x', id: 'p' }]);
	});

	test('a failure names the platform', async () => {
		const failure = new Failure({ code: 'PUBLIC_API_SCOPE_FORBIDDEN', message: 'no', hint: 'try' });
		const { outcomes } = await create(
			{ platforms: ['x', 'linkedin'], text: 'Hi' },
			{ ...quick, answers: { 'write /posts': failure } },
		);
		expect((outcomes[0] as Failure).details).toMatchObject({ message: 'no', platform: 'x, linkedin' });
	});

	test('a platform without an account is named as the reason of a refused form', async () => {
		const failure = new Failure({ code: 'PUBLIC_API_BODY_INVALID', message: 'no', hint: 'try' });
		const refused = { 'write /posts': failure };
		const first = async (given: IDataObject, list: unknown[]) =>
			(await create({ text: 'Hi', ...given }, { answers: { ...refused, '/accounts': list } }))
				.outcomes[0] as Failure;
		expect((await first({ platforms: ['tiktok'] }, accounts)).details).toMatchObject({
			message: 'TikTok is not connected to this workspace',
			hint: 'Connect it in the service or remove it here.',
			service_message: 'no',
			platform: 'tiktok',
		});
		expect((await first({ platforms: ['x'] }, accounts)).message).toBe('no');
		const expired = [{ platform: 'x', status: 'expired' }];
		expect((await first({ platforms: ['x'] }, expired)).message).toMatch(/^X is not connected/);
		expect((await first({ postTo: 'accounts', accounts: ['acc_1'] }, accounts)).message).toBe('no');
		const unreachable = { ...refused };
		const item = { list: async () => await Promise.reject(new Error('away')) };
		const { outcomes } = await create({ platforms: ['x'], text: 'Hi' }, { answers: unreachable, item });
		expect((outcomes[0] as Failure).message).toBe('no');
	});
});

describe('what is refused before anything is sent', () => {
	const context = (more: Partial<CheckContext> = {}) =>
		({
			...fakeItem().context,
			isFirstTry: true,
			goesOn: false,
			requireFile: (field: string) => {
				throw new Error(`needs ${field}`);
			},
			...more,
		}) as CheckContext;
	const check = (given: IDataObject, more: Partial<CheckContext> = {}) => {
		const { operation, params } = operationOf('post.create', {
			...now,
			platforms: ['x'],
			text: 'Hi',
			...given,
		});
		return operation.check!(params, context(more));
	};

	test('nothing of what is fine', () => expect(() => check({})).not.toThrow());

	test.each<[IDataObject, RegExp]>([
		[{ platforms: ['linkedn'] }, /^'linkedn' is no platform. Did you mean linkedin\?$/],
		[{ when: 'at', scheduledAt: '2026-06-01T13:00' }, /^'Scheduled At' is in the past/],
		[{ mediaFrom: 'binary', binaryFields: 'photo' }, /^needs photo$/],
		[{ mediaFrom: 'url', mediaUrls: 'soon' }, /Media URLs/],
		[{ mediaFrom: 'readUrls', mediaUrls: ',' }, /^'Media URLs' is empty$/],
		[{ text: '' }, /^'Text' is empty$/],
		[{ options: { platformText: { texts: [{ platform: 'tiktok', text: 'a' }] } } }, /a text for TikTok/],
		[{ options: { platformText: { texts: [{ platform: 'tiktk', text: 'a' }] } } }, /Did you mean tiktok/],
	])('%j', (given, message) => expect(() => check(given)).toThrow(message));

	test.each<[string, IDataObject, Partial<CheckContext>]>([
		['a platform that is like none', { platforms: ['mastodon'] }, {}],
		[
			'accounts are checked later',
			{ postTo: 'accounts', accounts: ['a'], platforms: ['linkedn'], text: '' },
			{},
		],
		[
			'a time that an earlier try sent',
			{ when: 'at', scheduledAt: '2026-06-01T13:00' },
			{ isFirstTry: false },
		],
		[
			'a time in a preview',
			{ when: 'at', scheduledAt: '2026-06-01T13:00', options: { previewOnly: true } },
			{},
		],
		['media alone', { text: '', mediaFrom: 'readUrls', mediaUrls: 'https://a.example' }, {}],
		[
			'texts for all platforms',
			{ text: '', options: { platformText: { texts: [{ platform: 'x', text: 'a' }] } } },
			{},
		],
		[
			'a text for a platform that may be chosen elsewhere',
			{ options: { platformText: { texts: [{ platform: 'tiktok', text: 'a' }] } } },
			{ isFixed: () => false },
		],
	])('not: %s', (_name, given, more) => expect(() => check(given, more)).not.toThrow());

	const verify = async (given: IDataObject, more: Given = {}) => {
		const { operation, params } = operationOf('post.create', { ...now, text: 'Hi', ...given });
		await operation.verify!(fakeItem({ answers: { '/accounts': accounts }, ...more }).context, params);
	};

	test('a platform with several connected accounts', async () => {
		const two = { '/accounts': [...accounts, { id: 'acc_4', platform: 'x', status: 'active' }] };
		await expect(verify({ platforms: ['linkedin', 'x'] }, { answers: two })).rejects.toMatchObject({
			details: {
				code: 'NODE_ACCOUNT_UNCLEAR',
				message: '2 X accounts are connected: Plum (acc_1), acc_4 (acc_4)',
				hint: expect.stringContaining("Set 'Post To' to 'Accounts'"),
			},
		});
		await verify({ platforms: ['linkedin', 'x'] });
		await verify(
			{ platforms: ['x'] },
			{ answers: { '/accounts': [accounts[0], { ...accounts[0], status: 'revoked' }] } },
		);
	});

	test('an account that is not there, and a text for a platform that no account has', async () => {
		const given = { postTo: 'accounts', accounts: ['acc_1'] };
		await expect(verify({ ...given, accounts: ['Pear'] })).rejects.toThrow(/Account Names or IDs/);
		const options = { platformText: { texts: [{ platform: 'linkedin', text: 'a' }] } };
		await expect(verify({ ...given, options })).rejects.toThrow(/a text for LinkedIn/);
		await verify({ ...given, options }, { item: { isFixed: () => false } });
		await verify(given);
	});

	test('how many posts an item makes', () => {
		const count = (given: IDataObject) => {
			const { operation, params } = operationOf('post.create', { ...now, text: 'Hi', ...given });
			return operation.countPosts!(params);
		};
		expect(count({ platforms: ['x', 'Twitter', 'tiktok'] })).toBe(2);
		expect(count({ postTo: 'accounts', accounts: ['a', 'b', 'a'] })).toBe(2);
	});
});

describe('waiting for publication', () => {
	const after = async (outcomes: unknown[], options: IDataObject, waitFor: unknown) => {
		const { operation, params } = operationOf('post.create', {
			...now,
			platforms: ['x'],
			text: 'Hi',
			options,
		});
		return await operation.after!(
			fakeItem({ item: { waitFor: waitFor as never } }).context,
			outcomes as never,
			params,
		);
	};
	const post = { id: 'p', platform: 'x', idempotency_key: 'k' };

	test('not without the option', async () => {
		expect(await after([post], {}, undefined)).toEqual([post]);
	});

	test('each post that has an ID, as long as was asked for', async () => {
		const asked: unknown[] = [];
		const waitFor = async (...given: unknown[]) => {
			asked.push(given);
			return { status: 'completed' };
		};
		const failure = new Failure({ code: 'A', message: 'no', hint: 'try' });
		expect(await after([post, failure, {}], { waitForPublication: true }, waitFor)).toEqual([
			{ ...post, status: 'completed' },
			failure,
			{},
		]);
		await after([post], { waitForPublication: true, waitTimeout: 7 }, waitFor);
		expect(asked).toEqual([
			['p', { waitFor: 'completed', timeout: 300_000, known: post }],
			['p', { waitFor: 'completed', timeout: 7000, known: post }],
		]);
	});

	test('a failure names platform and key', async () => {
		const waitFor = async () => await Promise.reject(new Error('gone'));
		const [failure] = await after([post], { waitForPublication: true }, waitFor);
		expect((failure as Failure).details).toMatchObject({
			message: 'gone',
			platform: 'x',
			idempotency_key: 'k',
		});
	});
});

describe('texts per platform', () => {
	test('by platform, empty ones left out', () => {
		const texts = [
			{ platform: 'Twitter', text: 'a' },
			{ platform: 'tiktok', text: '' },
		];
		expect([...textsOf(texts)]).toEqual([['x', 'a']]);
		expect([...textsOf(undefined)]).toEqual([]);
		expect([...textsOf(texts, ['X'])]).toEqual([['x', 'a']]);
	});

	test('one for a platform that is not chosen is refused by its name', () => {
		const refused = (platform: string) => () => textsOf([{ platform, text: 'a' }], ['x']);
		expect(refused('tiktok')).toThrow(
			"'Text per Platform' has a text for TikTok, which the post does not go to",
		);
		expect(refused('')).toThrow(/a text for no platform/);
	});
});
