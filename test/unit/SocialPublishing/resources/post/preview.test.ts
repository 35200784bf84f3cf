import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/failure';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { comparePreviews } from '../../../../../nodes/SocialPublishing/resources/post/preview';
import { runs } from '../../../../support/property';
import { runOf, type Given } from '../operations';

const accounts = [
	{ id: 'acc_1', platform: 'Twitter', name: 'Plum' },
	{ id: 'acc_2', platform: 'linkedin', name: 'Plum Ltd' },
	{ id: 'acc_3', platform: 'linkedin', username: 'plum' },
	{ id: 'acc_4', platform: 'youtube' },
];
const written = { preview: true, request: { method: 'POST' }, idempotency_key: 'k', warnings: ['first'] };
const preview = async (given: IDataObject, { item, answers }: Given = {}) =>
	await runOf(
		create,
		{ platforms: ['x'], text: 'Hi', when: 'at', scheduledAt: '2026-06-01T15:00', ...given },
		{
			item: { previewOnly: true, ...item },
			answers: { '/accounts': accounts, 'write /posts': written, ...answers },
		},
	);
const warningsOf = async (given: IDataObject, more: Given = {}) =>
	((await preview(given, more)).outcomes[0] as IDataObject).warnings;

describe('a preview', () => {
	test('tells account, time, text and request', async () => {
		const { outcomes, asked } = await preview({});
		expect(outcomes).toEqual([
			{
				...written,
				platform: 'x',
				account: 'Plum',
				scheduled_at: '2026-06-01T13:00:00Z',
				scheduled_at_local: '2026-06-01T15:00:00+02:00',
				text: 'Hi',
			},
		]);
		expect(asked).toMatchObject([
			{ path: '/accounts' },
			{
				path: '/posts',
				qs: { from: '2026-06-01T12:55:00.000Z', to: '2026-06-01T13:05:00.000Z', limit: 100 },
			},
		]);
	});

	test.each([{ when: 'now' }, { scheduledAt: '2026-06-01T13:59' }])(
		'of a post that goes out now has the time of now, and says so: %j',
		async (given) => {
			const { outcomes } = await preview(given);
			expect(outcomes[0]).toMatchObject({
				scheduled_at: '2026-06-01T12:00:00Z',
				scheduled_at_local: '2026-06-01T14:00:00+02:00',
				publishes: 'now',
			});
		},
	);

	test.each([
		[{ platforms: ['x', 'linkedin'] }, 'x, linkedin', 'Plum'],
		[{ platforms: ['linkedin', 'facebook'] }, 'linkedin, facebook', ''],
		[{ platforms: ['youtube', 'x'] }, 'youtube, x', 'acc_4, Plum'],
	])('%j in one request names the accounts that are certain', async (given, platform, account) => {
		const { outcomes } = await preview(given, { item: { postFormat: 'quickStart' } });
		expect(outcomes).toEqual([expect.objectContaining({ platform })]);
		expect((outcomes[0] as IDataObject).account).toBe(account);
	});

	test('with a file has a placeholder for its address, and uploads nothing', async () => {
		const uploads = {
			preview: async (field: string) => ({ readUrl: `(${field})`, identity: `id of ${field}` }),
		};
		const given = { mediaFrom: 'binary', binaryFields: 'a' };
		const { written } = await preview(given, { item: { uploads: uploads as never } });
		expect([written[0]!.body, written[0]!.content]).toMatchObject([
			{ content: { media: ['(a)'] } },
			{ content: { media: ['id of a'] } },
		]);
	});

	test('in a slot has its time, which may be another one when it is sent', async () => {
		const slot = '2026-06-01T16:00:00Z';
		const answers = { 'write /posts': { ...written, request: { body: { scheduled_at: slot } } } };
		const { outcomes } = await preview({ when: 'nextSlot', slotTimes: '18:00' }, { answers });
		expect(outcomes[0]).toMatchObject({
			scheduled_at: slot,
			warnings: ['first', 'The slot is chosen when the post is sent'],
		});
		expect(outcomes[0]).not.toHaveProperty('publishes');
	});

	test('to an account names that one', async () => {
		const { outcomes } = await preview({ postTo: 'accounts', accounts: ['acc_3'] });
		expect(outcomes[0]).toMatchObject({ platform: 'linkedin', account: 'plum' });
	});
});

describe('a preview warns of', () => {
	const near = (text: string) => [`first`, `X has a post ${text} already: p_1, 2026-06-01 15:05`];
	const post = { id: 'p_1', platform: 'twitter', scheduled_at: '2026-06-01T13:05:00Z', text: 'Hi' };
	const close = near('within five minutes of this one');
	const existing = (more: IDataObject) => ({ answers: { '/posts': { posts: [{ ...post, ...more }] } } });

	const media = { mediaFrom: 'readUrls', mediaUrls: 'https://a.example' };
	test.each<[IDataObject, string]>([
		[{ text: 'a'.repeat(280) }, ''],
		[{ text: '🍑'.repeat(281) }, 'X will probably reject it: 281 characters, 280 are usual'],
		[{ platforms: ['youtube'] }, 'YouTube will probably reject it: posts there need an image or a video'],
		[{ platforms: ['youtube'], ...media }, ''],
		[{ platforms: ['facebook'], text: 'a'.repeat(281) }, 'Facebook is not connected to this workspace'],
		[{ platforms: ['linkedin'] }, '2 LinkedIn accounts are connected: Plum Ltd (acc_2), plum (acc_3)'],
		[{ when: 'delay', delayAmount: 1 }, 'The delay starts when the post is sent'],
		[
			{ scheduledAt: '2026-06-01T13:00' },
			"'Scheduled At' is in the past: 2026-06-01 13:00:00 (Europe/Berlin)",
		],
	])('what may go wrong with %j: %s', async (given, warning) =>
		expect(await warningsOf(given)).toEqual(['first', ...(warning ? [warning] : [])]),
	);

	test.each<[IDataObject, string[]]>([
		[{}, near('with the same text and time')],
		[{ text: undefined, content: { text: 'Hi' } }, near('with the same text and time')],
		[{ text: undefined, content: 'Hi' }, near('with the same text and time')],
		[{ text: undefined, content: null }, close],
		[{ text: 'Other' }, close],
		[{ text: 'Other', platform: undefined, platforms: ['x'] }, close],
		[{ text: 'Other', platform: undefined, platforms: [{ platform: 'x' }] }, close],
		[{ platform: 'linkedin' }, ['first']],
		[{ status: 'canceled' }, ['first']],
		[{ status: 'failed' }, ['first']],
		[{ scheduled_at: '2026-06-01T13:05:01Z' }, ['first']],
	])('a post that is there: %j', async (more, warnings) =>
		expect(await warningsOf({}, existing(more))).toEqual(warnings),
	);

	test('a post of the same account, as far as the service says whose it is', async () => {
		const to = { postTo: 'accounts', accounts: ['acc_1'] };
		expect(await warningsOf(to, existing({ account_id: 'acc_9' }))).toEqual(['first']);
		expect(await warningsOf(to, existing({ account_id: 'acc_1' }))).toHaveLength(2);
		expect(await warningsOf(to, existing({}))).toHaveLength(2);
	});

	test('nothing where the posts can not be read', async () => {
		expect(await warningsOf({}, { answers: { '/posts': new Error('away') } })).toEqual(['first']);
	});
});

describe('previews of a run', () => {
	const row = (text: string, minutes: number, platform = 'x', account_id?: string) => ({
		preview: true,
		platform,
		text,
		scheduled_at: new Date(minutes * 60_000).toISOString(),
		request: { body: { account_id } },
		warnings: ['first'],
	});
	const warnings = (...rows: Array<IDataObject | Failure>) =>
		comparePreviews(rows.map((one) => [one])).map(([one]) => (one as IDataObject).warnings);
	const same = (rows: string, title = 'X') => `${rows} of this run: the same text and time for ${title}`;
	const close = (rows: string, title = 'X') =>
		`${rows} of this run: a post within five minutes of this one for ${title}`;

	test('name the other rows, by what they have in common', () => {
		const rows = [row('A', 0), row('A', 0, 'x, linkedin'), row('B', 5), row('C', 10.1), row('B', 10.05)];
		expect(warnings(...rows)).toEqual([
			['first', same('Row 2'), close('Row 3')],
			['first', same('Row 1'), close('Row 3')],
			['first', close('Rows 1, 2')],
			['first', close('Row 5')],
			['first', close('Row 4')],
		]);
		const many = Array.from({ length: 7 }, () => row('A', 0));
		expect(warnings(...many)[6]).toEqual(['first', same('Rows 1, 2, 3, 4, 5, …')]);
		expect(warnings(...many.slice(1))[5]).toEqual(['first', same('Rows 1, 2, 3, 4, 5')]);
	});

	test.each([
		[row('A', 0, 'linkedin, tiktok'), row('A', 0, 'tiktok'), same('Row 2', 'TikTok')],
		[row('A', 0, 'x', 'a'), row('A', 0, 'x', 'a'), same('Row 2')],
		[row('A', 0), row('A', 1), close('Row 2')],
		[row('A', 0), row('B', 0), close('Row 2')],
		[row('A', 0), { ...row('A', 0), request: {} }, same('Row 2')],
	])('of %j and %j', (one, two, warning) => expect(warnings(one, two)[0]).toEqual(['first', warning]));

	test('do not count failures, what is no preview, and other accounts', () => {
		const failure = new Failure({ code: 'A', message: 'no', hint: 'try' });
		const deleted = { deleted: true };
		expect(comparePreviews([[failure], [deleted], [row('A', 0)]])).toEqual([
			[failure],
			[deleted],
			[row('A', 0)],
		]);
		const [one, two, open] = [row('A', 0, 'x', 'a'), row('A', 0, 'x', 'b'), row('A', 0)];
		expect(warnings(one, two)).toEqual([['first'], ['first']]);
		expect(warnings(one, open)).toEqual([
			['first', same('Row 2')],
			['first', same('Row 1')],
		]);
		expect(comparePreviews([[row('A', 0), row('A', 0)]])).toEqual([[row('A', 0), row('A', 0)]]);
	});

	test('any rows: two of them warn of each other, or neither does', () => {
		const some = fc.tuple(
			fc.constantFrom('A', 'B'),
			fc.nat(15),
			fc.constantFrom('x', 'linkedin', 'linkedin, x'),
			fc.constantFrom('a', 'b', undefined),
		);
		fc.assert(
			fc.property(some, some, (mine, other) => {
				const [first, second] = warnings(row(...mine), row(...other)) as string[][];
				expect(second).toEqual(first!.map((text) => text.replace('Row 2', 'Row 1')));
				const meet = mine[2].split(', ').some((name) => other[2].includes(name));
				const near = Math.abs(mine[1] - other[1]) <= 5;
				const accounts = !mine[3] || !other[3] || mine[3] === other[3];
				expect(first!.length > 1).toBe(meet && near && accounts);
			}),
			runs(200),
		);
	});
});
