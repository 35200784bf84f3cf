import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/failure';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { fakeItem, paramsOf, type Given } from '../operations';
import { before, bodies, quick, send, sentTo, textFor, useNow } from './posting';

useNow();

describe('requests of a post', () => {
	const sent = async (given: IDataObject, more: Given = {}) =>
		(await send(given, more)).written.map((write) => pick(write, ['name', 'alsoNamed', 'body']));

	test('one a platform in the form of the integration guide', async () => {
		expect(await sent({ platforms: ['twitter', 'linkedin'] })).toEqual([
			{ name: 'x', alsoNamed: ['account:x:acc_1'], body: { platform: 'x', content: { text: 'Hi' } } },
			{
				name: 'linkedin',
				alsoNamed: ['account:linkedin:acc_2'],
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
				alsoNamed: ['x', 'facebook', 'account:x:acc_1', 'account:facebook:acc_facebook'],
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
		const given = { mediaFrom: 'url', mediaUrls: 'https://a.example/1' };
		const { written, uploaded } = await send({ ...given, platforms: ['x', 'facebook'] }, quick);
		expect(written[0]).toMatchObject({
			body: { platforms: ['x', 'facebook'], media: ['https://s/https://a.example/1?sig'] },
			sameAs: { platforms: ['facebook', 'x'], media: ['id of https://a.example/1'] },
		});
		expect(uploaded).toEqual(['https://a.example/1']);
	});

	test('media that are uploaded already, and no text', async () => {
		const mediaUrls = 'https://a.example/1 https://a.example/2';
		expect(await bodies({ text: '', mediaFrom: 'readUrls', mediaUrls })).toEqual([
			{ platform: 'x', content: { media: mediaUrls.split(' ') } },
		]);
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
		const { uploaded, written } = await send(given, before(...platforms.map((one) => sentTo(one))));
		expect([uploaded, written.length]).toEqual([files, 2]);
	});
});

describe('the item of a post', () => {
	const first = async (given: IDataObject, more: Given = {}) =>
		(await send(given, more)).outcomes[0] as IDataObject;

	test('what people look for comes first', async () => {
		const answer = { note: 1, id: 'p', status: 'scheduled', scheduled_at: '2026-06-02T08:00:00Z' };
		const outcome = await first({}, { answers: { 'write /posts': { ...answer } } });
		const local = '2026-06-02T10:00:00+02:00';
		expect(outcome).toEqual({
			...{ ...answer, platform: 'x', account: 'Plum', text: 'Hi' },
			...{ scheduled_at_local: local, time_zone: 'Europe/Berlin' },
		});
		expect(Object.keys(outcome).slice(0, 6)).toEqual([
			'platform',
			'account',
			'status',
			'scheduled_at_local',
			'text',
			'id',
		]);
		const bare = { ...quick, answers: { 'write /posts': {} } };
		expect(await first({ platforms: ['x', 'facebook'] }, bare)).toEqual({
			platform: 'x, facebook',
			account: 'Plum, acc_facebook',
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
		[undefined, { platform: 'x' }],
	])('says what an earlier try sent: %j', async (body, said) => {
		const write = async () => ({ body, response: { id: 'p' } });
		expect(await first({}, { item: { write } })).toEqual({ ...said, account: 'Plum', id: 'p' });
	});

	test('a failure names the platforms, and an account that the user named', async () => {
		const failure = new Failure({ code: 'PUBLIC_API_SCOPE_FORBIDDEN', message: 'no', hint: 'try' });
		const outcome = await first(
			{ platforms: ['x', 'facebook'] },
			{ ...quick, answers: { 'write /posts': failure } },
		);
		expect(outcome.details).toMatchObject({ message: 'no', platform: 'x, facebook' });
		expect(outcome.details).not.toHaveProperty('account');
		const named = await first({ platforms: ['x:acc_1'] }, { answers: { 'write /posts': failure } });
		expect(named.details).toMatchObject({ platform: 'x', account: 'Plum' });
	});
});

describe('Wait for Publication', () => {
	const post = { id: 'p', platform: 'x', idempotency_key: 'k' };
	const failure = new Failure({ code: 'A', message: 'no', hint: 'try' });
	const after = async (outcomes: unknown[], options: IDataObject, item: object, when = 'now') =>
		await create.after!(
			fakeItem({ item }).context,
			outcomes as never,
			paramsOf(create, { when, scheduledAt: '2126-01-01', platforms: ['x'], text: 'Hi', options }),
		);

	test.each([
		['now', [{ ...post, status: 'completed' }, post], true],
		['now', [{ ...post, status: 'failed' }, failure], false],
		['at', [post], false],
	])('left out, with a hint for a post that goes out %s (%#)', async (when, outcomes, isInformed) => {
		const hint = jest.fn();
		expect(await after(outcomes, {}, { hint }, when)).toEqual(outcomes);
		const accepted = [expect.stringMatching(/^Accepted by the service.*'Wait for Publication'\.$/), 'info'];
		expect(hint.mock.calls).toEqual(isInformed ? [accepted] : []);
	});

	test('each post, as long as was asked for; one without an ID can not be waited for', async () => {
		const waitFor = jest.fn(async () => ({ status: 'completed' }));
		const numbered = { ...post, id: 7 };
		const options = { waitForPublication: true };
		const [one, two, three, four] = await after([post, numbered, failure, { ...post, id: ['p'] }], options, {
			waitFor,
		});
		expect([one, two, three]).toEqual([
			{ ...post, status: 'completed' },
			{ ...numbered, status: 'completed' },
			failure,
		]);
		expect((four as Failure).details).toMatchObject({
			code: 'NODE_POST_ID_MISSING',
			message: "Can't wait for publication: the service accepted the post but returned no ID",
			...{ post: { ...post, id: ['p'] }, platform: 'x', idempotency_key: 'k' },
		});
		await after([post], { ...options, waitTimeout: 7 }, { waitFor });
		expect(waitFor.mock.calls).toEqual([
			['p', { waitFor: 'completed', timeoutMs: 300_000, known: post }],
			['7', { waitFor: 'completed', timeoutMs: 300_000, known: numbered }],
			['p', { waitFor: 'completed', timeoutMs: 7000, known: post }],
		]);
	});

	test('a failure names platform and key', async () => {
		const waitFor = async () => await Promise.reject(new Error('gone'));
		const [failed] = await after([post], { waitForPublication: true }, { waitFor });
		expect((failed as Failure).details).toMatchObject({
			message: 'The service accepted the post, but waiting for its publication failed: gone',
			hint: expect.stringMatching(/Retry this execution to wait again: the post is not sent twice\.$/),
			...{ platform: 'x', idempotency_key: 'k', post },
		});
	});

	test('a post that was read says itself what became of it', async () => {
		const known = failure.with({ post: { id: 'p', status: 'failed' } });
		const waitFor = async () => await Promise.reject(known);
		const [failed] = await after([post], { waitForPublication: true }, { waitFor });
		expect((failed as Failure).details).toMatchObject({ message: 'no', post: { status: 'failed' } });
	});
});
