import { range } from 'lodash';
import { Settings } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { fakeItem, NOW, previewOf, type Given } from '../operations';
import { before, check, connected, quick, sentTo, useNow, whole } from './posting';

useNow();
/** Of the server; a preview is in English. */
beforeAll(() => void (Settings.defaultLocale = 'de'));

const previewed = ({ options, ...given }: IDataObject): IDataObject => ({
	...whole({ when: 'at', scheduledAt: '2026-06-01T15:00', ...given }),
	options: { previewOnly: true, ...(options as IDataObject) },
});
const preview = async (given: IDataObject, more?: Given) =>
	await previewOf(create, previewed(given), connected(more));
const first = async (given: IDataObject, more?: Given) =>
	(await preview(given, more)).outcomes[0] as IDataObject;

test('a preview starts with the same columns in all rows, and has no request', async () => {
	const { outcomes, asked } = await preview({});
	expect(outcomes).toEqual([
		{
			...{ platform: 'x', account: 'Plum', when: 'Mon 1 Jun 2026 15:00', text: 'Hi', characters: '2 of 280' },
			...{ warnings: [], preview: true },
			...{ scheduled_at: '2026-06-01T13:00:00Z', scheduled_at_local: '2026-06-01T15:00:00+02:00' },
			...{ time_zone: 'Europe/Berlin', approval_code: expect.stringMatching(/^(\w{8}\.){4}\w{8}$/) },
		},
	]);
	const names = ['platform', 'account', 'when', 'text', 'characters', 'warnings'];
	expect(Object.keys(outcomes[0]!).slice(0, 6)).toEqual(names);
	expect(asked).toMatchObject([
		{ path: '/accounts' },
		{ path: '/posts', qs: { from: '2026-06-01T12:59:59Z', to: '2026-06-01T13:00:01Z', limit: 100 } },
	]);
});

const now = { scheduled_at: '2026-06-01T12:00:00Z', scheduled_at_local: '2026-06-01T14:00:00+02:00' };
const delay = { when: 'delay', delayAmount: 1 };
test.each<[IDataObject, object]>([
	// The text that goes out.
	[
		{ options: { additionalFields: { content: { text: 'Hello' } } } },
		{ text: 'Hello', characters: '5 of 280' },
	],
	[{ when: 'now' }, { ...now, when: 'now' }],
	[{ scheduledAt: '2026-06-01T13:59' }, { ...now, when: 'now' }],
	[
		{ scheduledAt: '2026-05-01T13:59', options: { ifPast: 'publish' } },
		{ ...now, when: 'now' },
	],
	[{ options: { ifPast: 'publish' } }, { when: 'Mon 1 Jun 2026 15:00' }],
	[{ when: 'nextSlot', slotTimes: '18:00' }, { scheduled_at: '2026-06-01T16:00:00Z' }],
	[delay, { scheduled_at: '2026-06-01T13:00:00Z' }],
])('of %j', async (given, shown) => {
	const { outcomes, uploaded } = await preview(given);
	expect([outcomes[0], uploaded]).toMatchObject([{ warnings: [], ...shown }, []]);
});

const later = 'The delay starts when the post is sent';
const own = { platformFields: { fields: [{ platform: 'x', fields: { visibility: 'CONNECTIONS' } }] } };
test.each<[IDataObject, string | undefined]>([
	[{ when: 'nextSlot', slotTimes: '18:00' }, 'The slot is chosen when the post is sent'],
	[delay, later],
	[
		{ ...delay, options: own },
		`${later}. The service may refuse 'Fields per Platform' that its specification does not show`,
	],
	[{ when: 'now' }, undefined],
])(
	'why the time of %j may change is a hint, since in the table it made rows six lines high; a model reads it in the item',
	async (given, note) => {
		const hint = jest.fn();
		const row = await first(given, { item: { hint } });
		const said = note ? note.split('. ').map((one) => [one, 'info']) : [];
		expect((await first(given, { item: { isOfTool: true, hint } })).note).toBe(note);
		expect([hint.mock.calls, 'note' in row]).toEqual([said, false]);
	},
);

test.each([
	[['x', 'youtube'], 'x, youtube', 'Plum, acc_youtube', 'X 2 of 280, YouTube 2 of 5,000 bytes'],
	[['linkedin', 'bluesky'], 'linkedin, bluesky', 'Plum Ltd', 'LinkedIn 2 of 3,000, Bluesky 2 of 300'],
])(
	'%j in one request names the accounts that are certain',
	async (platforms, platform, account, characters) => {
		const { outcomes } = await preview({ platforms }, quick);
		expect(outcomes).toEqual([expect.objectContaining({ platform, account, characters })]);
	},
);

test.each<[IDataObject, string]>([
	[{ platforms: ['bluesky'] }, 'Bluesky is not connected to this workspace'],
	[{ scheduledAt: '2026-06-01T13:00' }, "'Scheduled At' is in the past: 2026-06-01 13:00:00 (Europe/Berlin)"],
	[
		{ platforms: ['x', 'facebook'], options: { mostPosts: 1 } },
		"'Max Posts per Execution' is 1: this execution has sent 0 and asks for 2 more",
	],
])('a preview says that it would be refused, and why: %j', async (given, reason) =>
	expect((await first(given)).warnings).toEqual([`Would be refused: ${reason}`]),
);

test('the time of a post that would be refused as it is past, or that was sent before, is shown all the same', async () => {
	const scheduledAt = '2026-06-01T13:00';
	const when = 'Mon 1 Jun 2026 13:00';
	expect((await first({ scheduledAt })).when).toBe(when);
	const record = { platform: 'x', scheduled_at: '2026-06-01T11:00:00Z' };
	const sent = before(sentTo('x', { record, entry: { body: record } as never }));
	const { uploads } = fakeItem().context;
	const gone = { ...uploads, preview: async () => await Promise.reject(new Error('gone')) } as never;
	const given = { mediaFrom: 'binary', binaryFields: 'a', options: { ifPast: 'publish' } };
	expect(await first({ ...given, scheduledAt }, { ...sent, item: { uploads: gone } })).toMatchObject({
		...{ when, warnings: ['Already sent'] },
	});
});

describe('as a page', () => {
	const page = async (given: IDataObject, more?: Given) =>
		await first({ ...given, options: { ...(given.options as IDataObject), previewAs: 'page' } }, more);

	test('is one item with a card for each post, the requests without signatures, and the codes', async () => {
		const { outcomes } = await preview({ platforms: ['x', 'bluesky'], options: { previewAs: 'page' } });
		const { html, approval_codes: codes, ...rest } = outcomes[0] as { html: string; approval_codes: string };
		expect([outcomes.length, rest, codes.split(', ').length]).toEqual([1, {}, 2]);
		expect(html.match(/<h2>.*?<\/h2>/g)).toEqual([
			'<h2>X · <bdi>Plum</bdi></h2>',
			'<h2>Bluesky</h2>',
			'<h2>Requests</h2>',
		]);
		expect(html).toContain('Mon 1 Jun 2026 15:00 (Europe/Berlin)');
		expect(html).toContain('Bluesky is not connected to this workspace');
	});

	test('is of the whole run where any row asks for one', async () => {
		const rows = [{ previewAs: 'page' }, {}].map((options) => previewed({ when: 'now', options }));
		const { plans } = await check(rows);
		const previews = await create.preview!(plans as never);
		expect(previews).toEqual([[expect.objectContaining({ html: expect.any(String) })], []]);
		expect((previews[0]![0] as { html: string }).html).toContain('<p class="small">Now</p>');
	});

	test('is for people: a tool gets rows', async () =>
		expect(await page({}, { item: { isOfTool: true } })).toMatchObject({ text: 'Hi' }));

	test.each<[IDataObject, string]>([
		[{ mediaFrom: 'binary', binaryFields: 'a' }, '.p0{background-image:url(data:image/png;base64,YQ==)}'],
		[{ mediaFrom: 'readUrls', mediaUrls: 'https://s/b.mp4?sig=secret' }, '▶ Video</div>'],
	])('shows the files of %j, and no signature', async (given, shown) => {
		const { html } = await page(given);
		expect(html).toContain(shown);
		expect(html).toMatch(/&#34;media&#34;: \[\s*&#34;https:\/\/s\/[ab]/);
		expect(html).not.toContain('secret');
	});
});

describe('a post that the service has', () => {
	const post = {
		...{ id: 'p_1', status: 'scheduled', platform: 'twitter', text: 'Hi' },
		scheduled_at: '2026-06-01T13:00:00Z',
	};

	test.each<[IDataObject, boolean]>([
		[{}, true],
		[{ text: undefined, content: { text: 'Hi' } }, true],
		[{ platform: undefined, platforms: [{ platform: 'x' }] }, true],
		[{ account_id: 'acc_1' }, true],
		[{ account_id: 'acc_9' }, false],
		[{ platform: 'linkedin' }, false],
		[{ status: 'canceled' }, false],
		[{ text: 'Ho' }, false],
		[{ scheduled_at: '2026-06-01T13:00:01Z' }, false],
		[{ scheduled_at: undefined }, false],
	])('%j is warned of if it is equal: %j', async (more, isEqual) => {
		const { warnings } = await first({}, { answers: { '/posts': { posts: [{ ...post, ...more }] } } });
		const label = 'Hi · X · 1 Jun 15:00';
		const warning = `X has another post with the same text and time: ${label}`;
		expect(warnings).toEqual(isEqual ? [warning] : []);
	});

	const others = (count: number) =>
		range(count).map((id) => ({ id, platform: 'tiktok', status: 'scheduled' }));
	test.each<[string, unknown, boolean]>([
		['can not be read', new Error('away'), true],
		['may be more than are listed', { posts: [post], paging: { after: 'p' } }, true],
		['are listed whole', { posts: [post], has_more: false }, false],
	])('is not warned of where posts %s, and a hint says so', async (_what, answer, isUnclear) => {
		const hint = jest.fn();
		await first({ text: 'Ho' }, { answers: { '/posts': answer }, item: { hint } });
		const said =
			"Not all of the service's posts could be compared with these, so an equal one may be missing from the warnings";
		expect(hint.mock.calls).toEqual(isUnclear ? [[said, 'info']] : []);
	});

	test.each([500, 501])(
		'%d posts of the service: 500 are compared, and a hint says that there are more',
		async (count) => {
			const hint = jest.fn();
			// A part of the range each time.
			const all = others(count);
			const answer = ({ qs }: { qs: IDataObject }) => {
				const [from, to] = [qs.from, qs.to].map((end) => Date.parse(String(end))) as [number, number];
				const inRange = all.filter(({ id }) => NOW + id * 60_000 >= from && NOW + id * 60_000 <= to);
				return inRange
					.slice(0, 100)
					.map((one) => ({ ...one, scheduled_at: new Date(NOW + one.id * 60_000).toISOString() }));
			};
			const times = [0, 600].map((minutes) =>
				previewed({ scheduledAt: new Date(NOW + minutes * 60_000).toISOString() }),
			);
			const { plans } = await check(times, { answers: { '/posts': answer }, item: { hint } });
			await create.preview!(plans as never);
			expect(hint).toHaveBeenCalledTimes(count - 500);
		},
	);
});

describe('previews of a run', () => {
	/** The warnings of rows, each in a text, platforms and a workspace. */
	async function warningsOf(...rows: Array<[text: string, platforms?: string[], workspaceId?: string]>) {
		const given = rows.map(([text, platforms = ['x'], workspaceId]) =>
			previewed({ text, platforms, options: { workspaceId } }),
		);
		const { plans, requests } = await check(given, quick);
		let compared = 0;
		for (const request of requests) Object.defineProperty(request, 'sent', { get: () => void compared++ });
		const previews = await create.preview!(plans as never);
		return { warnings: previews.map(([one]) => (one as IDataObject).warnings), compared };
	}
	const same = (row: string) => [`X has another post with the same text and time: ${row}`];

	test('name the other rows of the workspace that say the same at the same time', async () => {
		const { warnings } = await warningsOf(['A'], ['A', ['x', 'facebook']], ['B'], ['A', ['x'], 'ws_second']);
		const [one, two] = [1, 2].map((row) => same(`row ${row} of this run`));
		expect(warnings).toEqual([two, one, [], []]);
	});

	test('are made in turns, so that n8n goes on with other work', async () => {
		const { plans } = await check(range(4).map(() => previewed({})));
		jest.useFakeTimers({ now: NOW, advanceTimers: true });
		const timers = jest.spyOn(global, 'setTimeout');
		const { writer } = plans[0]!.item;
		const { preview: show } = writer;
		writer.preview = (...given) => (jest.setSystemTime(Date.now() + 50), show(...given));
		await create.preview!(plans as never);
		expect(timers).toHaveBeenCalledTimes(2);
	});

	test("compare the service's posts from the first time to the last", async () => {
		const times = ['15:00', '16:00'].map((time) => previewed({ scheduledAt: `2026-06-01T${time}` }));
		const { plans, asked } = await check(times);
		await create.preview!(plans as never);
		expect(asked.at(-1)!.qs).toMatchObject({ from: '2026-06-01T12:59:59Z', to: '2026-06-01T14:00:01Z' });
	});

	test('of a thousand equal rows: each is compared with some hundreds', async () => {
		const { warnings, compared } = await warningsOf(...range(1000).map((): [string] => ['A']));
		const first = range(1, 6).map((row) => `row ${row} of this run`);
		expect(warnings.at(-1)).toEqual(same(`${first.join(', ')}, …`));
		expect(compared).toBeLessThan(1000 * 510);
	});
});
