import fc from 'fast-check';
import { map, range, sortBy } from 'lodash';
import type { IDataObject, INode } from 'n8n-workflow';

import { iso } from '../../../nodes/api/postRange';
import { loadOptions } from '../../support/engine';
import { runs } from '../../support/property';
import { asked, credentialOf, says, useService } from '../../support/service';

/** What the fields of the panel list in n8n's editor. */

const service = useService();
interface More {
	filter?: string;
	parameters?: object;
	node?: Partial<INode>;
}
const listed = async (name: string, more: More = {}) =>
	await loadOptions(name, credentialOf(service()), more);
const refuse = (code = 'PUBLIC_API_SCOPE_FORBIDDEN') =>
	service().faults.add({ kind: 'error', code, message: 'Ask', retryAfter: '60', times: 0 });

test.each<[name: string, path: string]>([
	['searchInboxItems', '/inbox'],
	['searchWebhooks', '/webhooks'],
	['searchWorkspaces', '/workspaces'],
	...['searchOpenPosts', 'searchPosts', 'searchPublishedPosts'].map((name): [string, string] => [
		name,
		'/posts',
	]),
])(
	"%s asks for %s; what fails shows the service's message, and what helps in the editor",
	async (name, path) => {
		await listed(name);
		expect(asked(service(), 'GET')[0].path).toBe(`/api/public/v1${path}`);
		refuse();
		const message = expect.stringContaining('Ask');
		await expect(listed(name)).rejects.toMatchObject({ name: 'NodeApiError', message });
		service().faults.clear();
		refuse('PUBLIC_API_RATE_LIMITED');
		const description = 'Wait a minute, then try again.';
		await expect(listed(name)).rejects.toMatchObject({ description });
	},
);

describe('accounts', () => {
	const accounts = [
		{ id: 'acc_1', platform: 'linkedin', name: 'Plum' },
		{ id: 'acc_2', platform: 'Twitter', username: 'plum' },
		{ id: 'acc_3', platform: 'linkedin', status: 'expired' },
	];
	const others = ['Instagram', 'TikTok', 'YouTube', 'Facebook', 'Bluesky'].map((name) => ({
		...{ name, value: name.toLowerCase(), description: '' },
	}));
	const x = { name: 'X', value: 'x', description: 'plum' };

	test('platforms: those with an account first, with their names; each account of several where a post goes', async () => {
		says(service(), { 'GET /accounts': { accounts } });
		const description = 'Plum, acc_3 (reconnect it)';
		expect(await listed('getPlatforms')).toEqual([
			x,
			{ name: 'LinkedIn', value: 'linkedin', description },
			...others,
		]);
		expect(await listed('getTargets')).toEqual([
			x,
			{ name: 'LinkedIn: Plum', value: 'linkedin:acc_1' },
			{ name: 'LinkedIn: acc_3 (reconnect it)', value: 'linkedin:acc_3' },
			...others,
		]);
	});

	test('with the same name can be told apart by their IDs', async () => {
		const same = ['acc_1', 'acc_2'].map((id) => ({ id, platform: 'x', name: 'Plum' }));
		says(service(), { 'GET /accounts': same });
		const names = map(await listed('getTargets'), 'name');
		expect(names.slice(0, 2)).toEqual(['X: Plum (x:acc_1)', 'X: Plum (x:acc_2)']);
	});

	test('a list that is not all says so at its end', async () => {
		says(service(), { 'GET /accounts': { accounts, has_more: true } });
		expect((await listed('getPlatforms')).at(-1)).toMatchObject({ name: expect.stringMatching(/has more/) });
	});

	test('all seven platforms where the accounts can not be read, and the first says why', async () => {
		refuse();
		const options = await listed('getTargets');
		expect(options).toHaveLength(7);
		expect(options[0]!.description).toMatch(
			/^Accounts not loaded: .*Ask\. To try again, choose ⋮ → Refresh List\.$/,
		);
		expect(options[1]!.description).toBe('');
	});

	test('where the editor has not chosen a credential yet, the list says to open the panel again', async () => {
		const node = { credentials: undefined };
		const [first] = await listed('getTargets', { node });
		expect(first!.description).toMatch(
			/^Accounts not loaded: select a credential\. If one is selected, close this panel/,
		);
		await expect(listed('searchWorkspaces', { node })).rejects.toThrow(/close this panel and open it again/);
		expect(asked(service(), 'GET')).toEqual([]);
	});
});

test.each<[route: string, name: string, record: IDataObject, shown: string]>([
	[
		'/inbox',
		'searchInboxItems',
		{ author: { name: 'Ann' }, text: 'Nice\njam', platform: 'x' },
		'Ann · Nice jam · X',
	],
	['/inbox', 'searchInboxItems', { author: 'ann', text: 'Nice' }, 'ann · Nice'],
	['/inbox', 'searchInboxItems', { author: null, platform: 'linkedin' }, 'LinkedIn'],
	[
		'/webhooks',
		'searchWebhooks',
		{ description: 'Newsroom', url: 'https://a.example' },
		'Newsroom · https://a.example',
	],
	['/webhooks', 'searchWebhooks', { description: null, url: 'https://a.example' }, 'https://a.example'],
	['/webhooks', 'searchWebhooks', { url: ' ' }, 'an_id'],
	['/workspaces', 'searchWorkspaces', { name: 'Bakery' }, 'Bakery'],
])('%s: %s shows %j as %s; without an ID, it is no option', async (route, name, record, shown) => {
	const without = [undefined, null, '', {}].map((id) => ({ ...record, id }));
	says(service(), { [`GET ${route}`]: [...without, { ...record, id: 'an_id' }] });
	expect(await listed(name)).toEqual([{ name: shown, value: 'an_id' }]);
});

test.each<[unknown, string]>([
	[undefined, 'ws_main'],
	[{ mode: 'list', value: '' }, 'ws_main'],
	['ws_second', 'ws_second'],
	[{ mode: 'id', value: 'ws_second' }, 'ws_second'],
])('with %j chosen, the workspace %s is asked; for workspaces, none', async (chosen, workspace) => {
	const parameters = { options: { workspaceId: chosen } };
	for (const name of ['searchWebhooks', 'searchWorkspaces']) await listed(name, { parameters });
	const said = asked(service(), 'GET').map(({ headers }) => headers['x-service-workspace-id']);
	expect(said).toEqual([workspace, undefined]);
});

describe('the search of a list', () => {
	test.each([
		['', ['wh_1', 'wh_2']],
		[' ARCH ', ['wh_2']],
		['A.EXAMPLE', ['wh_1']],
		['wh_', ['wh_1', 'wh_2']],
		['example wh_2', ['wh_2']],
		['nobody', []],
	])('%j: by what is shown and by ID, whatever the case', async (filter, ids) => {
		const webhooks = [
			{ id: 'wh_1', description: 'Newsroom', url: 'https://a.example' },
			{ id: 'wh_2', description: 'Archive', url: 'https://b.example' },
		];
		says(service(), { 'GET /webhooks': { webhooks } });
		expect(map(await listed('searchWebhooks', { filter }), 'value')).toEqual(ids);
	});

	test('reads 1,000 records at most, and says that there are more: workflows that run need the rate limit, too', async () => {
		let page = 0;
		const next = () => {
			const webhooks = range(100).map((i) => ({ id: `wh_${page * 100 + i}` }));
			return { webhooks, pagination: { hasNext: ++page > 0 } };
		};
		says(service(), { 'GET /webhooks': next });
		expect([(await listed('searchWebhooks')).length, page]).toEqual([1_001, 10]);
	});
});

test('a service that does not answer keeps nobody waiting for more than ten seconds', async () => {
	// By a clock that runs twenty times as fast.
	const monotonic = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => 20 * monotonic());
	service().faults.add({ kind: 'hang', times: 0 });
	const start = monotonic();
	await expect(listed('searchWebhooks')).rejects.toMatchObject({ name: 'NodeApiError' });
	jest.restoreAllMocks();
	expect(monotonic() - start).toBeLessThan(5_000);
});

describe('posts', () => {
	const NOW = Date.parse('2027-06-01T12:00:00Z');
	const MINUTE = 60_000;
	const now = Date.now;
	beforeEach(() => void (Date.now = () => NOW));
	afterEach(() => void (Date.now = now));

	test.each([
		[
			{ scheduled_at: '2027-06-01T12:00:00Z', platform: 'x', status: 'failed', text: 'Plum\njam' },
			'Plum jam · X · 1 Jun 14:00 · failed',
		],
		[{ platforms: ['linkedin', 'x', { platform: 'y' }] }, 'p · LinkedIn, X, y'],
		[
			{ scheduled_at: '2028-06-01T12:00:00Z', platform: 'x', status: 'pending_approval', text: 'Jam' },
			'Jam · X · 1 Jun 2028 14:00 · pending approval',
		],
		[{ status: 'scheduled', text: 'Jam' }, 'Jam'],
		[{ status: 'completed', text: 'Jam' }, 'Jam · published'],
		[
			{
				...{ status: 'completed', text: 'Jam', scheduled_at: '2027-05-01T12:00:00Z' },
				published_at: '2027-05-02T12:00:00Z',
			},
			'Jam · 2 May 14:00 · published',
		],
		// In Berlin.
		[{ scheduled_at: '2027-12-31T23:30:00Z', text: 'Jam' }, 'Jam · 1 Jan 2028 00:30'],
	])('%j is shown as %s', async (post, label) => {
		says(service(), { 'GET /posts': [{ id: 'p', ...post }] });
		expect(map(await listed('searchPosts'), 'name')).toEqual([label]);
	});

	const post = (i: number, at: number, more: object = {}) => ({
		...{ id: `p_${i}`, status: 'completed', text: `Text ${i}`, scheduled_at: iso(at) },
		...more,
	});
	/** A service with these posts: those in a range, newest first, a hundred at most. */
	const have = (posts: Array<ReturnType<typeof post>>, inOrder = (all: typeof posts) => all) =>
		says(service(), {
			'GET /posts': ({ from, to }: IDataObject) => {
				const [start, end] = [from, to].map((one) => Date.parse(String(one))) as [number, number];
				const timeOf = ({ scheduled_at: at }: (typeof posts)[number]) => Date.parse(at);
				const inRange = posts.filter((one) => timeOf(one) >= start && timeOf(one) <= end);
				return inOrder(sortBy(inRange, (one) => -timeOf(one)).slice(0, 100));
			},
		});
	/** Every ten hours one, the latest first. */
	const many = (count: number) => range(count).map((i) => post(i, NOW - (i * 600 + 1) * MINUTE));
	const idsOf = async (filter?: string, name = 'searchPosts') => map(await listed(name, { filter }), 'value');

	test('those to come by time, then the newest first, a hundred at least', async () => {
		have([...many(320), post(400, NOW + 2 * MINUTE), post(401, NOW + MINUTE)]);
		const ids = await idsOf();
		expect(Math.floor(ids.length / 100)).toBe(1);
		expect(ids).toEqual(['p_401', 'p_400', ...map(many(ids.length - 2), 'id')]);
	});

	test('the newest first, in whatever order the service lists them', async () => {
		have([...many(3), post(3, NOW + MINUTE), post(4, NOW)], (all) => all.reverse());
		expect(await idsOf()).toEqual(['p_4', 'p_3', 'p_0', 'p_1', 'p_2']);
	});

	test('any posts that are close together: the newest, each once', async () => {
		const spread = fc.record({
			...{ count: fc.integer({ min: 1, max: 300 }), shift: fc.integer({ min: 0, max: 3000 }) },
			gapMs: fc.constantFrom(40, 1000, 60_000),
		});
		await fc.assert(
			fc.asyncProperty(spread, async ({ count, shift, gapMs }) => {
				const posts = range(count).map((i) => post(i, NOW - shift - i * gapMs));
				have(posts);
				const ids = await idsOf();
				expect(ids).toEqual(posts.slice(0, ids.length).map(({ id }) => id));
				expect(ids.length).toBeGreaterThanOrEqual(Math.min(count, 100));
			}),
			runs(20),
		);
	});

	test('also by what a post says after the part that is shown', async () => {
		have([post(0, NOW), { ...post(1, NOW), text: `${'Bread. '.repeat(20)}Plum jam` }]);
		expect(await idsOf('plum JAM')).toEqual(['p_1']);
	});

	test.each([
		['TEXT 300', ['p_300']],
		['p_17', ['p_17', ...range(170, 180).map((i) => `p_${i}`)]],
		['no such text', []],
	])('by text and ID in any part of the past: %s', async (filter, ids) => {
		have(many(320));
		expect(await idsOf(filter)).toEqual(ids);
	});

	test('a search that finds nothing ends after a thousand posts, and says so instead of an empty list', async () => {
		have(many(3000));
		await expect(idsOf('no such text')).rejects.toMatchObject({
			message: expect.stringMatching(/^None of the latest 1\d{3} posts match$/),
			description: expect.stringContaining('By ID'),
		});
		expect(asked(service(), 'GET').length).toBeLessThan(30);
		expect(await idsOf('p_1007')).toEqual(['p_1007']);
	});

	test('a search that has found something ends after ten seconds', async () => {
		const monotonic = performance.now.bind(performance);
		let shift = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + shift);
		have(many(320), (all) => ((shift += 6_000), all));
		expect((await idsOf('p_1')).length).toBeLessThan(100);
		expect(await idsOf('p_300')).toEqual(['p_300']);
		jest.restoreAllMocks();
	});

	test('more at one moment than the service lists: a hundred of them, and others before; a search says that it saw a part', async () => {
		have([...range(105).map((i) => post(i, NOW + MINUTE)), ...range(200, 203).map((i) => post(i, NOW - i))]);
		expect(await idsOf()).toEqual(range(100).map((i) => `p_${i}`));
		expect(await idsOf('text 20')).toEqual(['p_20', 'p_200', 'p_201', 'p_202']);
		await expect(idsOf('no such text')).rejects.toThrow(/^None of the latest 103 posts match$/);
	});

	test.each([
		['searchOpenPosts', ['p_0', 'p_4', 'p_5']],
		['searchPublishedPosts', ['p_1', 'p_3']],
	])('%s lists those that it is for', async (name, ids) => {
		const states = ['scheduled', 'completed', 'failed', 'failed', 'draft', 'pending_approval', 'canceled'];
		const posts = states.map((status, i) => post(i, NOW - i * MINUTE, { status }));
		// Out on one of its platforms.
		Object.assign(posts[3]!, { platforms: [{ platform: 'x', provider_post_id: '7' }] });
		have(posts);
		expect(await idsOf(undefined, name)).toEqual(ids);
	});
});
