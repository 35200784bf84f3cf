import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/errors';
import type { CheckContext } from '../../../../../nodes/SocialPublishing/engine/operation';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { checkOf, fakeItem, paramsOf, runOf, type Given } from '../operations';

const accounts = [
	{ id: 'acc_1', platform: 'Twitter', name: 'Plum' },
	{ id: 'acc_2', platform: 'linkedin', name: 'Plum Ltd' },
	{ id: 'acc_3', name: 'Nowhere' },
];
const now = { when: 'now' };
const run = async (given: IDataObject, more: Given = {}) =>
	await runOf(create, { ...now, ...given }, { ...more, answers: { '/accounts': accounts, ...more.answers } });
const quick: Given = { item: { postFormat: 'quickStart' } };

/** What was written: part, targets and body of each request. */
const sent = async (given: IDataObject, more: Given = {}) =>
	(await run(given, more)).written.map(({ path, part, targets, body }) => ({ path, part, targets, body }));

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
		const { written } = await run(
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
		const { written } = await run({ platforms: ['x'], text: 'Hi', ...given });
		expect(written[0]!.body!.scheduled_at).toBe(utc);
	});
});

describe('the item of a post', () => {
	test('what people look for comes first', async () => {
		const answer = { note: 1, id: 'p', status: 'scheduled', scheduled_at: '2026-06-02T08:00:00Z' };
		const { outcomes } = await run(
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
		const bare = await run(
			{ platforms: ['x', 'linkedin'], text: 'Hi' },
			{ ...quick, answers: { 'write /posts': {} } },
		);
		expect(bare.outcomes).toEqual([{ platform: 'x, linkedin', text: 'Hi' }]);
	});

	test('has the time of the request, where the answer has none', async () => {
		const given = { platforms: ['x'], text: 'Hi', when: 'at', scheduledAt: '2026-06-02T10:00' };
		const local = '2026-06-02T10:00:00+02:00';
		expect((await run(given)).outcomes).toEqual([expect.objectContaining({ scheduled_at_local: local })]);
		expect((await run(given, quick)).outcomes).toEqual([
			expect.objectContaining({ scheduled_at_local: local }),
		]);
	});

	test('tells what went out, where an earlier try sent something else', async () => {
		const answer = (request: any) => {
			request.sent({ platform: 'linkedin', content: 'Earlier' });
			return { id: 'p' };
		};
		const { outcomes } = await run({ platforms: ['x'], text: 'Hi' }, { answers: { 'write /posts': answer } });
		expect(outcomes).toEqual([{ platform: 'linkedin', text: 'Earlier', id: 'p' }]);
		const unknown = (request: any) => {
			request.sent(undefined);
			return { id: 'p' };
		};
		expect(
			(await run({ platforms: ['x'], text: 'Hi' }, { answers: { 'write /posts': unknown } })).outcomes,
		).toEqual([{ platform: 'x', id: 'p' }]);
	});

	test('a failure names the platform', async () => {
		const failure = new Failure({ code: 'PUBLIC_API_SCOPE_FORBIDDEN', message: 'no', hint: 'try' });
		const { outcomes } = await run(
			{ platforms: ['x', 'linkedin'], text: 'Hi' },
			{ ...quick, answers: { 'write /posts': failure } },
		);
		expect((outcomes[0] as Failure).details).toMatchObject({ message: 'no', platform: 'x, linkedin' });
	});

	test('a platform without an account is named as the reason of a refused form, an account is not', async () => {
		const failure = new Failure({ code: 'PUBLIC_API_BODY_INVALID', message: 'no', hint: 'try' });
		const first = async (given: IDataObject) =>
			(await run({ text: 'Hi', ...given }, { answers: { 'write /posts': failure } })).outcomes[0] as Failure;
		expect((await first({ platforms: ['tiktok'] })).details).toMatchObject({
			message: 'TikTok is not connected to this workspace',
			platform: 'tiktok',
		});
		expect((await first({ platforms: ['x'] })).message).toBe('no');
		expect((await first({ postTo: 'accounts', accounts: ['acc_1'] })).message).toBe('no');
	});
});

describe('what is refused before anything is sent', () => {
	const check = (given: IDataObject, more: Partial<CheckContext> = {}) =>
		checkOf(create, { ...now, platforms: ['x'], text: 'Hi', ...given }, more);

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

	const verify = async (given: IDataObject, more: Given = {}) =>
		await create.verify!(
			fakeItem({ answers: { '/accounts': accounts }, ...more }).context,
			paramsOf(create, { ...now, text: 'Hi', ...given }),
		);

	test('a platform with several connected accounts', async () => {
		const two = { '/accounts': [...accounts, { id: 'acc_4', platform: 'x', status: 'active' }] };
		await expect(verify({ platforms: ['linkedin', 'x'] }, { answers: two })).rejects.toThrow(/^2 X accounts/);
		await verify({ platforms: ['linkedin', 'x'] });
	});

	test('an account that is not there, and a text for a platform that no account has', async () => {
		const given = { postTo: 'accounts', accounts: ['acc_1'] };
		await expect(verify({ ...given, accounts: ['Pear'] })).rejects.toThrow(/Account Names or IDs/);
		const options = { platformText: { texts: [{ platform: 'linkedin', text: 'a' }] } };
		await expect(verify({ ...given, options })).rejects.toThrow(/a text for LinkedIn/);
		await verify({ ...given, options }, { item: { isFixed: () => false } });
		await verify(given);
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
