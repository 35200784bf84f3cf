import { range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { previewOf, type Given } from '../operations';
import { check, connected, quick, useNow, whole } from './posting';

useNow();

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
			...{ time_zone: 'Europe/Berlin', approval_code: expect.any(String) },
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
		expect([hint.mock.calls, 'note' in row]).toEqual([said, false]);
		expect((await first(given, { item: { isOfTool: true } })).note).toBe(note);
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

	test('is for people: a tool gets rows', async () =>
		expect(await page({}, { item: { isOfTool: true } })).toMatchObject({ text: 'Hi' }));

	test.each<[IDataObject, string]>([
		[{ mediaFrom: 'binary', binaryFields: 'a' }, '.p0{background-image:url(data:image/png;base64,YQ==)}'],
		[{ mediaFrom: 'readUrls', mediaUrls: 'https://s/b.mp4?sig=secret' }, '▶ Video</div>'],
	])('shows the files of %j, and no signature', async (given, shown) => {
		const { html } = await page(given);
		expect(html).toContain(shown);
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

	test('is not warned of where posts can not be read', async () =>
		expect((await first({}, { answers: { '/posts': new Error('away') } })).warnings).toEqual([]));
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

	test('of a thousand equal rows: each is compared with some hundreds', async () => {
		const { warnings, compared } = await warningsOf(...range(1000).map((): [string] => ['A']));
		const first = range(1, 6).map((row) => `row ${row} of this run`);
		expect(warnings.at(-1)).toEqual(same(`${first.join(', ')}, …`));
		expect(compared).toBeLessThan(1000 * 510);
	});
});
