import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../../../../nodes/SocialPublishing/engine/item';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import type { PostPlan } from '../../../../../nodes/SocialPublishing/resources/post/plan';
import { fakeItem, NOW, paramsOf, planOf, previewOf, type Given } from '../operations';
import { useNow } from './posting';

useNow();

const accounts = [
	{ id: 'acc_1', platform: 'Twitter', name: 'Plum' },
	{ id: 'acc_2', platform: 'linkedin', name: 'Plum Ltd' },
	{ id: 'acc_3', platform: 'linkedin', username: 'plum' },
	{ id: 'acc_4', platform: 'youtube' },
];
const base = { platforms: ['x'], text: 'Hi', when: 'at', scheduledAt: '2026-06-01T15:00' };
const preview = async (given: IDataObject, { answers, ...more }: Given = {}) =>
	await previewOf(
		create,
		{ ...base, ...given, options: { previewOnly: true } },
		{ ...more, answers: { '/accounts': accounts, ...answers } },
	);
const first = async (given: IDataObject, more: Given = {}) =>
	(await preview(given, more)).outcomes[0] as IDataObject;
const warningsOf = async (given: IDataObject, more: Given = {}) => (await first(given, more)).warnings ?? [];

describe('a preview', () => {
	test('shows account, time, text and characters first, and the request last', async () => {
		const { outcomes, asked } = await preview({});
		expect(outcomes).toEqual([
			{
				...{ platform: 'x', account: 'Plum', text: 'Hi', preview: true },
				scheduled_at: '2026-06-01T13:00:00Z',
				scheduled_at_local: '2026-06-01T15:00:00+02:00',
				characters: expect.stringContaining('2'),
				time_zone: 'Europe/Berlin',
				approval_code: expect.any(String),
				request: expect.objectContaining({ path: '/posts' }),
			},
		]);
		const names = Object.keys(outcomes[0]!);
		expect(names.slice(0, 5)).toEqual(['platform', 'account', 'scheduled_at_local', 'text', 'characters']);
		expect(names.at(-1)).toBe('request');
		expect(asked).toMatchObject([
			{ path: '/accounts' },
			{ path: '/posts', qs: { from: '2026-06-01T12:59:59Z', to: '2026-06-01T13:00:01Z', limit: 100 } },
		]);
	});

	test("has the text that goes out, also where that is in the user's own fields", async () => {
		const options = { previewOnly: true, additionalFields: { content: { text: 'Hello' } } };
		const { outcomes } = await previewOf(
			create,
			{ ...base, options },
			{ answers: { '/accounts': accounts } },
		);
		expect(outcomes[0]).toMatchObject({ text: 'Hello', characters: '5 of 280' });
	});

	test.each([{ when: 'now' }, { scheduledAt: '2026-06-01T13:59' }])(
		'of a post that goes out now has the time of now, and says so: %j',
		async (given) =>
			expect(await first(given)).toMatchObject({
				scheduled_at: '2026-06-01T12:00:00Z',
				scheduled_at_local: '2026-06-01T14:00:00+02:00',
				publishes: 'now',
			}),
	);

	test.each([
		[{ platforms: ['x', 'youtube'] }, 'x, youtube', 'Plum, acc_4'],
		[{ platforms: ['linkedin', 'facebook'] }, 'linkedin, facebook', ''],
	])('%j in one request names the accounts that are certain', async (given, platform, account) => {
		const { outcomes } = await preview(given, { item: { postFormat: 'quickStart' } });
		expect(outcomes).toEqual([expect.objectContaining({ platform, account })]);
	});

	test('with a file has a placeholder for its address, and uploads nothing', async () => {
		const { outcomes, uploaded } = await preview({ mediaFrom: 'binary', binaryFields: 'a' });
		expect(outcomes[0]).toMatchObject({ request: { body: { content: { media: ['https://s/a?sig'] } } } });
		expect(uploaded).toEqual([]);
	});

	test.each([
		[
			{ when: 'nextSlot', slotTimes: '18:00' },
			'The slot is chosen when the post is sent',
			'2026-06-01T16:00:00Z',
		],
		[{ when: 'delay', delayAmount: 1 }, 'The delay starts when the post is sent', '2026-06-01T13:00:00Z'],
	])('of %j says why the time may change, and that is no warning', async (given, note, scheduled_at) => {
		const item = await first(given);
		expect(item).toMatchObject({ note, scheduled_at });
		expect(item).not.toHaveProperty('warnings');
	});

	test('with fields per platform notes that the service may refuse them, where they are', async () => {
		const fields = [{ platform: 'linkedin', fields: { visibility: 'CONNECTIONS' } }];
		const given = { platforms: ['x', 'linkedin'], when: 'delay', delayAmount: 1 };
		const accountsOnce = { '/accounts': accounts.slice(0, 2) };
		const { outcomes } = await previewOf(
			create,
			{ ...base, ...given, options: { previewOnly: true, platformFields: { fields } } },
			{ answers: accountsOnce },
		);
		const delay = 'The delay starts when the post is sent';
		expect(outcomes).toMatchObject([
			{ note: delay },
			{
				note: `${delay}. The service may refuse 'Fields per Platform' that its specification does not show`,
				request: { body: { visibility: 'CONNECTIONS' } },
			},
		]);
	});
});

describe('a preview warns of', () => {
	const post = {
		id: 'p_1',
		status: 'scheduled',
		platform: 'twitter',
		scheduled_at: '2026-06-01T13:00:00Z',
		text: 'Hi',
	};
	const existing = (more: IDataObject) => ({ answers: { '/posts': { posts: [{ ...post, ...more }] } } });
	const same = ['X has another post with the same text and time: Hi · X · 1 Jun 15:00'];

	test.each<[IDataObject, string]>([
		[{ platforms: ['facebook'] }, 'Facebook is not connected to this workspace'],
		[
			{ platforms: ['linkedin'] },
			'2 LinkedIn accounts are connected: Plum Ltd · LinkedIn (acc_2), plum · LinkedIn (acc_3)',
		],
		[
			{ scheduledAt: '2026-06-01T13:00' },
			"'Scheduled At' is in the past: 2026-06-01 13:00:00 (Europe/Berlin)",
		],
	])('what would be refused: %j', async (given, warning) =>
		expect(await warningsOf(given)).toEqual([warning]),
	);

	test.each<[IDataObject, string[]]>([
		[{}, same],
		[{ text: undefined, content: { text: 'Hi' } }, same],
		[{ platform: undefined, platforms: [{ platform: 'x' }] }, same],
		[{ account_id: 'acc_1' }, same],
		[{ account_id: 'acc_9' }, []],
		[{ platform: 'linkedin' }, []],
		[{ status: 'canceled' }, []],
		[{ status: 'completed' }, []],
		[{ text: 'Ho' }, []],
		[{ scheduled_at: '2026-06-01T13:00:01Z' }, []],
		[{ scheduled_at: undefined }, []],
	])('a post that is there: %j', async (more, warnings) =>
		expect(await warningsOf({}, existing(more))).toEqual(warnings),
	);

	test('nothing where the posts can not be read', async () =>
		expect(await warningsOf({}, { answers: { '/posts': new Error('away') } })).toEqual([]));
});

describe('previews of a run', () => {
	type Row = [text: string, minutes: number, platforms?: string[]];
	test('compare the posts of each workspace with its own only', async () => {
		const listed = [{ id: 'p', platform: 'x', content: 'Hi', status: 'scheduled' }];
		const rowOf = async (workspaceId: string, index: number, posts: IDataObject[]) =>
			await planOf<PostPlan>(
				create,
				{ ...base, options: { previewOnly: true } },
				{ answers: { '/accounts': accounts, '/posts': posts }, item: { workspaceId, index } },
			);
		const posts = listed.map((one) => ({ ...one, scheduled_at: '2026-06-01T13:00:00Z' }));
		const rows = [await rowOf('ws_main', 0, []), await rowOf('ws_second', 1, posts)];
		const [mine, theirs] = await create.preview!(rows as never);
		expect((mine![0] as IDataObject).warnings).toBeUndefined();
		expect((theirs![0] as IDataObject).warnings).toEqual([
			expect.stringMatching(/^X has another post with the same text and time: /),
		]);
	});

	/** How often somebody asked whether a request was sent, which comparing two does. */
	let compared = 0;
	/** The warnings of rows that go out at so many minutes after three. */
	async function warnings(...rows: Row[]): Promise<string[][]> {
		const list = accounts.slice(0, 2);
		const { context } = fakeItem(
			{ answers: { '/accounts': list }, item: { postFormat: 'quickStart' } },
			{ previewOnly: true },
		);
		const planned = [];
		for (const [index, [text, minutes, platforms = ['x']]] of rows.entries()) {
			const scheduledAt = new Date(NOW + 3_600_000 + minutes * 60_000).toISOString();
			const params = paramsOf(create, {
				...base,
				text,
				scheduledAt,
				platforms,
				options: { previewOnly: true },
			});
			const item = { ...context, index } as Item;
			const plan = (await create.plan!(params, item)) as PostPlan;
			for (const request of plan.requests)
				Object.defineProperty(request, 'sent', { get: () => void compared++ });
			planned.push({ item, plan: plan as never });
		}
		const previews = await create.preview!(planned);
		return previews.map(([one]) => ((one as IDataObject).warnings ?? []) as string[]);
	}
	const named = (rows: number[]) => rows.map((row) => `row ${row} of this run`).join(', ');
	const same = (...rows: number[]) => `X has another post with the same text and time: ${named(rows)}`;

	test('name the other rows that say the same at the same time', async () => {
		const rows: Row[] = [
			['A', 0],
			['A', 0, ['x', 'linkedin']],
			['A', 1],
			['B', 0],
		];
		expect(await warnings(...rows)).toEqual([[same(2)], [same(1)], [], []]);
	});

	test('of thousands that go out at the same time: each is compared with some hundreds', async () => {
		compared = 0;
		const crowd = await warnings(...Array.from({ length: 2000 }, (): Row => ['A', 0]));
		expect(crowd.at(-1)).toEqual([`${same(1, 2, 3, 4, 5)}, …`]);
		expect(compared).toBeLessThan(2000 * 600);
	});
});
